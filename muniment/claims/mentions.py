"""Mentions of one sentence (R0, R1): which spans name something, without overlap, and what became of the others."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from muniment.claims.trees import Tree
from muniment.claims.types import LABEL_TYPES, PROTECTED_LABELS, VALUE_TYPES
from muniment.nlp.model import Sentence
from muniment.nlp.names import normalise, strip_span

#: Names that name nothing by themselves.
STOP_NAMES = frozenset(
    {"above", "accordance", "addition", "basis", "behalf", "below", "cas", "case", "effect", "etc", "event",
     "example", "exemple", "fact", "fait", "favour", "following", "force", "hereinafter", "kind", "lot", "number",
     "one", "order", "other", "others", "part", "purpose", "regard", "respect", "same", "sort", "such", "terms",
     "thing", "things", "time", "view", "way"}
)  # fmt: skip

_DROPPED_POS = frozenset({"DET", "PRON", "PUNCT", "ADP", "CCONJ", "SCONJ", "SPACE", "ADV", "PART", "AUX"})
_NUMBERED_HEADS = frozenset(
    {"article", "section", "annex", "clause", "schedule", "chapter", "part", "version", "phase"}
)
_NAMED = frozenset(
    label for label, kind in LABEL_TYPES.items() if kind not in VALUE_TYPES and label not in ("NORP", "LANGUAGE")
)


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


@dataclass(slots=True)
class SentenceMentions:
    """Mentions of a sentence, by token; `candidates` are the pipeline's spans to account for."""

    sentence: Sentence
    mentions: list[Mention] = field(default_factory=list)
    candidates: list[_Candidate] = field(default_factory=list)

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
) -> SentenceMentions:
    """Mentions of a sentence. `forced` are (start, end, source) of names known otherwise: subjects, long forms.

    In falling precedence: forced names, protected spans, named entities that hold the head of their noun
    chunk, then the longest of the rest. Chunks lose determiners, pronouns and counts, are parted at a
    possessive and take an `of` complement in (R6) unless that is a name.
    """
    result = SentenceMentions(sentence)
    for start, end, source in forced:
        first, last = tokens_of(sentence, start, end)
        if last > first:
            result.add(first, last, source, None)
    _protected(result)
    chunks = _chunks(sentence, tree, max_tokens) if noun_phrases else []
    heads = {head for _, _, head in chunks}
    named = [(span.start, span.end, span.label) for span in sentence.entities]
    ranked = sorted(
        [
            ((0 if any(first <= head < last for head in heads) else 1, first - last, first), first, last, "ner", label)
            for first, last, label in (_clean_entity(sentence, *item) for item in named)
            if not (label in PROTECTED_LABELS and result.covering(first))
        ]
        + [((1, first - last, first), first, last, "noun_phrase", None) for first, last, _ in chunks],
        key=lambda item: (item[0], item[3], item[4] or ""),
    )
    for _, first, last, source, label in ranked:
        _add_apart(result, first, last, source, label)
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


def _protected(result: SentenceMentions) -> None:
    """Citations, identifiers and values stay whole; "Article 5(2) of Regulation (EU) 2019/881" is one name."""
    spans = [
        span for span in result.sentence.entities if span.label in PROTECTED_LABELS and _is_protected(result, span)
    ]
    skip = -1
    for index, span in enumerate(spans):
        if index == skip:
            continue
        following = spans[index + 1] if index + 1 < len(spans) else None
        if (
            span.label == "UNIT"
            and following
            and following.label in ("LAW", "UNIT")
            and _joined(result, span, following)
        ):
            skip = index + 1
            result.add(span.start, following.end, "ner", following.label)
        else:
            first = _with_kind(result.sentence, span.start) if span.label == "IDENTIFIER" else span.start
            result.add(first, span.end, "ner", span.label)


def _with_kind(sentence: Sentence, first: int) -> int:
    """Policy P-12: capitalised words that say what the identifier is of belong to the name."""
    while sentence.heads and first > 0 and sentence.token(first - 1)[:1].isupper():
        before = first - 1
        attached = sentence.deps[before] in ("compound", "nmod", "amod") or sentence.heads[first] == before
        if sentence.pos[before] not in ("NOUN", "PROPN") or not attached:
            break
        first = before
    return first


def _is_protected(result: SentenceMentions, span: object) -> bool:
    """A date of the recogniser ("last week") is a candidate like others; those with digits are kept whole."""
    text = result.sentence.slice(span.start, span.end)  # type: ignore[attr-defined]
    return any(char.isdigit() for char in text) or span.label in ("UNIT", "IDENTIFIER")  # type: ignore[attr-defined]


def _joined(result: SentenceMentions, first: object, second: object) -> bool:
    between = [
        result.sentence.token(index).lower()
        for index in range(first.end, second.start)  # type: ignore[attr-defined]
    ]
    return between in (["of"], ["of", "the"], ["du"], ["de", "la"], ["de", "l'"], ["der"], ["to"])


def _clean_entity(sentence: Sentence, first: int, last: int, label: str) -> tuple[int, int, str]:
    """Without a trailing possessive and what follows a bracket that is not closed."""
    texts = [sentence.token(index) for index in range(first, last)]
    if "(" in texts and ")" not in texts:
        last = first + texts.index("(")
    while last - first > 1 and sentence.token(last - 1) in ("'s", "’s", "'", "’"):
        last -= 1
    return first, max(last, first), label


def _chunks(sentence: Sentence, tree: Tree | None, max_tokens: int) -> list[tuple[int, int, int]]:
    """(first, last, head) of noun chunks, parted at possessives and joined at `of`."""
    if tree is None:
        return []
    parts: list[tuple[int, int, int]] = []
    for chunk in sentence.noun_chunks:
        first = chunk.start
        for index in range(chunk.start, chunk.end):
            if tree.tag(index) == "POS":
                parts.append((first, index, index - 1))
                first = index + 1
        if first < chunk.end:
            parts.append((first, chunk.end, _head_of(tree, first, chunk.end)))
    trimmed = [item for part in parts if (item := _trimmed(tree, *part)) is not None]
    return _folded(tree, trimmed, max_tokens)


def _head_of(tree: Tree, first: int, last: int) -> int:
    return next((index for index in range(last - 1, first - 1, -1) if not first <= tree.head(index) < last), last - 1)


def _trimmed(tree: Tree, first: int, last: int, head: int) -> tuple[int, int, int] | None:
    while first < head and (tree.pos(first) in _DROPPED_POS or _counted(tree, first, head)):
        first += 1
    return (first, last, head) if tree.pos(head) not in ("PRON", "DET") else None


def _counted(tree: Tree, index: int, head: int) -> bool:
    return (
        tree.pos(index) == "NUM"
        and tree.dep(index) in ("nummod", "quantmod", "compound")
        and tree.lemma(head) not in _NUMBERED_HEADS
        and tree.pos(head) != "PROPN"
        and tree.tag(head) != "CD"
    )


def _folded(tree: Tree, chunks: list[tuple[int, int, int]], max_tokens: int) -> list[tuple[int, int, int]]:
    """inventory + of + arrangements → one phrase; an `of` before a named entity or value stays a relation."""
    named = [span for span in tree.sentence.entities if span.label in _NAMED or span.label in PROTECTED_LABELS]
    result: list[tuple[int, int, int]] = []
    for first, last, head in chunks:
        if result and _folds(tree, result[-1], first, head, named) and last - result[-1][0] <= max_tokens:
            result[-1] = (result[-1][0], last, result[-1][2])
        else:
            result.append((first, last, head))
    return result


def _folds(tree: Tree, before: tuple[int, int, int], first: int, head: int, named: list) -> bool:
    of = tree.head(head)
    if tree.words[of] not in ("of", "de", "d'", "du", "des") and not any(
        tree.words[case] in ("de", "d'", "du", "des") for case in tree.child(head, ("case",))
    ):
        return False
    if tree.words[before[2]] in STOP_NAMES:
        return False
    adjacent = (
        all(tree.pos(index) in ("DET", "ADP", "NUM") or index == of for index in range(before[1], first))
        and first - before[1] <= 3
    )
    return adjacent and not any(span.start <= token < span.end for span in named for token in (head, before[2]))


def _add_apart(result: SentenceMentions, first: int, last: int, source: str, label: str | None) -> None:
    """Add the span, or of a noun chunk the stretch before its head that no protected span holds."""
    if source == "noun_phrase":
        taken = [item for item in result.mentions if item.label in PROTECTED_LABELS]
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
        keeps = _names(sentence, *_clean_entity(sentence, span.start, span.end, span.label))
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
    if LABEL_TYPES.get(label or "") in VALUE_TYPES:
        return True
    if not any(char.isalpha() for char in name) or name in STOP_NAMES:
        return False
    if len(name) < 2 and name.isascii():
        return False
    return not (sentence.pos and all(sentence.pos[index] in ("PRON", "DET", "PUNCT") for index in range(first, last)))


def _dangling(sentence: Sentence, token: int) -> bool:
    """A preposition or conjunction that the recogniser took along; "log-in" keeps its own."""
    return sentence.pos[token] in ("ADP", "CCONJ", "SCONJ", "DET") and sentence.token(token - 1) not in ("-", "‑", "–")


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
