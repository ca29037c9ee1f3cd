"""The way from a request to a slice: an operation drafts, the budget decides, the renderer writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from muniment.domain.loading import load_domain
from muniment.domain.model import DomainSchema
from muniment.settings import DomainSettings
from muniment.slices import dependencies, passages
from muniment.slices.model import Citation, ContextSlice, Decision, Item, Omission, Scope
from muniment.slices.operation import Asked, Draft, Operation, Proposal
from muniment.slices.protocols import CountTokens, Search
from muniment.slices.render import Frame, item_text, render
from muniment.store.rows import Rows

OperationName = Literal["passages", "dependencies"]

#: Every operation, by the name that callers use.
OPERATIONS: dict[str, Operation] = {
    "dependencies": dependencies.OPERATION,
    "passages": passages.OPERATION,
}

_Rendered = tuple[str, tuple[Citation, ...]]


def build_slice(
    rows: Rows,
    operation: OperationName,
    request: str,
    *,
    search: Search,
    count_tokens: CountTokens,
    generation_id: str,
    principal: str | None,
    view_id: str = "operator",
    budget_tokens: int = 2000,
    depth: int = 2,
    domain: DomainSchema | None = None,
) -> ContextSlice:
    """The context for one operation, in at most `budget_tokens` tokens of rendered text.

    `rows` is one consistent state; entities, relationships and conflicts are taken from `view_id` only, and
    `search` must already return only what `principal` may see. Items are kept in order of importance while
    they fit; the rest is in `omitted`. `domain` is the schema in force (none: the shipped packs). Equal input
    gives an equal slice. Raises ValueError for an unknown operation, an empty request, a depth below 1, and a
    budget that does not hold the frame of the slice.
    """
    chosen = OPERATIONS.get(operation)
    if chosen is None:
        raise ValueError(f"unknown operation {operation!r}; there are {', '.join(sorted(OPERATIONS))}")
    if not request.strip() or depth < 1:
        raise ValueError("a slice needs a request that is not empty and a depth of 1 or more")
    scope = Scope(view_id=view_id, generation_id=generation_id, principal=principal)
    drafted = chosen.draft(Asked(rows, request, scope, search, depth, domain or load_domain(DomainSettings())))

    def write(items: Sequence[Item], omitted: Sequence[Omission]) -> _Rendered:
        frame = Frame(chosen.title, request, scope, drafted.entities, omitted, drafted.open_questions)
        return render(frame, chosen.sections, items)

    kept, omitted, (text, citations) = _fit(drafted, write, count_tokens, budget_tokens)
    used = count_tokens(text)
    log = Decision(
        step="render",
        decision=f"items in order while they fit {budget_tokens} tokens",
        counts={"items": len(kept), "omitted": len(omitted), "citations": len(citations), "tokens": used},
    )
    return ContextSlice(
        operation=operation,
        request=request,
        scope=scope,
        entities=tuple(drafted.entities),
        items=tuple(proposal.item for proposal in kept),
        omitted=tuple(omitted),
        open_questions=tuple(drafted.open_questions),
        decision_log=(*drafted.log, log),
        budget_tokens=budget_tokens,
        used_tokens=used,
        citations=citations,
        text=text,
    )


def _fit(
    drafted: Draft,
    write: Callable[[Sequence[Item], Sequence[Omission]], _Rendered],
    count_tokens: CountTokens,
    budget: int,
) -> tuple[list[Proposal], list[Omission], _Rendered]:
    """Proposals that fit, what is left out, and the text; items are first priced alone, then the whole is."""
    used = count_tokens(write([], drafted.omitted)[0])
    kept: list[Proposal] = []
    for proposal in drafted.proposals:
        cost = count_tokens(item_text(proposal.item))
        if used + cost <= budget and _supported(proposal, kept):
            kept.append(proposal)
            used += cost
    while True:
        kept = [proposal for proposal in kept if _supported(proposal, kept)]
        omitted = [*drafted.omitted, *_left_out(drafted.proposals, kept)]
        rendered = write([proposal.item for proposal in kept], omitted)
        needed = count_tokens(rendered[0])
        if needed <= budget:
            return kept, omitted, rendered
        if not kept:
            raise ValueError(f"a budget of {budget} tokens is too small: the slice without items needs {needed}")
        kept.pop()


def _supported(proposal: Proposal, kept: Sequence[Proposal]) -> bool:
    return not proposal.supports or any(one.ref_id in proposal.supports for one in kept)


def _left_out(proposals: Sequence[Proposal], kept: Sequence[Proposal]) -> list[Omission]:
    present = {(proposal.item.kind, proposal.ref_id) for proposal in kept}
    return [
        Omission(kind=proposal.item.kind, ref_id=proposal.ref_id, label=proposal.label, reason="token_budget")
        for proposal in proposals
        if (proposal.item.kind, proposal.ref_id) not in present
    ]
