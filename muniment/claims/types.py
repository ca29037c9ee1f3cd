"""Entity types of mentions: by the schema's labels and head words, and by what a name itself shows."""

from __future__ import annotations

import re

from muniment.domain.model import DomainSchema
from muniment.domain.types import cues_of

#: What the labels of the language pipelines mark, whatever types a schema makes of them.
PERSON_LABELS = frozenset({"PERSON", "PER"})
VALUE_LABELS = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"})
NAME_LABELS = PERSON_LABELS | {
    "ORG", "GPE", "LOC", "FAC", "LAW", "UNIT", "IDENTIFIER", "MISC", "EVENT", "PRODUCT", "WORK_OF_ART",
}  # fmt: skip
#: Labels of spans that `nlp.protect` made.
PROTECTED_LABELS = frozenset({"LAW", "UNIT", "IDENTIFIER", "MONEY", "PERCENT", "DATE"})

_CORPORATE = re.compile(
    r"[\s,](?:Ltd|Limited|GmbH|Inc|Incorporated|Corp|Corporation|S\.?A|S\.?A\.?S|S\.?A\.?R\.?L|S\.?p\.?A|plc|PLC|LLC|LLP|"
    r"AG|SE|KG|B\.?V|N\.?V|Oy|AB|ApS|A/S|Pty|Pvt|K\.?K)\.?$"
)
_CITATION = re.compile(r"^(?:Article|Art\.|Section|Annex|Regulation|Directive|§)\s?[\d(IVX]")
_DAY_LIKE = re.compile(r"\b(?:1[5-9]|20)\d{2}\b|[^\W\d]{3,}\s\d{1,2}\b|\b\d{1,2}\s[A-Z]")
_LEADING_NUMBER = re.compile(
    r"^(?:[\d.,]+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty)\b", re.IGNORECASE
)


def corporate_stem(name: str) -> str | None:
    """Acme Ltd. → Acme; None without a corporate suffix."""
    match = _CORPORATE.search(name)
    return name[: match.start()].rstrip(" ,") if match and match.start() else None


def entity_type(text: str, label: str | None, domain: DomainSchema) -> str:
    """Type of a mention by its text and the pipeline's label; cues beat labels, for a small model errs on types.

    A company form makes an organisation, a citation a law, where the schema has these types.
    """
    cues = cues_of(domain)
    labelled = cues.of_label(label)
    if label == "DATE" and labelled in cues.values:
        counted = _LEADING_NUMBER.search(text) and not _DAY_LIKE.search(text)
        return cues.of_label("QUANTITY") if counted else labelled
    if labelled in cues.values:
        return labelled
    if corporate_stem(text) is not None:
        return cues.of_label("ORG")
    if label == "IDENTIFIER":
        return cues.of_head(text.rpartition(" ")[0]) or labelled
    if label in PROTECTED_LABELS and (label != "LAW" or any(char.isdigit() for char in text)):
        return labelled
    if _CITATION.match(text):
        return cues.of_label("LAW")
    return cues.of_head(text) or labelled


def value_type(text: str, kind: str) -> str:
    """`value_type` of a claim's literal by the type of its mention."""
    if kind in ("money", "percent"):
        return kind
    if kind == "date":
        return "date" if re.search(r"\d", text) else "text"
    return "number" if re.search(r"\d", text) or _LEADING_NUMBER.search(text) else "text"
