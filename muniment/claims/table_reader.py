"""Reads laid out tables into a plan: which cell says what of which subject, and what became of every cell."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field

from muniment.claims.assertion import Span
from muniment.claims.drafts import ClaimDraft
from muniment.claims.table_grid import Grid, Layout
from muniment.claims.table_labels import Cell, Label, counts_rows, is_identifier, is_total, type_of
from muniment.claims.values import Conventions, read_value, says_nothing
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import Predicate, predicates_of
from muniment.nlp.model import Sentence
from muniment.nlp.names import normalise

#: Confidence: the schema knows the field; it does not; factor for a header that nothing marks as one.
KNOWN, RAW, UNMARKED = 0.90, 0.70, 0.90
#: A cell with more words is prose, no value.
MAX_VALUE_WORDS = 25
MAX_NAME_WORDS = 12

_PARTS = re.compile(r"[^;\n•]+")
_COMMA_PARTS = re.compile(r"[^,;\n•]+")
_QUANTIFIED = re.compile(
    r"^(?:all|any|each|every|various|several|many|other|no|tous|toutes|chaque|divers)\b", re.IGNORECASE
)
#: Relation of the schema between a thing and another name of it.
_ALIAS = "alias"
_AGENT = re.compile(r"(?:^|\s)(?:by|par|von)$", re.IGNORECASE)
_NAMED_LABELS = frozenset(
    {"PERSON", "PER", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "LAW", "EVENT", "NORP", "WORK_OF_ART"}
)


@dataclass(frozen=True, slots=True)
class Said:
    """One claim to be made: what a cell (or a part of it) says of a subject."""

    subject: Span
    label: Label
    cell: Cell
    place: Span
    entity: bool
    row: Span
    confidence: float


@dataclass(slots=True)
class TablePlan:
    """What the tables of a document will say; `fates` counts the cells below headers by what became of them."""

    said: list[Said] = field(default_factory=list)
    names: dict[Span, str | None] = field(default_factory=dict)
    identifiers: dict[Span, Span] = field(default_factory=dict)
    aliases: dict[Span, Span] = field(default_factory=dict)
    read: list[Span] = field(default_factory=list)
    prose: list[Span] = field(default_factory=list)
    fates: Counter[str] = field(default_factory=Counter)

    def covers(self, sentence: Sentence) -> bool:
        """Whether the sentence is a row of a table that is read here."""
        place = bisect_right(self.read, (sentence.start, sentence.end + 1)) - 1
        return place >= 0 and self.read[place][0] <= sentence.start and sentence.end <= self.read[place][1]

    def silences(self, sentence: Sentence) -> bool:
        """Whether the rules for sentences have nothing to say of it: a row without a cell that is a sentence."""
        return self.covers(sentence) and not any(sentence.start <= start < sentence.end for start, _ in self.prose)

    def keeps(self, sentence: Sentence, draft: ClaimDraft) -> bool:
        """Whether a rule's claim stands: outside the rows of read tables, or whole in one cell that is a sentence."""
        if not self.covers(sentence):
            return True
        spans = [(draft.subject.start, draft.subject.end), *draft.condition]
        spans += [(said.start, said.end) for said in (draft.object, draft.literal) if said is not None]
        start, end = min(first for first, _ in spans), max(last for _, last in spans)
        return any(first <= start and end <= last for first, last in self.prose)


class TableReader:
    """Reads layouts into a plan."""

    def __init__(
        self,
        plan: TablePlan,
        text: str,
        elements: list[tuple[int, int, str]],
        subjects: list[Span],
        entities: dict[Span, str],
        domain: DomainSchema,
        max_rows: int,
    ) -> None:
        self.plan = plan
        self.text = text
        self.headings = [(start, end) for start, end, kind in elements if kind in ("title", "heading")]
        self.subjects = subjects
        self.entities = entities
        self.known = {
            normalise(text[start:end]) for (start, end), label in entities.items() if label in _NAMED_LABELS
        } | {normalise(text[start:end]) for start, end in subjects}
        self.predicates = predicates_of(domain)
        self.domain = domain
        self.max_rows = max_rows

    def learn(self, layout: Layout) -> None:
        """Names that key columns give: in other cells they are the same things."""
        if layout.reason is None and layout.shape == "register":
            for column in {layout.key, layout.name if layout.name is not None else layout.key}:
                self.known |= {normalise(cell.text) for cell in layout.grid.column(column) if _name_like(cell.text)}

    def read(self, layout: Layout) -> None:
        """Plan the claims of a table."""
        grid = layout.grid
        visible = [cell for cell in _body(grid, layout) if not cell.hidden]
        self.plan.fates["hidden_text_kept_apart"] += sum(cell.hidden for cell in _body(grid, layout))
        if layout.reason is None and layout.shape == "fields" and self._subject(grid) is None:
            layout.reason = "table_without_subject"
        if layout.reason is not None:
            self.plan.fates[layout.reason] += len(visible)
            return
        if not visible:
            return
        everything = {cell.start: cell for cell in grid.places.values()}.values()
        self.plan.read.append((min(cell.start for cell in everything), max(cell.end for cell in everything)))
        if layout.shape == "fields":
            self._fields(layout)
        else:
            self._register(layout)

    def _subject(self, grid: Grid) -> Span | None:
        """The nearest name in a heading before the table; else the document's."""
        start = min((cell.start for cell in grid.places.values()), default=0)
        before = [span for span in self.subjects if span[0] < start]
        return before[-1] if before else None

    def _fields(self, layout: Layout) -> None:
        grid, subject = layout.grid, self._subject(layout.grid)
        for row, label in sorted(layout.labels.items()):
            cell = grid.at(row, 1)
            if cell is not None and subject is not None and not cell.hidden:
                place = (label.cells[0].start, cell.end)
                self._cell(subject, label, cell, place, KNOWN if self._predicate(label) else RAW)
        unlabelled = [cell for cell in _body(grid, layout) if cell.row not in layout.labels and not cell.hidden]
        self.plan.fates["cell_without_label"] += len(unlabelled)

    def _register(self, layout: Layout) -> None:
        grid = layout.grid
        kind = type_of(layout.labels[layout.key].name, self.domain) or self._kind_above(grid)
        counted = {column for column in layout.labels if column < layout.key and counts_rows(grid.column(column))}
        done: set[int] = set()
        for number, row in enumerate(range(grid.header_rows, grid.height)):
            cells = [
                (column, cell)
                for column in range(grid.width)
                if (cell := grid.at(row, column)) and not cell.hidden and cell.start not in done
            ]
            done |= {cell.start for _, cell in cells}
            reason = self._row_reason(layout, row, number)
            if reason is not None:
                self.plan.fates[reason] += len(cells)
                continue
            self._row(layout, row, cells, kind, counted)

    def _row_reason(self, layout: Layout, row: int, number: int) -> str | None:
        grid = layout.grid
        if number >= self.max_rows:
            return "table_rows_limit"
        key = grid.at(row, layout.key)
        if key is None:
            return "row_without_key"
        if key.wide > 1 and key.wide >= grid.width:
            return "table_section_row"
        others = [grid.at(row, column) for column in layout.labels if column != layout.key]
        if is_total(key.text):
            return "table_total_row"
        if not any(others):
            return "table_section_row"
        return None if _name_like(key.text) else "row_without_key"

    def _row(
        self, layout: Layout, row: int, cells: list[tuple[int, Cell]], kind: str | None, counted: set[int]
    ) -> None:
        grid = layout.grid
        key = grid.at(row, layout.key)
        named = grid.at(row, layout.name) if layout.name is not None else None
        if key is None:
            return
        subject = named if named is not None and _name_like(named.text) else key
        span = (subject.start, subject.end)
        self.plan.names[span] = kind
        if is_identifier(key.text) and subject is not key:
            self.plan.names[key.start, key.end] = kind
            self.plan.identifiers[span] = (key.start, key.end)
        whole = (min(cell.start for _, cell in cells), max(cell.end for _, cell in cells)) if cells else span
        for column, cell in cells:
            if cell in (key, subject):
                self.plan.fates["key"] += 1
                continue
            label = layout.labels.get(column)
            if column in counted:
                self.plan.fates["cell_row_number"] += 1
                continue
            if label is None:
                self.plan.fates["cell_without_label"] += 1
                continue
            known = KNOWN if self._predicate(label) else RAW
            self._cell(span, label, cell, whole, round(known * (UNMARKED if layout.inferred else 1.0), 4))

    def _cell(self, subject: Span, label: Label, cell: Cell, row: Span, confidence: float) -> None:
        if says_nothing(cell.text):
            self.plan.fates["cell_without_value"] += 1
            return
        if len(cell.text.split()) > MAX_VALUE_WORDS:
            self.plan.fates["cell_of_prose"] += 1
            return
        self.plan.fates["claim"] += 1
        predicate = self._predicate(label)
        for start, end in self._parts(cell, label, predicate):
            text = self.text[start:end]
            entity = self._is_entity(text, (start, end), label, predicate)
            if entity:
                self.plan.names.setdefault((start, end), self._kind(label, predicate, subject))
                if predicate is not None and predicate.name == _ALIAS:
                    self.plan.aliases[start, end] = subject
            self.plan.said.append(Said(subject, label, cell, (start, end), entity, row, confidence))

    def _parts(self, cell: Cell, label: Label, predicate: Predicate | None) -> list[Span]:
        """Members of a list in a cell; at commas only where each of them is a name known from a key column."""
        commas = [_trimmed(cell, match) for match in _COMMA_PARTS.finditer(cell.text)]
        known = [span for span in commas if span and normalise(self.text[slice(*span)]) in self.known]
        if len(known) > 1 and len(known) == len(commas):
            return known
        relation = predicate is None or predicate.kind == "relation"
        parts = [span for match in _PARTS.finditer(cell.text) if (span := _trimmed(cell, match))]
        return (
            parts
            if relation and len(parts) > 1 and all(_name_like(self.text[slice(*span)]) for span in parts)
            else [(cell.start, cell.end)]
        )

    def _is_entity(self, text: str, span: Span, label: Label, predicate: Predicate | None) -> bool:
        if not _name_like(text) or _QUANTIFIED.match(text):
            return False
        if predicate is not None:
            return predicate.kind == "relation"
        return (
            normalise(text) in self.known
            or type_of(label.name, self.domain) is not None
            or self.entities.get(span) in _NAMED_LABELS
            or (_AGENT.search(label.name) is not None and text[:1].isupper())
        )

    def _kind(self, label: Label, predicate: Predicate | None, subject: Span) -> str | None:
        """Type of what a cell names: of another name the subject's; the word for a relation ("Owner") is none."""
        if predicate is None:
            return type_of(label.name, self.domain)
        return self.plan.names.get(subject) if predicate.name == _ALIAS else None

    def _predicate(self, label: Label) -> Predicate | None:
        return self.predicates.of_field(label.name)

    def _kind_above(self, grid: Grid) -> str | None:
        """The type that the caption or the heading before the table names: Systems."""
        start = min(cell.start for cell in grid.places.values())
        above = [span for span in self.headings if span[0] < start]
        titles = [grid.caption, self.text[slice(*above[-1])] if above else ""]
        return next((kind for title in titles if title and (kind := type_of(title, self.domain))), None)


def _body(grid: Grid, layout: Layout) -> list[Cell]:
    """Cells below the header with something in them, each once; of a list of fields those of the second column."""
    cells = {
        cell.start: cell
        for row in range(grid.header_rows, grid.height)
        for column in range(1 if layout.shape == "fields" and layout.reason is None else 0, grid.width)
        if (cell := grid.at(row, column))
    }
    return [cells[start] for start in sorted(cells)]


def _name_like(text: str) -> bool:
    words = text.split()
    return (
        0 < len(words) <= MAX_NAME_WORDS
        and any(char.isalpha() for char in text)
        and not says_nothing(text)
        and not text.rstrip().endswith((".", "?", "!")) | text.startswith(("http://", "https://"))
        and read_value(0, len(text), text, "text", Conventions(), cell=True).kind == "text"
    )


def _trimmed(cell: Cell, match: re.Match[str]) -> Span | None:
    part = match.group()
    start = cell.start + match.start() + len(part) - len(part.lstrip())
    end = cell.start + match.start() + len(part.rstrip())
    return (start, end) if end > start else None
