"""From pair decisions to clusters of names: joined from the strongest pair down, and cut where a chain lies.

A~B and B~C do not make A and C one thing (pair scores are not transitive). Two clusters join only when no name of
one excludes a name of the other; a name that two excluding clusters claim with equal strength joins neither; no
cluster grows beyond a limit. What is cut stays as `maybe_same`, with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import polars as pl

from muniment.resolution.components import connected_components
from muniment.resolution.decisions import DECISION_COLUMNS

#: Pairs (name, name_right) to those that may not share a cluster (name, name_right, reason).
Exclude = Callable[[pl.DataFrame], pl.DataFrame]

Edge = tuple[float, str, str]
Cut = tuple[str, str, str, str]  # left, right, rule, detail


def cluster_names(
    names: pl.DataFrame, decisions: pl.DataFrame, exclude: Exclude, max_cluster: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(name, cluster) of `names` (name), and the decisions with what was cut.

    A cluster is called by its alphabetically first name. Rules of cuts: bridge_refused, ambiguous_bridge,
    cluster_too_large; they replace the rows of the merges that did not take place.
    """
    merges = decisions.filter(pl.col("decision") == "merge").sort("left_name", "right_name")
    root = _components(names, merges)
    members = root.group_by("cluster").agg(pl.col("name").sort()).filter(pl.col("name").list.len() > 2)
    edges: dict[str, list[Edge]] = defaultdict(list)
    placed = merges.join(root, left_on="left_name", right_on="name").join(
        members.select("cluster"), on="cluster", how="semi"
    )
    for score, left, right, cluster in placed.select("score", "left_name", "right_name", "cluster").iter_rows():
        edges[cluster].append((score, left, right))
    components = [_Cluster(inside, max_cluster) for _, inside in sorted(edges.items())]
    excluded = _exclusions(components, exclude)
    moved: dict[str, str] = {}
    cuts: list[Cut] = []
    for component in components:
        component.settle(excluded)
        cuts += component.cuts
        moved |= component.roots
    changed = pl.DataFrame(list(moved.items()), schema={"name": pl.String, "_now": pl.String}, orient="row")
    clusters = root.join(changed, on="name", how="left").select("name", pl.coalesce("_now", "cluster").alias("cluster"))
    return clusters.sort("name"), _with_cuts(decisions, cuts)


def _components(names: pl.DataFrame, merges: pl.DataFrame) -> pl.DataFrame:
    """name, cluster: the first name of the connected component."""
    numbered = names.select("name").sort("name").with_row_index("_node").with_columns(pl.col("_node").cast(pl.Int64))
    edges = merges.join(numbered.rename({"name": "left_name", "_node": "_left"}), on="left_name").join(
        numbered.rename({"name": "right_name", "_node": "_right"}), on="right_name"
    )
    root = connected_components(
        numbered.height, edges["_left"].to_numpy().astype(np.int64), edges["_right"].to_numpy().astype(np.int64)
    )
    return pl.DataFrame({"name": numbered["name"], "cluster": numbered["name"].gather(pl.Series(root))})


def _with_cuts(decisions: pl.DataFrame, cuts: list[Cut]) -> pl.DataFrame:
    schema = {"left_name": pl.String, "right_name": pl.String, "_rule": pl.String, "_detail": pl.String}
    frame = pl.DataFrame(cuts, schema=schema, orient="row")
    joined = decisions.join(frame, on=["left_name", "right_name"], how="left")
    cut = pl.col("_rule").is_not_null() & (pl.col("decision") == "merge")
    return joined.with_columns(
        pl.when(cut).then(pl.lit("maybe_same")).otherwise("decision").alias("decision"),
        pl.when(cut).then("_rule").otherwise("rule").alias("rule"),
        pl.when(cut).then(pl.format("{} {}: {}", "rule", "score", "_detail")).otherwise("detail").alias("detail"),
    ).select(DECISION_COLUMNS)


def _exclusions(components: Iterable[_Cluster], exclude: Exclude) -> dict[str, dict[str, str]]:
    """For each name the names of its component that it may not stand with, and why; asked for all at once."""
    pairs = [
        (left, right)
        for component in components
        for names in _members(component.edges)
        for place, left in enumerate(names)
        for right in names[place + 1 :]
    ]
    found: dict[str, dict[str, str]] = defaultdict(dict)
    frame = pl.DataFrame(pairs, schema={"name": pl.String, "name_right": pl.String}, orient="row")
    for left, right, reason in exclude(frame).iter_rows() if pairs else ():
        found[left][right] = reason
        found[right][left] = reason
    return found


class _Cluster:
    """One connected component of merges: `roots` name → cluster, `cuts` what was not joined."""

    def __init__(self, edges: list[Edge], max_cluster: int) -> None:
        self.cuts: list[Cut] = []
        self.max_cluster = max_cluster
        nodes = sorted({name for _, left, right in edges for name in (left, right)})
        self.roots = {name: name for name in nodes}
        self.members = {name: {name} for name in nodes}
        self.edges = self._bounded(edges)
        self.excluded: dict[str, dict[str, str]] = {}

    def settle(self, excluded: dict[str, dict[str, str]]) -> None:
        """Join level by level, the strongest pairs first."""
        self.excluded = excluded
        for level in sorted({score for score, _, _ in self.edges}, reverse=True):
            self._join(sorted((left, right) for score, left, right in self.edges if score == level))

    def _bounded(self, edges: list[Edge]) -> list[Edge]:
        """Without the weakest levels, until no component is so large that comparing all its pairs is out of reach."""
        limit = 4 * self.max_cluster
        for level in sorted({score for score, _, _ in edges}):
            if len(self.roots) <= limit or max(_sizes(edges)) <= limit:
                break
            self.cuts += [
                (left, right, "cluster_too_large", f"more than {limit} names hang together")
                for score, left, right in sorted(edges)
                if score == level
            ]
            edges = [edge for edge in edges if edge[0] > level]
            if not edges:
                break
        return edges

    def _conflict(self, left: str, right: str) -> str | None:
        """Why the clusters of two roots may not join: the first excluding pair."""
        for one in sorted(self.members[left]):
            against = self.excluded.get(one)
            for other in sorted(self.members[right] & against.keys()) if against else ():
                return f"{one} | {other}: {against[other]}" if against else None
        return None

    def _join(self, edges: list[tuple[str, str]]) -> None:
        """Join what pairs of one strength connect."""
        around: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
        free = []
        for left, right in edges:
            one, other = self.roots[left], self.roots[right]
            if one == other:
                continue
            reason = self._conflict(one, other)
            if reason is not None:
                self.cuts.append((left, right, "bridge_refused", reason))
                continue
            free.append((left, right))
            around[one][other].append((left, right))
            around[other][one].append((left, right))
        ambiguous = self._ambiguous(around)
        for left, right in free:
            one, other = self.roots[left], self.roots[right]
            if one == other:
                continue
            reason = ambiguous.get((left, right))
            if reason is not None:
                self.cuts.append((left, right, "ambiguous_bridge", reason))
            elif (reason := self._conflict(one, other)) is not None:
                self.cuts.append((left, right, "bridge_refused", reason))
            elif len(self.members[one]) + len(self.members[other]) > self.max_cluster:
                self.cuts.append((left, right, "cluster_too_large", f"more than {self.max_cluster} names"))
            else:
                self._union(min(one, other), max(one, other))

    def _ambiguous(self, around: dict[str, dict[str, list[tuple[str, str]]]]) -> dict[tuple[str, str], str]:
        """Pairs by which a cluster is claimed by two that exclude one another, and why."""
        found: dict[tuple[str, str], str] = {}
        for claims in (around[root] for root in sorted(around)):
            others = sorted(claims)
            for place, one in enumerate(others):
                for other in others[place + 1 :]:
                    reason = self._conflict(one, other)
                    if reason is not None:
                        for pair in (*claims[one], *claims[other]):
                            found.setdefault(pair, reason)
        return found

    def _union(self, kept: str, gone: str) -> None:
        self.members[kept] |= self.members.pop(gone)
        for name in self.members[kept]:
            self.roots[name] = kept


def _members(edges: Iterable[Edge]) -> list[list[str]]:
    """Names of each connected component, sorted."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.setdefault(name, name) != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    for _, left, right in edges:
        one, other = find(left), find(right)
        root[max(one, other)] = min(one, other)
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(root):
        groups[find(name)].append(name)
    return [groups[name] for name in sorted(groups)]


def _sizes(edges: Iterable[Edge]) -> list[int]:
    return [len(component) for component in _members(edges)] or [0]
