"""What headers and key cells of tables say: fields with unit and time, entity types, identifiers, totals."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from muniment.claims.assertion import Validity
from muniment.claims.timex import end_of
from muniment.claims.units import find_currency, find_unit
from muniment.claims.validity import combined, phrases
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import plain
from muniment.nlp.dates import read_date

_IDENTIFIER = re.compile(r"^[A-Z]{1,8}[-_/. ]?\d[\w./-]*$")
_UNIT_AFTER = re.compile(
    r"^(?P<name>.*?)\s*(?:\((?P<round>[^()]{1,20})\)|\[(?P<square>[^\[\]]{1,20})\]|,\s(?P<comma>\S{1,6})|"
    r"\sin\s(?P<word>\S{1,12}))$",
    re.DOTALL,
)
_TOTAL = re.compile(
    r"^(?:grand\s|sub-?)?(?:total|totals|sum|subtotal|average|mean|median|all|overall|gesamt|summe|somme|moyenne|ensemble)\b:?(?:\s|$)",
    re.I,
)

#: Raw predicate of a column that is headed by a time alone.
_FIGURE = "reported figure"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell; start..end are code points of the canonical text."""

    row: int
    column: int
    start: int
    end: int
    text: str
    header: bool
    hidden: bool
    wide: int = 1


@dataclass(frozen=True, slots=True)
class Label:
    """What a column's header says: the field, its unit and the time in which it holds."""

    name: str
    cells: tuple[Cell, ...]
    unit: str | None = None
    validity: Validity = field(default_factory=Validity)


def label_of(cells: tuple[Cell, ...]) -> Label | None:
    """What header cells (from the top) say together; None without words."""
    text = " ".join(dict.fromkeys(" ".join(cell.text.split()) for cell in cells))
    if not text:
        return None
    said = phrases(text, {})
    validity = combined(said, text)
    for phrase in reversed(said):
        text = f"{text[: phrase.start]} {text[phrase.end :]}"
    text = " ".join(text.split()).strip(" :*")
    match = _UNIT_AFTER.match(text)
    unit = next((part for part in match.group("round", "square", "comma", "word") if part), None) if match else None
    if match and unit and is_unit(unit) and match.group("name"):
        return _dated(Label(match.group("name"), cells, unit, validity))
    return _dated(Label(text, cells, "%" if text.endswith("%") and text != "%" else None, validity)) if text else None


def _dated(label: Label) -> Label | None:
    """A year or a month as or after the field says when it was so: 2025 (£k), Sales (2025). A day says nothing."""
    name, _, after = label.name.rstrip(")]").rpartition(" (") if label.name.endswith(")") else ("", "", label.name)
    found = read_date(after or label.name)
    if found is None or found.precision == "day":
        return label if any(char.isalpha() for char in label.name) else None
    money = label.unit is not None and (find_currency(label.unit.strip("kmMbnK ")) or find_currency(label.unit))
    said = Validity(found.day, end_of(found), found.precision, "stated", after)
    return replace(label, name=name or ("amount" if money else _FIGURE), validity=said)


def is_unit(text: str) -> bool:
    """Whether words in a header name a unit or a currency, thousands or millions of it included (£k)."""
    return bool(
        find_unit(text) or find_currency(text) or re.fullmatch(r"[€£$¥]\s?(?:k|m|M|bn|K)|(?:k|M|m|bn|K)[€£$¥]", text)
    )


def counts_rows(cells: list[Cell]) -> bool:
    """Whether a column numbers the rows: 1, 2, 3, …"""
    texts = [cell.text.strip().rstrip(".") for cell in cells]
    return len(texts) > 1 and texts in ([str(n + first) for n in range(len(texts))] for first in (0, 1))


def is_total(text: str) -> bool:
    """Whether a key says that its row sums the others up."""
    return _TOTAL.match(text.strip()) is not None


def is_identifier(text: str) -> bool:
    """AC-04, CHG-1042, OS-001: a code, no name."""
    return _IDENTIFIER.match(text.strip()) is not None


def type_of(label: str, domain: DomainSchema, *, whole: bool = False) -> str | None:
    """The entity type that a header, caption or heading names: System, Suppliers, IT system; longer ones name none.

    `whole`: the label is the word for the type itself, not a name that ends in it ("Identity Service").
    """
    label = plain(label)
    for words in (label,) if whole or label.count("_") > 1 else (label, label.rpartition("_")[2]):
        for word in (words, words.removesuffix("s"), f"{words[:-3]}y" if words.endswith("ies") else words):
            for item in domain.types.values():
                if not item.value and (word == item.name or word in item.heads or word in item.name_heads):
                    return item.name
    return None
