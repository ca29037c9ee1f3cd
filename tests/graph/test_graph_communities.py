"""Communities, their lineage and their reports."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from graph_rows import VIEW, Said, corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.loading import load_domain
from muniment.graph.communities import detect, lineage, undirected
from muniment.graph.merge import merge
from muniment.graph.reports import extractive_reports
from muniment.settings import CommunitySettings, DomainSettings
from muniment.tables.registry import TABLES, check_frame

DOMAIN = load_domain(DomainSettings())


def _entities(names: list[str]) -> pl.DataFrame:
    rows: list[dict[str, object]] = [
        {
            "view_id": VIEW,
            "entity_id": name,
            "name": name,
            "entity_type": "system",
            "mentions": 1,
            "documents": 1,
            "anchor_mention_id": "m",
            "anchor_document_id": "d",
        }
        for name in names
    ]
    return TABLES["canonical_entities"].frame(rows)


def _edges(pairs: list[tuple[str, str, float]]) -> pl.DataFrame:
    rows: list[dict[str, object]] = [
        {
            "view_id": VIEW,
            "relationship_id": f"r{left}{right}{number}",
            "subject_id": left,
            "predicate": "use",
            "object_id": right,
            "polarity": "positive",
            "claims": 1,
            "statements": 1,
            "documents": 1,
            "weight": weight,
        }
        for number, (left, right, weight) in enumerate(pairs)
    ]
    return TABLES["relationships"].frame(rows)


def _detected(pairs: list[tuple[str, str, float]], names: list[str], size: int = 10) -> dict[str, pl.DataFrame]:
    frames = detect(_edges(pairs), _entities(names), VIEW, CommunitySettings(max_cluster_size=size))
    return {name: check_frame(TABLES[name], frame) for name, frame in frames.items()}


def _clique(names: str, weight: float = 1.0) -> list[tuple[str, str, float]]:
    return [(left, right, weight) for left, right in itertools.combinations(names, 2)]


def test_two_cliques_and_a_loner() -> None:
    frames = _detected([*_clique("abcd"), *_clique("efgh"), ("d", "e", 0.01)], list("abcdefghz"))
    members = frames["community_members"]
    groups = members.filter(level=0).group_by("community_id").agg("entity_id")["entity_id"].to_list()
    assert sorted("".join(sorted(group)) for group in groups) == ["abcd", "efgh"]
    assert members.filter(level=-1).select("entity_id", "community_id").rows() == [("z", None)]
    assert frames["communities"].select("size", "is_final", "parent_id").rows() == [(4, True, None)] * 2


def test_components_never_share_a_community_and_do_not_disturb_one_another() -> None:
    alone = _detected(_clique("abc"), list("abc"))["communities"]
    both = _detected([*_clique("abc"), *_clique("AB")], list("abcAB"))["communities"]
    assert both.height == 2
    assert set(alone["community_id"]) < set(both["community_id"])


def test_large_communities_are_divided_and_small_ones_are_carried_down() -> None:
    cliques = [f"{block}{number}" for block in "pqrs" for number in range(6)]
    pairs = [(left, right, 1.0) for left, right in itertools.combinations(cliques, 2) if left[0] == right[0]]
    bridges = [("p0", "q0", 0.4), ("r0", "s0", 0.4), ("q1", "r1", 0.01)]
    frames = _detected([*pairs, *bridges, ("x", "y", 1.0)], [*cliques, "x", "y"], size=6)
    communities, members = frames["communities"], frames["community_members"]
    deepest = members["level"].max()
    # every level is a partition of all linked entities
    for level in range(int(str(deepest)) + 1):
        assert members.filter(level=level)["entity_id"].sort().to_list() == sorted([*cliques, "x", "y"])
    assert communities.filter("is_final")["size"].max() == 6
    children = communities.filter(pl.col("parent_id").is_not_null())
    assert set(children["parent_id"]) <= set(communities.filter(~pl.col("is_final"))["community_id"])


def test_no_relationships_leave_every_entity_isolated() -> None:
    frames = _detected([], ["a", "b"])
    assert frames["communities"].is_empty()
    assert frames["community_members"].select("entity_id", "level").rows() == [("a", -1), ("b", -1)]
    assert all(frame.is_empty() for frame in _detected([], []).values())


def test_directions_and_predicates_are_summed_and_loops_left_out() -> None:
    assert undirected(_edges([("b", "a", 0.5), ("a", "b", 0.25), ("a", "a", 9.0)])).rows() == [("a", "b", 0.75)]


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 0.0, -1.0])
def test_weights_that_the_engine_would_take_silently_are_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="first rab0"):
        _detected([("a", "b", weight)], ["a", "b"])


def test_relationships_of_unknown_entities_are_refused() -> None:
    with pytest.raises(ValueError, match="1 entities of relationships are unknown, first b"):
        _detected([("a", "b", 1.0)], ["a"])


_NAMES = [f"n{number:02d}" for number in range(14)]
_PAIRS = st.lists(
    st.tuples(st.sampled_from(_NAMES), st.sampled_from(_NAMES), st.sampled_from([0.3, 0.85, 1.7])), max_size=40
).map(lambda pairs: [pair for pair in pairs if pair[0] != pair[1]])


@settings(max_examples=60, deadline=None)
@given(_PAIRS, st.randoms(use_true_random=False))
def test_order_and_direction_of_edges_change_nothing(pairs: list[tuple[str, str, float]], random: object) -> None:
    shuffled = [(right, left, weight) for left, right, weight in pairs]
    random.shuffle(shuffled)  # pyright: ignore[reportAttributeAccessIssue]
    one, other = _detected(pairs, _NAMES, size=4), _detected(shuffled, _NAMES[::-1], size=4)
    assert all(one[name].equals(other[name]) for name in one)


@settings(max_examples=60, deadline=None)
@given(_PAIRS)
def test_every_entity_is_at_level_0_or_isolated_exactly_once(pairs: list[tuple[str, str, float]]) -> None:
    members = _detected(pairs, _NAMES, size=4)["community_members"]
    assert members.filter(pl.col("level") <= 0)["entity_id"].sort().to_list() == _NAMES
    linked = {name for left, right, _ in pairs for name in (left, right)}
    assert set(members.filter(level=-1)["entity_id"]) == set(_NAMES) - linked


def test_lineage_says_how_much_is_shared() -> None:
    before = _detected(_clique("abcd"), list("abcd"))["community_members"]
    after = _detected([*_clique("abce"), *_clique("fg")], list("abcefg"))["community_members"]
    frame = check_frame(TABLES["community_lineage"], lineage(before, after))
    # {a, b, c, e} shares three of five with {a, b, c, d}
    assert frame.select("shared_entities", "jaccard").rows() == [(3, 0.6)]


def test_a_report_quotes_the_most_confident_claim_of_the_heaviest_relationships() -> None:
    facts = corpus(
        [
            Said("Billing", "use", "Ledger", "a.1", confidence=0.5, statement="s1"),
            Said("Billing", "use", "Ledger", "b.1", confidence=0.9, statement="s2"),
            Said("Ledger", "run on", "Cluster", "a.1", confidence=0.8),
            Said("Cluster", "support", "Billing", "a.1", polarity="negative", confidence=0.3),
        ]
    )
    empty = TABLES["extractions"].empty()
    graph = merge(facts.claims, facts.mentions, facts.entity_mentions, empty, VIEW, domain=DOMAIN)
    found = detect(graph["relationships"], facts.canonical_entities, VIEW, CommunitySettings())

    def report(limit: int) -> tuple[str, str, list[str]]:
        frame = extractive_reports(
            found["communities"],
            found["community_members"],
            graph["relationships"],
            graph["relationship_claims"],
            facts.claims.reverse(),
            facts.claim_evidence.reverse(),
            facts.canonical_entities,
            TABLES["entity_descriptions"].empty(),
            TABLES["conflicts"].empty(),
            TABLES["conflict_claims"].empty(),
            VIEW,
            CommunitySettings(report_relationships=limit),
        )
        check_frame(TABLES["community_reports"], frame)
        (row,) = frame.to_dicts()
        return row["title"], row["report"], row["claim_ids"]

    title, text, claim_ids = report(8)
    # weighted degrees: Ledger 1.4 + 0.8, Billing 1.4 + 0.3, Cluster 0.8 + 0.3
    assert title == "Ledger, Billing, Cluster"
    assert claim_ids == ["c1", "c2", "c3"]
    assert text.splitlines() == [
        "Ledger, Billing, Cluster",
        "Entities (3 in all): Ledger (system), Billing (system), Cluster (system)",
        "Relationships:",
        '- Billing | use | Ledger: "Billing uses Ledger." [document b]',
        '- Ledger | run on | Cluster: "Ledger run ons Cluster." [document a]',
        '- Cluster | support (denied) | Billing: "Cluster supports Billing." [document a]',
    ]
    assert report(1)[2] == ["c1"]


def test_a_report_brings_what_entities_are_said_to_be_and_both_sides_of_listed_conflicts() -> None:
    facts = corpus(
        [
            Said("Billing", "use", "Ledger", "a.1"),
            Said("Ledger", "owned by", "Ann", "a.1"),
            Said("Ledger", "owned by", "Bob", "b.1"),
        ]
    )
    entity = dict(facts.canonical_entities.select("name", "entity_id").iter_rows())
    empty = TABLES["extractions"].empty()
    graph = merge(facts.claims, facts.mentions, facts.entity_mentions, empty, VIEW, domain=DOMAIN)
    found = detect(graph["relationships"], facts.canonical_entities, VIEW, CommunitySettings())
    described = {
        "view_id": VIEW, "entity_id": entity["Ledger"], "position": 1, "kind": "definition", "claim_id": "cd",
        "quote": "The Ledger is the book of account.", "version_id": "a.1", "document_id": "a",
    }  # fmt: skip
    conflict = {
        "view_id": VIEW, "conflict_id": "x", "kind": "contradiction", "basis": "value", "subject_id": entity["Ledger"],
        "predicate": "owned_by", "undated": True, "listed": True, "claims": 2,
    }  # fmt: skip
    sides = [
        {"view_id": VIEW, "conflict_id": "x", "claim_id": claim, "side": entity[name]}
        for claim, name in (("c1", "Ann"), ("c2", "Bob"))
    ]

    def report(listed: bool) -> dict[str, object]:
        frame = extractive_reports(
            found["communities"],
            found["community_members"],
            graph["relationships"],
            graph["relationship_claims"],
            facts.claims,
            facts.claim_evidence,
            facts.canonical_entities,
            TABLES["entity_descriptions"].frame([described]),
            TABLES["conflicts"].frame([{**conflict, "listed": listed}]),
            TABLES["conflict_claims"].frame(sides),
            VIEW,
            CommunitySettings(),
        )
        (row,) = frame.to_dicts()
        return row

    row = report(listed=True)
    lines = str(row["report"]).splitlines()
    assert '- Ledger: "The Ledger is the book of account." [document a]' in lines
    said = dict(facts.claim_evidence.select("claim_id", "quote").iter_rows())
    sides_said = sorted([said["c1"], said["c2"]])
    (conflict_line,) = [line for line in lines if line.startswith("- contradiction: Ledger | owned by")]
    assert all(f'"{quote}"' in conflict_line for quote in sides_said)
    assert {"cd", "c1", "c2"} <= set(row["claim_ids"])  # type: ignore[call-overload]
    unlisted = report(listed=False)
    assert "Conflicts:" not in str(unlisted["report"])
    assert unlisted["source_digest"] != row["source_digest"] == report(listed=True)["source_digest"]
