"""Applying judgements to what resolution found: mentions that a person joined or told apart.

Only groups that a judgement touches are looked at; all others stay as they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from muniment.resolution.decisions import DECISION_COLUMNS

#: Rules of pair_decisions by decision of a judgement.
_RULES = {"same": ("merge", "judged_same", 1.0), "different": ("keep_apart", "judged_different", 0.0)}


@dataclass(slots=True)
class _Part:
    """Mentions of one thing: what it may not hold, and what its mentions have in common with others."""

    members: set[str] = field(default_factory=set)
    places: Counter[tuple[str, str]] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    groups: Counter[int] = field(default_factory=Counter)

    def add(self, atom: Iterable[Mapping[str, Any]]) -> None:
        for row in atom:
            self.members.add(row["mention_id"])
            self.places[row["name"], row["document_id"]] += 1
            self.names[row["name"]] += 1
            self.groups[row["_group"]] += 1


def judged_groups(mentions: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """mention_id, part of every mention that a judgement moves: equal parts are one thing.

    `mentions`: mention_id, group (any dtype; what resolution took for one thing), first_scan, document_id, start,
    end, name. `judged`: left_mention_id, right_mention_id, decision (same, different); pairs with an absent
    mention have no effect. `part` is the smallest mention id of the part. Raises ValueError where pairs contradict
    one another: `replay` leaves none.

    Groups that a `same` pair connects become one. Where a `different` pair stands inside, its mentions are placed
    in order (first capture, document, place): each joins the first part of its own group that nothing keeps it
    from, else begins one; then every other mention follows the part with most of its name in its document, else
    of its name, else of its group.
    """
    present = mentions["mention_id"].implode()
    pairs = judged.filter(pl.col("left_mention_id").is_in(present) & pl.col("right_mention_id").is_in(present))
    if pairs.is_empty():
        return pl.DataFrame(schema={"mention_id": pl.String, "part": pl.String})
    touched = _touched(mentions, pairs)
    same, apart = _edges(pairs, "same"), _edges(pairs, "different")
    atom_of = _joined(touched["mention_id"].to_list(), same)
    against: dict[str, set[str]] = defaultdict(set)
    for left, right in apart:
        if atom_of[left] == atom_of[right]:
            raise ValueError(f"judgements join the mentions {left} and {right} and tell them apart: undo one of them")
        against[atom_of[left]].add(atom_of[right])
        against[atom_of[right]].add(atom_of[left])
    found: list[tuple[str, str]] = []
    for _, rows in _supergroups(touched, atom_of).items():
        for part in _parts(rows, atom_of, against):
            name = min(part.members)
            found += [(mention, name) for mention in part.members]
    return pl.DataFrame(sorted(found), schema={"mention_id": pl.String, "part": pl.String}, orient="row")


def with_judgements(grouped: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """`grouped` with the entity_key (a struct of cluster and sense) of what people decided."""
    numbered = grouped.with_columns(pl.col("mention_id").min().over("entity_key").alias("group"))
    parts = judged_groups(numbered, judged)
    key = pl.struct(pl.concat_str(pl.lit("mention "), "part").alias("cluster"), pl.lit("judged").alias("sense"))
    return (
        grouped.join(parts, on="mention_id", how="left")
        .with_columns(pl.when(pl.col("part").is_null()).then("entity_key").otherwise(key).alias("entity_key"))
        .drop("part")
    )


def judged_decisions(named: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """DECISION_COLUMNS of the names that judgements join or tell apart, in the order of names."""
    sides = named.select("mention_id", "name", "entity_type")
    pairs = (
        judged.join(sides, left_on="left_mention_id", right_on="mention_id")
        .join(sides, left_on="right_mention_id", right_on="mention_id", suffix="_right")
        .select("decision", "name", "entity_type", "name_right", "entity_type_right")
        .unique()
        .sort(pl.all())
    )
    rows = [
        (*(min(left, right)), *(max(left, right)), "", *_RULES[decision], None)
        for decision, *names in pairs.iter_rows()
        for left, right in [((names[0], names[1]), (names[2], names[3]))]
    ]
    schema = {name: pl.Float64 if name == "score" else pl.String for name in DECISION_COLUMNS}
    return pl.DataFrame(rows, schema=schema, orient="row").unique()


def _touched(mentions: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """All mentions of the groups that a pair has a mention of, in order, with a number for their group."""
    named = pl.concat([pairs["left_mention_id"], pairs["right_mention_id"]]).unique()
    groups = mentions.filter(pl.col("mention_id").is_in(named.implode())).select("group").unique()
    ordered = mentions.join(groups, on="group", how="semi").sort(
        "first_scan", "document_id", "start", "end", "mention_id"
    )
    return ordered.with_columns(
        pl.col("mention_id").first().over("group").rank("dense").cast(pl.Int64).alias("_group")
    ).drop("group")


def _edges(pairs: pl.DataFrame, decision: str) -> list[tuple[str, str]]:
    chosen = pairs.filter(pl.col("decision") == decision).select("left_mention_id", "right_mention_id")
    return sorted(chosen.unique().iter_rows())


def _joined(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The smallest node that each node is joined with."""
    root = {node: node for node in nodes}

    def find(node: str) -> str:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for left, right in edges:
        a, b = find(left), find(right)
        root[max(a, b)] = min(a, b)
    return {node: find(node) for node in root}


def _supergroups(touched: pl.DataFrame, atom_of: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """Rows of the groups that `same` pairs connect, in order."""
    rows = touched.to_dicts()
    links = [(f"g{row['_group']}", f"m{atom_of[row['mention_id']]}") for row in rows]
    root = _joined({node for link in links for node in link}, links)
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row, link in zip(rows, links, strict=True):
        found[root[link[0]]].append(row)
    return found


def _parts(rows: list[dict[str, Any]], atom_of: Mapping[str, str], against: Mapping[str, set[str]]) -> list[_Part]:
    """The parts of one connected set of groups."""
    atoms: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        atoms[atom_of[row["mention_id"]]].append(row)
    bound = [name for name in atoms if any(other in atoms for other in against.get(name, ()))]
    if not bound:
        whole = _Part()
        whole.add(rows)
        return [whole]
    parts: list[_Part] = []
    holds: list[set[str]] = []  # atoms of each part
    for name in bound:
        groups = {row["_group"] for row in atoms[name]}
        place = next(
            (
                number
                for number, part in enumerate(parts)
                if groups & set(part.groups) and not against[name] & holds[number]
            ),
            None,
        )
        if place is None:
            parts.append(_Part())
            holds.append(set())
            place = len(parts) - 1
        parts[place].add(atoms[name])
        holds[place].add(name)
    placed = set(bound)
    _place_free({name: atom for name, atom in atoms.items() if name not in placed}, parts)
    return parts


def _place_free(free: dict[str, list[dict[str, Any]]], parts: list[_Part]) -> None:
    """In rounds: what a part has when a round begins decides, so the order of mentions does not."""
    while free:
        chosen = [(name, best) for name, atom in free.items() if (best := _best(atom, parts)) is not None]
        for name, part in chosen:
            part.add(free.pop(name))
        if not chosen:
            # linked to the others only through what was told apart from them
            parts.append(_Part())
            parts[-1].add(free.pop(next(iter(free))))


def _best(atom: list[dict[str, Any]], parts: list[_Part]) -> _Part | None:
    """The part with the greatest affinity, of equals the first."""
    best = max(parts, key=lambda part: _affinity(atom, part))
    return best if any(_affinity(atom, best)) else None


def _affinity(atom: list[dict[str, Any]], part: _Part) -> tuple[int, int, int]:
    return (
        sum(part.places[row["name"], row["document_id"]] for row in atom),
        sum(part.names[row["name"]] for row in atom),
        sum(part.groups[row["_group"]] for row in atom),
    )
