"""The shape of a table: cells by place (merged ones repeated), header, orientation, key column, or why it is not read.

Nothing here makes claims. A register has a header and a column that names what each row is about; a list of fields has
two columns, field and value, and is about its document or section; a register may lie on its side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from muniment.claims.table_labels import Cell, Label, is_identifier, label_of, type_of
from muniment.claims.values import says_nothing
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import Predicates, plain

Shape = Literal["register", "fields"]

#: Headers of columns that name the row's thing, and of those that give its name beside an identifier.
_KEYS = frozenset(
    {"id", "identifier", "no", "nr", "number", "ref", "reference", "code", "item", "key", "title", "name", "nom",
     "libellé", "référence", "numéro", "bezeichnung", "designation", "entity", "object", "asset", "#"}
)  # fmt: skip
_NAMES = frozenset({"name", "title", "nom", "libellé", "bezeichnung", "designation", "full name", "label"})
#: Headers of a list of fields.
_FIELD_HEADS = frozenset(
    {"field", "property", "attribute", "parameter", "item", "key", "characteristic", "setting", "detail", "champ",
     "propriété", "name", ""}
)  # fmt: skip
_VALUE_HEADS = frozenset({"value", "content", "details", "description", "entry", "setting", "valeur", "contenu", ""})
_LABELS = frozenset(
    {"date", "description", "purpose", "status", "comment", "comments", "remark", "remarks", "note", "notes",
     "value", "type", "category", "summary", "name", "title", "result"}
)  # fmt: skip
_NUMERIC = re.compile(r"^[\W\d_]*$")
MAX_LABEL = 60
MAX_KEY = 90


@dataclass(frozen=True, slots=True)
class Grid:
    """A table by place; of a merged cell each place has the same cell."""

    table_id: str
    caption: str
    height: int
    width: int
    header_rows: int
    places: Mapping[tuple[int, int], Cell]

    def at(self, row: int, column: int) -> Cell | None:
        """The cell with something in it."""
        cell = self.places.get((row, column))
        return cell if cell is not None and cell.text.strip() else None

    def column(self, column: int) -> list[Cell]:
        """Cells with something in them below the header."""
        return [cell for row in range(self.header_rows, self.height) if (cell := self.at(row, column))]

    def turned(self) -> Grid:
        """The table on its side, its first column as header."""
        places = {(column, row): cell for (row, column), cell in self.places.items()}
        return replace(self, height=self.width, width=self.height, header_rows=1, places=places)


@dataclass(slots=True)
class Layout:
    """How to read a table; with `reason` it is not read as claims."""

    grid: Grid
    shape: Shape = "register"
    labels: dict[int, Label] = field(default_factory=dict)
    key: int = 0
    name: int | None = None
    inferred: bool = False
    reason: str | None = None


def grid_of(table: Mapping[str, Any], cells: Iterable[Mapping[str, Any]]) -> Grid:
    """The grid of a row of document_tables and its table_cells."""
    places: dict[tuple[int, int], Cell] = {}
    for row in sorted(cells, key=lambda item: (item["row"], item["column"])):
        cell = Cell(
            row["row"],
            row["column"],
            row["start"],
            row["end"],
            row["text"],
            row["is_header"],
            row["hidden"],
            row["column_span"],
        )
        for down in range(max(row["row_span"], 1)):
            for right in range(max(row["column_span"], 1)):
                places.setdefault((cell.row + down, cell.column + right), cell)
    return Grid(
        table["table_id"], table["caption"] or "", table["rows"], table["columns"], table["header_rows"], places
    )


def layout_of(grid: Grid, predicates: Predicates, domain: DomainSchema) -> Layout:
    """How to read the table."""
    if grid.height < 1 or grid.width < 2:
        return Layout(grid, reason="table_without_key")
    words = _Words(predicates, domain)
    fields = _as_fields(grid, words)
    if fields is not None:
        return fields
    inferred = grid.header_rows == 0
    if inferred:
        if not _heads(grid, words):
            return Layout(grid, reason="table_without_header")
        grid = replace(grid, header_rows=1)
    turned = _on_its_side(grid, words)
    if turned:
        grid = grid.turned()
    if grid.height <= grid.header_rows:
        return Layout(grid, reason="table_without_rows")
    labels = {column: label for column in range(grid.width) if (label := label_of(_header(grid, column)))}
    layout = Layout(grid, "register", labels, inferred=inferred)
    if _ragged(grid, labels):
        layout.reason = "table_ragged"
        return layout
    key = (0 if _names_rows(grid, 0) else None) if turned else _key(grid, labels, words)
    if key is None:
        layout.reason = "table_without_key"
        return layout
    layout.key = key
    layout.name = _name_beside(grid, labels, key)
    return layout


@dataclass(frozen=True, slots=True)
class _Words:
    predicates: Predicates
    domain: DomainSchema

    def known(self, label: str) -> bool:
        """Whether the label is one of the schema's or a common one."""
        read = label_of((Cell(0, 0, 0, 0, label, True, False),))
        name = read.name if read else label
        return (
            self.predicates.of_field(name) is not None
            or plain(name).replace("_", " ") in _LABELS | _KEYS
            or type_of(name, self.domain, whole=True) is not None
        )

    def is_field(self, label: str) -> bool:
        """Whether the label is a field of the schema."""
        read = label_of((Cell(0, 0, 0, 0, label, True, False),))
        return read is not None and self.predicates.of_field(read.name) is not None


def _header(grid: Grid, column: int) -> tuple[Cell, ...]:
    return tuple(cell for row in range(grid.header_rows) if (cell := grid.at(row, column)) and cell.wide < grid.width)


def _texts(cells: Iterable[Cell | None]) -> list[str]:
    return [" ".join(cell.text.split()).strip(" :") if cell else "" for cell in cells]


def _as_fields(grid: Grid, words: _Words) -> Layout | None:
    """Field and value in two columns: by their headers, by header cells down the side, or by known fields."""
    if grid.width != 2:
        return None
    rows = range(grid.height)
    left = _texts(grid.at(row, 0) for row in rows)
    top = (left[0].lower(), *_texts([grid.at(0, 1)]))
    named = grid.header_rows == 1 and top[0] in _FIELD_HEADS and top[1].lower() in _VALUE_HEADS and any(top)
    down_the_side = grid.header_rows == 0 and all(
        (cell := grid.at(row, 0)) is not None
        and cell.header
        and not ((grid.at(row, 1) or cell).header and grid.at(row, 1))
        for row in rows
    )
    body = left[1:] if named else left
    fields = [text for text in body if text and words.is_field(text)]
    filled = [text for text in body if text]
    labelled = len(set(filled)) == len(filled) and all(len(text) <= MAX_LABEL for text in filled)
    mostly = len(fields) >= 2 and len(fields) * 2 >= len(filled) and not words.is_field(top[1])
    if not labelled or not filled or not (down_the_side or mostly or (named and (fields or top[0] != "name"))):
        return None
    start = 1 if named else 0
    labels = {
        row: label for row in range(start, grid.height) if (cell := grid.at(row, 0)) and (label := label_of((cell,)))
    }
    return Layout(replace(grid, header_rows=start), "fields", labels)


def _heads(grid: Grid, words: _Words) -> bool:
    """Whether the first row of a table without marked header is one: distinct labels, most of them known."""
    first = _texts(grid.at(0, column) for column in range(grid.width))
    if grid.height < 2 or len(set(first)) < len(first) or "" in first:
        return False
    if any(len(text) > MAX_LABEL or _NUMERIC.match(text) for text in first):
        return False
    known = sum(words.known(text) for text in first)
    return known >= 2 and known * 2 >= len(first)


def _on_its_side(grid: Grid, words: _Words) -> bool:
    """Fields down the first column, things along the header."""
    if grid.header_rows != 1 or grid.width < 3:
        return False
    side = _texts(grid.column(0))
    top = _texts(grid.at(0, column) for column in range(1, grid.width))
    fields = sum(words.is_field(text) for text in side)
    return fields >= 2 and fields * 2 >= len(side) and all(top) and not any(words.is_field(text) for text in top)


def _ragged(grid: Grid, labels: dict[int, Label]) -> bool:
    """Cells below no header in more than a fifth of the rows."""
    rows = range(grid.header_rows, grid.height)
    loose = sum(any(grid.at(row, column) and column not in labels for column in range(grid.width)) for row in rows)
    return loose * 5 > len(rows)


def _key(grid: Grid, labels: dict[int, Label], words: _Words) -> int | None:
    """The column that names what a row is about: one headed by a type or "name", else the first that can."""
    able = [column for column in sorted(labels) if _names_rows(grid, column)]
    if not able:
        return None
    headed = [column for column in able if _key_like(labels[column].name, words)]
    first = able[0]
    if first in headed or not headed:
        if first not in headed and (first > 1 or not _distinct(grid, first)):
            return None
        return first
    return headed[0] if headed[0] <= 2 else first if _distinct(grid, first) else None


def _key_like(label: str, words: _Words) -> bool:
    """A role ("Owner") is the word of a relation more often than what a table lists."""
    return plain(label).replace("_", " ") in _KEYS or type_of(label, words.domain) not in (None, "role")


def _names_rows(grid: Grid, column: int) -> bool:
    """Most rows have a short text with letters here, which is no value of its own."""
    texts = [" ".join(cell.text.split()) for cell in grid.column(column)]
    names = [
        text
        for text in texts
        if len(text) <= MAX_KEY
        and not _NUMERIC.match(text)
        and not says_nothing(text)
        and not text.rstrip().endswith((".", "?"))
    ]
    return bool(names) and len(names) * 10 >= (grid.height - grid.header_rows) * 6 and any(map(_wordy, names))


def _wordy(text: str) -> bool:
    return is_identifier(text) or any(len(word) > 2 and word[0].isalpha() for word in re.split(r"\W+", text) if word)


def _distinct(grid: Grid, column: int) -> bool:
    texts = [cell.text.strip().lower() for cell in grid.column(column)]
    return len(set(texts)) * 2 >= len(texts)


def _name_beside(grid: Grid, labels: dict[int, Label], key: int) -> int | None:
    """The column that names what the key column has the identifiers of."""
    keys = grid.column(key)
    if not keys or sum(is_identifier(cell.text) for cell in keys) * 2 < len(keys):
        return None
    return next(
        (
            column
            for column in sorted(labels)
            if column != key and plain(labels[column].name).replace("_", " ") in _NAMES and _names_rows(grid, column)
        ),
        None,
    )
