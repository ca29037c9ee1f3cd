"""Mentions and claims of one document from its annotations: runs in worker processes, knows nothing of frames."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.mentions import SentenceMentions, sentence_mentions, tokens_of
from muniment.claims.rules_nouns import alias_claims, noun_claims
from muniment.claims.rules_verbs import clauses_of, verb_claims
from muniment.claims.statements import Origin, Row, Rows, add_claim, add_mention, assertion
from muniment.claims.subjects import heading_ranges, subject_spans
from muniment.claims.trees import Clause, Tree
from muniment.claims.types import VALUE_TYPES, corporate_stem, entity_type
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import Predicates
from muniment.nlp.acronyms import AcronymPair, find_acronyms
from muniment.nlp.convert import row_sentence
from muniment.nlp.model import Sentence
from muniment.nlp.names import normalise

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


@dataclass(slots=True)
class Counts:
    """What the books of a document are closed with."""

    candidates: int = 0
    filtered: int = 0
    overlapped: int = 0
    added: int = 0
    verb_sentences: int = 0
    verb_sentences_with_claim: int = 0
    clauses: int = 0
    clauses_with_claim: int = 0


@dataclass(slots=True)
class DocumentResult:
    """Rows and counts of one document."""

    version_id: str
    mentions: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)


def extract_documents(tasks: tuple[DocumentTask, ...]) -> list[DocumentResult]:
    """Results of the tasks in order."""
    return [extract_document(task) for task in tasks]


def extract_document(task: DocumentTask) -> DocumentResult:
    """Mentions, claims and evidence of one document; a pure function of the task."""
    text = task.origin.text
    sentences = [row_sentence(row, text) for row in sorted(task.annotations, key=lambda row: row["ordinal"])]
    scheme = _scheme(sentences)
    pairs = find_acronyms(text)
    subjects = list(subject_spans(text, task.elements, sentences, task.stated, task.max_name_tokens))
    forced = _by_sentence(
        sentences,
        [(start, end, "subject") for start, end in subjects] + [span for pair in pairs for span in _spans_of(pair)],
    )
    result = DocumentResult(task.origin.version_id)
    found: list[SentenceMentions] = []
    drafts: list[tuple[Sentence, ClaimDraft]] = []
    for sentence in sentences:
        tree = Tree(sentence) if sentence.parsed else None
        mentions = sentence_mentions(
            sentence,
            tree,
            forced.get(sentence.ordinal, ()),
            noun_phrases=task.noun_phrases,
            max_tokens=task.max_name_tokens,
        )
        found.append(mentions)
        if tree is not None:
            scope = Scope(sentence, tree, mentions, task.max_name_tokens, task.noun_phrases)
            drafts += [(sentence, draft) for draft in _claims(scope, scheme, pairs, result.counts)]
    _settle(found, text, task.elements, pairs)
    _write(result, task, found, drafts, pairs)
    return result


def _claims(scope: Scope, scheme: str, pairs: list[AcronymPair], counts: Counts) -> list[ClaimDraft]:
    tree, sentence = scope.tree, scope.sentence
    clauses = [] if scope.question else clauses_of(tree, scheme)
    made: list[ClaimDraft] = []
    for clause in clauses:
        claims = verb_claims(scope, clause)
        made += claims
        if _expects_claim(scope, clause):
            counts.clauses += 1
            counts.clauses_with_claim += bool(claims)
    aliases = alias_claims(scope, _pair_tokens(sentence, pairs))
    if not scope.question:
        made += noun_claims(scope, clauses, aliases)
    made += aliases
    if any(pos == "VERB" or (pos == "AUX") for pos in sentence.pos):
        counts.verb_sentences += 1
        counts.verb_sentences_with_claim += bool(made)
    return made


def _expects_claim(scope: Scope, clause: Clause) -> bool:
    return not scope.hypothetical(clause.verb) and any(
        scope.found.covering(subject.head) is not None for subject in clause.subjects
    )


def _scheme(sentences: list[Sentence]) -> str:
    """Annotation scheme of the document's pipeline, told by labels that only one scheme has."""
    labels = {label for sentence in sentences for label in sentence.deps}
    return "ud" if labels & _UD and not labels & _CLEAR else "clear"


def _spans_of(pair: AcronymPair) -> list[tuple[int, int, str]]:
    return [(pair.long_start, pair.long_end, "noun_phrase"), (pair.short_start, pair.short_end, "noun_phrase")]


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


def _pair_tokens(sentence: Sentence, pairs: list[AcronymPair]) -> list[tuple[int, int]]:
    """(first token of the long form, first of the short form) of definitions in the sentence."""
    return [
        (tokens_of(sentence, pair.long_start, pair.long_end)[0], tokens_of(sentence, pair.short_start, 0)[0])
        for pair in pairs
        if sentence.start <= min(pair.long_start, pair.short_start)
        and max(pair.long_end, pair.short_end) <= sentence.end
    ]


def _settle(
    found: list[SentenceMentions],
    text: str,
    elements: tuple[tuple[int, int, str], ...],
    pairs: list[AcronymPair],
) -> None:
    """Types by text and label, one type a name within the document, and marks of subjects.

    A bare "Acme" is what "Acme Ltd" is; a short form is what its long form is; a name that the
    recogniser types in several ways has its most frequent type.
    """
    headings = heading_ranges(elements)
    votes: dict[str, Counter[str]] = {}
    everything = [mention for item in found for mention in item.mentions]
    for item in found:
        for mention in item.mentions:
            written = text[mention.start : mention.end]
            mention.label = mention.label or _label_below(item, mention.first, mention.last)
            mention.entity_type = entity_type(written, mention.label)
            place = bisect_right(headings, (mention.start, len(text))) - 1
            within = place >= 0 and mention.end <= headings[place][1]
            mention.is_subject = mention.source == "subject" or within
            if mention.entity_type not in VALUE_TYPES:
                votes.setdefault(normalise(written), Counter())[mention.entity_type] += 1
    settled = {name: _winner(counter) for name, counter in votes.items()}
    for mention in everything:
        stem = corporate_stem(text[mention.start : mention.end])
        if stem is not None and normalise(stem) in settled:
            settled[normalise(stem)] = "organisation"
    for pair in pairs:
        long, short = settled.get(normalise(pair.long)), normalise(pair.short)
        if long is not None and short in settled:
            settled[short] = long
    for mention in everything:
        if mention.entity_type not in VALUE_TYPES:
            mention.entity_type = settled[normalise(text[mention.start : mention.end])]


def _label_below(item: SentenceMentions, first: int, last: int) -> str | None:
    """For a name known otherwise: the label of the longest named entity mostly inside it that holds its head."""
    mention = item.covering(first)
    if mention is None or mention.source == "ner":
        return None
    inside = [
        span
        for span in item.sentence.entities
        if min(span.end, last) - max(span.start, first) > (last - first) / 2
        and entity_type(item.sentence.slice(span.start, span.end), span.label) not in VALUE_TYPES
    ]
    best = max(inside, key=lambda span: (span.end - span.start, -span.start), default=None)
    return best.label if best is not None else None


def _winner(counter: Counter[str]) -> str:
    """Most frequent type; "concept" only without another; ties by name."""
    named = {kind: count for kind, count in counter.items() if kind != "concept"} or dict(counter)
    return min(named, key=lambda kind: (-named[kind], kind))


def _write(
    result: DocumentResult,
    task: DocumentTask,
    found: list[SentenceMentions],
    drafts: list[tuple[Sentence, ClaimDraft]],
    pairs: list[AcronymPair],
) -> None:
    rows, origin = Rows(), task.origin
    predicates = Predicates(task.domain)
    long_forms = {normalise(pair.short): normalise(pair.long) for pair in reversed(pairs)}
    for item in found:
        for mention in item.mentions:
            mention.long_form = long_forms.get(normalise(origin.text[mention.start : mention.end]))
            mention.definition = "acronym" if mention.long_form else None
            add_mention(rows, origin, mention)
        filtered, overlapped, added = item.account()
        result.counts.candidates += len(item.candidates)
        result.counts.filtered += filtered
        result.counts.overlapped += overlapped
        result.counts.added += added
    for sentence, draft in drafts:
        add_claim(rows, origin, assertion(origin, sentence, draft), predicates)
    result.mentions = list(rows.mentions.values())
    result.claims = list(rows.claims.values())
    result.evidence = list(rows.evidence.values())
