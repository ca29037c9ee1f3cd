"""Mentions of one sentence (R0, R1): which spans name something, without overlap, and what became of the others."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from muniment.claims.entity_spans import named_spans, opens_name
from muniment.claims.noun_chunks import NAMES_BY_CAPITAL, STOP_NAMES, noun_chunks
from muniment.claims.patterns import PatternMatch
from muniment.claims.trees import Tree
from muniment.claims.types import PERSON_LABELS, PROTECTED_LABELS, VALUE_LABELS
from muniment.nlp.model import Sentence, Span
from muniment.nlp.names import normalise, strip_span

#: Cells, list marks and labels of a form inside a span: it runs over the end of what is said.
_BROKEN = re.compile(r"\t|\n\s*[-*+#|•\n]|:\s*\n|[|]")


@dataclass(slots=True)
class Mention:
    """A mention: code points start..end of the canonical text, tokens first..last of its sentence.

    `ordinal` is its sentence's (None: in none, as a cell or a title outside sentences may be). `long_form` is the
    normalised name that the document defines it by, `definition` how; `identifier` the normalised identifier that
    it is.
    """

    start: int
    end: int
    first: int
    last: int
    ordinal: int | None
    source: str
    label: str | None = None
    is_subject: bool = False
    entity_type: str = ""
    long_form: str | None = None
    definition: str | None = None
    identifier: str | None = None


@dataclass(slots=True)
class _Candidate:
    """A named entity or noun chunk as the pipeline gave it; `kept` is what may become a mention."""

    first: int
    last: int
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class _Protected:
    """Tokens first..last that stay whole; `joined`: a unit of a law, or of another unit."""

    first: int
    last: int
    label: str
    joined: bool = False


@dataclass(slots=True)
class SentenceMentions:
    """Mentions of a sentence, by token; `candidates` are the pipeline's spans to account for.

    Mentions do not overlap in code points; two of patterns may share a token ("AC-04/AC-05").
    """

    sentence: Sentence
    mentions: list[Mention] = field(default_factory=list)
    candidates: list[_Candidate] = field(default_factory=list)
    patterns_covered: int = 0  # matches inside a longer citation, value or identifier

    def covering(self, token: int) -> Mention | None:
        """The mention that holds the token."""
        return next((mention for mention in self.mentions if mention.first <= token < mention.last), None)

    def add(self, first: int, last: int, source: str, label: str | None, *, limit: int = 0) -> Mention | None:
        """Make a mention of tokens first..last, stripped; None if nothing is left or another holds part of it."""
        place = _stripped(self.sentence, first, last)
        if place is None or any(item.first < place[3] and item.last > place[2] for item in self.mentions):
            return None
        if limit and place[3] - place[2] > limit:
            return None
        start, end, first, last = place
        mention = Mention(start, end, first, last, self.sentence.ordinal, source, label)
        self.mentions.append(mention)
        return mention

    def account(self) -> tuple[int, int, int]:
        """(candidates filtered, candidates inside or cut by another's mention, mentions without candidate)."""
        free = sorted(self.candidates, key=lambda item: (item.filtered, item.first, item.last))
        origins = 0
        for mention in sorted(self.mentions, key=lambda item: item.first):
            held = [item for item in free if item.first < mention.last and item.last > mention.first]
            if held:
                free.remove(held[0])
                origins += 1
        filtered = sum(item.filtered for item in free)
        return filtered, len(free) - filtered, len(self.mentions) - origins


def sentence_mentions(
    sentence: Sentence,
    tree: Tree | None,
    forced: Iterable[tuple[int, int, str]],
    *,
    noun_phrases: bool,
    max_tokens: int,
    patterns: Iterable[PatternMatch] = (),
    known: Iterable[tuple[int, int, str]] = (),
) -> SentenceMentions:
    """Mentions of a sentence.

    `patterns` are matches of the schema inside it; `forced` are (start, end, source) of names known otherwise:
    subjects, defined terms and their long forms; `known` are places of defined terms that nothing else may have seen.

    In falling precedence: the longer of patterns and protected spans (of equal ones the pattern), forced names
    (parted at a pattern that opens or ends them), named entities that hold the head of their noun chunk, the
    longest of the rest, known terms. An identifier takes in the capitalised words that say what it is of.
    Chunks lose determiners, pronouns and counts, are parted at a possessive and take an `of` complement in (R6)
    unless that is a name.
    """
    result = SentenceMentions(sentence)
    protected = _protected(sentence)
    _add_patterns(result, patterns, protected)
    for start, end, source in forced:
        _add_forced(result, start, end, source)
    for span in protected:
        result.add(span.first, span.last, "ner", span.label)
    chunks = noun_chunks(sentence, tree, max_tokens) if noun_phrases else []
    heads = {head for _, _, head in chunks}
    ranked = sorted(
        [
            ((0 if any(first <= head < last for head in heads) else 1, first - last, first), first, last, "ner", label)
            for first, last, label in named_spans(sentence)
            if not (label in PROTECTED_LABELS and result.covering(first))
        ]
        + [((1, first - last, first), first, last, "noun_phrase", None) for first, last, _ in chunks],
        key=lambda item: (item[0], item[3], item[4] or ""),
    )
    for _, first, last, source, label in ranked:
        _add_apart(result, first, last, source, label)
    for start, end, source in known:
        first, last = tokens_of(sentence, start, end)
        if last > first and (sentence.token_starts[first], sentence.token_ends[last - 1]) == (start, end):
            result.add(first, last, source, None)
    _candidates(result, noun_phrases=noun_phrases)
    return result


def tokens_of(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    """Tokens that lie in code points start..end of the canonical text."""
    return bisect_left(sentence.token_starts, start), bisect_left(sentence.token_starts, end)


def argument_mention(found: SentenceMentions, tree: Tree, head: int, max_tokens: int) -> Mention | None:
    """The mention that an argument's head stands in; made from its noun phrase where there is none."""
    known = found.covering(head)
    if known is not None:
        return known
    if tree.pos(head) not in ("NOUN", "PROPN", "X", "SYM"):
        return None
    first, last = head, head + 1
    inner = set(tree.child(head, ("compound", "amod", "nmod", "nummod", "quantmod", "flat:name", "flat:foreign")))
    while first - 1 in inner and last - first < max_tokens and found.covering(first - 1) is None:
        first -= 1
    while last in inner and tree.dep(last).startswith(("flat", "amod")) and found.covering(last) is None:
        last += 1
    return found.add(first, last, "noun_phrase", None) if _names(found.sentence, first, last) else None


def _add_patterns(result: SentenceMentions, matches: Iterable[PatternMatch], protected: list[_Protected]) -> None:
    sentence = result.sentence
    for match in sorted(matches, key=lambda item: item.start):
        start = _kind_start(sentence, match, protected)
        if start is None:
            result.patterns_covered += 1
            continue
        if any(item.start < match.end and start < item.end for item in result.mentions):
            start = match.start
        first, last = _tokens_touching(sentence, start, match.end)
        mention = Mention(start, match.end, first, last, sentence.ordinal, "pattern", match.pattern)
        mention.entity_type, mention.identifier = match.type, match.identifier
        result.mentions.append(mention)


def _kind_start(sentence: Sentence, match: PatternMatch, protected: list[_Protected]) -> int | None:
    """Where the name starts: with the words that say what an identifier is of; None inside a longer protected span."""
    start = match.start
    for span in protected:
        first, last = sentence.token_starts[span.first], sentence.token_ends[span.last - 1]
        if first <= start and match.end <= last and (first, last) != (start, match.end):
            if match.identifier is None or last != match.end or span.joined:
                return None
            start = first
    token = _tokens_touching(sentence, start, match.end)[0]
    if match.identifier is None or sentence.token_starts[token] != start:
        return start
    return sentence.token_starts[_with_kind(sentence, token)]


def _tokens_touching(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    """Tokens that share a code point with start..end."""
    return bisect_right(sentence.token_ends, start), bisect_left(sentence.token_starts, end)


def _add_forced(result: SentenceMentions, start: int, end: int, source: str) -> None:
    """Add a name; a pattern's mention at either end parts it ("CHG-7: Longer retention"), one inside refuses it."""
    first, last = tokens_of(result.sentence, start, end)
    for item in sorted(result.mentions, key=lambda item: item.first):
        if item.source != "pattern" or item.first >= last or item.last <= first:
            continue
        if item.first <= first:
            first = item.last
        elif item.last >= last:
            last = item.first
    if last > first and _names(result.sentence, first, last):
        result.add(first, last, source, None)


def _protected(sentence: Sentence) -> list[_Protected]:
    """Citations, identifiers and values, each whole; "Article 5(2) of Regulation (EU) 2019/881" is one name."""
    spans = [span for span in sentence.entities if span.label in PROTECTED_LABELS and _is_protected(sentence, span)]
    found: list[_Protected] = []
    skip = -1
    for index, span in enumerate(spans):
        if index == skip:
            continue
        following = spans[index + 1] if index + 1 < len(spans) else None
        if (
            span.label == "UNIT"
            and following
            and following.label in ("LAW", "UNIT")
            and _joined(sentence, span, following)
        ):
            skip = index + 1
            found.append(_Protected(span.start, following.end, following.label, joined=True))
        else:
            first = _with_kind(sentence, span.start) if span.label == "IDENTIFIER" else span.start
            found.append(_Protected(first, span.end, span.label))
    return found


def _with_kind(sentence: Sentence, first: int) -> int:
    """Policy P-12: capitalised words that say what the identifier is of belong to the name, no date or person."""
    others = {
        token
        for span in sentence.entities
        if span.label in PERSON_LABELS or span.label in VALUE_LABELS
        for token in range(span.start, span.end)
    }
    while sentence.heads and first > 0 and sentence.token(first - 1)[:1].isupper():
        before = first - 1
        attached = sentence.deps[before] in ("compound", "nmod", "amod") or sentence.heads[first] == before
        if sentence.pos[before] not in ("NOUN", "PROPN") or not attached or before in others:
            break
        first = before
    return first


def _is_protected(sentence: Sentence, span: Span) -> bool:
    """A date of the recogniser ("last week") is a candidate like others; those with digits are kept whole."""
    if span.label == "DATE" and opens_name(sentence, span):
        return False
    text = sentence.slice(span.start, span.end)
    return any(char.isdigit() for char in text) or span.label in ("UNIT", "IDENTIFIER")


def _joined(sentence: Sentence, first: Span, second: Span) -> bool:
    between = [sentence.token(index).lower() for index in range(first.end, second.start)]
    return between in (["of"], ["of", "the"], ["du"], ["de", "la"], ["de", "l'"], ["der"], ["to"])


def _add_apart(result: SentenceMentions, first: int, last: int, source: str, label: str | None) -> None:
    """Add the span, or of a noun chunk the stretch before its head that no protected span holds."""
    if source == "noun_phrase":
        taken = [item for item in result.mentions if item.label in PROTECTED_LABELS or item.source == "pattern"]
        head_end = last
        for item in taken:
            if first <= item.first < head_end and item.last < head_end:
                first = max(first, item.last)
            elif first < item.first < last:
                last = min(last, item.first)
    if first < last and _names(result.sentence, first, last, label):
        result.add(first, last, source, label)


def _candidates(result: SentenceMentions, *, noun_phrases: bool) -> None:
    sentence = result.sentence
    for span in sentence.entities:
        keeps = _names(sentence, span.start, span.end, span.label)
        result.candidates.append(_Candidate(span.start, span.end, not keeps))
    for span in sentence.noun_chunks:
        keeps = noun_phrases and _names(sentence, span.start, span.end)
        result.candidates.append(_Candidate(span.start, span.end, not keeps))


def _names(sentence: Sentence, first: int, last: int, label: str | None = None) -> bool:
    """Whether the tokens name anything: a letter (for values a digit or letter), no stop word, one line."""
    if last <= first:
        return False
    text = sentence.slice(first, last)
    name = normalise(text)
    if not any(char.isalnum() for char in name) or _BROKEN.search(text):
        return False
    if label in VALUE_LABELS:
        return True
    if not any(char.isalpha() for char in name):
        return False
    if name in STOP_NAMES and not (name in NAMES_BY_CAPITAL and _definite_name(sentence, first, last)):
        return False
    if len(name) < 2 and name.isascii():
        return False
    return not (sentence.pos and all(sentence.pos[index] in ("PRON", "DET", "PUNCT") for index in range(first, last)))


def _definite_name(sentence: Sentence, first: int, last: int) -> bool:
    """the Order, this Case: a capital after a definite article."""
    article = (
        sentence.token(last - 2).lower() if last - first > 1 else sentence.token(first - 1).lower() if first else ""
    )
    return article in ("the", "this", "said") and sentence.token(last - 1)[:1].isupper()


def _dangling(sentence: Sentence, token: int) -> bool:
    """A preposition or conjunction that the recogniser took along; "log-in" keeps its own."""
    if sentence.token(token - 1) in ("-", "‑", "–") or (
        len(sentence.token(token)) > 1 and sentence.token(token).isupper()
    ):
        return False  # log-in; the SA of Acme SA
    return sentence.pos[token] in ("ADP", "CCONJ", "SCONJ", "DET")


def _stripped(sentence: Sentence, first: int, last: int) -> tuple[int, int, int, int] | None:
    """Span without determiners, articles and outer punctuation: (start, end, first token, last token)."""
    while sentence.pos and first < last - 1 and sentence.pos[first] in ("DET", "PUNCT"):
        first += 1
    while sentence.pos and last - 1 > first and _dangling(sentence, last - 1):
        last -= 1
    start, end = sentence.token_starts[first], sentence.token_ends[last - 1]
    left, right = strip_span(sentence.text[start - sentence.start : end - sentence.start])
    if right <= left:
        return None
    start, end = start + left, start + right
    while first < last - 1 and sentence.token_ends[first] <= start:
        first += 1
    while last - 1 > first and sentence.token_starts[last - 1] >= end:
        last -= 1
    return start, end, first, last
