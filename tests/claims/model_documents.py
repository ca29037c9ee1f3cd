"""Documents read with a scripted model: claims of rule L and what was refused, without a warehouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl
from claims_documents import Corpus, Parts, claims, corpus
from model_server import Script, perfect, scripted

from muniment.claims.model_stage import ask_model, recorded_rows
from muniment.claims.stage import extract_entities
from muniment.domain.loading import load_domain
from muniment.models.gateway import Gateway
from muniment.settings import DomainSettings, EgressSettings, EndpointSettings, EntitySettings, ModelSettings
from muniment.stages import StageOutput
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES, check_frame
from muniment.workers.pool import open_pool

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def frames(source: Corpus) -> dict[str, pl.DataFrame]:
    """Input frames of the stage by name."""
    return {
        "extractions": source.extractions,
        "canonical_texts": source.canonical_texts,
        "elements": source.elements,
        "annotations": source.annotations,
        "extracted_metadata": source.metadata,
        "document_tables": TABLES["document_tables"].empty(),
        "table_cells": TABLES["table_cells"].empty(),
    }


def read_with(
    source: Corpus,
    script: Script,
    *,
    models: Mapping[str, Any] | None = None,
    egress: EgressSettings | None = None,
    **endpoint: Any,
) -> StageOutput:
    """Output of the stage with a model that follows the script; frames are checked against their tables."""
    settings = {"model": "scripted", "attempts": 1, "timeout_seconds": 5, **endpoint}
    domain = load_domain(DomainSettings())
    with scripted(script) as served:
        gateway = Gateway(
            EndpointSettings(base_url=served.base_url, **settings),
            egress or EgressSettings(allow_loopback=True),
            lambda: FrameRows({}),
            lambda: NOW,
            sleep=lambda seconds: None,
        )
        policies = pl.DataFrame(
            {"document_id": [], "access_policy_id": []},
            schema={"document_id": pl.String, "access_policy_id": pl.String},
        )
        chosen = ModelSettings(**{"claims": True, "gleaning_rounds": 0, **(models or {})})
        readings = ask_model(frames(source), policies, gateway, chosen, domain)
        gateway.close()
    given = frames(source)
    with open_pool(0) as pool:
        output = extract_entities(
            given["extractions"],
            given["canonical_texts"],
            given["elements"],
            given["annotations"],
            given["extracted_metadata"],
            given["document_tables"],
            given["table_cells"],
            EntitySettings(),
            domain,
            pool,
            readings,
        )
    output.tables.update(recorded_rows(readings, gateway))
    for name, frame in output.tables.items():
        check_frame(TABLES[name], frame)
    return output


def paragraph(text: str, language: str = "en") -> Corpus:
    """A document with one paragraph."""
    return corpus({"v1": ([("paragraph", text)], language)})


def document(*parts: tuple[str, str]) -> Corpus:
    """A document with these (kind, text) parts."""
    listed: Parts = list(parts)
    return corpus({"v1": (listed, "en")})


def told(text: str, *items: Mapping[str, Any], language: str = "en") -> StageOutput:
    """A paragraph read with a model that states exactly these claims, wherever their quotes are."""
    from model_server import answers

    return read_with(paragraph(text, language), lambda body, number: answers(list(items)))


def model_claims(output: StageOutput) -> list[dict[str, Any]]:
    """Claims of rule L with subject and object as written."""
    return [row for row in claims(output) if row["rule"] == "L"]


def rule_rows(output: StageOutput) -> list[dict[str, Any]]:
    """Claims that the rules made."""
    return sorted((row for row in claims(output) if row["rule"] != "L"), key=lambda row: row["claim_id"])


def refused(output: StageOutput, unit: str = "model_claims") -> dict[str, int]:
    """Losses of a unit by reason."""
    rows = output.tables["losses"].filter(unit=unit)
    return dict(zip(rows["reason_code"], rows["amount"], strict=True))


def book(output: StageOutput, unit: str) -> tuple[int, int, int]:
    """(expected, actual, explained) of a unit; nothing may be unexplained."""
    (row,) = output.tables["stage_books"].filter(unit=unit).to_dicts()
    assert row["unexplained"] == 0
    return row["expected"], row["actual"], row["explained"]


def known(items: Sequence[Mapping[str, Any]]) -> Script:
    """See model_server.perfect."""
    return perfect(items)
