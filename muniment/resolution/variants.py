"""Names that are one name written in trivially different ways: what each rule compares, and what it proposes.

Input is the names of a view, not their mentions. Proposals are name, name_right, rule, score; a score of 0 keeps
two names apart. Guards and thresholds come after (`decisions`).
"""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from muniment.resolution.entity_types import NAMED_TYPES, OPPOSED_CLASSES
from muniment.resolution.guards import signatures
from muniment.resolution.persons import person_parts

#: Legal forms of organisations, each with the form that it is compared by.
LEGAL_FORMS: dict[str, str] = {
    "ltd": "ltd", "limited": "ltd", "pty ltd": "pty ltd", "inc": "inc", "incorporated": "inc", "corp": "corp",
    "corporation": "corp", "co": "co", "company": "co", "llc": "llc", "l.l.c": "llc", "llp": "llp", "l.l.p": "llp",
    "lp": "lp", "plc": "plc", "p.l.c": "plc", "gmbh": "gmbh", "gmbh & co kg": "gmbh & co kg",
    "gmbh & co. kg": "gmbh & co kg", "ag": "ag", "kg": "kg", "se": "se", "sa": "sa", "s.a": "sa", "sas": "sas",
    "s.a.s": "sas", "sarl": "sarl", "s.à r.l": "sarl", "bv": "bv", "b.v": "bv", "nv": "nv", "n.v": "nv",
    "spa": "spa", "s.p.a": "spa", "srl": "srl", "s.r.l": "srl", "oy": "oy", "oyj": "oyj", "ab": "ab", "a/s": "as",
    "aps": "aps", "asa": "asa",
}  # fmt: skip

#: Words in s that are no plural of what is left without it.
NO_PLURALS = (
    "analytics", "arms", "bus", "customs", "economics", "ethics", "gas", "goods", "headquarters", "lens", "logistics",
    "mathematics", "means", "news", "physics", "politics", "premises", "proceedings", "series", "species", "statistics",
    "works",
)  # fmt: skip

#: Terms of the library that are words or abbreviations of other things too often.
_NOT_FORMS = frozenset({"private", "et", "as", "da", "mb", "ee", "kt", "dat", "vat", "pp", "aj", "pt", "hf", "rt"})

_DOTTED = r"^(?:\p{L}\.){2,}$|^(?:\p{L}\.)+\p{L}$"

#: Function words that names of organisations have or have not in another order of words.
_FUNCTION_WORDS = ("of", "for", "the", "and", "de", "des", "du", "la", "le", "und", "für", "der", "die", "das")

#: American for British endings and words; common nouns only.
_REGIONAL = (
    (r"([a-z]{3,})is(e|es|ed|er|ers|ing|ation|ations)\b", "${1}iz${2}"),
    (r"([a-z]{3,}[^aeiou\s])our(s|ed|ing|able|ite|al)?\b", "${1}or${2}"),
    (r"\b(cent|fib|lit|theat|met)re(s?)\b", "${1}er${2}"),
    (r"\b(def|off|lic|pret)ence(s?)\b", "${1}ense${2}"),
    (r"\b(prog)ramme(s?)\b", "${1}ram${2}"),
    (r"\b(catal|dial)ogue(s?)\b", "${1}og${2}"),
    (r"([a-z]{2,}[aeiou])ll(ed|ing|er|ers)\b", "${1}l${2}"),
)


@lru_cache(maxsize=1)
def legal_forms() -> dict[str, str]:
    """Legal forms as written, without a last dot, each with the form that it is compared by.

    Ours, and those of cleanco; each of the latter stands for itself.
    """
    from cleanco.termdata import terms_by_type

    found = {
        term.strip().rstrip(".").casefold(): term.strip().casefold().replace(".", "").replace(" ", "")
        for terms in terms_by_type.values()
        for term in terms
        if term.isascii() and "&" not in term
    }
    return {term: form for term, form in found.items() if form not in _NOT_FORMS} | LEGAL_FORMS


def _legal_pattern() -> str:
    ordered = sorted(legal_forms(), key=lambda form: (-len(form), form))
    return rf"^(.+?),?\s+({'|'.join(form.replace('.', chr(92) + '.') for form in ordered)})\.?$"


def _collapsed(expression: pl.Expr) -> pl.Expr:
    return expression.str.replace_all(r"\s+", " ").str.strip_chars()


def _singular(expression: pl.Expr) -> pl.Expr:
    """The last word without its plural ending, where the ending is safe to take off."""
    last = expression.str.extract(r"(\S+)$")
    fixed = last.is_in(NO_PLURALS) | (last.str.len_chars() < 4) | last.str.contains(r"(?:ss|us|is|as|'s)$|\d")
    return (
        pl.when(fixed)
        .then(expression)
        .when(last.str.contains(r"[^aeiou]ies$"))
        .then(expression.str.replace(r"ies$", "y"))
        .when(last.str.contains(r"(?:x|ch|sh|ss|zz)es$"))
        .then(expression.str.replace(r"es$", ""))
        .otherwise(expression.str.replace(r"s$", ""))
    )


def _regional(expression: pl.Expr) -> pl.Expr:
    for pattern, replacement in _REGIONAL:
        expression = expression.str.replace_all(pattern, replacement)
    return expression


def _without_identifier(names: pl.DataFrame) -> pl.DataFrame:
    """name, bare: the rest of each name that has its identifier in it."""
    rows = [
        (name, name.replace(identifier.casefold(), "", 1).strip(" -,:()"))
        for name, identifier in names.filter(pl.col("identifier").is_not_null())
        .select("name", "identifier")
        .iter_rows()
        if identifier.casefold() in name
    ]
    return pl.DataFrame(rows, schema={"name": pl.String, "bare": pl.String}, orient="row")


def variant_keys(names: pl.DataFrame) -> pl.DataFrame:
    """`names` (see `name_table`) with what the rules compare, their signatures and the parts of persons' names.

    plain: without article, possessive, hyphens and the dots of an abbreviation; compact: without spaces; stem, form:
    without legal form, and the form; compared: words of the stem in alphabetical order; bare: without its identifier,
    null where it has none. A name of nothing but dropped characters has empty keys.
    """
    quotes = pl.col("name").str.replace_all(r"[’‘ʼ`]", "'").str.replace_all(r"[‐‑‒–—_]", "-")
    keyed = (
        names.with_columns(_collapsed(quotes).str.replace(r"^(?:the |les |l')(\S)", "${1}").alias("article"))
        .with_columns(pl.col("article").str.replace(r"'s$", "").str.replace(r"s'$", "s").alias("possessive"))
        .with_columns(_collapsed(pl.col("possessive").str.replace_all("-", " ")).alias("spaced"))
        .with_columns(
            pl.when(pl.col("spaced").str.contains(_DOTTED))
            .then(pl.col("spaced").str.replace_all(r"\.", ""))
            .otherwise(pl.col("spaced"))
            .alias("dotless"),
            pl.col("possessive").str.contains("-").alias("hyphen"),
        )
        .with_columns(_collapsed(pl.col("dotless").str.replace_all(r"\s*&\s*", " and ")).alias("plain"))
        .with_columns(pl.col("plain").str.replace_all(" ", "").alias("compact"))
    )
    form = pl.col("dotless").str.extract(_legal_pattern(), 2)
    keyed = keyed.with_columns(
        pl.coalesce(pl.col("dotless").str.extract(_legal_pattern(), 1), "plain").alias("stem"),
        form.replace_strict(legal_forms(), default=None, return_dtype=pl.String).alias("form"),
        _singular(pl.col("plain")).alias("singular"),
    )
    stem_words = pl.col("stem").str.extract_all(r"[\p{L}\p{M}\p{N}]+").list.sort()
    content = stem_words.list.eval(pl.element().filter(~pl.element().is_in(_FUNCTION_WORDS)))
    keyed = keyed.with_columns(
        stem_words.list.join(" ").alias("compared"),
        (content.list.join(" ") + pl.coalesce(" " + pl.col("form"), pl.lit(""))).alias("words"),
        _regional(pl.col("plain")).alias("regional"),
    )
    keyed = keyed.join(_without_identifier(names), on="name", how="left")
    return signatures(keyed, "plain").join(person_parts(keyed), on="name", how="left").sort("name")


def paired(keyed: pl.DataFrame, key: str) -> pl.DataFrame:
    """All pairs of names with an equal, non-empty key, left < right."""
    shared = keyed.filter((pl.col(key) != "") & (pl.len().over(key) > 1))
    return shared.join(shared, on=key, suffix="_right", coalesce=False).filter(pl.col("name") < pl.col("name_right"))


def _proposed(pairs: pl.DataFrame, rule: pl.Expr | str, score: pl.Expr | float) -> pl.DataFrame:
    name = pl.lit(rule) if isinstance(rule, str) else rule
    value = score if isinstance(score, pl.Expr) else pl.lit(score)
    return pairs.select("name", "name_right", name.alias("rule"), value.cast(pl.Float64).alias("score"))


def _spelling(keyed: pl.DataFrame) -> pl.DataFrame:
    steps = {"leading_article": "article", "possessive": "possessive", "hyphen_or_space": "spaced",
             "abbreviation_dots": "dotless"}  # fmt: skip
    scores = {"leading_article": 1.0, "possessive": 0.98, "hyphen_or_space": 0.97, "abbreviation_dots": 0.97}
    rule = pl.coalesce(
        *(pl.when(pl.col(key) == pl.col(f"{key}_right")).then(pl.lit(name)) for name, key in steps.items()),
        pl.lit("ampersand"),
    )
    compact = paired(keyed, "compact").filter(
        (pl.col("plain") != pl.col("plain_right"))
        & (pl.col("hyphen") | pl.col("hyphen_right"))
        & (pl.col("compact").str.len_chars() >= 5)
    )
    exact = _proposed(paired(keyed, "plain"), rule, rule.replace_strict(scores, default=0.97, return_dtype=pl.Float64))
    return pl.concat([exact, _proposed(compact, "hyphen_or_space", 0.97)])


def _legal_forms(keyed: pl.DataFrame) -> pl.DataFrame:
    """One form per stem joins the bare name; two different forms are two organisations."""
    pairs = (
        keyed.with_columns(pl.col("form").drop_nulls().n_unique().over("stem").alias("_forms"))
        .pipe(paired, "stem")
        .filter(
            (pl.col("plain") != pl.col("plain_right"))
            & (pl.col("form").is_not_null() | pl.col("form_right").is_not_null())
        )
    )
    bare_type = pl.when(pl.col("form").is_null()).then(pl.col("entity_type")).otherwise(pl.col("entity_type_right"))
    both = pl.col("form").is_not_null() & pl.col("form_right").is_not_null()
    rule = (
        pl.when(both)
        .then(
            pl.when(pl.col("form") == pl.col("form_right"))
            .then(pl.lit("legal_form"))
            .otherwise(pl.lit("legal_forms_differ"))
        )
        .when(pl.col("_forms") > 1)
        .then(pl.lit("legal_form_ambiguous"))
        .when(bare_type.is_in(OPPOSED_CLASSES))
        .then(pl.lit("opposed_types"))
        .when(bare_type == "organisation")
        .then(pl.lit("legal_form"))
        .otherwise(pl.lit("legal_form_of_other"))
    )
    scores = {"legal_form": 0.95, "legal_form_of_other": 0.85}
    return _proposed(pairs, rule, rule.replace_strict(scores, default=0.0, return_dtype=pl.Float64))


def _common_nouns(keyed: pl.DataFrame) -> pl.DataFrame:
    """Plurals and regional spellings of common nouns; of proper names they are only a likeness."""
    common = keyed.filter(~pl.col("entity_type").is_in(NAMED_TYPES))
    proper = pl.col("proper") | pl.col("proper_right")
    plurals = paired(common, "singular").filter(pl.col("plain") != pl.col("plain_right"))
    regional = paired(common, "regional").filter(pl.col("plain") != pl.col("plain_right"))
    return pl.concat(
        [
            _proposed(
                plurals,
                pl.when(proper).then(pl.lit("plural_of_name")).otherwise(pl.lit("plural")),
                # one capital word begins a sentence or heads a column as often as it names something
                pl.when(proper & pl.col("plain").str.contains(" ")).then(0.85).when(proper).then(0.75).otherwise(0.93),
            ),
            _proposed(
                regional,
                pl.when(proper).then(pl.lit("regional_name")).otherwise(pl.lit("regional_spelling")),
                pl.when(proper).then(0.85).otherwise(0.93),
            ),
        ]
    )


def _same_words(keyed: pl.DataFrame) -> pl.DataFrame:
    several = keyed.filter(pl.col("words").str.contains(" "))
    different = pl.all_horizontal(pl.col(key) != pl.col(f"{key}_right") for key in ("plain", "compact"))
    return _proposed(paired(several, "words").filter(different), "same_words", 0.85)


def variant_proposals(keyed: pl.DataFrame) -> pl.DataFrame:
    """Proposals of all rules of this module, strongest kind first; a pair may stand under several rules."""
    return pl.concat([_spelling(keyed), _legal_forms(keyed), _common_nouns(keyed), _same_words(keyed)])
