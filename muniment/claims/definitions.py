"""Terms that a document defines: (the "Supplier"), hereinafter, "X" means Y, trading as, known as; and acronyms.

A definition holds in its document. What is known from running prose alone ("X is also known as Y") is kept apart as
`aka`: evidence that proves nothing by itself, for anybody can write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from muniment.nlp.acronyms import AcronymPair, find_acronyms, name_after, name_before, spells

DefinitionKind = Literal["acronym", "defined_term", "short_form", "aka"]

#: A term in quotation marks; longer ones are sentences.
_QUOTED = (
    r"[\"“„«‟]\s?(?P<double>[^\"“”„«»‟()]{1,60}?)\s?[\"”“»]|(?<!\w)[‘'‚]\s?(?P<single>[^‘’'()]{1,60}?)\s?[’'](?!\w)"
)
_TERM = re.compile(_QUOTED)
#: Words of a definition's bracket that say nothing of the term, case folded (which turns ς into σ).
_FILLERS = frozenset(
    {"hereinafter", "hereafter", "herein", "henceforth", "referred", "to", "as", "called", "designated", "defined",
     "also", "together", "collectively", "jointly", "each", "individually", "the", "a", "an", "or", "and",
     "ci-après", "dénommé", "dénommée", "dénommés", "dénommées", "désigné", "désignée", "désignés", "désignées",
     "appelé", "appelée", "appelés", "appelées", "comme", "par", "ou", "et", "le", "la", "les", "l'", "l’", "ensemble",
     "collectivement", "im", "folgenden", "nachfolgend", "genannt", "kurz", "der", "die", "das", "und", "oder",
     "en", "adelante", "el", "los", "las", "o", "y", "di", "seguito", "il", "lo", "i", "doravante", "далее", "или",
     "и", "εφεξήσ", "ο", "η", "το", "以下简称", "下称", "以下称", "或"}
)  # fmt: skip
#: Words that announce a term, quoted or not.
_LEAD = (
    r"(?:hereinafter|hereafter|henceforth|ci-après|im\sFolgenden|nachfolgend|en\sadelante|di\sseguito|doravante|"
    r"далее|εφεξής|以下简称|下称|以下称)"
)
_STARTS_WITH_LEAD = re.compile(rf"\s*{_LEAD}", re.IGNORECASE)
_LEAD_OUTSIDE = re.compile(rf"[,;–—-]?\s{{0,3}}\b{_LEAD}\b", re.IGNORECASE)
#: Several holders share the term: it is defined, but it names none of them.
_SHARED = frozenset({"together", "collectively", "jointly", "each", "individually", "ensemble", "collectivement"})
#: Not enough to make a quoted common word a term: (a "joke").
_INDEFINITE = frozenset({"a", "an", "or", "and", "as", "to", "i", "o", "y", "et", "ou"})
_BRACKET = re.compile(r"[(（](?P<inside>[^()（）]{2,200})[)）]")
_PIECE = re.compile(rf"{_QUOTED}|(?P<word>[lL]['’]|[^\W\d_][\w-]*)|(?P<mark>\S)")
_MEANS = re.compile(
    r"\s*,?\s(?:shall\s)?(?:means?|is\sdefined\sas|désignent?|signifient?|bezeichnet|bezeichnen)\s"
    r"(?:(?:an?|the|la|le|les)\s|l['’])?"
)
_LINE_START = re.compile(r"\W*(?:[\divxa-z]{1,4}[.)]\s*)?\W*")
#: What may follow a name that "means" gives; else the name is the start of a description.
_AFTER_NAME = re.compile(
    r"\s*(?:$|[,;.:()]|(?:as|which|that|who|established|set|located|having|with|registered|incorporated|described|"
    r"defined|listed|specified|provided|between|dated|and\s(?:not|never)|qui|dont|définie?|visée?|établie?)\b)"
)
#: A party's particulars between its name and the bracket: Acme Ltd, a company registered in … (the "Supplier").
_PARTICULARS = re.compile(
    r",\s(?:an?|the|une?|incorporated|registered|whose|having|with|established|organi[sz]ed|represented|acting|located|"
    r"headquartered|based|ayant|représentée?|sise?|société|dont|domiciliée?|immatriculée?)\s"
)
#: Particulars are at most this many characters.
MAX_PARTICULARS = 1_000
#: A term stands at most this many characters behind "hereinafter".
MAX_ANNOUNCED = 120
_BARE_END = re.compile(r"\s*(?:$|[,;.)）])")
#: Where the words of another party or sentence end.
_BOUNDARY = re.compile(r"[;:]\s|[\"”»’'][)）]|(?<!\bLtd)(?<!\bInc)(?<!\bCorp)(?<!\bCo)(?<!\b[A-Z])\.\s(?=[^\W\d_a-z])")
_GLOSSARY = re.compile(r"[-*•\s]*(?P<short>[A-Z][A-Z0-9]{1,9})\s?(?::|–|—|=|\s-)\s(?:(?:the|le|la)\s|l['’])?")
_LINE_END = re.compile(r"\s*(?:$|[,;.(])")
_AKA = re.compile(
    r",?\s{0,3}[(（]?\s{0,3}\b(?:(?:is|are|was|were)\s)?(?:(?:also|better|commonly|formerly|previously|once|now|often|sometimes|"
    r"internally|generally)\s)*"
    r"(?:known\sas|referred\sto\sas|called|trading\sas|doing\sbusiness\sas|formerly|previously|t/a|d/b/a|a\.?k\.?a\.?|"
    r"anciennement|exerçant\ssous\sle\snom(?:\scommercial)?(?:\sde)?|"
    r"(?:est\s)?(?:également|aussi|encore)\s(?:connue?s?\ssous\sle\snom\sde|appelée?s?|dénommée?s?))"
    r"(?![\w-])\s*",
    re.IGNORECASE,
)
#: Of _AKA: words that need a comma, a bracket or a form of "be" before them ("Alice called Bob").
_LOOSE = re.compile(r"\b(?:called|formerly|previously|anciennement)\s*$", re.IGNORECASE)
_FENCED = re.compile(r"[,(（]|\b(?:is|are|was|were)\s+(?:\w+\s+)?called", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:(?:the|an?|les?|la|der|die|das|el|il|lo|ο|η|το)\s|l['’])(?=\w)", re.IGNORECASE)
#: Between a name and what is said of it: an acronym in brackets, closing quotation marks.
_TRAILING = re.compile(r"(?:\s*[(（][^()（）]{1,40}[)）])?[\s\"“”«»'‘’,]*$")
#: Scripts without capitals: the run right before the bracket is the name.
_CASELESS = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]{2,40}$")


@dataclass(frozen=True, slots=True)
class Definition:
    """text[short_start:short_end] is defined as text[long_start:long_end]; by a description only: -1 and ''."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int
    kind: DefinitionKind

    @property
    def names(self) -> bool:
        """Whether it stands for a name."""
        return self.long_start >= 0


def find_definitions(text: str) -> list[Definition]:
    """Definitions in order of place. The first of a short form holds; one that is stated outright beats `aka`."""
    ranked = [(_rank(pair), _of_acronym(pair)) for pair in find_acronyms(text)]
    ranked += [(1, item) for item in _terms(text)]
    ranked.sort(key=lambda pair: (pair[1].kind == "aka", not pair[1].names, pair[1].short_start, *_order(pair)))
    kept: dict[str, Definition] = {}
    taken: list[tuple[int, int]] = []
    for _, item in ranked:
        free = all(item.short_end <= start or end <= item.short_start for start, end in taken)
        if free and item.short not in kept:
            kept[item.short] = item
            taken.append((item.short_start, item.short_end))
    return sorted(kept.values(), key=lambda item: item.short_start)


def _rank(pair: AcronymPair) -> int:
    """Of two readings of one place: matched letters, then the bracket's grammar, then the name before it."""
    return 0 if pair.kind == "acronym" else 2


def _order(pair: tuple[int, Definition]) -> tuple[int, int, int]:
    return pair[0], pair[1].long_start, pair[1].short_end


def _of_acronym(pair: AcronymPair) -> Definition:
    return Definition(
        pair.short, pair.long, pair.short_start, pair.short_end, pair.long_start, pair.long_end, pair.kind
    )


def _terms(text: str) -> Iterator[Definition]:
    offset = 0
    for line in text.split("\n"):
        for item in (*_bracketed(line), *_outside(line), *_meaning(line), *_also_known(line), *_listed(line)):
            yield replace(
                item,
                short_start=item.short_start + offset,
                short_end=item.short_end + offset,
                long_start=item.long_start + offset if item.names else -1,
                long_end=item.long_end + offset if item.names else -1,
            )
        offset += len(line) + 1


def _bracketed(line: str) -> Iterator[Definition]:
    """(the "Supplier"), (hereinafter "EBA" or "the Authority"), (ci-après le Prestataire), (the "Parties")."""
    for bracket in _BRACKET.finditer(line):
        first, last = bracket.span("inside")
        terms, shared = _announced(line, first, last)
        if terms:
            holder = None if shared else _holder(line, bracket.start())
            yield from (_definition(line, term, holder, "defined_term") for term in terms)


def _announced(line: str, first: int, last: int) -> tuple[list[tuple[int, int]], bool]:
    """Terms in line[first:last] that only fillers lead to, and whether several holders share them."""
    terms: list[tuple[int, int]] = []
    words: list[str] = []
    for piece in _PIECE.finditer(line, first, last):
        quoted = "double" if piece.group("double") else "single" if piece.group("single") else None
        word = (piece.group("word") or "").casefold()
        if quoted:
            term = _without_article(line, *piece.span(quoted))
            if not _INDEFINITE.issuperset(words) or not line[term[0]].islower():
                terms.append(term)
        elif word in _FILLERS:
            words.append(word)
        elif piece.group("mark") not in (",", ":", "/", "–", "—", "-"):
            break
    if not terms and (lead := _STARTS_WITH_LEAD.match(line, first, last)):
        bare = _bare(line, lead.end(), last)
        terms = [bare] if bare else []
    return terms, bool(_SHARED.intersection(words))


def _bare(line: str, first: int, last: int) -> tuple[int, int] | None:
    """A capitalised term without quotation marks, after fillers and up to the end or a comma."""
    for piece in _PIECE.finditer(line, first, last):
        word = piece.group("word")
        if word is None or word.casefold() not in _FILLERS:
            found = name_after(line, piece.start(), last) if word else None
            return found if found and (found[1] == last or _BARE_END.match(line, found[1])) else None
    return None


def _outside(line: str) -> Iterator[Definition]:
    """Acme SAS, ci-après dénommée « le Prestataire », …: without a bracket."""
    for lead in _LEAD_OUTSIDE.finditer(line):
        near = max(0, lead.start() - MAX_PARTICULARS)
        if line.rfind("(", near, lead.start()) > line.rfind(")", near, lead.start()):
            continue
        reach = min(len(line), lead.end() + MAX_ANNOUNCED)
        terms, shared = _announced(line, lead.start(), reach)
        if not terms and (bare := _bare(line, lead.end(), reach)):
            terms = [bare]
        holder = None if shared else _holder(line, lead.start())
        yield from (_definition(line, term, holder, "defined_term") for term in terms[:1] if shared or holder)


def _meaning(line: str) -> Iterator[Definition]:
    """ "X" means Y: Y is a name, or a description."""
    for quoted in _TERM.finditer(line):
        means = _MEANS.match(line, quoted.end())
        term = _without_article(line, *quoted.span("double" if quoted.group("double") else "single"))
        opening = _LINE_START.match(line)
        leads = opening is not None and quoted.start() <= opening.end()
        if means is None or not (leads or line[term[0]].isupper()):
            continue
        name = name_after(line, means.end())
        if name is not None and (name[0] != means.end() or not _AFTER_NAME.match(line, name[1])):
            name = None
        yield _definition(line, term, name, "defined_term")


def _listed(line: str) -> Iterator[Definition]:
    """A line of a glossary: IDS: the Identity Service. The letters must match."""
    entry = _GLOSSARY.match(line)
    name = name_after(line, entry.end()) if entry else None
    if entry is None or name is None or name[0] != entry.end() or not _LINE_END.match(line, name[1]):
        return
    if " " in line[slice(*name)] and spells(entry.group("short"), line[slice(*name)]):
        yield _definition(line, entry.span("short"), name, "acronym")


def _also_known(line: str) -> Iterator[Definition]:
    for said in _AKA.finditer(line):
        if _LOOSE.search(said.group()) and not _FENCED.search(said.group()):
            continue
        holder = name_before(line, _name_end(line, said.start()))
        if holder is None:
            continue
        article = _ARTICLE.match(line, said.end())
        after = article.end() if article else said.end()
        quoted = _TERM.match(line, after)
        if quoted:
            term = _without_article(line, *quoted.span("double" if quoted.group("double") else "single"))
        else:
            term = name_after(line, after)
        if term is not None:
            yield _definition(line, term, holder, "aka")


def _holder(line: str, before: int) -> tuple[int, int] | None:
    """The name that a definition at `before` is of: before its particulars, else right before."""
    floor = max(0, before - MAX_PARTICULARS)
    start = max((match.end() for match in _BOUNDARY.finditer(line, floor, before)), default=floor)
    particulars = _PARTICULARS.search(line, start, before)
    for place in (particulars.start() if particulars else None, before):
        if place is None:
            continue
        found = name_before(line, _name_end(line, place))
        if found is not None and found[0] >= start:
            return found
    caseless = _CASELESS.search(line, max(0, before - 60), before)
    return caseless.span() if caseless else None


def _name_end(line: str, place: int) -> int:
    """Before an acronym in brackets and closing marks."""
    trailing = _TRAILING.search(line, max(0, place - 60), place)
    return trailing.start() if trailing else place


def _without_article(line: str, first: int, last: int) -> tuple[int, int]:
    article = _ARTICLE.match(line, first, last)
    first = article.end() if article else first
    while last - 1 > first and line[last - 1] in ",.; ":
        last -= 1
    return first, last


def _definition(line: str, term: tuple[int, int], holder: tuple[int, int] | None, kind: DefinitionKind) -> Definition:
    short = line[slice(*term)]
    if holder is None or line[slice(*holder)].casefold() == short.casefold():
        return Definition(short, "", *term, -1, -1, kind)
    return Definition(short, line[slice(*holder)], *term, *holder, kind)
