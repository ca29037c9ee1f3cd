"""The graph as files: the same counts in every format, nothing that a spreadsheet or a browser would run."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from command_line import muniment
from home_lab import HomeLab
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # no stubs

from muniment.api import Muniment
from muniment.exports.content import GraphContent
from muniment.exports.layout import spring_layout
from muniment.exports.view import community_html, neighbourhood_html
from muniment.exports.writing import FORMATS, ExportError, export, safe_cell

EVIL = '<script>alert("x")</script>'


def _content() -> GraphContent:
    """Two entities, one denied relationship with two quotes, a name that begins like a formula."""
    entities = pl.DataFrame(
        {
            "entity_id": ["e1", "e2"], "name": ["=cmd|' /C calc'!A0", EVIL], "entity_type": ["system", "person"],
            "mentions": [3, 1], "documents": [2, 1], "aliases": [["-1+2", "A; B"], []],
        }
    )  # fmt: skip
    relationships = pl.DataFrame(
        {
            "relationship_id": ["r1"], "subject_id": ["e1"], "predicate": ["owned_by"], "object_id": ["e2"],
            "polarity": ["negative"], "claims": [2], "statements": [1], "documents": [2], "weight": [0.85],
            "subject": ["=cmd|' /C calc'!A0"], "object": [EVIL],
        }
    )  # fmt: skip
    claims = pl.DataFrame(
        {
            "claim_id": ["c1", "c2"], "version_id": ["v1", "v2"], "relationship_id": ["r1", "r1"],
            "subject_id": ["e1", "e1"], "object_id": ["e2", "e2"], "predicate": ["owned_by"] * 2,
            "value": [None, None], "polarity": ["negative"] * 2, "modality": ["is"] * 2,
            "condition_text": [None, "unless <b>sold</b>"], "valid_from": [date(2025, 1, 1), None],
            "valid_to": [None, None], "confidence": [0.9, 0.5], "rule": ["R4", "R4"],
        },
        schema_overrides={"value": pl.String, "valid_from": pl.Date, "valid_to": pl.Date},
    )  # fmt: skip
    evidence = pl.DataFrame(
        {
            "claim_id": ["c1", "c2"], "version_id": ["v1", "v2"], "start": [0, 5],
            "quote": ["It is not his & never was.", "Not his\u0001 either."],
        }
    )  # fmt: skip
    documents = pl.DataFrame(
        {
            "version_id": ["v1", "v2"], "document_id": ["d1", "d2"], "source": ["s", "s"], "path": ["a.md", "b.md"],
            "title": ["A", None], "sha256": ["00", "11"], "doc_type": ["markdown"] * 2, "held": [True, True],
        }
    )  # fmt: skip
    nothing = pl.DataFrame(schema={"conflict_id": pl.String, "claim_id": pl.String})
    return GraphContent("g1", entities, relationships, claims, evidence, documents, nothing, nothing)


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_neo4j_files_have_typed_headers_and_no_formula(tmp_path: Path) -> None:
    nodes, edges = export(_content(), "neo4j", tmp_path / "out")
    assert _rows(nodes) == [
        ["entity_id:ID", "name", "aliases:string[]", "mentions:int", "documents:int", ":LABEL"],
        ["e1", "'=cmd|' /C calc'!A0", "'-1+2;A, B", "3", "2", "system"],
        ["e2", EVIL, "", "1", "1", "person"],
    ]
    header, edge = _rows(edges)
    assert header[:3] == [":START_ID", ":END_ID", ":TYPE"]
    assert edge == ["e1", "e2", "OWNED_BY", "r1", "negative", "2", "2", "0.85"]


@given(st.text())
def test_no_text_cell_begins_like_a_formula(text: str) -> None:
    safe = safe_cell(text)
    assert not safe.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert safe in (text, f"'{text}")


def test_numbers_stay_numbers() -> None:
    assert (safe_cell(-3.5), safe_cell(None)) == (-3.5, None)


def test_graphml_holds_every_node_edge_and_attribute_escaped(tmp_path: Path) -> None:
    (path,) = export(_content(), "graphml", tmp_path / "out")
    root = etree.parse(str(path)).getroot()
    keys = {key.get("id"): key.get("attr.name") for key in root.iterfind("{*}key")}
    nodes = {
        node.get("id"): {keys[data.get("key")]: data.text for data in node.iterfind("{*}data")}
        for node in root.iterfind(".//{*}node")
    }
    assert nodes["e2"]["name"] == EVIL and nodes["e1"]["aliases"] == "-1+2; A; B"
    (edge,) = root.iterfind(".//{*}edge")
    assert (edge.get("source"), edge.get("target")) == ("e1", "e2")


def test_json_ld_quotes_claims_from_their_versions(tmp_path: Path) -> None:
    (path,) = export(_content(), "jsonld", tmp_path / "out")
    graph = {node["@id"]: node for node in json.loads(path.read_text(encoding="utf-8"))["@graph"]}
    claim = graph["mun:claim/c2"]
    assert claim["prov:value"] == ["Not his\u0001 either."] and claim["wasQuotedFrom"] == "mun:version/v2"
    assert (claim["subject"], claim["object"]) == ("mun:entity/e1", "mun:entity/e2")
    assert graph["mun:version/v2"]["name"] == "b.md" and graph["mun:claim/c1"]["mun:validFrom"] == "2025-01-01"


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_equal_content_gives_equal_bytes(form: str, tmp_path: Path) -> None:
    first, second = (export(_content(), form, tmp_path / name) for name in ("one", "two"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_an_unknown_format_or_a_used_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="graphml"):
        export(_content(), "dot", tmp_path / "out")
    (tmp_path / "kept.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match="not an empty folder"):
        export(_content(), "jsonld", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_page_shows_what_documents_say_as_text() -> None:
    page = neighbourhood_html(_content(), "e1")
    assert "<script" not in page and "&lt;script&gt;" in page and "unless &lt;b&gt;sold&lt;/b&gt;" in page
    assert "It is not his &amp; never was." in page and "(denied)" in page and "http" not in page.split("</head>")[1]
    assert "<script" not in community_html(_content(), EVIL, ["e1", "e2"])
    with pytest.raises(KeyError):
        neighbourhood_html(_content(), "e9")


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20))
def test_places_are_in_the_unit_square_and_always_the_same(count: int, pairs: list[tuple[int, int]]) -> None:
    edges = [(left % count, right % count) for left, right in pairs]
    places = spring_layout(count, edges, steps=40)
    assert places.shape == (count, 2) and bool(((places >= 0) & (places <= 1)).all())
    assert (places == spring_layout(count, edges, steps=40)).all()


def test_an_export_of_a_home_counts_what_its_tables_hold(ingested_home: Path, tmp_path: Path) -> None:
    done = muniment(ingested_home, "graph", "export", "parquet", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    with Muniment.open(ingested_home) as opened:
        entities, claims = opened.table("canonical_entities"), opened.table("claims")
    assert set(pl.read_parquet(tmp_path / "out/entities.parquet")["entity_id"]) == set(entities["entity_id"])
    exported = pl.read_parquet(tmp_path / "out/claims.parquet")
    assert exported["claim_id"].is_unique().all() and set(exported["claim_id"]) <= set(claims["claim_id"])
    assert muniment(ingested_home, "graph", "export", "dot", str(tmp_path / "no")).returncode == 1


def test_an_export_for_some_policies_is_that_of_their_documents_alone(tmp_path: Path) -> None:
    """The operator's export of a home with only these documents is the same, row for row."""
    texts = {
        "open": "# Gate System\n\nThe Gate System depends on the Lock Service. Ann Berg owns the Gate System.\n",
        "secret": "# Gate System\n\nThe Gate System (GS) depends on the Hidden Vault. Bob Stone owns the System.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(text, encoding="utf-8")
    both, alone = tmp_path / "both", tmp_path / "alone"
    for home, names in ((both, ("secret", "open")), (alone, ("open",))):
        lab = HomeLab(home, {"workers": {"backend": "inline"}})
        for name in names:
            lab.scan(tmp_path / name, name, policy=name)
        lab.process()
        lab.publish()
        lab.close()
    with Muniment.open(both) as opened:
        seen, everything = opened.graph(policies=["open"]), opened.graph()
    with Muniment.open(alone) as opened:
        expected = opened.graph()
    assert "Hidden Vault" in everything.entities["name"].to_list()
    for name, frame in expected.tables().items():
        assert frame.equals(seen.tables()[name]), name
    assert all(frame.is_empty() for frame in _nobody(both).tables().values())


def _nobody(home: Path) -> GraphContent:
    with Muniment.open(home) as opened:
        return opened.graph(policies=["unknown"])
