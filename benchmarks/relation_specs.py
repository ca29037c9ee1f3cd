"""Links and statuses of PEPs and EIPs, ingested as files. Used by relations.py."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from shutil import copyfile

import polars as pl
from relation_maps import Triple
from relation_reading import records, scored, with_ends

from muniment.domain.loading import load_domain
from muniment.domain.predicates import predicates_of
from muniment.home import Home
from muniment.intake.batches import planned_batches
from muniment.intake.scan import scan
from muniment.intake.sources import declare_source
from muniment.nlp.names import normalise
from muniment.processing.batch import process_batch
from muniment.processing.context import run_context, utc_now
from muniment.settings import Settings, load_settings
from muniment.store.current import warehouse_folder
from muniment.store.warehouse import Warehouse

_SPECIFICATION = re.compile(r"\b(PEP|EIP|ERC)[ -]?0*(\d+)\b", re.IGNORECASE)


def normative(data: Path, limit: int, settings: Settings, misses: bool) -> list[str]:
    """Links and statuses of PEPs and EIPs; half of the sample are documents with a link."""
    every = records(data, "normative_relations", 10_000)
    there = [item for item in every if (data / "files" / item["file"]).is_file()]
    linked = [item for item in there if item["relations"]]
    chosen = {
        item["id"]: item
        for item in [*linked[:: max(1, 2 * len(linked) // limit)], *there[:: max(1, 2 * len(there) // limit)]]
    }
    gold = {_link(*relation) for item in chosen.values() for relation in item["relations"]}
    statuses = {(key, item["status"].lower()) for key, item in chosen.items()}
    with tempfile.TemporaryDirectory() as folder:
        corpus, home = Path(folder) / "corpus", Path(folder) / "home"
        corpus.mkdir()
        for key, item in chosen.items():
            copyfile(data / "files" / item["file"], corpus / f"{key}{Path(item['file']).suffix}")
        claims, stated = _processed(corpus, home)
    links, states = _stated_claims(claims)
    fields = _stated_fields(stated, settings)
    if misses:
        print("\n".join(f"    missed {link}" for link in sorted(gold - links - fields[0])[:20]))
    return [
        f"normative_relations: {len(chosen)} documents of {len(every)} ({len(every) - len(there)} files not at hand)",
        scored("links as claims", links, gold),
        scored("links as claims or fields", links | fields[0], gold),
        scored("statuses as claims", states, statuses),
        scored("statuses as claims or fields", states | fields[1], statuses),
    ]


def _processed(corpus: Path, folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Claims with ends and the document's name, and metadata with it, after the local stages; nothing is published."""
    home = Home(folder)
    home.create()
    settings = load_settings({"home": folder})
    warehouse = Warehouse.create(warehouse_folder(home))
    try:
        source = declare_source(warehouse, "specifications", corpus, None, utc_now())
        with run_context(home, settings, warehouse, "benchmark") as context:
            scan(source, warehouse, context.originals, settings.intake, utc_now())
            for batch in planned_batches(warehouse.latest()):
                process_batch(context, batch)
        rows = warehouse.latest()
        names = rows.table("captures").select(
            "version_id", pl.col("path").str.extract(r"([^/]+)\.\w+$").alias("document")
        )
        claims = with_ends(rows.table("claims"), rows.table("mentions"))
        return claims.join(names, on="version_id"), rows.table("extracted_metadata").join(names, on="version_id")
    finally:
        warehouse.close()


def _link(subject: str, relation: str, target: str) -> Triple:
    return (target, "replaces", subject) if relation == "superseded_by" else (subject, relation, target)


def _numbers(words: str | None, document: str, *, bare: bool) -> list[str]:
    """Specifications that words name: PEP 236; in a field also 236 alone, of the document's own series."""
    found = [
        f"{series.upper().replace('ERC', 'EIP')}-{number}" for series, number in _SPECIFICATION.findall(words or "")
    ]
    if found or not bare:
        return found
    return [f"{document.partition('-')[0]}-{int(number)}" for number in re.findall(r"\d+", words or "")]


def _stated_claims(claims: pl.DataFrame) -> tuple[set[Triple], set[tuple[str, str]]]:
    links: set[Triple] = set()
    states = set()
    for row in claims.filter(pl.col("polarity") == "positive").iter_rows(named=True):
        document, own = row["document"], row["rule"] in ("M", "T")
        if row["predicate"] == "status":
            states.add((document, normalise(row["value"] or "")))
        if row["predicate"] not in ("requires", "depends_on", "replaces", "replaced_by"):
            continue
        subjects = _numbers(row["subject"], document, bare=False) or [document]
        targets = _numbers(row["object"] or row["value"], document, bare=own)
        relation = {"depends_on": "requires", "replaced_by": "superseded_by"}.get(row["predicate"], row["predicate"])
        links.update(_link(one, relation, other) for one in subjects for other in targets if one != other)
    return links, states


def _stated_fields(stated: pl.DataFrame, settings: Settings) -> tuple[set[Triple], set[tuple[str, str]]]:
    """What the schema makes of metadata fields of the document itself."""
    lookup = predicates_of(load_domain(settings.domain))
    links: set[Triple] = set()
    states = set()
    for row in stated.iter_rows(named=True):
        predicate = lookup.of_field(row["field"])
        if predicate is not None and predicate.name == "status":
            states.add((row["document"], normalise(row["value"])))
        if predicate is not None and predicate.name in ("requires", "depends_on", "replaces"):
            relation = "superseded_by" if predicate.inverse else predicate.name.replace("depends_on", "requires")
            targets = _numbers(row["value"], row["document"], bare=True)
            links.update(_link(row["document"], relation, target) for target in targets)
    return links, states
