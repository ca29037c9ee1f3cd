"""Every asset check of the project."""

from __future__ import annotations

import dagster as dg

from checks.corpus import corpus_checks
from checks.expectations import table_expectations
from checks.graph import graph_checks
from checks.local_stages import local_checks

CHECKS: tuple[dg.AssetChecksDefinition, ...] = (
    *local_checks(),
    *corpus_checks(),
    *graph_checks(),
    # one asset carries the suites, so that a run imports Great Expectations once, after its pools are done
    table_expectations(
        "loss_report",
        (
            "chunks", "claims", "canonical_entities", "relationships", "conflicts", "supersession_candidates",
            "entity_descriptions", "communities", "chunk_states",
            "index_points", "manifest", "losses", "loss_by_type",
        ),
    ),
)  # fmt: skip
