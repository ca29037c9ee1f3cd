"""Mentions and claims of one document from its annotations: runs in worker processes, knows nothing of frames."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from muniment.claims.assertion import Assertion
from muniment.claims.definitions import Definition, find_definitions
from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.effects import inherit, validities
from muniment.claims.mention_types import settle
from muniment.claims.mentions import SentenceMentions, sentence_mentions
from muniment.claims.metadata import metadata_claims
from muniment.claims.model_claims import ModelCounts, ModelResult, add_assertions, read_answers, settle_types
from muniment.claims.model_reading import PartAnswer
from muniment.claims.passages import ClauseCounts, PassageReader
from muniment.claims.patterns import PatternMatch, pattern_matches
from muniment.claims.short_forms import ShortForms, mark_defined, mark_short_forms
from muniment.claims.statements import Origin, Row, Rows, add_claim, add_mention, assertion
from muniment.claims.subjects import subject_spans, title_range
from muniment.claims.tables import TablePlan, plan_tables, settle_table_types, table_claims
from muniment.claims.timex import known_events
from muniment.claims.trees import Tree
from muniment.claims.values import value_fate
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import predicates_of
from muniment.nlp.convert import row_sentence
from muniment.nlp.model import Sentence
from muniment.nlp.pipelines import RULE_SENTENCIZER

_CLEAR = frozenset({"pobj", "dobj", "nsubjpass", "prep", "auxpass"})
_UD = frozenset({"obj", "nmod", "obl:mod", "obl:arg", "obl:agent", "cop", "aux:pass", "nsubj:pass"})


@dataclass(frozen=True, slots=True)
class DocumentTask:
    """One extraction with all that the rules read."""

    origin: Origin
    elements: tuple[tuple[int, int, str], ...]
    annotations: tuple[dict[str, Any], ...]
    stated: tuple[tuple[str, str], ...]
    noun_phrases: bool
    max_name_tokens: int
    domain: DomainSchema
    tables: tuple[dict[str, Any], ...] = ()
    cells: tuple[dict[str, Any], ...] = ()
    language: str = "und"
    co_occurrence: bool = True
    max_table_rows: int = 2_000
    model: tuple[PartAnswer, ...] = ()


@dataclass(slots=True)
class Counts:
    """What the books of a document are closed with."""

    candidates: int = 0
    filtered: int = 0
    overlapped: int = 0
    added: int = 0
    pattern_matches: int = 0
    patterns_covered: int = 0
    patterns_across: int = 0
    short_forms: ShortForms = field(default_factory=ShortForms)
    sentences_without_pipeline: int = 0


@dataclass(slots=True)
class DocumentResult:
    """Rows and counts of one document."""

    version_id: str
    mentions: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    clauses: ClauseCounts = field(default_factory=ClauseCounts)
    cells: Counter[str] = field(default_factory=Counter)
    fields: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    model: ModelCounts = field(default_factory=ModelCounts)


def extract_documents(tasks: tuple[DocumentTask, ...]) -> list[DocumentResult]:
    """Results of the tasks in order."""
    return [extract_document(task) for task in tasks]


def extract_document(task: DocumentTask) -> DocumentResult:
    """Mentions, claims and evidence of one document; a pure function of the task."""
    text = task.origin.text
    sentences = [row_sentence(row, text) for row in sorted(task.annotations, key=lambda row: row["ordinal"])]
    scheme = _scheme(sentences)
    definitions = find_definitions(text)
    pairs = [item for item in definitions if item.names]
    subjects = list(subject_spans(text, task.elements, sentences, task.stated, task.max_name_tokens))
    plan = _table_plan(task, subjects, sentences)
    forced = _by_sentence(
        sentences,
        [(start, end, "subject") for start, end in subjects]
        + [span for item in definitions for span in _spans_of(item)]
        + [(start, end, "table_cell") for start, end in sorted(plan.names)],
    )
    known = _by_sentence(sentences, _known_places(text, definitions))
    result = DocumentResult(task.origin.version_id)
    result.counts.sentences_without_pipeline = sum(row["pipeline"] == RULE_SENTENCIZER for row in task.annotations)
    matches = _placed_patterns(task, sentences, result.counts)
    found: list[SentenceMentions] = []
    drafts: list[tuple[Sentence, ClaimDraft]] = []
    reader = PassageReader(scheme, task.elements, pairs, co_occurrence=task.co_occurrence)
    for sentence in sentences:
        tree = Tree(sentence) if sentence.parsed else None
        mentions = sentence_mentions(
            sentence,
            tree,
            forced.get(sentence.ordinal, ()),
            noun_phrases=task.noun_phrases,
            max_tokens=task.max_name_tokens,
            patterns=matches.get(sentence.ordinal, ()),
            known=known.get(sentence.ordinal, ()),
        )
        found.append(mentions)
        if tree is not None and not plan.silences(sentence):
            scope = Scope(sentence, tree, mentions, task.max_name_tokens, task.domain, task.noun_phrases)
            drafts += [(sentence, draft) for draft in reader.read(scope) if plan.keeps(sentence, draft)]
    result.clauses = reader.counts
    spoken = read_answers(task.origin, task.model, found, scheme, task.domain, task.max_name_tokens)
    settle(found, text, task.elements, pairs, task.domain)
    settle_types(found, text, spoken.types)
    settle_table_types(plan, found, text)
    mark_defined(found, text, definitions)
    result.counts.short_forms = mark_short_forms(
        found, text, title_range(task.elements), definitions, task.domain.value_types
    )
    stated = [
        *table_claims(plan, found, task.origin, task.domain),
        *metadata_claims(task.stated, task.elements, found, task.origin, task.domain, result.fields),
    ]
    result.cells = plan.fates
    _write(result, task, found, [*_assertions(task, drafts), *_inherited(stated, task.origin)], spoken)
    return result


def _table_plan(task: DocumentTask, subjects: list[tuple[int, int]], sentences: list[Sentence]) -> TablePlan:
    return plan_tables(
        task.tables,
        task.cells,
        task.elements,
        subjects,
        sentences,
        task.origin,
        task.domain,
        task.max_table_rows,
    )


def _scheme(sentences: list[Sentence]) -> str:
    """Annotation scheme of the document's pipeline, told by labels that only one scheme has."""
    labels = {label for sentence in sentences for label in sentence.deps}
    return "ud" if labels & _UD and not labels & _CLEAR else "clear"


def _spans_of(item: Definition) -> list[tuple[int, int, str]]:
    """The term and the name that it stands for."""
    long = [(item.long_start, item.long_end, "noun_phrase")] if item.names else []
    return [*long, (item.short_start, item.short_end, "defined_term")]


def _known_places(text: str, definitions: list[Definition]) -> list[tuple[int, int, str]]:
    """Where defined terms and the names behind them stand, written alike: for text that no pipeline reads."""
    names = {name for item in definitions for name in (item.short, item.long) if name}
    if not names:
        return []
    written = "|".join(
        (r"(?<!\w)" if name.isascii() else "") + re.escape(name) + (r"(?!\w)" if name.isascii() else "")
        for name in sorted(names, key=lambda name: (-len(name), name))
    )
    return [(*match.span(), "defined_term") for match in re.finditer(written, text)]


def _placed_patterns(task: DocumentTask, sentences: list[Sentence], counts: Counts) -> dict[int, list[PatternMatch]]:
    """Matches of the schema's patterns by sentence; those across two sentences are counted."""
    matches = pattern_matches(task.origin.text, task.elements, task.domain.patterns.values())
    starts = [sentence.start for sentence in sentences]
    placed: dict[int, list[PatternMatch]] = {}
    for match in matches:
        index = bisect_right(starts, match.start) - 1
        if index >= 0 and match.end <= sentences[index].end:
            placed.setdefault(sentences[index].ordinal, []).append(match)
        else:
            counts.patterns_across += 1
    counts.pattern_matches = len(matches)
    return placed


def _by_sentence(
    sentences: list[Sentence], spans: Iterable[tuple[int, int, str]]
) -> dict[int, list[tuple[int, int, str]]]:
    starts = [sentence.start for sentence in sentences]
    placed: dict[int, list[tuple[int, int, str]]] = {}
    for span in spans:
        index = bisect_right(starts, span[0]) - 1
        if index >= 0 and span[1] <= sentences[index].end:
            placed.setdefault(sentences[index].ordinal, []).append(span)
    return placed


def _write(
    result: DocumentResult,
    task: DocumentTask,
    found: list[SentenceMentions],
    assertions: list[Assertion],
    spoken: ModelResult,
) -> None:
    rows, origin = Rows(), task.origin
    predicates = predicates_of(task.domain)
    for item in found:
        for mention in item.mentions:
            add_mention(rows, origin, mention)
        filtered, overlapped, added = item.account()
        result.counts.patterns_covered += item.patterns_covered
        result.counts.candidates += len(item.candidates)
        result.counts.filtered += filtered
        result.counts.overlapped += overlapped
        result.counts.added += added
    for item in assertions:
        add_claim(rows, origin, item, predicates)
    add_assertions(rows, origin, spoken, predicates)
    result.model = spoken.counts
    result.mentions = list(rows.mentions.values())
    result.claims = list(rows.claims.values())
    result.values.update(value_fate(str(row["value"]), str(row["value_type"])) for row in result.claims if row["value"])
    result.evidence = list(rows.evidence.values())


def _assertions(task: DocumentTask, drafts: list[tuple[Sentence, ClaimDraft]]) -> Iterator[Assertion]:
    """Assertions of the rules' drafts with the time in which they hold."""
    origin = task.origin
    order = origin.conventions.order
    events = known_events(origin.text, task.stated, origin.asserted_on, origin.validity.start, order)
    for _, group in groupby(drafts, key=lambda pair: pair[0].ordinal):
        pairs = list(group)
        sentence, of_sentence = pairs[0][0], [draft for _, draft in pairs]
        for draft, validity in zip(of_sentence, validities(sentence, of_sentence, events, order), strict=True):
            item = assertion(origin, sentence, draft, validity)
            inherit(item, origin.validity, sentence, draft)
            yield item


def _inherited(stated: list[Assertion], origin: Origin) -> list[Assertion]:
    """Assertions of tables and metadata with the validity that the document states for itself."""
    for item in stated:
        inherit(item, origin.validity)
    return stated
