"""A small labelled set and what the rules find in it: a guard that a change of code, model or schema lost nothing.

A result is a pure function of the set, the pipelines, the rules and the schema, and is kept under their digest.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from muniment.claims import stage as claims_stage
from muniment.domain.loading import load_domain
from muniment.ids import digest
from muniment.nlp import stage as nlp_stage
from muniment.nlp.names import normalise
from muniment.settings import Settings
from muniment.tables.registry import TABLES
from muniment.workers.pool import open_pool

#: Expected claims that must be found, as a share.
GATE = 0.9


@dataclass(frozen=True)
class GoldResult:
    """Expected claims, how many were found, which were not, and which claims were made that never may."""

    expected: int
    found: int
    missed: list[str]
    forbidden: list[str]

    @property
    def recall(self) -> float:
        """Share of the expected claims that were found."""
        return self.found / self.expected if self.expected else 1.0

    @property
    def passed(self) -> bool:
        """Whether the gate is passed: enough found, nothing forbidden made."""
        return self.recall >= GATE and not self.forbidden


def gold_set() -> list[dict[str, Any]]:
    """The labelled sentences."""
    return yaml.safe_load((files("muniment.claims") / "gold_claims.yaml").read_text("utf-8"))


def gold_result(settings: Settings, kept: Path | None = None) -> GoldResult:
    """What the rules find now; read from the folder `kept` where it was computed under the same digest."""
    domain = load_domain(settings.domain)
    key = digest(
        gold_set(),
        nlp_stage.CODE_VERSION,
        nlp_stage.producer(settings.nlp),
        settings.nlp.digest(),
        claims_stage.CODE_VERSION,
        claims_stage.producer(settings.entities),
        settings.entities.digest(),
        domain.local_digest,
    )
    file = kept / f"gold-claims-{key[:32]}.json" if kept is not None else None
    if file is not None and file.is_file():
        return GoldResult(**json.loads(file.read_text("utf-8")))
    result = measure(gold_set(), settings)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(result)), "utf-8")
    return result


def measure(sentences: list[dict[str, Any]], settings: Settings) -> GoldResult:
    """Each sentence is a document of its own, read by the pipelines and rules of the settings."""
    made = _claims(sentences, settings)
    missed, forbidden, expected = [], [], 0
    for number, sentence in enumerate(sentences):
        claims = made.get(f"v{number}", [])
        for wanted in sentence.get("claims", ()):
            expected += 1
            if not any(_matches(wanted, claim) for claim in claims):
                missed.append(f"{sentence['text']} -> {_words(wanted)}")
        forbidden += [
            f"{sentence['text']} -> {_words(never)}"
            for never in sentence.get("never", ())
            if any(_matches(never, claim) for claim in claims)
        ]
    return GoldResult(expected, expected - len(missed), missed, forbidden)


def _words(wanted: dict[str, Any]) -> str:
    return " | ".join([*(str(part) for part in wanted["claim"]), *(["not"] if wanted.get("negative") else [])])


def _matches(wanted: dict[str, Any], claim: dict[str, Any]) -> bool:
    """Equal subject, predicate, object or value, and polarity; modality and condition where they are given."""
    subject, predicate, target = (str(part) for part in wanted["claim"])
    said = claim["object"] or claim["value"] or ""
    condition = wanted.get("condition")
    return (
        normalise(claim["subject"]) == normalise(subject)
        and predicate in (claim["predicate"], claim["predicate_raw"])
        and normalise(said) == normalise(target)
        and (claim["polarity"] == "negative") == bool(wanted.get("negative"))
        and wanted.get("modality", claim["modality"]) == claim["modality"]
        and (condition is None or normalise(claim["condition_text"] or "") == normalise(condition))
    )


def _claims(sentences: list[dict[str, Any]], settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """Claims by version, with subject and object as written."""
    extractions, texts, elements = _documents(sentences)
    with open_pool(0) as pool:
        annotations = nlp_stage.annotate(extractions, texts, elements, settings.nlp, pool).tables["annotations"]
        found = claims_stage.extract_entities(
            extractions,
            texts,
            elements,
            annotations,
            TABLES["extracted_metadata"].empty(),
            TABLES["document_tables"].empty(),
            TABLES["table_cells"].empty(),
            settings.entities,
            load_domain(settings.domain),
            pool,
        ).tables
    names = found["mentions"].select("mention_id", "text")
    claims = (
        found["claims"]
        .join(names.rename({"mention_id": "subject_mention_id", "text": "subject"}), on="subject_mention_id")
        .join(names.rename({"mention_id": "object_mention_id", "text": "object"}), on="object_mention_id", how="left")
        .sort("version_id", "claim_id")
    )
    return {
        str(version): part.to_dicts() for (version,), part in claims.partition_by("version_id", as_dict=True).items()
    }


def _documents(sentences: list[dict[str, Any]]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    extractions, texts, elements = [], [], []
    for number, sentence in enumerate(sentences):
        text = sentence["text"]
        place = {"extraction_id": f"x{number}", "version_id": f"v{number}"}
        extractions.append(
            {
                **place, "document_id": f"d{number}", "doc_type": "text", "reader": "gold", "reader_version": "1",
                "config_digest": "", "canonical_sha256": "", "characters": len(text), "elements": 1,
                "title_basis": "none", "validity_status": "unverified", "language": sentence.get("language", "en"),
                "language_basis": "explicit",
            }
        )  # fmt: skip
        texts.append({**place, "text": text})
        elements.append(
            {
                **place, "element_id": f"e{number}", "ordinal": 0, "kind": "paragraph", "start": 0, "end": len(text),
                "section_path": [], "hidden": False, "attributes": "{}",
            }
        )  # fmt: skip
    return (
        TABLES["extractions"].frame(extractions),
        TABLES["canonical_texts"].frame(texts),
        TABLES["elements"].frame(elements),
    )
