"""Claims of tables (rule T): what each row of a register, or each line of a list of fields, says of its subject.

A plan is made before mentions are found, so that cells which name something become mentions; its claims are made when
types are settled. What a cell does not give is counted with a reason: total and section rows, cells without a value
("n/a", "-"), prose (left to the rules for sentences), tables without header, key column or subject.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from muniment.claims.assertion import Assertion, Quote, Span, Value
from muniment.claims.mentions import Mention, SentenceMentions
from muniment.claims.statements import MAX_QUOTE, Origin
from muniment.claims.table_grid import Layout, grid_of, layout_of
from muniment.claims.table_reader import Said, TablePlan, TableReader
from muniment.claims.values import read_value
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import Predicates, plain, predicates_of
from muniment.nlp.model import Sentence
from muniment.nlp.names import normalise

RULE = "T"

_DATES = re.compile(
    r"\b(?:date|day|since|until|deadline|review|reviewed|due|expires?|expiry|signed|année|year|datum)\b", re.IGNORECASE
)
_CODES = re.compile(
    r"(?:^|[\s_])(?:id|no|nr|number|code|ref|reference|phone|tel|telephone|mobile|fax|account|iban|zip|postcode|isbn|"
    r"version|numéro|téléphone)(?:[\s_.]*\d*)$",
    re.IGNORECASE,
)
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})


def plan_tables(
    tables: Iterable[dict[str, Any]],
    cells: Iterable[dict[str, Any]],
    elements: Iterable[tuple[int, int, str]],
    subjects: Iterable[Span],
    sentences: Iterable[Sentence],
    origin: Origin,
    domain: DomainSchema,
    max_rows: int,
) -> TablePlan:
    """What to read of the tables of one document. `subjects` are names in its title and headings."""
    plan = TablePlan()
    by_table: dict[str, list[dict[str, Any]]] = {}
    for cell in cells:
        by_table.setdefault(cell["table_id"], []).append(cell)
    if not by_table:
        return plan
    predicates = predicates_of(domain)
    reader = TableReader(
        plan, origin.text, sorted(elements), sorted(set(subjects)), _entities(sentences), domain, max_rows
    )
    layouts = [
        layout_of(grid_of(table, by_table.get(table["table_id"], ())), predicates, domain)
        for table in sorted(tables, key=lambda row: row["ordinal"])
    ]
    for layout in layouts:
        reader.learn(layout)
    for layout in layouts:
        reader.read(layout)
    plan.read.sort()
    plan.prose = sorted(set(plan.prose) | _sentence_cells(plan, layouts, sentences))
    return plan


def table_claims(
    plan: TablePlan, found: Iterable[SentenceMentions], origin: Origin, domain: DomainSchema
) -> Iterator[Assertion]:
    """The claims of a plan, once mentions are found; cells whose name is no mention are counted in `plan.fates`."""
    mentions = sorted((mention for item in found for mention in item.mentions), key=lambda mention: mention.start)
    starts = [mention.start for mention in mentions]
    predicates = predicates_of(domain)
    for span, identifier in plan.identifiers.items():
        subject, code = _mention_in(mentions, starts, span), _mention_in(mentions, starts, identifier)
        if subject is not None and code is not None and subject is not code:
            subject.identifier = subject.identifier or code.identifier or normalise(origin.text[code.start : code.end])
            code.identifier = subject.identifier
    for span, long in plan.aliases.items():
        short, subject = _mention_in(mentions, starts, span), _mention_in(mentions, starts, long)
        if short is not None and subject is not None and short.long_form is None and _abbreviates(origin.text, short):
            short.long_form, short.definition = normalise(origin.text[subject.start : subject.end]), "acronym"
    lost: set[Span] = set()
    for said in plan.said:
        subject = _mention_in(mentions, starts, said.subject)
        target = _mention_in(mentions, starts, said.place) if said.entity else None
        if subject is None or target is subject:
            lost.add((said.cell.start, said.cell.end))
            continue
        yield _claim(said, subject, target, origin, predicates, domain)
    if lost:
        plan.fates["claim"] -= len(lost)
        plan.fates["cell_without_mention"] += len(lost)


def settle_table_types(plan: TablePlan, found: Iterable[SentenceMentions], text: str) -> None:
    """Give names the type that their column's header states, in the whole document."""
    stated: dict[str, set[str]] = {}
    for (start, end), kind in plan.names.items():
        if kind is not None:
            stated.setdefault(normalise(text[start:end]), set()).add(kind)
    for item in found:
        for mention in item.mentions:
            kinds = stated.get(normalise(text[mention.start : mention.end]), set())
            if len(kinds) == 1:
                mention.entity_type = next(iter(kinds))


def _claim(
    said: Said, subject: Mention, target: Mention | None, origin: Origin, predicates: Predicates, domain: DomainSchema
) -> Assertion:
    value = None
    if target is None:
        value = _value(said, origin, predicates, domain)
    return Assertion(
        rule=RULE,
        subject=subject,
        predicate=plain(said.label.name),
        predicate_spans=[(cell.start, cell.end) for cell in said.label.cells],
        confidence=said.confidence,
        quote=_quote(said, subject, origin.text),
        object=target,
        value=value,
        validity=said.label.validity,
    )


def _abbreviates(text: str, mention: Mention) -> bool:
    """TGW, W.O.H.: short and in capitals."""
    short = text[mention.start : mention.end]
    return len(short) <= 10 and " " not in short and sum(char.isupper() for char in short) * 2 > len(short)


def _value(said: Said, origin: Origin, predicates: Predicates, domain: DomainSchema) -> Value:
    """The cell as a value. Where a date is expected a bare 2015 is a year; digits that name (phone, code) stay text."""
    start, end = said.place
    text, label = origin.text[start:end], said.label
    predicate = predicates.of_field(label.name)
    attribute = domain.attributes.get(predicate.name) if predicate is not None else None
    dated = attribute.datatype == "date" if attribute is not None else bool(_DATES.search(label.name))
    kind = "date" if dated else "text"
    value = read_value(start, end, text, kind, origin.conventions, cell=True, unit=label.unit)
    names = attribute.datatype == "text" if attribute is not None else bool(_CODES.search(label.name))
    return Value(start, end, text, "text") if value.kind == "number" and names else value


def _quote(said: Said, subject: Mention, text: str) -> Quote:
    """The row; of a long one from the subject to the value; else the value's cell."""
    for start, end in (
        said.row,
        (min(subject.start, said.place[0]), max(subject.end, said.place[1])),
        (said.cell.start, said.cell.end),
    ):
        if end - start <= MAX_QUOTE:
            return Quote(start, end, text[start:end])
    return Quote(*said.place, text[slice(*said.place)])


def _mention_in(mentions: list[Mention], starts: list[int], span: Span) -> Mention | None:
    """The longest mention inside the span, if it holds most of it."""
    first = bisect_right(starts, span[0] - 1)
    best: Mention | None = None
    for mention in mentions[first:]:
        if mention.start >= span[1]:
            break
        if mention.end <= span[1] and (best is None or mention.end - mention.start > best.end - best.start):
            best = mention
    return best if best is not None and (best.end - best.start) * 2 > span[1] - span[0] else None


def _entities(sentences: Iterable[Sentence]) -> dict[Span, str]:
    return {
        (sentence.token_starts[span.start], sentence.token_ends[span.end - 1]): span.label
        for sentence in sentences
        for span in sentence.entities
    }


def _sentence_cells(plan: TablePlan, layouts: list[Layout], sentences: Iterable[Sentence]) -> set[Span]:
    """Cells of read tables that are sentences: with a finite verb and a subject."""
    cells = sorted(
        {(cell.start, cell.end) for layout in layouts if layout.reason is None for cell in layout.grid.places.values()}
    )
    found: set[Span] = set()
    for sentence in sentences:
        if not sentence.parsed or not plan.covers(sentence):
            continue
        for token, tag in enumerate(sentence.tags):
            if tag in _FINITE or (sentence.pos[token] == "VERB" and sentence.deps[token] == "root"):
                place = bisect_right(cells, (sentence.token_starts[token], len(plan.read) + 10**9)) - 1
                if place >= 0 and sentence.token_starts[token] < cells[place][1] and _has_subject(sentence, token):
                    found.add(cells[place])
    return found


def _has_subject(sentence: Sentence, token: int) -> bool:
    """Whether the verb, or the one that it helps, has a subject."""
    heads = {token, sentence.heads[token]}
    return any(
        dep.startswith("nsubj") and head in heads for dep, head in zip(sentence.deps, sentence.heads, strict=True)
    )
