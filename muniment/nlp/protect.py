"""Spans that stay one token for the parser (R0): citations, references, identifiers, dates, amounts, company names.

Statistical pipelines cut "Regulation (EU) 2019/881" into an apposition and a number (methods, section 1.2);
as one token it is read as the noun that it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from muniment.nlp.references import unit_references

_MONTHS = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan\.|Feb\.|Mar\.|Apr\.|Jun\.|Jul\.|Aug\.|Sept?\.|Oct\.|Nov\.|Dec\.|"
    r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|"
    r"Januar|Februar|März|April|Mai|Juni|Juli|Oktober|Dezember)"
)
_CURRENCY = r"(?:EUR|USD|GBP|CHF|INR|JPY|CNY|AUD|CAD|SEK|NOK|DKK|PLN|US\$|[€$£¥₹])"
_AMOUNT = r"\d{1,3}(?:[,.\u00a0\u202f' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?"
_SCALE = r"(?:\s(?:thousand|million|billion|trillion|bn|Mio\.|millions?|milliards?))?"

#: Capitalised words at a sentence's start that are no part of the company name that follows.
_NOT_IN_NAMES = (
    r"(?!(?:The|A|An|If|When|In|On|Of|For|By|With|To|From|And|Or|But|Nor|Under|Unless|Where|As|At|Each|Any|All|This|That|"
    r"No|Both|Between|While|Because|Although|Since|Does|Did|Is|Neither|Either|Der|Die|Das|Le|La|Les)\s)"
)
_COMPANY_FORM = (
    r"(?:(?:GmbH|AG)(?:\s&\sCo\.?\sKG(?:aA)?)?|Ltd|Limited|Inc|Incorporated|Corp|Corporation|plc|PLC|LLC|LLP|SE|KG|"
    r"S\.A\.S\.|S\.A\.R\.L\.|S\.p\.A\.|S\.A\.|SAS|SARL|SpA|SA|B\.V\.|N\.V\.|BV|NV|Oy|AB|ApS|Pty\sLtd|Pvt\sLtd)"
)

#: Labels in falling precedence at one place; the longest match wins first.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "LAW",
        re.compile(
            r"\b(?:(?:Commission|Council|Delegated|Implementing|Framework)\s)*"
            r"(?:Regulation|Directive|Decision|Règlement|règlement|directive|décision|Verordnung|Richtlinie)\s"
            r"(?:\((?:EU|EC|EEC|UE|CE|CEE|EG)(?:,\s?Euratom)?\)\s)?(?:(?:No\.?|n°|Nr\.)\s?)?\d{1,4}/\d{1,4}"
            r"(?:/(?:EU|EC|EEC|UE|CE|CEE|EG|JHA))?\b"
        ),
    ),
    (
        "DATE",
        re.compile(
            rf"\b(?:\d{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
            rf"|(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|\.)?\s(?:of\s)?{_MONTHS}(?:\s|,\s)\d{{4}}"
            rf"|{_MONTHS}\s(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?,?\s\d{{4}})\b"
        ),
    ),
    ("MONEY", re.compile(rf"(?<!\w){_CURRENCY}\s?(?:{_AMOUNT}){_SCALE}(?!\w)")),
    ("MONEY", re.compile(rf"(?<![\w.,])(?:{_AMOUNT}){_SCALE}\s?(?:{_CURRENCY}|euros?|dollars|pounds)(?!\w)")),
    ("PERCENT", re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)?\s?(?:%|per\scent\b|percent\b)")),
    (
        "ORG",
        re.compile(
            rf"(?<![\w-])(?:{_NOT_IN_NAMES}[A-Z][\w&'’-]*,?\s){{1,5}}{_COMPANY_FORM}(?![\w-])(?:\.(?=,|\s[a-z(]))?"
        ),
    ),
    (
        "IDENTIFIER",
        re.compile(
            r"\b(?:(?:ISO|IEC|EN|NIST|RFC|BS|DIN)(?:/[A-Z]{2,6})*(?:\s(?:SP|TS|TR))?[ -]\d+(?:[-:.]\d+)*"
            r"|[A-Z]{1,8}(?:-[A-Z0-9]{1,8}){0,3}-\d{1,8}(?:[-./]\d{1,8}){0,3})(?![\w-])"
        ),
    ),
    # Amendment No. 1, Order No. 17/B: the parser ends words at "No."
    (
        "IDENTIFIER",
        re.compile(
            rf"(?<![\w-]){_NOT_IN_NAMES}[A-Z][^\W\d_]+\s(?:Nos?\.|Nr\.|N°|n°)\s?\d{{1,8}}(?:[-/.]\w{{1,8}})*(?![\w-])"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class ProtectedSpan:
    """text[start:end] with a label: LAW, UNIT, DATE, MONEY, PERCENT, ORG or IDENTIFIER."""

    start: int
    end: int
    label: str


def protected_spans(text: str) -> list[ProtectedSpan]:
    """Protected spans in order, without overlap: the longest first, then the earliest."""
    found = [
        ProtectedSpan(match.start(), match.end(), label)
        for label, pattern in _PATTERNS
        for match in pattern.finditer(text)
    ]
    found += [
        ProtectedSpan(reference.start, reference.end, "UNIT")
        for reference in unit_references(text)
        if text[reference.start].isalpha() or text[reference.start] in "§¶"
    ]
    taken: list[ProtectedSpan] = []
    for span in sorted(found, key=lambda span: (span.start - span.end, span.start)):
        if all(span.end <= other.start or span.start >= other.end for other in taken):
            taken.append(span)
    return sorted(taken, key=lambda span: span.start)
