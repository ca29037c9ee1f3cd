"""What claims say on one question, as sides: the input of conflict finding.

A question is (basis, topic, predicate, target). Bases: `value` (one value at a time: owner, retention period),
`polarity` (asserted or denied), `modality` (obliged, forbidden, permitted, …) and `definition` (wording of a term).
"""

from __future__ import annotations

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.graph.linked import singular
from muniment.graph.values import plain_text
from muniment.resolution.entity_types import GENERIC_TYPE

#: The question that claims are compared on.
KEY = ["basis", "topic", "predicate", "target"]

#: Sentence co-occurrence: it asserts nothing.
CO_OCCURRENCE = ("R12",)

#: Copulas whose value is one measure when the subject is a named thing.
_COPULAS = ("be",)

#: Prepositions of a time or count that a verb sets for its object: locks an account after, notifies someone within.
_MEASURED = r"_(?:within|after)$"

#: What norms come to, by modality and polarity.
_NORMS = {
    "shall+": "obliged",
    "must+": "obliged",
    "shall-": "forbidden",
    "must-": "forbidden",
    "may+": "permitted",
    "may-": "forbidden",
    "need_not+": "not_obliged",
    "need_not-": "not_obliged",
    "should+": "advised",
    "should-": "discouraged",
}

#: Norms that cannot both be kept or do not agree: of two that may hold together ("may" and "must") none is here.
OPPOSED_NORMS = (
    ("forbidden", "obliged"),
    ("forbidden", "permitted"),
    ("not_obliged", "obliged"),
    ("advised", "discouraged"),
    ("discouraged", "obliged"),
    ("advised", "forbidden"),
)

#: Raw predicates that define a term.
_DEFINING = ("mean", "be_define_as", "be_defined_as", "refer_to", "désigner", "signifier")
_DEFINIENS = r"(?i)\b(?:means?|designates?|refers? to|(?:is|are) defined as|is an?|désigne|signifie)\s+(.+)$"


def single_valued(domain: DomainSchema) -> frozenset[str]:
    """Relations and attributes with one object or value per subject at a time."""
    relations = {item.name for item in domain.relations.values() if item.functional}
    return frozenset(relations | {item.name for item in domain.attributes.values() if item.functional})


def single_subject(domain: DomainSchema) -> frozenset[str]:
    """Relations with one subject per object at a time."""
    return frozenset(item.name for item in domain.relations.values() if item.inverse_functional)


def sided_claims(
    linked: pl.DataFrame,
    themes: pl.DataFrame,
    members: pl.DataFrame,
    canonical_entities: pl.DataFrame,
    evidence: pl.DataFrame,
    domain: DomainSchema,
) -> pl.DataFrame:
    """KEY, identity, side_id, words, dimension, low, high, condition, place, single, claim_id, version and validity.

    linked: of `linked.linked_claims`, with `values.with_identity`; themes and members: of `linked`. identity tells
    sides apart, side_id is an entity, words are how the side is written. place: where in its version the claim
    stands; rows of tables share one. single: values within one version are a contradiction too.
    """
    claims = _with_place(linked, evidence).join(themes, on="claim_id", how="left").filter(_asserts())
    topics = _topics(canonical_entities, domain)
    parts = [
        (_values(claims, domain), pl.col("_specific")),
        (_measured(claims, domain), pl.col("_named")),
        (_facts(claims, topics), pl.col("_specific")),
        (_norms(claims, members), pl.col("_specific") | pl.col("_many")),
        (_definitions(claims, evidence, topics), pl.lit(value=True)),
    ]
    return pl.concat([frame.join(topics.filter(needed), on="topic", how="semi") for frame, needed in parts])


def _topics(canonical_entities: pl.DataFrame, domain: DomainSchema) -> pl.DataFrame:
    """topic, _named, _specific, _many: which entities are one thing wherever they are spoken of.

    A single common noun ("station", or "Agreement", which the schema knows as the head of a type) is another thing in
    each document; in the plural ("suppliers") it is all of them.
    """
    heads = {head for item in domain.types.values() for head in (*item.heads, *item.name_heads)}
    name = pl.col("name").str.to_lowercase()
    one_word = ~name.str.contains(r"\s")
    common = one_word & (name.is_in(sorted(heads)) | singular(name).is_in(sorted(heads)))
    named = (pl.col("entity_type") != GENERIC_TYPE) & ~common
    return canonical_entities.select(
        pl.col("entity_id").alias("topic"),
        named.alias("_named"),
        (named | ~one_word).alias("_specific"),
        (singular(name) != name).alias("_many"),
    )


def _asserts() -> pl.Expr:
    return pl.col("subject_id").is_not_null() & ~pl.col("rule").is_in(CO_OCCURRENCE) & pl.col("identity").is_not_null()


def _with_place(linked: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    starts = evidence.group_by("claim_id").agg(pl.col("start").min().alias("_start"))
    place = pl.when(pl.col("rule") == "T").then(pl.lit("table")).otherwise(pl.col("_start").cast(pl.String))
    return linked.join(starts, on="claim_id", how="left").with_columns(place.fill_null("").alias("place"))


def _condition() -> pl.Expr:
    return pl.col("condition_text").fill_null("").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def _words() -> pl.Expr:
    return pl.col("said").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def _sided(
    claims: pl.DataFrame,
    basis: str,
    target: pl.Expr,
    *,
    topic: str = "subject_id",
    side_id: pl.Expr | None = None,
    identity: pl.Expr | None = None,
    words: pl.Expr | None = None,
    single: bool = False,
) -> pl.DataFrame:
    """The common columns; a side without `side_id` has words only, and no range unless it is the claim's value."""
    is_value = identity is None
    none, unmeasured = pl.lit(None, pl.String), pl.lit(None, pl.Float64)
    return claims.select(
        pl.lit(basis).alias("basis"),
        pl.col(topic).alias("topic"),
        "predicate",
        target.fill_null("").alias("target"),
        (pl.col("identity") if identity is None else identity).alias("identity"),
        (none if side_id is None else side_id).alias("side_id"),
        (_words() if words is None else words).alias("words"),
        (pl.col("dimension") if is_value else none).alias("dimension"),
        (pl.col("low") if is_value else unmeasured).alias("low"),
        (pl.col("high") if is_value else unmeasured).alias("high"),
        _condition().alias("condition"),
        "place",
        pl.lit(single).alias("single"),
        "written",
        "claim_id",
        "document_id",
        "version_id",
        "valid_from",
        "valid_to",
    )


def _values(claims: pl.DataFrame, domain: DomainSchema) -> pl.DataFrame:
    """Positive claims of the schema's predicates with one value. The theme is part of the question."""
    positive = claims.filter(pl.col("polarity") == "positive")
    forward = positive.filter(pl.col("predicate").is_in(sorted(single_valued(domain))))
    # what a document's own fields say of it (its version, its date) is no statement about all of its title
    own_field = (pl.col("rule") == "M") & pl.col("predicate").is_in(sorted(domain.attributes))
    question = pl.when(own_field).then(pl.col("document_id")).otherwise(pl.col("theme"))
    backward = positive.filter(
        pl.col("predicate").is_in(sorted(single_subject(domain))) & pl.col("object_id").is_not_null()
    )
    subject = pl.col("subject_id")
    return pl.concat(
        [
            _sided(forward, "value", question, side_id=pl.col("object_id"), single=True),
            _sided(backward, "value", pl.lit(""), topic="object_id", side_id=subject, identity=subject, single=True),
        ]
    )


def _measured(claims: pl.DataFrame, domain: DomainSchema) -> pl.DataFrame:
    """Measures of no attribute with one value: by the copula, and "within", "after" of a verb with an object.

    The question is the verb's own ("notify within", "install within"), whatever attribute the schema makes of it.
    """
    measures = claims.filter(
        (pl.col("polarity") == "positive") & pl.col("dimension").is_not_null() & (pl.col("dimension") != "date")
    )
    raw = pl.col("predicate_raw").str.replace_all(" ", "_")
    of_verb = raw.str.contains(_MEASURED) & pl.col("theme").is_not_null()
    known = pl.col("predicate").is_in(sorted(single_valued(domain)))
    asked = measures.filter(~known & (raw.is_in(_COPULAS) | of_verb)).with_columns(raw.alias("predicate"))
    return _sided(asked, "value", pl.col("theme"))


def _is_norm() -> pl.Expr:
    return pl.col("modality").is_in(sorted({name[:-1] for name in _NORMS}))


def _facts(claims: pl.DataFrame, topics: pl.DataFrame) -> pl.DataFrame:
    """Claims without a norm about one thing said; the sides are positive and negative.

    Of a common noun ("collects information", "does not collect information") each sentence means a part of its own.
    """
    side = pl.col("polarity")
    common = topics.filter(~pl.col("_specific")).select(pl.col("topic").alias("object_id"))
    facts = claims.filter(~_is_norm()).join(common, on="object_id", how="anti")
    return _sided(facts, "polarity", pl.col("identity"), identity=side, words=side)


def _norms(claims: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Obligations, prohibitions, permissions about one thing; the norm of a class holds for its members.

    "Suppliers must not access the Gateway" is a side of the question whether Brightwell, a supplier, may.
    """
    norms = claims.filter(_is_norm())
    own = norms.select("subject_id", "predicate", "identity").unique()
    inherited = (
        norms.join(members, left_on="subject_id", right_on="class_id")
        .with_columns(pl.col("member_id").alias("subject_id"))
        .drop("member_id")
        .join(own, on=["subject_id", "predicate", "identity"], how="semi")
    )
    sign = pl.when(pl.col("polarity") == "positive").then(pl.lit("+")).otherwise(pl.lit("-"))
    side = (pl.col("modality") + sign).replace_strict(_NORMS)
    both = pl.concat([norms, inherited.select(norms.columns)])
    return _sided(both, "modality", pl.col("identity"), identity=side, words=side)


def _definitions(claims: pl.DataFrame, evidence: pl.DataFrame, topics: pl.DataFrame) -> pl.DataFrame:
    """Sentences that open with a term and say what it means; the side is the wording after the verb."""
    raw = pl.col("predicate_raw").str.replace_all(" ", "_")
    generic = topics.filter(~pl.col("_named")).select(pl.col("topic").alias("subject_id"), pl.lit(1).alias("_term"))
    quotes = evidence.sort("claim_id", "start", "end").unique("claim_id", keep="first", maintain_order=True)
    found = (
        claims.filter((pl.col("polarity") == "positive") & (raw.is_in(_DEFINING) | (pl.col("predicate") == "is_a")))
        .join(generic, on="subject_id", how="left")
        .filter(raw.is_in(_DEFINING) | pl.col("_term").is_not_null())
        .join(quotes.select("claim_id", "quote"), on="claim_id")
    )
    definiens = found["quote"].str.extract(_DEFINIENS)
    opens = [
        bool(text) and plain_text(quote.lstrip("\"'“”‘«- ")).startswith(plain_text(term))
        for quote, term, text in zip(found["quote"], found["subject_written"], definiens, strict=True)
    ]
    wording = [plain_text(text) if text else None for text in definiens]
    defining = found.with_columns(
        pl.Series("_wording", wording, dtype=pl.String), pl.lit("definition").alias("predicate")
    ).filter(pl.Series(opens, dtype=pl.Boolean))
    return _sided(
        defining, "definition", pl.lit(""), identity=pl.col("_wording"), words=pl.col("_wording"), single=True
    )
