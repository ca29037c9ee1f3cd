"""The rule-made context: title, section path, stated dates and parties, column headers. No model, no inference.

It is the deterministic baseline of contextual retrieval (methods, section 3.1): what a passage needs to
be found by, taken only from what the document states of itself, and never a quotation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from email.utils import getaddresses

SEPARATOR = " › "
#: Stated fields that name parties, in the order given.
PARTIES = ("author", "from", "to", "issuer", "parties")
#: People of one field that are named; a mail to hundreds is not situated by them all.
MAX_NAMES = 3
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a document states of itself; `parties` are (field, values) in the order of PARTIES."""

    doc_type: str
    title: str | None = None
    published_on: date | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    parties: tuple[tuple[str, tuple[str, ...]], ...] = field(default=())


def rule_context(
    facts: DocumentFacts, section_path: Sequence[str], columns: Sequence[str], max_characters: int, sheet: str | None
) -> str:
    """One line of at most `max_characters` code points, cut at a word; never empty.

    The title leads; a document without one is named by its type, never by its file name.
    """
    title = _line(facts.title or "") or f"Untitled {facts.doc_type} document"
    parts = [title]
    for heading in (sheet or "", *section_path):
        if _line(heading) not in ("", parts[-1]):
            parts.append(_line(heading))
    parts += _stated(facts)
    if columns:
        parts.append("columns: " + ", ".join(columns))
    return shortened(SEPARATOR.join(parts), max_characters)


def _stated(facts: DocumentFacts) -> Iterable[str]:
    stated: list[str] = []
    if facts.published_on:
        stated.append(f"published {facts.published_on.isoformat()}")
    if facts.valid_from:
        stated.append(f"valid from {facts.valid_from.isoformat()}")
    if facts.valid_to:
        stated.append(f"valid until {facts.valid_to.isoformat()} (exclusive)")
    said: set[str] = set()
    for name, values in facts.parties:
        # a mail's author is its sender: each party is named once, under the first of its roles
        named = [party for value in values for party in _names(value) if party not in said]
        named = list(dict.fromkeys(named))
        said.update(named)
        more = f" and {len(named) - MAX_NAMES} more" if len(named) > MAX_NAMES else ""
        if named:
            stated.append(f"{name} {', '.join(named[:MAX_NAMES])}{more}")
    return ["; ".join(stated)] if stated else []


def _names(value: str) -> Iterable[str]:
    """Names of a stated value; of a mail address the name shown, or the address where none is."""
    if "@" in value:
        return [_line(name or address) for name, address in getaddresses([value]) if name or address]
    return [line] if (line := _line(value)) else []


def shortened(text: str, max_characters: int) -> str:
    """The text, or its beginning up to a word's end with an ellipsis."""
    if len(text) <= max_characters:
        return text
    kept = text[: max_characters - len(_ELLIPSIS) + 1]
    head, space, _ = kept.rpartition(" ")
    whole_word = head if space and head.strip() else kept[:-1]
    return whole_word.rstrip(" ›,;:") + _ELLIPSIS


def _line(text: str) -> str:
    return " ".join(text.split())
