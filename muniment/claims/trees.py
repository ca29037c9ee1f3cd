"""A sentence's dependency tree with what rules ask of it, and the clause that rules work on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from muniment.nlp.model import Sentence

Relation = Literal["object", "agent", "preposition", "attribute", "adjective", "clause"]

_OPENING = frozenset({"“", "„", "«", "``", '"'})
_CLOSING = frozenset({"”", "“", "»", "''", '"'})


class Tree:
    """Children, subtrees and token tests of a parsed sentence."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.size = len(sentence.heads)
        self.children: list[list[int]] = [[] for _ in range(self.size)]
        for index, head in enumerate(sentence.heads):
            if head != index:
                self.children[head].append(index)

    @cached_property
    def words(self) -> list[str]:
        """Token texts in lower case."""
        return [self.sentence.token(index).lower() for index in range(self.size)]

    def dep(self, index: int) -> str:
        """Dependency label."""
        return self.sentence.deps[index]

    def pos(self, index: int) -> str:
        """Universal part of speech."""
        return self.sentence.pos[index]

    def tag(self, index: int) -> str:
        """Fine tag."""
        return self.sentence.tags[index]

    def head(self, index: int) -> int:
        """Head; the token itself at a root."""
        return self.sentence.heads[index]

    def lemma(self, index: int) -> str:
        """Lemma in lower case."""
        return self.sentence.lemmas[index].lower()

    def child(self, index: int, deps: Iterable[str]) -> list[int]:
        """Children with one of the labels, in order."""
        return [child for child in self.children[index] if self.sentence.deps[child] in deps]

    def has(self, index: int, deps: Iterable[str]) -> bool:
        """Whether a child has one of the labels."""
        return bool(self.child(index, deps))

    def subtree(self, index: int) -> tuple[int, int]:
        """First token and one past the last of the subtree (its hull)."""
        first = last = index
        waiting = [index]
        while waiting:
            current = waiting.pop()
            first, last = min(first, current), max(last, current)
            waiting += self.children[current]
        return first, last + 1

    def conjuncts(self, index: int) -> list[int]:
        """The token's coordinated followers, in order, at any depth."""
        found: list[int] = []
        waiting = self.child(index, ("conj",))
        while waiting:
            current = waiting.pop(0)
            found.append(current)
            waiting += self.child(current, ("conj",))
        return sorted(found)

    @cached_property
    def quoted(self) -> frozenset[int]:
        """Tokens between quotation marks that open and close in the sentence."""
        inside: set[int] = set()
        opened: int | None = None
        for index, word in enumerate(self.words):
            if word in _OPENING and opened is None:
                opened = index
            elif opened is not None and word in _CLOSING:
                inside.update(range(opened + 1, index))
                opened = None
        return frozenset(inside)

    def depth(self, index: int) -> int:
        """Number of heads above the token."""
        return len(self.ancestors(index))

    def ancestors(self, index: int) -> list[int]:
        """Heads from the next to the root."""
        found: list[int] = []
        while self.head(index) != index and len(found) < self.size:
            index = self.head(index)
            found.append(index)
        return found


@dataclass(frozen=True, slots=True)
class Argument:
    """A token that heads an argument; `inferred`: shared or coordinated, not attached itself (R7)."""

    head: int
    relation: Relation
    preposition: str = ""
    inferred: bool = False
    negated: bool = False


@dataclass(slots=True)
class Clause:
    """A predicate with its arguments, the same for every annotation scheme."""

    verb: int
    lemma: str  # with particle: set_up
    words: list[int]  # tokens of the predicate as written
    subjects: list[Argument]
    arguments: list[Argument]
    passive: bool = False
    copula: bool = False
    negated: bool = False
    modality: str = "is"
    origin: Literal["main", "relative", "reduced"] = "main"
    reported: bool = False  # inside what somebody is said to say
    prepositions: dict[int, list[int]] = field(default_factory=dict)  # argument head → tokens of its preposition
