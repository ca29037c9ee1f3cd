"""The operation `passages`: the best passages of contextual hybrid search, within the budget."""

from __future__ import annotations

import json

import polars as pl

from muniment.slices.model import Decision, Evidence, Excerpt, Omission
from muniment.slices.operation import Asked, Draft, Operation, Proposal
from muniment.slices.protocols import Hit
from muniment.slices.render import Section
from muniment.store.rows import Rows

#: Hits asked for; the budget decides how many stay.
LIMIT = 20


def _spans(rows: Rows, chunk_ids: list[str]) -> dict[str, tuple[int, int]]:
    """Start and end of chunks. ValueError when the index names one that the rows do not have."""
    wanted = pl.DataFrame({"chunk_id": sorted(set(chunk_ids))}, schema={"chunk_id": pl.String})
    found = rows.read(
        'SELECT k.chunk_id, k.start, k."end" FROM chunks k JOIN wanted w ON w.chunk_id = k.chunk_id',
        (),
        {"wanted": wanted},
    )
    spans = {chunk_id: (start, end) for chunk_id, start, end in found.iter_rows()}
    missing = sorted(set(chunk_ids) - set(spans))
    if missing:
        raise ValueError(
            f"search returned {len(missing)} chunks that this generation does not hold, first {missing[0]}: "
            "index and warehouse differ; publish again"
        )
    return spans


def _excerpt(hit: Hit, rank: int, span: tuple[int, int]) -> Excerpt:
    locator = hit.source_locator
    return Excerpt(
        why=f"rank {rank} for the request, score {hit.score:.4f}",
        evidence=(
            Evidence(
                document_id=hit.document_id,
                version_id=hit.version_id,
                chunk_id=hit.chunk_id,
                start=span[0],
                end=span[1],
                quote=hit.original_text,
                locator=locator if isinstance(locator, str) else json.dumps(locator, sort_keys=True),
                title=hit.title or hit.path,
            ),
        ),
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        version_id=hit.version_id,
        title=hit.title or hit.path,
        section_path=tuple(hit.section_path),
        text=hit.original_text,
        generated_context=hit.generated_context,
        score=hit.score,
        valid_from=hit.valid_from,
        validity_status=hit.validity_status,
    )


def draft(asked: Asked) -> Draft:
    """Excerpts in the order of the search; a text that already stands above is left out as duplicate."""
    hits = list(asked.search(asked.request, LIMIT).hits)
    spans = _spans(asked.rows, [hit.chunk_id for hit in hits])
    result = Draft()
    seen: set[str] = set()
    for rank, hit in enumerate(hits, start=1):
        if hit.original_text in seen:
            result.omitted.append(
                Omission(kind="excerpt", ref_id=hit.chunk_id, label=f"rank {rank}: equal text", reason="duplicate")
            )
            continue
        seen.add(hit.original_text)
        excerpt = _excerpt(hit, rank, spans[hit.chunk_id])
        result.proposals.append(Proposal(excerpt, hit.chunk_id, f"rank {rank}"))
    if not hits:
        result.open_questions.append("No passage was found in the documents that this principal may see.")
    duplicates = len(result.omitted)
    result.log += [
        Decision(step="identify", decision="passages: the request as a whole; no entity is needed"),
        Decision(step="traverse", decision="contextual hybrid search", counts={"hits": len(hits)}),
        Decision(step="select", decision="in the order of the search, while the budget lasts"),
        Decision(step="conflicts", decision="equal texts shown once", counts={"duplicates": duplicates}),
        Decision(step="excerpts", decision="the passages are the excerpts", counts={"excerpts": len(seen)}),
    ]
    return result


OPERATION = Operation("Passages", draft, (Section("Passages", lambda item: item.kind == "excerpt"),))
