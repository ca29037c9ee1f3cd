"""Rows to points: which chunks, entities and reports enter a view's index, with what text and payload.

Pure functions of rows and settings. The text of a chunk's point is its generated context, a blank
line and the original text; what the embedder's window cannot hold is cut from the context first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from muniment.ids import digest, make_id, text_digest
from muniment.index.embedder import Embedder
from muniment.index.port import NO_POLICY
from muniment.loss.ledger import Entry, Ledger
from muniment.settings import IndexSettings
from muniment.store.rows import Rows
from muniment.tables.model import BOOLEAN, DATE, STRING
from muniment.tables.registry import TABLES

OPERATOR = "operator"

#: Columns of a payload; null means that the key is not written.
PAYLOAD = pl.Schema(
    {
        "view_id": STRING,
        "kind": STRING,
        "ref_id": STRING,
        "access_policy_id": STRING,
        "source_id": STRING,
        "document_id": STRING,
        "version_id": STRING,
        "family_id": STRING,
        "doc_type": STRING,
        "language": STRING,
        "held": BOOLEAN,
        "valid_from": DATE,
        "valid_to": DATE,
    }
)

_VERSIONS = """
SELECT g.version_id, g.document_id, g.extraction_id, g.held, d.source_id, d.access_policy_id,
       coalesce(f.family_id, g.document_id) AS family_id, e.doc_type, e.language, e.valid_from, e.valid_to
FROM generation_versions g
LEFT JOIN documents d ON d.document_id = g.document_id
LEFT JOIN extractions e ON e.extraction_id = g.extraction_id
LEFT JOIN families f ON f.document_id = g.document_id
ORDER BY g.version_id
"""
_CHUNKS = """
SELECT c.chunk_id, c.version_id, c.text, c.tokens, c.index_state, x.generated_context
FROM chunks c
JOIN generation_versions g ON g.version_id = c.version_id AND g.extraction_id = c.extraction_id
LEFT JOIN chunk_contexts x ON x.chunk_id = c.chunk_id
ORDER BY c.chunk_id
"""
_ENTITIES = """
SELECT e.entity_id AS ref_id, e.mentions > 0 AS held,
       e.name || ' (' || e.entity_type || ')' || coalesce(chr(10) || a.names, '') AS text
FROM canonical_entities e
LEFT JOIN (
    SELECT a.entity_id, string_agg(a.display_name, '; ' ORDER BY a.mentions DESC, a.alias) AS names
    FROM aliases a
    JOIN canonical_entities n ON n.view_id = a.view_id AND n.entity_id = a.entity_id
    WHERE a.view_id = ? AND a.display_name <> n.name AND a.status IS DISTINCT FROM 'unconfirmed'
    GROUP BY a.entity_id
) a ON a.entity_id = e.entity_id
WHERE e.view_id = ?
ORDER BY e.entity_id
"""
_REPORTS = (
    "SELECT community_id AS ref_id, true AS held, report AS text FROM community_reports WHERE view_id = ? ORDER BY 1"
)


class PointsError(ValueError):
    """Rows that no index can be built from; the message names what is missing."""


@dataclass(frozen=True)
class PointSet:
    """Points of one view. `texts` has text_digest and text; `payloads` has point_id and PAYLOAD's columns.

    `books` has stage_books and losses (stage `indexes`), filled for the operator's view only, which
    holds every version once.
    """

    index_points: pl.DataFrame
    chunk_states: pl.DataFrame
    texts: pl.DataFrame
    payloads: pl.DataFrame
    books: dict[str, pl.DataFrame]
    counts: dict[str, int]


def make_points(
    rows: Rows,
    view_id: str,
    settings: IndexSettings,
    embedder: Embedder,
    policies: Iterable[str] | None = None,
) -> PointSet:
    """Points of the view `view_id`: chunks of the versions in the generation that it may see, its entities and reports.

    `policies` None sees everything (the operator). Raises PointsError when a version in
    `generation_versions` has no document or extraction.
    """
    versions = _visible(_versions(rows), policies)
    chunks = _with_states(rows.read(_CHUNKS), settings).join(versions, on="version_id", how="inner")
    indexed = chunks.filter(pl.col("index_state") == "indexed")
    texts, cut, shortened = _chunk_texts(indexed, embedder)
    parts = [
        _points(indexed.with_columns(ref_id="chunk_id", text=texts), view_id, "chunk"),
        _points(_unbound(rows.read(_ENTITIES, (view_id, view_id))), view_id, "entity"),
        _points(_unbound(rows.read(_REPORTS, (view_id,))), view_id, "report"),
    ]
    points = pl.concat(parts).sort("point_id")
    counts = {part: frame.height for part, frame in zip(("chunks", "entities", "reports"), parts, strict=True)}
    counts |= {"excluded_hidden": chunks.height - indexed.height, "contexts_shortened": shortened}
    counts["chunks_truncated"] = cut.height
    return PointSet(
        index_points=points.select(list(TABLES["index_points"].schema)),
        chunk_states=_chunk_states(chunks, view_id),
        texts=points.select("text_digest", "text").unique(subset="text_digest", keep="first").sort("text_digest"),
        payloads=points.select("point_id", *PAYLOAD),
        books=_books(versions, chunks, indexed, cut) if view_id == OPERATOR else Ledger("indexes").frames(),
        counts=counts,
    )


def payload_digest(payload: dict[str, object]) -> str:
    """Digest of a payload's known fields."""
    return digest({key: value for key, value in payload.items() if value is not None})


def _versions(rows: Rows) -> pl.DataFrame:
    frame = rows.read(_VERSIONS)
    orphans = frame.filter(pl.col("source_id").is_null() | pl.col("doc_type").is_null())
    if orphans.height:
        example = orphans["version_id"][0]
        raise PointsError(
            f"{orphans.height} versions of the generation have no document or extraction row, for instance {example}; "
            "run doctor, then publish again"
        )
    return frame.with_columns(pl.col("access_policy_id").fill_null(NO_POLICY))


def _visible(versions: pl.DataFrame, policies: Iterable[str] | None) -> pl.DataFrame:
    if policies is None:
        return versions
    return versions.filter(pl.col("access_policy_id").is_in(sorted(set(policies) - {NO_POLICY})))


def _with_states(chunks: pl.DataFrame, settings: IndexSettings) -> pl.DataFrame:
    if not settings.include_hidden:
        return chunks
    return chunks.with_columns(index_state=pl.col("index_state").replace({"excluded_hidden": "indexed"}))


def _chunk_texts(indexed: pl.DataFrame, embedder: Embedder) -> tuple[pl.Series, pl.DataFrame, int]:
    """Texts to embed; chunks longer than the window (version_id, chunk_id, lost); contexts cut."""
    window = embedder.max_tokens
    contexts = sorted(set(indexed["generated_context"].drop_nulls()))
    # a blank line divides tokens, so the counts of context and text add up
    sizes = dict(zip(contexts, embedder.count_tokens(contexts), strict=True))
    texts: list[str] = []
    shortened = 0
    for context, text, tokens in indexed.select("generated_context", "text", "tokens").iter_rows():
        fitted = context
        if context and sizes[context] + tokens > window:
            fitted = _leading_words(context, window - tokens, embedder)
            shortened += 1
        texts.append(f"{fitted}\n\n{text}" if fitted else text)
    cut = indexed.filter(pl.col("tokens") > window).select("version_id", "chunk_id", lost=pl.col("tokens") - window)
    return pl.Series("text", texts, dtype=pl.String()), cut, shortened


def _leading_words(context: str, budget: int, embedder: Embedder) -> str:
    """As many leading words as fit into `budget` tokens: each word has a count of its own."""
    words = context.split()
    kept = 0
    for size in embedder.count_tokens(words):
        budget -= size
        if budget < 0:
            break
        kept += 1
    return " ".join(words[:kept])


def _unbound(frame: pl.DataFrame) -> pl.DataFrame:
    """Entities and reports belong to a view, not to a document: no policy but the view lets them be seen."""
    missing = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in PAYLOAD.items() if name not in frame.columns]
    return frame.with_columns(missing).with_columns(access_policy_id=pl.lit(NO_POLICY))


def _points(frame: pl.DataFrame, view_id: str, kind: str) -> pl.DataFrame:
    payloads = frame.with_columns(view_id=pl.lit(view_id), kind=pl.lit(kind)).select(
        "text", *(pl.col(name).cast(dtype) for name, dtype in PAYLOAD.items())
    )
    ids = [make_id("point", view_id, kind, ref_id) for ref_id in payloads["ref_id"]]
    digests = [payload_digest(payload) for payload in payloads.select(list(PAYLOAD)).iter_rows(named=True)]
    return payloads.with_columns(
        point_id=pl.Series(ids, dtype=pl.String()),
        payload_digest=pl.Series(digests, dtype=pl.String()),
        text_digest=pl.Series([text_digest(text) for text in payloads["text"]], dtype=pl.String()),
    )


def _chunk_states(chunks: pl.DataFrame, view_id: str) -> pl.DataFrame:
    state = pl.col("index_state")
    frame = chunks.with_columns(
        view_id=pl.lit(view_id),
        reason_code=pl.when(state == "indexed").then(None).otherwise(state),
        representative_chunk_id=pl.lit(None, dtype=STRING),
    )
    return frame.select(list(TABLES["chunk_states"].schema)).sort("chunk_id")


def _books(
    versions: pl.DataFrame, chunks: pl.DataFrame, indexed: pl.DataFrame, cut: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Chunks of a version = points + hidden ones; tokens beyond the window are losses of their own."""
    ledger = Ledger("indexes")
    expected = dict(chunks.group_by("version_id").len().iter_rows())
    actual = dict(indexed.group_by("version_id").len().iter_rows())
    hidden = dict(chunks.filter(pl.col("index_state") == "excluded_hidden").group_by("version_id").len().iter_rows())
    for version_id in versions["version_id"]:
        entries = [Entry("excluded_hidden", hidden[version_id])] if version_id in hidden else []
        ledger.close(
            version_id,
            "chunks",
            expected=expected.get(version_id, 0),
            actual=actual.get(version_id, 0),
            entries=entries,
        )
    for version_id, chunk_id, lost in cut.sort("chunk_id").iter_rows():
        ledger.lose(version_id, "tokens", Entry("text_truncated", lost, {"chunk_id": chunk_id}))
    return ledger.frames()
