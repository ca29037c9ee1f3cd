"""How resolution, merging, conflicts, Leiden and reports grow: generated claims, a tenth and the whole.

    python benchmarks/graph_scale.py [--claims 100000] [--entities 20000]

Each size runs in a process of its own, so that its peak memory is its own. Names are made of syllables; one in ten
mentions is written in a variant (case, hyphen, legal form), one claim in twenty is functional, one in fifty
conflicts with another document. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
import polars as pl

VIEW = "scale"
SYLLABLES = (
    "ba",
    "cor",
    "del",
    "fen",
    "gra",
    "hol",
    "jus",
    "kel",
    "lum",
    "mor",
    "nev",
    "os",
    "pri",
    "quar",
    "ris",
    "sol",
)
HEADS = ("System", "Service", "Gateway", "Archive", "Platform", "Policy", "Control", "Register", "Board", "Company")


def names(count: int, rng: np.random.Generator) -> list[str]:
    """Different names of two syllable words and a head."""
    made: dict[str, None] = {}
    while len(made) < count:
        parts = rng.integers(0, len(SYLLABLES), 5)
        first = "".join(SYLLABLES[part] for part in parts[:3]).capitalize()
        second = "".join(SYLLABLES[part] for part in parts[3:]).capitalize()
        made[f"{first} {second} {HEADS[int(rng.integers(0, len(HEADS)))]}"] = None
    return list(made)


def written(name: str, kind: int) -> str:
    """A spelling of a name."""
    first, second, head = name.split(" ")
    return {0: name.upper(), 1: f"{first}-{second} {head}", 2: f"the {name}"}.get(kind, name)


def frames(claims: int, entities: int) -> dict[str, pl.DataFrame]:
    """mentions, claims, claim_evidence, extractions and documents as the stage `entities` would make them."""
    from muniment.nlp.names import display, normalise
    from muniment.tables.registry import TABLES

    rng = np.random.default_rng(20261130)
    known = names(entities, rng)
    documents = max(claims // 50, 1)
    subjects = rng.zipf(1.3, claims) % entities
    objects = rng.integers(0, entities, claims)
    homes = rng.integers(0, documents, claims)
    kinds = rng.integers(0, 30, (claims, 2))
    verbs = ("uses", "depend_on", "part_of", "support", "monitor", "owned_by")
    picked = np.where(rng.random(claims) < 0.05, 5, rng.integers(0, 5, claims))
    mentions: list[dict[str, object]] = []
    stated: list[dict[str, object]] = []
    quotes: list[dict[str, object]] = []
    for number in range(claims):
        place = {
            "extraction_id": f"x{homes[number]}", "version_id": f"v{homes[number]}", "document_id": f"d{homes[number]}",
        }  # fmt: skip
        ids = []
        for side, entity in enumerate((subjects[number], objects[number])):
            text = written(known[int(entity)], int(kinds[number, side]))
            start = number * 100 + side * 50
            ids.append(f"m{number}-{side}")
            mentions.append(
                {
                    **place, "mention_id": ids[-1], "start": start, "end": start + len(text), "text": text,
                    "name": normalise(text), "display_name": display(text), "entity_type": "system", "source": "ner",
                    "ordinal": number, "is_subject": False,
                }
            )  # fmt: skip
        predicate = verbs[int(picked[number])]
        stated.append(
            {
                **place, "claim_id": f"c{number}", "statement_id": f"{subjects[number]}|{predicate}|{objects[number]}",
                "rule": "R4", "basis": "rule", "subject_mention_id": ids[0], "predicate": predicate,
                "predicate_raw": predicate, "predicate_text": predicate, "object_mention_id": ids[1],
                "polarity": "positive", "modality": "is", "validity_basis": "unknown", "claim_status": "asserted",
                "confidence": 0.85,
            }
        )  # fmt: skip
        quotes.append(
            {**place, "claim_id": f"c{number}", "start": number * 100, "end": number * 100 + 90, "quote": "q"}
        )
    places = [{"document_id": f"d{number}", "first_scan": 1 + number // 500} for number in range(documents)]
    extractions = [
        {"extraction_id": f"x{number}", "version_id": f"v{number}", "document_id": f"d{number}", "title": None}
        for number in range(documents)
    ]
    return {
        "mentions": TABLES["mentions"].frame(mentions),
        "claims": TABLES["claims"].frame(stated),
        "claim_evidence": TABLES["claim_evidence"].frame(quotes),
        "extractions": TABLES["extractions"].frame(extractions),
        "documents": pl.DataFrame(places),
    }


def measure(claims: int, entities: int) -> dict[str, Any]:
    """Seconds by step, counts, peak memory."""
    from muniment.domain.loading import load_domain
    from muniment.graph.assembly import assemble
    from muniment.graph.communities import detect
    from muniment.graph.reports import extractive_reports
    from muniment.resolution.resolve import resolve
    from muniment.settings import CommunitySettings, DomainSettings, ResolutionSettings

    given = frames(claims, entities)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    seconds: dict[str, float] = {}

    def timed(name: str, call: Any) -> Any:
        begin = time.perf_counter()
        result = call()
        seconds[name] = round(time.perf_counter() - begin, 2)
        return result

    resolved = timed("resolution", lambda: resolve(given["mentions"], given["documents"], VIEW, ResolutionSettings()))
    domain = load_domain(DomainSettings())
    graph, _ = timed(
        "merge and conflicts",
        lambda: assemble(
            given["claims"], given["claim_evidence"], given["mentions"], given["extractions"], resolved, VIEW, domain
        ),
    )
    settings = CommunitySettings()
    found = timed("Leiden", lambda: detect(graph["relationships"], resolved["canonical_entities"], VIEW, settings))
    reports = timed(
        "reports",
        lambda: extractive_reports(
            found["communities"], found["community_members"], graph["relationships"], graph["relationship_claims"],
            given["claims"], given["claim_evidence"], resolved["canonical_entities"], graph["entity_descriptions"],
            graph["conflicts"], graph["conflict_claims"], VIEW, settings,
        ),
    )  # fmt: skip
    return {
        "claims": claims,
        "names": entities,
        "mentions": given["mentions"].height,
        "entities": resolved["canonical_entities"].height,
        "relationships": graph["relationships"].height,
        "conflicts": graph["conflicts"].height,
        "communities": found["communities"].height,
        "reports": reports.height,
        "seconds": seconds,
        "input_mb": base,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    """Run a tenth and the whole, each in its own process, and print how each step grew."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--one", action="store_true", help="only this size, in this process, as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.claims, options.entities)))
        return
    results = []
    for share in (10, 1):
        size = ["--claims", str(options.claims // share), "--entities", str(options.entities // share), "--one"]
        done = subprocess.run([sys.executable, __file__, *size], capture_output=True, text=True, check=True)
        results.append(json.loads(done.stdout))
    small, large = results
    for name in ("claims", "mentions", "entities", "relationships", "conflicts", "communities", "input_mb", "peak_mb"):
        print(f"{name:<22}{small[name]:>12,}{large[name]:>12,}")
    for name, whole in large["seconds"].items():
        tenth = small["seconds"][name]
        print(f"{name:<22}{tenth:>10.2f} s{whole:>10.2f} s   x {whole / max(tenth, 0.01):.1f}")


if __name__ == "__main__":
    main()
