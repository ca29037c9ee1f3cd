"""Replaying judgements: from what people decided to pairs of present mentions that are one thing or two.

Pure: the same judgements and mentions give the same pairs, in whatever order they were recorded. A judgement whose
words are gone is not applied and stays in the list of states; it comes back when the words return. Judgements that
contradict one another keep the pair apart, and both are named: the later one never wins silently.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import polars as pl

from muniment.resolution.entity_types import is_value
from muniment.resolution.judgements import Judgement, Side, documents_of, effective
from muniment.resolution.selectors import Selector, Units, anchor
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

#: Pairs as `resolve` takes them. In a `different` pair of a split the left mention is the one that was split off.
PAIRS = pl.Schema(
    {
        "left_mention_id": pl.String(),
        "right_mention_id": pl.String(),
        "decision": pl.String(),
        "judgement_id": pl.String(),
    }
)

Edge = tuple[str, str, str]  # mention, mention, judgement_id


@dataclass(frozen=True)
class Replayed:
    """`pairs`: see PAIRS; `states`: rows of judgement_states."""

    pairs: pl.DataFrame
    states: pl.DataFrame


@dataclass(slots=True)
class _Found:
    """A judgement and the present mentions of its two sides."""

    judgement: Judgement
    left: list[str]
    right: list[str]
    missing: list[Selector]
    state: str = "applied"
    contradicts: set[str] = field(default_factory=set)


def replay(rows: Rows, mentions: pl.DataFrame, view_id: str) -> Replayed:
    """Pairs and states of the judgements in force; `mentions`: rows of the table, of the versions in scope.

    Reads judgements, and the texts of the documents that they name, from `rows`.
    """
    judgements = effective(rows.table("judgements"))
    documents = documents_of(judgements)
    if not judgements:
        return Replayed(pl.DataFrame(schema=PAIRS), TABLES["judgement_states"].empty())
    return judged_pairs(judgements, mentions, *texts_of(rows, documents), view_id)


def texts_of(rows: Rows, document_ids: Iterable[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Elements and canonical texts of the documents' held versions, as `Units` takes them."""
    wanted = pl.DataFrame({"document_id": sorted(set(document_ids))}, schema={"document_id": pl.String})
    held = "JOIN generation_versions g USING (extraction_id) JOIN wanted w USING (document_id) WHERE g.held"
    elements = rows.read(
        f'SELECT g.document_id, e.extraction_id, e.start, e."end", e.section_path FROM elements e {held}',
        frames={"wanted": wanted},
    )
    texts = rows.read(f"SELECT t.extraction_id, t.text FROM canonical_texts t {held}", frames={"wanted": wanted})
    return elements, texts


def judged_pairs(
    judgements: list[Judgement], mentions: pl.DataFrame, elements: pl.DataFrame, texts: pl.DataFrame, view_id: str
) -> Replayed:
    """Pairs and states of `judgements` (in force).

    `mentions`: mention_id, extraction_id, document_id, start, end, name, entity_type of all versions in scope;
    `elements`, `texts`: of the documents that the judgements name (see `Units`).
    """
    named = mentions.filter(~is_value())
    of_documents = named.filter(pl.col("document_id").is_in(documents_of(judgements)))
    selectors = dict.fromkeys(one for judgement in judgements for one in judgement.selectors)
    places = anchor(selectors, of_documents, Units(elements, texts))
    found = [_found(judgement, places) for judgement in sorted(judgements, key=lambda one: one.judgement_id)]
    standing = [one for one in found if one.state != "unanchored"]
    same = _settle(standing)
    pairs = _pairs(standing, same, named)
    return Replayed(pairs, _states(found, view_id))


def _found(judgement: Judgement, places: dict[Selector, list[str]]) -> _Found:
    if judgement.kind == "split_entity":
        left = sorted({one for selector in judgement.subject.mentions for one in places[selector]})
        missing = [selector for selector in judgement.subject.mentions if not places[selector]]
        right = sorted({one for selector in judgement.object.mentions for one in places[selector]} - set(left))
        state = "unanchored" if not left else "partly_unanchored" if missing else "applied"
        return _Found(judgement, left, right, missing, state)
    left, right = _witness(judgement.subject, places), _witness(judgement.object, places)
    missing = [selector for selector in judgement.selectors if not places[selector]]
    return _Found(judgement, left, right, missing, "applied" if left and right else "unanchored")


def _witness(side: Side, places: dict[Selector, list[str]]) -> list[str]:
    """The first mention of the side that is found again."""
    return next((places[selector][:1] for selector in side.mentions if places[selector]), [])


def _settle(standing: list[_Found]) -> list[Edge]:
    """The edges that join mentions, without those that contradict a `different`; marks what contradicts what.

    Members of one split hold together only until another judgement tells them apart: that is no contradiction.
    """
    by_id = {one.judgement.judgement_id: one for one in standing}
    apart = [
        (left, right, one.judgement.judgement_id)
        for one in standing
        if not one.judgement.same
        for left in one.left
        for right in one.right
    ]
    hard = [(one.left[0], one.right[0], one.judgement.judgement_id) for one in standing if one.judgement.same]
    component = _components(hard)
    for left, right, judgement_id in sorted(apart):
        while left in component and component[left] == component.get(right):
            against = {edge[2] for edge in _path(hard, left, right)}
            for name in against:
                by_id[name].state = "contradicted"
                by_id[name].contradicts.add(judgement_id)
            by_id[judgement_id].contradicts |= against
            hard = [edge for edge in hard if edge[2] not in against]
            component = _components(hard)
    soft = [
        (one.left[0], other, one.judgement.judgement_id)
        for one in standing
        if one.judgement.kind == "split_entity"
        for other in one.left[1:]
    ]
    component = _components(hard + soft)
    for left, right, _ in sorted(apart):
        while left in component and component[left] == component.get(right):
            cut = set(_path(hard + soft, left, right)) & set(soft)
            soft = [edge for edge in soft if edge not in cut]
            component = _components(hard + soft)
    return hard + soft


def _components(edges: list[Edge]) -> dict[str, str]:
    """The smallest mention that each mention of an edge is joined with."""
    root: dict[str, str] = {}

    def find(mention: str) -> str:
        while root.setdefault(mention, mention) != mention:
            root[mention] = root[root[mention]]
            mention = root[mention]
        return mention

    for left, right, _ in edges:
        a, b = find(left), find(right)
        root[max(a, b)] = min(a, b)
    return {mention: find(mention) for mention in root}


def _path(edges: list[Edge], left: str, right: str) -> list[Edge]:
    """Edges of the shortest way from one mention to another that it is joined with."""
    around: dict[str, list[tuple[str, Edge]]] = defaultdict(list)
    for edge in sorted(edges):
        around[edge[0]].append((edge[1], edge))
        around[edge[1]].append((edge[0], edge))
    came: dict[str, tuple[str, Edge]] = {}
    queue = deque([left])
    while queue and right not in came:
        here = queue.popleft()
        for other, edge in around[here]:
            if other != left and other not in came:
                came[other] = (here, edge)
                queue.append(other)
    path, here = [], right
    while here != left:
        here, edge = came[here]
        path.append(edge)
    return path


def _pairs(standing: list[_Found], same: list[Edge], named: pl.DataFrame) -> pl.DataFrame:
    component = _components(same)
    frames = [_frame(same, "same")]
    for one in standing:
        if one.judgement.kind == "different_entity":
            frames.append(_frame([(one.left[0], one.right[0], one.judgement.judgement_id)], "different"))
        elif one.judgement.kind == "split_entity":
            frames.append(_split_pairs(one, component, named))
    return pl.concat(frames).unique().sort(list(PAIRS))


def _split_pairs(one: _Found, component: dict[str, str], named: pl.DataFrame) -> pl.DataFrame:
    """What was split off against the rest: all other mentions of the names that the entity went by.

    Mentions that another judgement joins with what was split off are no rest.
    """
    members = {component.get(mention, mention) for mention in one.left}
    groups = pl.DataFrame(
        {"mention_id": list(component), "_group": list(component.values())},
        schema={"mention_id": pl.String, "_group": pl.String},
    )
    rest = (
        named.filter(pl.col("name").is_in(one.judgement.object.names) | pl.col("mention_id").is_in(one.right))
        .join(groups, on="mention_id", how="left")
        .filter(~pl.coalesce("_group", "mention_id").is_in(sorted(members)))
        .select(pl.col("mention_id").alias("right_mention_id"))
    )
    # one member of each group that the others of the split are joined with
    heads = pl.DataFrame({"left_mention_id": sorted(members)}, schema={"left_mention_id": pl.String})
    return heads.join(rest, how="cross").select(
        "left_mention_id",
        "right_mention_id",
        pl.lit("different").alias("decision"),
        pl.lit(one.judgement.judgement_id).alias("judgement_id"),
    )


def _frame(edges: list[Edge], decision: str) -> pl.DataFrame:
    rows = [(*sorted(edge[:2]), decision, edge[2]) for edge in edges]
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def _states(found: list[_Found], view_id: str) -> pl.DataFrame:
    rows: list[dict[str, object]] = [
        {
            "view_id": view_id,
            "judgement_id": one.judgement.judgement_id,
            "kind": one.judgement.kind,
            "state": one.state,
            "mentions": len(one.left) + len(one.right),
            "missing": len(one.missing),
            "document_id": min((selector.document_id for selector in one.missing), default=None),
            "contradicts": sorted(one.contradicts),
        }
        for one in found
    ]
    return TABLES["judgement_states"].frame(rows)
