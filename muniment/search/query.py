"""Plain hybrid search over passages: two branches, one fusion, and the rows as the gate.

The index proposes points; the rows decide. A point without its rows, or whose document the asker
may not see by the rows, is dropped and counted.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any

import polars as pl

from muniment.index.embedder import Embedder
from muniment.index.lexical import query_terms
from muniment.index.points import OPERATOR
from muniment.index.port import Filter, IndexReader
from muniment.search.filters import Scope, SearchError, index_filter, names
from muniment.search.fusion import Fused, Part, Ranked, normalised_fusion, reciprocal_rank_fusion
from muniment.search.hits import BranchPart, Explanation, Provenance, SearchHit, SearchResult
from muniment.settings import SearchSettings
from muniment.store.rows import Rows

_LOG = logging.getLogger(__name__)

#: Candidates of a branch at most, however many passages are equal.
_MOST_CANDIDATES = 4_096

_PASSAGES = """
SELECT k.point_id, c.chunk_id, c.document_id, c.version_id, c.text, c.section_path, c.source_locator,
       x.generated_context, d.document_id IS NOT NULL AND g.version_id IS NOT NULL AND t.document_id IS NULL AS known,
       d.access_policy_id, g.held, e.title, e.doc_type, e.valid_from, e.valid_to, e.validity_status,
       coalesce(f.family_id, c.document_id) AS family_id, s.name AS source_name, coalesce(p.path, d.first_path) AS path
FROM candidates k
LEFT JOIN index_points i ON i.point_id = k.point_id AND i.kind = 'chunk' AND i.view_id = ?
LEFT JOIN chunks c ON c.chunk_id = i.ref_id
LEFT JOIN generation_versions g ON g.version_id = c.version_id AND g.extraction_id = c.extraction_id
LEFT JOIN extractions e ON e.extraction_id = g.extraction_id
LEFT JOIN documents d ON d.document_id = c.document_id
LEFT JOIN tombstones t ON t.document_id = c.document_id
LEFT JOIN sources s ON s.source_id = d.source_id
LEFT JOIN families f ON f.document_id = c.document_id
LEFT JOIN chunk_contexts x ON x.chunk_id = c.chunk_id
LEFT JOIN (
    SELECT version_id, path FROM captures
    QUALIFY row_number() OVER (
        PARTITION BY version_id ORDER BY closed_scan IS NULL DESC, opened_scan DESC, path
    ) = 1
) p ON p.version_id = c.version_id
"""


def search_passages(
    rows: Rows,
    index: IndexReader,
    embedder: Embedder,
    settings: SearchSettings,
    query: str,
    *,
    limit: int | None = None,
    source: str | Iterable[str] | None = None,
    doc_type: str | Iterable[str] | None = None,
    document_id: str | Iterable[str] | None = None,
    family_id: str | Iterable[str] | None = None,
    as_of: date | None = None,
    all_versions: bool = False,
    policies: Iterable[str] | None = None,
    view_id: str = OPERATOR,
    explain: bool = False,
) -> SearchResult:
    """The passages that answer `query` best, at most `limit`, equal texts collapsed to one hit.

    `policies` are those of who asks; None is the operator, who sees everything. Sources are given by
    name or id. Raises SearchError for a query without content, a limit below 1 and an unknown source.
    """
    text = _clean(query)
    wanted = settings.limit if limit is None else limit
    if wanted < 1:
        raise SearchError(f"limit is {wanted}; ask for at least one passage")
    scope = Scope(names(source), names(doc_type), names(document_id), names(family_id), as_of, all_versions)
    allowed = None if policies is None else frozenset(policies)
    condition = index_filter(rows, scope, allowed, view_id)
    search = _Search(rows, index, embedder, settings, text, condition, allowed, view_id)
    hits, dropped = search.run(wanted, explain)
    return SearchResult(
        query=text,
        scope=scope.describe(),
        fusion=_fusion_name(settings),
        hits=tuple(hits),
        notes=search.notes(),
        dropped=dict(sorted(dropped.items())) if dropped and allowed is None else None,
    )


class _Search:
    """One question on one index: asks the branches, widening them while equal texts crowd the hits."""

    def __init__(
        self,
        rows: Rows,
        index: IndexReader,
        embedder: Embedder,
        settings: SearchSettings,
        query: str,
        condition: Filter,
        allowed: frozenset[str] | None,
        view_id: str,
    ) -> None:
        self._rows, self._index, self._settings = rows, index, settings
        self._condition, self._allowed, self._view_id = condition, allowed, view_id
        self._terms = query_terms(query)
        self._vector = embedder.embed([query])[0]
        self._beyond = embedder.count_tokens([query])[0] - embedder.max_tokens

    def run(self, wanted: int, explain: bool) -> tuple[list[SearchHit], Counter[str]]:
        """Up to `wanted` hits, and points dropped by cause."""
        passing = self._index.count(self._condition)
        candidates = max(self._settings.candidates, wanted)
        while True:
            fused = self._fused(candidates)
            passages, dropped = self._gated(fused)
            groups = _collapsed(fused, passages)
            if len(groups) >= wanted or candidates >= min(passing, _MOST_CANDIDATES):
                break
            candidates *= 2
        if dropped:
            _LOG.warning("search dropped points that the rows do not bear out: %s", dict(dropped))
        return [_hit(item, group, explain) for item, group in groups[:wanted]], dropped

    def notes(self) -> tuple[str, ...]:
        """What the asker should know of how the question was read."""
        notes: list[str] = []
        if not self._terms:
            notes.append("no word to look for: found by meaning alone")
        if self._beyond > 0:
            notes.append(f"the question is {self._beyond} tokens too long to be embedded whole; all its words count")
        return tuple(notes)

    def _fused(self, candidates: int) -> list[Fused]:
        weight = self._settings.dense_weight
        branches: dict[str, Ranked] = {"dense": self._index.dense(self._vector, self._condition, candidates)}
        branches["lexical"] = self._index.sparse(self._terms, self._condition, candidates)
        weights = {"dense": weight, "lexical": 1 - weight}
        if self._settings.fusion == "rrf":
            return reciprocal_rank_fusion(branches, weights, self._settings.rrf_k)
        return normalised_fusion(branches, weights)

    def _gated(self, fused: list[Fused]) -> tuple[dict[str, dict[str, Any]], Counter[str]]:
        """Rows of the points that exist and may be seen, by point id; causes of the others."""
        candidates = pl.DataFrame({"point_id": [item.point_id for item in fused]}, schema={"point_id": pl.String()})
        found = self._rows.read(_PASSAGES, (self._view_id,), {"candidates": candidates})
        dropped: Counter[str] = Counter()
        passages: dict[str, dict[str, Any]] = {}
        for row in found.iter_rows(named=True):
            if not row["known"]:
                dropped["no row in this generation"] += 1
            elif self._allowed is not None and row["access_policy_id"] not in self._allowed:
                dropped["not allowed by the document's present policy"] += 1
            else:
                passages[row["point_id"]] = row
        return passages, dropped


def _clean(query: str) -> str:
    text = " ".join(query.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").split())
    if not text:
        raise SearchError("the query is empty; write a question or some words")
    return text


def _fusion_name(settings: SearchSettings) -> str:
    weight = f"dense weight {settings.dense_weight:g}"
    if settings.fusion == "rrf":
        return f"reciprocal rank fusion, k = {settings.rrf_k}, {weight}"
    return f"score-normalised fusion, {weight}"


def _collapsed(fused: list[Fused], passages: dict[str, dict[str, Any]]) -> list[tuple[Fused, list[dict[str, Any]]]]:
    """Groups of equal original text in order of their best point, which comes first in its group."""
    groups: dict[str, tuple[Fused, list[dict[str, Any]]]] = {}
    for item in fused:
        passage = passages.get(item.point_id)
        if passage is not None:
            groups.setdefault(passage["text"], (item, []))[1].append(passage)
    return list(groups.values())


def _hit(item: Fused, group: list[dict[str, Any]], explain: bool) -> SearchHit:
    best, *others = group
    return SearchHit(
        **_provenance(best),
        original_text=best["text"],
        generated_context=best["generated_context"],
        score=item.score,
        also_in=tuple(
            Provenance(**_provenance(other))
            for other in sorted(others, key=lambda other: (other["source_name"], other["path"], other["chunk_id"]))
        ),
        explain=_explanation(item) if explain else None,
    )


def _provenance(row: dict[str, Any]) -> dict[str, Any]:
    fields = {name: row[name] for name in Provenance.model_fields}
    fields["section_path"] = tuple(row["section_path"])
    fields["source_locator"] = json.loads(row["source_locator"])
    return fields


def _explanation(item: Fused) -> Explanation:
    return Explanation(dense=_part(item.parts.get("dense")), lexical=_part(item.parts.get("lexical")), fused=item.score)


def _part(part: Part | None) -> BranchPart | None:
    if part is None:
        return None
    return BranchPart(score=part.score, rank=part.rank, contribution=round(part.contribution, 6))
