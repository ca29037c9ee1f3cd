"""What the corpus uses and the schema lacks, as a table and as a file that loads and closes the gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from domain_packs import shipped

from muniment.domain.loading import join, read_pack
from muniment.domain.suggestions import suggest
from muniment.tables.registry import TABLES

_MENTIONS = [
    ("m1", "d1", "Inlet Valve", "system"),
    ("m2", "d2", "pressure seals", "concept"),
    ("m3", "d1", "flow seal", "concept"),
    ("m4", "d1", "Margit Osei", "concept"),
    ("m5", "d2", "Margit Osei", "concept"),
]


def _rows(table: str, given: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows of a table, with what the test does not say left null."""
    schema = TABLES[table].schema
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in given], schema=schema)


def _claims(*said: tuple[str, str, str, str | None, str | None, str | None]) -> pl.DataFrame:
    rows = [
        {
            "claim_id": f"c{number}",
            "document_id": document,
            "rule": rule,
            "basis": "explicit" if rule == "T" else "rule",
            "subject_mention_id": "m1",
            "predicate": name or raw,
            "predicate_raw": raw,
            "object_mention_id": target,
            "value_type": kind,
        }
        for number, (document, rule, raw, target, kind, name) in enumerate(said)
    ]
    return _rows("claims", rows)


def _found(claims: pl.DataFrame, limit: int = 10) -> Any:
    mentions = [
        {"mention_id": key, "document_id": document, "display_name": name, "name": name.lower(), "entity_type": kind}
        for key, document, name, kind in _MENTIONS
    ]
    quotes = [{"claim_id": key, "start": 0, "end": 9, "quote": f"Quote of\n{key}."} for key in claims["claim_id"]]
    return suggest(claims, _rows("mentions", mentions), _rows("claim_evidence", quotes), shipped(), limit)


_CLAIMS = (
    ("d1", "R4", "throttle", "m3", None, None),
    ("d2", "R4", "throttle", "m2", None, None),
    ("d1", "R4", "vent", "m3", None, None),
    ("d1", "R4", "vent", "m3", None, None),
    ("d1", "R4", "vent", "m3", None, None),
    ("d1", "R6", "leak_at", None, "percent", None),
    ("d1", "R6", "leak_at", None, "percent", None),
    ("d1", "T", "Tightening class", None, "text", None),
    ("d2", "T", "Tightening class", None, "text", None),
    ("d1", "R4", "own", "m3", None, "owned_by"),  # named already
    ("d2", "R4", "own", "m3", None, "owned_by"),
    ("d1", "R4", "replace", "m3", None, None),  # refused for its types: no gap
    ("d2", "R4", "replace", "m3", None, None),
    ("d1", "R6", "of", "m3", None, None),  # grammar
    ("d2", "R6", "of", "m3", None, None),
    ("d1", "R4", "be", None, "text", None),
    ("d2", "R4", "be", None, "text", None),
    ("d1", "R12", "related_to", "m3", None, None),
    ("d2", "R12", "related_to", "m3", None, None),
    ("d1", "R4", "once", "m3", None, None),  # said once
)


def test_predicates_and_fields_without_a_name_come_by_documents_then_claims() -> None:
    found = _found(_claims(*_CLAIMS))
    assert [(item.raw, item.kind, item.field, item.claims, item.documents) for item in found.predicates] == [
        ("Tightening class", "attribute", True, 2, 2),
        ("throttle", "relation", False, 2, 2),
        ("vent", "relation", False, 3, 1),
        ("leak_at", "attribute", False, 2, 1),
    ]
    throttle = found.predicates[1]
    assert (throttle.subject_types, throttle.object_types, throttle.example) == (
        ("system",),
        ("concept",),
        "Quote of c0.",
    )


def test_words_for_kinds_of_things_are_last_words_of_phrases_but_not_of_proper_names() -> None:
    (seal,) = _found(_claims(*_CLAIMS)).types
    assert (seal.head, seal.mentions, seal.documents, seal.names) == ("seal", 2, 2, 2)


def test_the_file_loads_with_the_shipped_packs_and_names_what_was_missing() -> None:
    found = _found(_claims(*_CLAIMS))
    assert "- {name: throttle, verbs: [throttle]}" in found.yaml
    assert "- {name: leak_at, datatype: percent, verbs: [leak_at]}" in found.yaml
    assert "- {name: tightening_class, datatype: text, nouns: [Tightening class]}" in found.yaml
    folder = Path(__file__).parents[2] / "muniment" / "domain" / "packs"
    packs = [
        read_pack((folder / f"{name}.yaml").read_text("utf-8"), name) for name in ("default", "legal", "technical")
    ]
    schema = join([*packs, read_pack(found.yaml, "own")])
    assert {"throttle", "vent"} <= set(schema.relations)
    assert "seal" in schema.types


def test_the_limit_shortens_the_list_and_says_of_how_many() -> None:
    found = _found(_claims(*_CLAIMS), limit=1)
    assert [item.raw for item in found.predicates] == ["Tightening class"]
    assert "1 of 4 predicates and 1 of 1 words are shown" in str(found)
    assert "throttle" not in found.yaml


def test_the_order_of_rows_means_nothing() -> None:
    claims = _claims(*_CLAIMS)
    assert _found(claims) == _found(claims.reverse())


def test_nothing_missing_is_said_in_words() -> None:
    mentions, evidence = TABLES["mentions"].empty(), TABLES["claim_evidence"].empty()
    found = suggest(TABLES["claims"].empty(), mentions, evidence, shipped(), 5)
    assert str(found).startswith("The schema has a name for every predicate")
