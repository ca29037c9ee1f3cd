"""What slices need of others: a search that returns hits, and a counter of tokens."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Protocol


class Hit(Protocol):
    """One hit of a search (see `muniment.search`)."""

    @property
    def document_id(self) -> str: ...  # noqa: D102
    @property
    def version_id(self) -> str: ...  # noqa: D102
    @property
    def chunk_id(self) -> str: ...  # noqa: D102
    @property
    def source_locator(self) -> object: ...  # noqa: D102
    @property
    def valid_from(self) -> datetime.date | None: ...  # noqa: D102
    @property
    def validity_status(self) -> str | None: ...  # noqa: D102
    @property
    def original_text(self) -> str: ...  # noqa: D102
    @property
    def generated_context(self) -> str | None: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def title(self) -> str | None: ...  # noqa: D102
    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def section_path(self) -> Sequence[str]: ...  # noqa: D102


class SearchResult(Protocol):
    """What a search returns."""

    @property
    def hits(self) -> Sequence[Hit]: ...  # noqa: D102


#: search(request, limit): visible to the principal and in scope already.
Search = Callable[[str, int], SearchResult]

#: Tokens of a text.
CountTokens = Callable[[str], int]
