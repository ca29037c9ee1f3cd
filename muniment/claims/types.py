"""Entity types: the pipeline's labels and a small table of cues that correct and refine them. Data, little code."""

from __future__ import annotations

import re

#: Labels of the English (OntoNotes) and French (WikiNER) pipelines, and of protected spans.
LABEL_TYPES: dict[str, str] = {
    "ORG": "organisation", "PERSON": "person", "PER": "person", "GPE": "place", "LOC": "place", "FAC": "place",
    "LAW": "law", "UNIT": "unit", "IDENTIFIER": "concept", "MISC": "concept",
    "DATE": "date", "TIME": "quantity", "MONEY": "money", "PERCENT": "percent",
    "QUANTITY": "quantity", "CARDINAL": "quantity", "ORDINAL": "quantity",
    "EVENT": "event", "PRODUCT": "product", "WORK_OF_ART": "product", "LANGUAGE": "language", "NORP": "group",
}  # fmt: skip

#: Types of values: they may be what a claim says, never what it is about.
VALUE_TYPES = frozenset({"date", "money", "percent", "quantity"})
#: Labels of spans that `nlp.protect` made.
PROTECTED_LABELS = frozenset({"LAW", "UNIT", "IDENTIFIER", "MONEY", "PERCENT", "DATE"})

#: Last word of a name, in lower case and singular, to type.
HEAD_CUES: dict[str, str] = {
    "system": "system", "platform": "system", "service": "service", "gateway": "system", "application": "system",
    "database": "system", "server": "system", "api": "system", "portal": "system",
    "policy": "policy", "standard": "policy", "procedure": "policy", "guideline": "policy",
    "control": "control", "safeguard": "control",
    "agreement": "contract", "contract": "contract", "addendum": "contract", "amendment": "contract",
    "regulation": "law", "directive": "law", "act": "law", "statute": "law", "treaty": "law", "convention": "law",
    "agency": "organisation", "authority": "organisation", "commission": "organisation", "council": "organisation",
    "ministry": "organisation", "committee": "organisation", "university": "organisation", "department": "organisation",
    "règlement": "law", "loi": "law", "contrat": "contract", "système": "system", "politique": "policy",
}  # fmt: skip
#: Cues that hold only in names (capitalised): "act" and "commission" are also common words.
_NAME_ONLY = frozenset({"law", "organisation", "service"})

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


def entity_type(text: str, label: str | None) -> str:
    """Type of a mention by its text and the pipeline's label; cues beat labels, for a small model errs on types."""
    labelled = LABEL_TYPES.get(label or "", "concept")
    if labelled == "date":
        return "date" if _DAY_LIKE.search(text) or not _LEADING_NUMBER.search(text) else "quantity"
    if labelled in VALUE_TYPES:
        return labelled
    if corporate_stem(text) is not None:
        return "organisation"
    if label == "IDENTIFIER":
        return _cued(text.rpartition(" ")[0]) or labelled
    if label in PROTECTED_LABELS and (label != "LAW" or any(char.isdigit() for char in text)):
        return labelled
    if _CITATION.match(text):
        return "law"
    return _cued(text) or labelled


def _cued(text: str) -> str | None:
    head = re.split(r"\s(?:of|for|on|de|du)\s", text, maxsplit=1)[0]
    words = head.split()
    if not words:
        return None
    last = words[-1].casefold()
    found = HEAD_CUES.get(last) or (HEAD_CUES.get(last[:-1]) if last.endswith("s") else None)
    if found is None and last.endswith("ies"):
        found = HEAD_CUES.get(last[:-3] + "y")
    if found in _NAME_ONLY and not words[-1][0].isupper():
        return None
    return "system" if found == "service" else found


def value_type(text: str, kind: str) -> str:
    """`value_type` of a claim's literal by the type of its mention."""
    if kind in ("money", "percent"):
        return kind
    if kind == "date":
        return "date" if re.search(r"\d", text) else "text"
    return "number" if re.search(r"\d", text) or _LEADING_NUMBER.search(text) else "text"
