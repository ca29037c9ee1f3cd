"""What documents say an entity is, which claim may have replaced which, and that a document takes its rows with it."""

from __future__ import annotations

import datetime
from dataclasses import replace

import polars as pl
from graph_rows import DOMAIN, VIEW, Corpus, Said, corpus
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from muniment.graph.assembly import ASSEMBLED, assemble
from muniment.graph.conflicts import find_conflicts
from muniment.graph.descriptions import entity_descriptions
from muniment.graph.linked import linked_claims
from muniment.graph.supersession import supersession_candidates
from muniment.nlp.names import normalise
from muniment.resolution.resolve import resolve
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES, check_frame


def _described(said: list[Said]) -> pl.DataFrame:
    rows = corpus(said)
    linked = linked_claims(rows.claims, rows.mentions, rows.entity_mentions)
    return check_frame(TABLES["entity_descriptions"], entity_descriptions(linked, rows.claim_evidence, DOMAIN, VIEW))


def test_definitions_come_first_then_copulas_appositions_attributes_word_for_word() -> None:
    frame = _described(
        [
            Said("P", "retention", value="30 days", value_type="duration", quote="P keeps it for 30 days."),
            Said("P", "is_a", "tool", rule="R8", quote="P, a tool of the company, runs."),
            Said("P", "is_a", "platform", quote="P is a platform."),
            Said("P", "mean", "engine", raw="mean", quote="“P” means the engine."),
            Said("P", "use", "Q", quote="P uses Q."),
            Said("P", "is_a", "toy", polarity="negative", quote="P is not a toy."),
        ]
    )
    assert frame.select("entity_id", "position", "kind", "claim_id", "quote").rows() == [
        ("P", 1, "definition", "c3", "“P” means the engine."),
        ("P", 2, "copula", "c2", "P is a platform."),
        ("P", 3, "apposition", "c1", "P, a tool of the company, runs."),
        ("P", 4, "attribute", "c0", "P keeps it for 30 days."),
    ]


def test_within_a_kind_the_unconditional_and_the_surer_come_first() -> None:
    frame = _described(
        [
            Said("P", "is_a", "a", confidence=0.9, condition="if paid"),
            Said("P", "is_a", "b", confidence=0.5),
            Said("P", "is_a", "c", confidence=0.8),
        ]
    )
    assert frame["claim_id"].to_list() == ["c2", "c1", "c0"]


def test_a_row_of_a_register_describes_once() -> None:
    row = "P	30 days	2026-01-01"
    said = [
        Said("P", "retention", value="30 days", value_type="duration", quote=row, rule="T"),
        Said("P", "expiry", value="2026-01-01", value_type="date", quote=row, rule="T"),
        Said("P", "status", value="open", value_type="text", quote="P is open."),
    ]
    assert _described(said).select("kind", "claim_id").rows() == [("attribute", "c0")]


def test_a_description_is_of_one_document_and_goes_with_it() -> None:
    said = [Said("P", "is_a", "tool", "a.1"), Said("P", "is_a", "tool", "b.1")]
    both, first = _described(said), _described(said[:1])
    assert both["document_id"].to_list() == ["a", "b"]
    assert both.filter(document_id="a").equals(first)


def _candidates(said: list[Said], titles: dict[str, str] | None = None) -> list[tuple[object, ...]]:
    """earlier, later, basis, status, evidence; titles: the entity that names the document in its title."""
    rows = corpus(said)
    named = (rows.entity_mentions, rows.canonical_entities)
    conflicts = find_conflicts(rows.claims, rows.mentions, *named, VIEW, domain=DOMAIN, evidence=rows.claim_evidence)
    subjects = TABLES["document_subjects"].frame(
        [
            {
                "view_id": VIEW,
                "version_id": f"{document}.1",
                "document_id": document,
                "entity_id": name,
                "basis": "title",
            }
            for document, name in (titles or {}).items()
        ]
    )
    linked = linked_claims(rows.claims, rows.mentions, rows.entity_mentions)
    frame = supersession_candidates(conflicts["conflicts"], conflicts["conflict_claims"], linked, subjects)
    columns = ("earlier_claim_id", "later_claim_id", "basis", "status", "evidence_claim_id")
    return check_frame(TABLES["supersession_candidates"], frame).select(columns).rows()


def _owned(by: str, document: str, year: int | None = None) -> Said:
    day = datetime.date(year, 1, 1) if year else None
    return Said("P", "owned_by", by, f"{document}.1", asserted_on=day)


def test_a_later_source_is_a_candidate_that_waits() -> None:
    said = [_owned("R", "a", 2023), _owned("R", "b", 2024), _owned("S", "c", 2025)]
    assert _candidates(said) == [("c1", "c2", "later_source", "waiting", None)]


def test_a_later_first_day_of_validity_counts_where_a_source_has_no_date() -> None:
    old = replace(_owned("R", "a"), valid_from=datetime.date(2024, 1, 1), valid_to=datetime.date(2025, 7, 1))
    new = replace(_owned("S", "b"), valid_from=datetime.date(2025, 7, 1))
    assert _candidates([old, new]) == [("c0", "c1", "later_source", "waiting", None)]


def test_sources_of_one_day_or_of_none_supersede_nothing() -> None:
    assert _candidates([_owned("R", "a", 2024), _owned("S", "b", 2024)]) == []
    assert _candidates([_owned("R", "a"), _owned("S", "b")]) == []


def test_a_stated_amendment_confirms_whatever_the_dates() -> None:
    said = [_owned("R", "a"), _owned("S", "b"), Said("Amendment", "amends", "Policy", "b.1")]
    titles = {"a": "Policy", "b": "Amendment"}
    assert _candidates(said, titles) == [("c0", "c1", "stated_amendment", "confirmed", "c2")]
    assert _candidates(said, {"a": "Policy"}) == [("c0", "c1", "stated_amendment", "confirmed", "c2")]
    assert _candidates([*said[:2], Said("Amendment", "amends", "Policy", "b.1", modality="will")], titles) == []
    assert _candidates([*said[:2], Said("Amendment", "amends", "Policy", "b.1", polarity="negative")], titles) == []
    assert _candidates(said, {"b": "Amendment"}) == []


NAMES = ("Acme Archive", "Acme Gateway", "Rita Olsen", "Sam Berg", "AA", "supplier", "suppliers")
_PREDICATES = ("owned_by", "use", "borders", "is_a", "part_of", "amends")
_SAID = st.builds(
    Said,
    subject=st.sampled_from(NAMES),
    predicate=st.sampled_from(_PREDICATES),
    object=st.sampled_from(NAMES),
    version=st.sampled_from(("a.1", "b.1", "b.2", "c.1", "d.1")),
    polarity=st.sampled_from(("positive", "positive", "negative")),
    modality=st.sampled_from(("is", "must", "may")),
    condition=st.sampled_from((None, None, "if asked")),
    valid_from=st.sampled_from((None, datetime.date(2025, 1, 1))),
    valid_to=st.sampled_from((None, datetime.date(2025, 1, 1), datetime.date(2026, 1, 1))),
    asserted_on=st.sampled_from((None, datetime.date(2024, 5, 1), datetime.date(2025, 5, 1))),
    rule=st.sampled_from(("R4", "R8", "T", "R12")),
    confidence=st.sampled_from((0.4, 0.7, 0.85)),
)
_KEPT = st.builds(
    Said,
    subject=st.sampled_from(NAMES),
    predicate=st.sampled_from(("retention", "expiry")),
    version=st.sampled_from(("a.1", "b.1", "c.1")),
    value=st.sampled_from(("30 days", "Rita Olsen", "about a month")),
    value_type=st.just("text"),
    number=st.sampled_from((None, 1.0, 30.0)),
    unit=st.sampled_from((None, "day", "month")),
)


#: Without shrinking: an example takes a tenth of a second.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)

TYPES = {"supplier": "concept", "suppliers": "concept", "Rita Olsen": "person", "Sam Berg": "person"}
TITLES = {"a.1": "Acme Archive", "b.1": "Acme Gateway", "b.2": "Acme Gateway"}


def _graph(rows: Corpus, documents: str) -> dict[str, pl.DataFrame]:
    """All graph tables of the claims, as publication makes them; documents were first seen in this order."""
    mentions = rows.mentions.with_columns(
        pl.Series("name", [normalise(text) for text in rows.mentions["text"]], dtype=pl.String),
        pl.lit(value=True).alias("is_subject"),
    )
    seen = pl.DataFrame(
        {"document_id": list(documents), "first_scan": ["abcd".index(one) for one in documents]},
        schema={"document_id": pl.String, "first_scan": pl.Int64},
    )
    titles = TABLES["extractions"].frame(
        [{"extraction_id": f"x{version}", "version_id": version, "title": title} for version, title in TITLES.items()]
    )
    resolved = resolve(mentions, seen, VIEW, ResolutionSettings())
    frames, _ = assemble(rows.claims, rows.claim_evidence, mentions, titles, resolved, VIEW, DOMAIN)
    both = {**resolved, **frames}
    return {
        name: check_frame(TABLES[name], both[name]) for name in ("canonical_entities", "entity_mentions", *ASSEMBLED)
    }


def _without(rows: Corpus, document: str, seed: int) -> Corpus:
    """The local rows that are left when a document goes, in any order."""
    kept = pl.col("version_id").str.starts_with(document).not_()
    claims, evidence, mentions, entity_mentions = (
        frame.filter(kept).sample(fraction=1.0, shuffle=True, seed=seed)
        for frame in (rows.claims, rows.claim_evidence, rows.mentions, rows.entity_mentions)
    )
    return Corpus(claims, evidence, mentions, entity_mentions, rows.canonical_entities)


@settings(max_examples=15, deadline=None, phases=_PHASES)
@given(st.lists(_SAID | _KEPT, min_size=1, max_size=14), st.sampled_from("abcd"), st.integers(0, 9))
def test_what_a_document_gave_goes_with_it_and_nothing_else(said: list[Said], gone: str, seed: int) -> None:
    numbered = [replace(one, number_of=place, sentence=place) for place, one in enumerate(said)]
    kept = [one for one in numbered if not one.version.startswith(gone)]
    if not kept:
        return
    after = _graph(_without(corpus(numbered, TYPES), gone, seed), "abcd")
    alone = _graph(corpus(kept, TYPES), "abcd".replace(gone, ""))
    assert {name: frame.rows() for name, frame in after.items()} == {
        name: frame.rows() for name, frame in alone.items()
    }
    # an entity is there as long as someone mentions it, and no longer
    assert set(after["canonical_entities"]["entity_id"]) == set(after["entity_mentions"]["entity_id"])
    assert gone not in after["canonical_entities"]["anchor_document_id"].to_list()


@settings(max_examples=15, deadline=None, phases=_PHASES)
@given(st.lists(_SAID | _KEPT, min_size=2, max_size=14))
def test_every_side_is_kept_and_every_conflict_has_two(said: list[Said]) -> None:
    graph = _graph(corpus([replace(one, sentence=place) for place, one in enumerate(said)], TYPES), "abcd")
    sides = graph["conflict_claims"].join(graph["conflicts"], on=["view_id", "conflict_id"])
    assert (
        sides.filter(pl.col("kind") != "duplicate")
        .group_by("conflict_id")
        .agg(pl.col("side").n_unique())
        .filter(pl.col("side") < 2)
        .is_empty()
    )
    assert set(graph["conflicts"]["conflict_id"]) == set(sides["conflict_id"])
