"""A relation with one object at a time never has two in silence, whoever finds the conflicts."""

from __future__ import annotations

import polars as pl
from graph_rows import DOMAIN, VIEW, Said, corpus

from muniment.graph.conflicts import find_conflicts
from muniment.graph.silence import silent_overlaps
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

_TWO = [Said("Old Mill", "owned_by", "R", "a.1"), Said("Old Mill", "owned_by", "S", "b.1")]


def _silent(said: list[Said], *, found: bool) -> list[tuple[str, str]]:
    """Subject and predicate of overlaps without a conflict; `found`: with the conflicts that are found."""
    given = corpus(said)
    versions = given.claims.select("version_id", "document_id").unique().with_columns(held=pl.lit(value=True))
    named = (given.entity_mentions, given.canonical_entities)
    conflicts = find_conflicts(
        given.claims, given.mentions, *named, VIEW, domain=DOMAIN, evidence=given.claim_evidence
    )["conflicts"]
    rows = FrameRows(
        {
            "claims": given.claims,
            "generation_versions": versions,
            "entity_mentions": given.entity_mentions,
            "canonical_entities": given.canonical_entities,
            "conflicts": conflicts if found else TABLES["conflicts"].empty(),
        }
    )
    return silent_overlaps(rows, DOMAIN).select("subject_id", "predicate").rows()


def test_two_owners_without_a_conflict_are_seen() -> None:
    assert _silent(_TWO, found=False) == [("Old Mill", "owned_by")]


def test_what_conflict_finding_says_is_not_silent() -> None:
    assert _silent(_TWO, found=True) == []


def test_agreement_lists_and_denials_are_no_overlap() -> None:
    assert _silent([_TWO[0], Said("Old Mill", "owned_by", "R", "b.1")], found=False) == []
    both = [Said("Old Mill", "owned_by", name, "b.1", sentence=9) for name in ("R", "S")]
    assert _silent([_TWO[0], *both], found=False) == []
    assert _silent([_TWO[0], Said("Old Mill", "owned_by", "S", "b.1", polarity="negative")], found=False) == []
    assert _silent([Said("Old Mill", "use", "R", "a.1"), Said("Old Mill", "use", "S", "b.1")], found=False) == []
