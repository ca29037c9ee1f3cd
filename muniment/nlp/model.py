"""Sentences as the language pipeline reads them, free of any engine's types.

Rows of the `annotations` table and these objects convert both ways; rules work on these.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens start..end (half-open, within the sentence) with a label."""

    start: int
    end: int
    label: str = ""


@dataclass(slots=True)
class Sentence:
    """One sentence; character offsets are into the canonical text, token indices within the sentence."""

    ordinal: int
    start: int
    end: int
    text: str
    token_starts: list[int]
    token_ends: list[int]
    lemmas: list[str] = field(default_factory=list)
    pos: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    deps: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    entities: list[Span] = field(default_factory=list)
    noun_chunks: list[Span] = field(default_factory=list)

    @property
    def parsed(self) -> bool:
        """Whether a pipeline gave tags and dependencies."""
        return bool(self.deps)

    def token(self, index: int) -> str:
        """Text of a token."""
        return self.text[self.token_starts[index] - self.start : self.token_ends[index] - self.start]

    def slice(self, first: int, last: int) -> str:
        """Text from token `first` to before token `last`."""
        return self.text[self.token_starts[first] - self.start : self.token_ends[last - 1] - self.start]
