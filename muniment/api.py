"""The Python API: `Muniment.open(home).search(…)`, `.slice(…)`, `.trace(…)`, `.losses()`, `.status()`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import polars as pl

from muniment.access import OPERATOR, check_principal
from muniment.domain.loading import load_domain
from muniment.exports.content import GraphContent, graph_content
from muniment.exports.view import community_html, neighbourhood_html
from muniment.home import Home
from muniment.loss.answers import LossAnswer, ReviewAnswer, loss_answer, review_answer
from muniment.nlp.names import normalise
from muniment.publication.graph import graph_tables
from muniment.publication.reader import Generation, GenerationReader
from muniment.publication.scope import OPERATOR_VIEW
from muniment.search.hits import SearchResult
from muniment.search.query import search_passages
from muniment.settings import Settings, load_settings
from muniment.slices.assemble import build_slice
from muniment.slices.model import ContextSlice
from muniment.status import Status, read_status
from muniment.store.opening import open_warehouse
from muniment.trace.entity import ChangeLine, EntityDetails, changes_of, entity_card
from muniment.trace.identity import JudgementList, OpenPairs, judgement_list, open_pairs
from muniment.trace.model import Trace
from muniment.trace.verify import verify_trace
from muniment.trace.walk import UnknownId, trace_id

Operation = Literal["passages", "dependencies"]


class Muniment:
    """A home opened for questions. Every call is answered from the generation published at that moment.

    Raises NothingPublished when a question is asked of a home without a generation.
    """

    def __init__(self, home: Home, settings: Settings, principal: str) -> None:
        """Use `Muniment.open`."""
        self.home, self.settings, self.principal = home, settings, principal
        self._reader = GenerationReader(home, settings)

    @classmethod
    def open(
        cls, home: str | Path | None = None, *, principal: str = OPERATOR, options: dict[str, Any] | None = None
    ) -> Muniment:
        """Open a home: by default what MUNIMENT_HOME or `muniment.toml` says.

        `options` override settings by nested names. Raises SettingsError and AccessDenied.
        """
        given = dict(options or {})
        if home is not None:
            given["home"] = Path(home)
        settings = load_settings(given)
        return cls(Home(settings.home.resolve()), settings, check_principal(principal))

    def __enter__(self) -> Muniment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release index and warehouse."""
        self._reader.close()

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        source: str | Sequence[str] | None = None,
        doc_type: str | Sequence[str] | None = None,
        as_of: date | None = None,
        all_versions: bool = False,
        explain: bool = False,
    ) -> SearchResult:
        """Passages that answer the query best, from documents that their sources still hold.

        `as_of` keeps passages not known to be out of validity on that day; `all_versions` widens the scope
        to versions that are no longer held. Raises SearchError for an empty query or an unknown source.
        """

        def ask(generation: Generation) -> SearchResult:
            return search_passages(
                generation.rows,
                generation.index,
                self._reader.embedder,
                self.settings.search,
                query,
                limit=limit,
                source=source,
                doc_type=doc_type,
                as_of=as_of,
                all_versions=all_versions,
                explain=explain,
            )

        return self._reader.with_generation(ask)

    def slice(self, operation: Operation, request: str, *, budget_tokens: int = 2000, depth: int = 2) -> ContextSlice:
        """The context for one operation, within `budget_tokens` of the embedder's tokenizer."""

        def ask(generation: Generation) -> ContextSlice:
            def passages(query: str, limit: int) -> SearchResult:
                return search_passages(
                    generation.rows, generation.index, self._reader.embedder, self.settings.search, query, limit=limit
                )

            return build_slice(
                generation.rows,
                operation,
                request,
                search=passages,
                count_tokens=lambda text: self._reader.embedder.count_tokens([text])[0],
                generation_id=generation.current.generation_id,
                principal=self.principal,
                budget_tokens=budget_tokens,
                depth=depth,
                domain=load_domain(self.settings.domain),
            )

        return self._reader.with_generation(ask)

    def trace(self, any_id: str, *, verify: bool = False) -> Trace:
        """Where a thing comes from, back to the original's digest and reader, and what depends on it.

        `verify` re-opens the original and looks the text up there. Raises UnknownId.
        """

        def ask(generation: Generation) -> Trace:
            found = trace_id(generation.rows, any_id)
            return verify_trace(found, generation.rows, self.home, self.settings) if verify else found

        return self._reader.with_generation(ask)

    def entity(self, named: str, *, limit: int = 20) -> EntityDetails:
        """The card of the entity that an id, an earlier id, or a name stands for.

        Raises UnknownId, and AmbiguousName naming the candidates.
        """
        return self._reader.with_generation(
            lambda generation: entity_card(generation.rows, OPERATOR_VIEW, named, limit)
        )

    def entity_changes(self, generation_id: str | None = None) -> list[ChangeLine]:
        """What generations did to entities, of one generation or of all that are remembered."""
        return self._reader.with_generation(
            lambda generation: changes_of(generation.rows, OPERATOR_VIEW, generation_id=generation_id)
        )

    def open_pairs(self) -> OpenPairs:
        """Pairs of entities that may be one, the likeliest first."""
        return self._reader.with_generation(lambda generation: open_pairs(generation.rows, OPERATOR_VIEW))

    def judgements(self) -> JudgementList:
        """What people judged of the identity of entities; also what is not published yet."""

        def ask(generation: Generation) -> JudgementList:
            warehouse = open_warehouse(self.home, self.settings.store)
            try:
                return judgement_list(warehouse.latest(), generation.rows)
            finally:
                warehouse.close()

        return self._reader.with_generation(ask)

    def losses(self) -> LossAnswer:
        """The loss report of the published generation."""
        return self._reader.with_generation(lambda generation: loss_answer(generation.rows))

    def review(self) -> ReviewAnswer:
        """What a person must look at, worst first, with the file and advice."""
        return self._reader.with_generation(lambda generation: review_answer(generation.rows))

    def status(self) -> Status:
        """Counts of the manifest, of every table and of pending work; works before the first publication too."""
        return read_status(self.home, self.settings)

    def graph(self, *, policies: Sequence[str] | None = None) -> GraphContent:
        """Entities, relationships, claims, evidence, documents and conflicts of held documents, as frames.

        `policies` narrows it to what documents of these access policies support, computed from them alone.
        """

        def ask(generation: Generation) -> GraphContent:
            def of_versions(versions: pl.DataFrame) -> dict[str, pl.DataFrame]:
                return graph_tables(generation.rows, self.settings, versions)[0]

            return graph_content(generation.rows, generation.current.generation_id, policies, of_versions)

        return self._reader.with_generation(ask)

    def graph_page(self, focus: str, *, policies: Sequence[str] | None = None) -> str:
        """A self-contained HTML page about an entity (by id or name) or a community (by id).

        Raises UnknownId where nothing, or more than one entity, has that id or name.
        """
        content = self.graph(policies=policies)
        members = self.table("community_members").filter(community_id=focus)["entity_id"].sort().to_list()
        if members and policies is None:
            title = self.table("community_reports").filter(community_id=focus)["title"][0]
            return community_html(content, title, members)
        return neighbourhood_html(content, _one_entity(content, focus))

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table in the published generation (see `muniment.tables`)."""
        return self._reader.with_generation(lambda generation: generation.rows.table(name))


def _one_entity(content: GraphContent, focus: str) -> str:
    """The id of the entity that an id or name means."""
    wanted = normalise(focus)
    names = pl.concat_list(pl.concat_list("name"), "aliases").list.eval(pl.element().str.to_lowercase())
    found = content.entities.filter((pl.col("entity_id") == focus) | names.list.contains(wanted))
    if found.height == 1:
        return str(found["entity_id"][0])
    if found.is_empty():
        raise UnknownId(f"{focus}: no entity that may be seen has this id or name; `muniment search` finds names")
    listed = ", ".join(f"{row['entity_id']} ({row['name']}, {row['entity_type']})" for row in found.to_dicts()[:8])
    raise UnknownId(f"{focus}: {found.height} entities have this name; give an id: {listed}")
