"""Writing an export: one function a format; equal content gives equal bytes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from muniment.exports.content import GraphContent

#: First characters that a spreadsheet takes for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ExportError(ValueError):
    """An export that cannot be written; the message says what to do."""


def export(content: GraphContent, form: str, folder: Path) -> list[Path]:
    """Write the content in a format (see FORMATS) into `folder`, made if absent; returns the files.

    Raises ExportError for an unknown format and for a folder that holds other files.
    """
    writer = FORMATS.get(form)
    if writer is None:
        raise ExportError(f"unknown format {form!r}: choose among {', '.join(FORMATS)}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportError(f"{folder}: not an empty folder; name a new one")
    folder.mkdir(parents=True, exist_ok=True)
    return writer(content, folder)


def safe_cell(value: Any) -> Any:
    """A text that a spreadsheet would run gets an apostrophe in front; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _parquet(content: GraphContent, folder: Path) -> list[Path]:
    paths = []
    for name, frame in content.tables().items():
        path = folder / f"{name}.parquet"
        frame.write_parquet(path, statistics=False)
        paths.append(path)
    return [*paths, _about(content, folder)]


def _about(content: GraphContent, folder: Path) -> Path:
    path = folder / "about.json"
    counts = {name: frame.height for name, frame in content.tables().items()}
    path.write_text(json.dumps({"generation_id": content.generation_id, "rows": counts}, indent=1) + "\n", "utf-8")
    return path


def _graphml(content: GraphContent, folder: Path) -> list[Path]:
    path = folder / "graph.graphml"
    nodes = content.entities.with_columns(pl.col("aliases").list.join("; "))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for kind, frame in (("node", nodes), ("edge", content.relationships)):
            file.writelines(_graphml_key(kind, name, dtype) for name, dtype in frame.schema.items())
        file.write('<graph id="muniment" edgedefault="directed">\n')
        for row in nodes.iter_rows(named=True):
            file.write(f"<node id={quoteattr(row['entity_id'])}>{_graphml_data('node', row)}</node>\n")
        for row in content.relationships.iter_rows(named=True):
            ends = f"source={quoteattr(row['subject_id'])} target={quoteattr(row['object_id'])}"
            file.write(f"<edge id={quoteattr(row['relationship_id'])} {ends}>{_graphml_data('edge', row)}</edge>\n")
        file.write("</graph>\n</graphml>\n")
    return [path]


def _graphml_key(kind: str, name: str, dtype: pl.DataType) -> str:
    form = (
        "long"
        if dtype.is_integer()
        else "double"
        if dtype.is_float()
        else "boolean"
        if dtype == pl.Boolean
        else "string"
    )
    return f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{form}"/>\n'


def _graphml_data(kind: str, row: dict[str, Any]) -> str:
    parts = []
    for name, value in row.items():
        if value is not None:
            shown = str(value).lower() if isinstance(value, bool) else _xml_text(str(value))
            parts.append(f'<data key="{kind}_{name}">{shown}</data>')
    return "".join(parts)


def _xml_text(text: str) -> str:
    """Escaped; characters that XML 1.0 cannot hold become the replacement character."""
    kept = (
        char
        if char in "\t\n" or 0x20 <= ord(char) < 0xD800 or 0xE000 <= ord(char) < 0xFFFE or ord(char) > 0xFFFF
        else "\ufffd"
        for char in text
    )
    return escape("".join(kept))


def _neo4j(content: GraphContent, folder: Path) -> list[Path]:
    """Headers as `neo4j-admin database import` wants them."""
    nodes, edges = folder / "nodes.csv", folder / "relationships.csv"
    _csv(
        nodes,
        ["entity_id:ID", "name", "aliases:string[]", "mentions:int", "documents:int", ":LABEL"],
        (
            (
                row["entity_id"], row["name"], ";".join(alias.replace(";", ",") for alias in row["aliases"]),
                row["mentions"], row["documents"], row["entity_type"],
            )
            for row in content.entities.iter_rows(named=True)
        ),
    )  # fmt: skip
    _csv(
        edges,
        [
            ":START_ID", ":END_ID", ":TYPE", "relationship_id", "polarity", "claims:int", "documents:int",
            "weight:double",
        ],
        (
            (
                row["subject_id"], row["object_id"], row["predicate"].upper().replace(" ", "_"), row["relationship_id"],
                row["polarity"], row["claims"], row["documents"], row["weight"],
            )
            for row in content.relationships.iter_rows(named=True)
        ),
    )  # fmt: skip
    return [nodes, edges]


def _csv(path: Path, header: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([safe_cell(value) for value in row] for row in rows)


_CONTEXT = {
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "https://schema.org/",
    "mun": "urn:muniment:",
    "name": "schema:name",
    "aliases": "schema:alternateName",
    "wasDerivedFrom": {"@id": "prov:wasDerivedFrom", "@type": "@id"},
    "wasQuotedFrom": {"@id": "prov:wasQuotedFrom", "@type": "@id"},
    "wasGeneratedBy": {"@id": "prov:wasGeneratedBy", "@type": "@id"},
    "subject": {"@id": "mun:subject", "@type": "@id"},
    "object": {"@id": "mun:object", "@type": "@id"},
}


def _jsonld(content: GraphContent, folder: Path) -> list[Path]:
    path = folder / "graph.jsonld"
    activity = f"mun:generation/{content.generation_id}"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('{"@context": ' + json.dumps(_CONTEXT) + ',\n"@graph": [\n')
        file.write(json.dumps({"@id": activity, "@type": "prov:Activity"}))
        for node in _jsonld_nodes(content, activity):
            kept = {name: value for name, value in node.items() if value is not None and value != []}
            file.write(",\n" + json.dumps(kept, ensure_ascii=False, sort_keys=True, default=str))
        file.write("\n]}\n")
    return [path]


def _jsonld_nodes(content: GraphContent, activity: str) -> Iterator[dict[str, Any]]:
    for row in content.documents.iter_rows(named=True):
        yield {
            "@id": f"mun:version/{row['version_id']}", "@type": "prov:Entity", "name": row["title"] or row["path"],
            "mun:document": row["document_id"], "mun:sha256": row["sha256"], "mun:path": row["path"],
        }  # fmt: skip
    for row in content.entities.iter_rows(named=True):
        yield {
            "@id": f"mun:entity/{row['entity_id']}", "@type": ["prov:Entity", f"mun:{row['entity_type']}"],
            "name": row["name"], "aliases": row["aliases"], "wasGeneratedBy": activity,
        }  # fmt: skip
    quotes = content.evidence.group_by("claim_id", maintain_order=True).agg(pl.col("quote"))
    claims = content.claims.join(quotes, on="claim_id", how="left", maintain_order="left")
    for row in claims.iter_rows(named=True):
        version = f"mun:version/{row['version_id']}"
        yield {
            "@id": f"mun:claim/{row['claim_id']}", "@type": ["prov:Entity", "mun:Claim"],
            "subject": f"mun:entity/{row['subject_id']}" if row["subject_id"] else None,
            "mun:predicate": row["predicate"],
            "object": f"mun:entity/{row['object_id']}" if row["object_id"] else None,
            "mun:value": row["value"], "mun:polarity": row["polarity"], "mun:modality": row["modality"],
            "mun:condition": row["condition_text"], "mun:validFrom": row["valid_from"], "mun:validTo": row["valid_to"],
            "mun:confidence": row["confidence"], "mun:rule": row["rule"], "prov:value": row["quote"],
            "wasQuotedFrom": version, "wasDerivedFrom": version, "wasGeneratedBy": activity,
        }  # fmt: skip


#: Format to writer.
FORMATS: dict[str, Callable[[GraphContent, Path], list[Path]]] = {
    "parquet": _parquet,
    "graphml": _graphml,
    "neo4j": _neo4j,
    "jsonld": _jsonld,
}
