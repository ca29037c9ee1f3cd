"""What the benchmarks of relations share: samples, texts read by the stages of the product, lines of figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from muniment.claims.stage import extract_entities
from muniment.domain.loading import load_domain
from muniment.nlp.stage import annotate
from muniment.settings import Settings
from muniment.tables.registry import TABLES
from muniment.workers.pool import open_pool

Record = dict[str, Any]


def records(data: Path, name: str, limit: int) -> list[Record]:
    """Records of a set, sampled evenly."""
    lines = (data / "gold" / name / "dev.jsonl").read_text("utf-8").splitlines()
    step = max(1, len(lines) // limit)
    return [json.loads(line) for line in lines[::step][:limit]]


def read(texts: dict[str, str], settings: Settings) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(claims with their ends as written and their places, mentions) of texts by id; paragraphs at blank lines."""
    rows: dict[str, list[Record]] = {"extractions": [], "canonical_texts": [], "elements": []}
    for key, text in texts.items():
        own = {"version_id": f"v-{key}", "extraction_id": key}
        rows["extractions"].append({**own, "document_id": key, "language": "en", "language_basis": "explicit"})
        rows["canonical_texts"].append({**own, "text": text})
        position = 0
        for part in text.split("\n\n"):
            rows["elements"].append({**own, "kind": "paragraph", "start": position, "end": position + len(part)})
            position += len(part) + 2
    frames = {name: TABLES[name].frame(found) for name, found in rows.items()}
    with open_pool(1) as pool:
        extracted, texts_of, outline = frames["extractions"], frames["canonical_texts"], frames["elements"]
        annotated = annotate(extracted, texts_of, outline, settings.nlp, pool).tables["annotations"]
        found = extract_entities(
            extracted,
            texts_of,
            outline,
            annotated,
            TABLES["extracted_metadata"].empty(),
            TABLES["document_tables"].empty(),
            TABLES["table_cells"].empty(),
            settings.entities,
            load_domain(settings.domain),
            pool,
        ).tables
    mentions = found["mentions"].select("mention_id", "extraction_id", "text", "start", "end")
    return with_ends(found["claims"], mentions), mentions


def with_ends(claims: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Claims with the text and place of subject and object."""
    ends = mentions.select("mention_id", "text", "start", "end")
    for side in ("subject", "object"):
        names = {"mention_id": f"{side}_mention_id", "text": side, "start": f"{side}_start", "end": f"{side}_end"}
        claims = claims.join(ends.rename(names), on=f"{side}_mention_id", how="left")
    return claims.sort("claim_id")


def ratio(part: int, whole: int) -> float:
    """A share, 0 of nothing."""
    return part / whole if whole else 0.0


def scored(name: str, found: set[Any], gold: set[Any]) -> str:
    """A line with precision, recall and F1 of sets."""
    precision, recall = ratio(len(found & gold), len(found)), ratio(len(found & gold), len(gold))
    f1 = ratio(int(2e6 * precision * recall), int(1e6 * (precision + recall)))
    return f"  {name:<34} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  (found {len(found)}, gold {len(gold)})"
