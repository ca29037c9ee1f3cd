"""Noun chunks as candidates for mentions (R1, R6): trimmed, parted at possessives, with their `of` complements."""

from __future__ import annotations

import re

from muniment.claims.trees import Tree
from muniment.claims.types import NAME_LABELS, PROTECTED_LABELS
from muniment.nlp.model import Sentence, Span

#: Names that name nothing by themselves.
STOP_NAMES = frozenset(
    {"above", "accordance", "addition", "basis", "behalf", "below", "cas", "case", "ci", "effect", "etc", "event",
     "example", "exemple", "fact", "fait", "favour", "following", "force", "hereinafter", "kind", "lot", "number",
     "one", "order", "other", "others", "part", "purpose", "regard", "respect", "same", "sort", "such", "terms",
     "thing", "things", "time", "view", "vigueur", "way"}
)  # fmt: skip

#: Those that a capital and a definite article make a name: the Order, the Case.
NAMES_BY_CAPITAL = frozenset({"case", "event", "force", "lot", "order"})

_PAIRS = {"(": ")", "[": "]", "“": "”", "«": "»"}
_OF = frozenset({"de", "d'", "d’", "du", "des"})
_DROPPED_POS = frozenset({"DET", "PRON", "PUNCT", "ADP", "CCONJ", "SCONJ", "SPACE", "ADV", "PART", "AUX"})
_NUMBERED_HEADS = frozenset(
    {"article", "section", "annex", "clause", "schedule", "chapter", "part", "version", "phase"}
)


def noun_chunks(sentence: Sentence, tree: Tree | None, max_tokens: int) -> list[tuple[int, int, int]]:
    """(first, last, head) of noun chunks, parted at possessives and joined at `of`."""
    if tree is None:
        return []
    parts: list[tuple[int, int, int]] = []
    for chunk in sentence.noun_chunks:
        first = chunk.start
        torn = _torn_brackets(tree, chunk)
        for index in range(chunk.start, chunk.end):
            if index in torn or tree.tag(index) == "POS":
                if first < index:
                    parts.append((first, index, _head_of(tree, first, index)))
                first = index + 1
        if first < chunk.end:
            parts.append((first, chunk.end, _head_of(tree, first, chunk.end)))
    trimmed = [item for part in parts if (item := _trimmed(tree, *part)) is not None]
    return _folded(tree, trimmed, max_tokens)


def _torn_brackets(tree: Tree, chunk: Span) -> set[int]:
    """Brackets and quotation marks whose partner stands outside the chunk: it runs over the end of what is said."""
    waiting: list[int] = []
    torn: set[int] = set()
    for index in range(chunk.start, chunk.end):
        word = tree.words[index]
        if word in _PAIRS:
            waiting.append(index)
        elif word in _PAIRS.values():
            if waiting and _PAIRS[tree.words[waiting[-1]]] == word:
                waiting.pop()
            else:
                torn.add(index)
    return torn.union(waiting)


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
        and not (re.fullmatch(r"\d{4}", tree.words[index]) and tree.sentence.token(index + 1)[:1].isupper())
    )


def _folded(tree: Tree, chunks: list[tuple[int, int, int]], max_tokens: int) -> list[tuple[int, int, int]]:
    """inventory + of + arrangements → one phrase; an `of` before a name or a value stays a relation."""
    named = [span for span in tree.sentence.entities if span.label in NAME_LABELS or span.label in PROTECTED_LABELS]
    result: list[tuple[int, int, int]] = []
    for first, last, head in chunks:
        if result and _folds(tree, result[-1], first, head, named) and last - result[-1][0] <= max_tokens:
            result[-1] = (result[-1][0], last, result[-1][2])
        else:
            result.append((first, last, head))
    return result


def _folds(tree: Tree, before: tuple[int, int, int], first: int, head: int, named: list[Span]) -> bool:
    of = tree.head(head)
    if tree.words[of] != "of":  # in French the noun itself governs what "de" marks
        marks = [tree.words[case] for case in tree.child(head, ("case",))]
        if not (set(marks) <= _OF and marks and before[0] <= of < before[1]):
            return False
    if tree.words[before[2]] in STOP_NAMES:
        return False
    if tree.pos(before[2]) == "NOUN" and tree.pos(head) == "PROPN":  # the owner of the Harbour Portal
        return False
    adjacent = (
        all(tree.pos(index) in ("DET", "ADP", "NUM") or index == of for index in range(before[1], first))
        and first - before[1] <= 3
    )
    return adjacent and not any(span.start <= token < span.end for span in named for token in (head, before[2]))
