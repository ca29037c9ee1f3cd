"""Named entities against gold spans: the bare pipeline, our mentions without the schema's patterns, and all of them.

Usage: python benchmarks/entities_ner.py DATA [--sample N] [--sets NAME ...] [--errors N]
DATA holds gold/ner_crossner_ai, ner_crossner_politics, ner_crossner_science, ner_re3d and ner_wnut17 (dev.jsonl:
tokens, and spans as [first, last, label]). A sentence is a document of its own, its tokens joined by blanks, read by
the stages `annotations` and `entities` of the product. `--sample` takes the N sentences of each set whose ids have
the smallest hash.

Scored is the exact span in code points, leading articles apart (in gold and prediction alike). Typed: a gold span
counts if its label is mapped (MAPPED), a prediction if its type, or a broader one of the schema, is a mapped type of
the set; it is right where the gold label allows its type. Span only: every gold span against every name, whatever
its type (a mention of the recogniser or a pattern, or a noun phrase with a capital; values where the set has such).
`overlap` counts a prediction that shares a character with a gold span of its type as right. Micro averages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from muniment.claims.stage import extract_entities
from muniment.domain.loading import load_domain
from muniment.domain.model import DomainSchema
from muniment.nlp.names import strip_span
from muniment.nlp.stage import annotate
from muniment.settings import Settings, load_settings
from muniment.tables.registry import TABLES
from muniment.workers.pool import WorkPool, open_pool

PERSON, PLACE, EVENT = frozenset({"person"}), frozenset({"place"}), frozenset({"event"})
ORGANISATION = frozenset({"organisation"})
GROUPS = frozenset({"organisation", "group"})
PRODUCT = frozenset({"product", "system"})

#: For each set what types of the schema a gold label allows; labels that are absent have no type to compare with.
MAPPED: dict[str, dict[str, frozenset[str]]] = {
    "ner_crossner_ai": {
        "researcher": PERSON,
        "person": PERSON,
        "organisation": ORGANISATION,
        "university": ORGANISATION,
        "country": PLACE,
        "location": PLACE,
        "conference": EVENT,
        "product": PRODUCT,
    },
    "ner_crossner_politics": {
        "politician": PERSON,
        "person": PERSON,
        "organisation": ORGANISATION,
        "politicalparty": GROUPS,
        "country": PLACE,
        "location": PLACE,
        "event": EVENT,
        "election": EVENT,
    },
    "ner_crossner_science": {
        "scientist": PERSON,
        "person": PERSON,
        "organisation": ORGANISATION,
        "university": ORGANISATION,
        "country": PLACE,
        "location": PLACE,
        "event": EVENT,
    },
    "ner_re3d": {
        "Person": PERSON,
        "Organisation": GROUPS,
        "Location": PLACE,
        "Nationality": frozenset({"group"}),
        "Temporal": frozenset({"date"}),
        "Quantity": frozenset({"quantity", "percent"}),
        "Money": frozenset({"money"}),
    },
    "ner_wnut17": {
        "person": PERSON,
        "location": PLACE,
        "corporation": ORGANISATION,
        "group": GROUPS,
        "product": PRODUCT,
        "creative-work": PRODUCT,
    },
}
Span = tuple[int, int, str]


@dataclass(frozen=True)
class Example:
    """A sentence with its gold spans in code points."""

    id: str
    text: str
    gold: tuple[Span, ...]


@dataclass
class Score:
    """Counts of one comparison."""

    right: int = 0
    overlapping: int = 0
    predicted: int = 0
    gold: int = 0
    gold_overlapped: int = 0

    def line(self) -> str:
        """P, R, F1 of exact spans, and F1 of overlapping ones, in per cent."""
        exact = _f1(self.right, self.predicted, self.right, self.gold)
        overlap = _f1(self.overlapping, self.predicted, self.gold_overlapped, self.gold)
        return f"P {exact[0]:5.1f} R {exact[1]:5.1f} F1 {exact[2]:5.1f} (overlap {overlap[2]:5.1f})"


def _f1(right: int, predicted: int, found: int, gold: int) -> tuple[float, float, float]:
    precision = 100 * right / predicted if predicted else 0.0
    recall = 100 * found / gold if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def examples(folder: Path, sample: int | None) -> list[Example]:
    """The set's sentences, or the `sample` with the smallest hashes of their ids; sorted by id."""
    rows = [json.loads(line) for line in (folder / "dev.jsonl").read_text("utf-8").splitlines()]
    rows.sort(key=lambda row: hashlib.sha256(row["id"].encode()).hexdigest())
    return sorted((_example(row) for row in rows[:sample]), key=lambda item: item.id)


def _example(row: dict[str, Any]) -> Example:
    starts, position = [], 0
    for token in row["tokens"]:
        starts.append(position)
        position += len(token) + 1
    text = " ".join(row["tokens"])
    spans = [
        (starts[first], starts[last - 1] + len(row["tokens"][last - 1]), label) for first, last, label in row["spans"]
    ]
    return Example(row["id"], text, tuple(_bare(text, *span) for span in spans))


def _bare(text: str, start: int, end: int, label: str) -> Span:
    first, last = strip_span(text[start:end])
    return (start + first, start + last, label) if last > first else (start, end, label)


def frames(items: Iterable[Example]) -> dict[str, pl.DataFrame]:
    """A document a sentence."""
    rows: dict[str, list[dict[str, object]]] = {"extractions": [], "canonical_texts": [], "elements": []}
    for number, item in enumerate(items):
        ids = {"extraction_id": f"x{number:05}", "version_id": f"v{number:05}"}
        rows["extractions"].append(
            {
                **ids, "document_id": f"d{number:05}", "doc_type": "text", "reader": "benchmark", "reader_version": "1",
                "config_digest": "", "canonical_sha256": "", "characters": len(item.text), "elements": 1,
                "title_basis": "none", "validity_status": "unverified", "language": "en", "language_basis": "explicit",
            }
        )  # fmt: skip
        rows["canonical_texts"].append({**ids, "text": item.text})
        rows["elements"].append(
            {
                **ids, "element_id": f"e{number:05}", "ordinal": 0, "kind": "paragraph", "start": 0,
                "end": len(item.text), "section_path": [], "hidden": False, "attributes": "{}",
            }
        )  # fmt: skip
    return {name: TABLES[name].frame(content) for name, content in rows.items()}


def bare_entities(items: list[Example], settings: Settings) -> dict[int, list[Span]]:
    """What spaCy finds by itself: no protected spans, no cues; values and all."""
    from muniment.nlp import pipelines

    schema = load_domain(settings.domain)
    types = {label: item.name for item in schema.types.values() for label in item.labels}
    chosen = pipelines.resolve("en", settings.nlp)
    if chosen is None:
        raise SystemExit("no English pipeline is installed: name one in nlp.pipelines")
    docs = pipelines.load(chosen.package).pipe([item.text for item in items])
    return {
        number: [
            _bare(items[number].text, span.start_char, span.end_char, types.get(span.label_, "concept"))
            for span in doc.ents
        ]
        for number, doc in enumerate(docs)
    }


def mention_spans(
    local: dict[str, pl.DataFrame], annotations: pl.DataFrame, schema: DomainSchema, settings: Settings, pool: WorkPool
) -> dict[int, list[Span]]:
    """Names among the mentions of the stage `entities`, as (start, end, type)."""
    mentions = extract_entities(
        local["extractions"],
        local["canonical_texts"],
        local["elements"],
        annotations,
        TABLES["extracted_metadata"].empty(),
        TABLES["document_tables"].empty(),
        TABLES["table_cells"].empty(),
        settings.entities,
        schema,
        pool,
    ).tables["mentions"]
    named = mentions.filter((pl.col("source") != "noun_phrase") | pl.col("text").str.contains(r"\p{Lu}"))
    found: dict[int, list[Span]] = {}
    for extraction_id, start, end, kind in named.select("extraction_id", "start", "end", "entity_type").iter_rows():
        found.setdefault(int(extraction_id[1:]), []).append((start, end, kind))
    return found


def score(
    items: list[Example], predicted: dict[int, list[Span]], allowed: dict[str, frozenset[str]], schema: DomainSchema
) -> tuple[Score, Score]:
    """(typed, span only) over all sentences."""
    wanted = frozenset().union(*allowed.values())
    typed, plain = Score(), Score()
    for number, item in enumerate(items):
        spans = [(start, end, _mapped(kind, wanted, schema)) for start, end, kind in predicted.get(number, [])]
        _count(
            typed,
            [span for span in item.gold if span[2] in allowed],
            [span for span in spans if span[2] in wanted],
            allowed,
        )
        names = [span for span in spans if span[2] not in schema.value_types or span[2] in wanted]
        _count(plain, list(item.gold), names, None)
    return typed, plain


def _mapped(kind: str, wanted: frozenset[str], schema: DomainSchema) -> str:
    """The type, or the nearest broader one that the set asks for."""
    current: str | None = kind
    while current is not None and current not in wanted:
        current = schema.types[current].parent if current in schema.types else None
    return current or kind


def _count(score: Score, gold: list[Span], spans: list[Span], allowed: dict[str, frozenset[str]] | None) -> None:
    def fits(span: Span, other: Span) -> bool:
        return allowed is None or span[2] in allowed[other[2]]

    score.gold += len(gold)
    score.predicted += len(spans)
    places = {other[:2]: other for other in gold}
    score.right += sum(span[:2] in places and fits(span, places[span[:2]]) for span in spans)
    score.overlapping += sum(any(_overlap(span, other) and fits(span, other) for other in gold) for span in spans)
    score.gold_overlapped += sum(any(_overlap(span, other) and fits(span, other) for span in spans) for other in gold)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def print_errors(items: list[Example], predicted: dict[int, list[Span]], allowed: dict[str, Any], limit: int) -> None:
    """Kinds of fault: spans by how gold and prediction differ, with the first `limit` of each kind."""
    kinds: Counter[str] = Counter()
    shown: list[str] = []
    for number, item in enumerate(items):
        spans = predicted.get(number, [])
        for start, end, label in item.gold:
            if label not in allowed:
                continue
            near = [span for span in spans if span[0] < end and start < span[1]]
            if any(span[:2] == (start, end) and span[2] in allowed[label] for span in near):
                continue
            if not near:
                kind = "missed"
            elif any(span[:2] == (start, end) for span in near):
                kind = "type"
            else:
                kind = "span"
            kinds[kind] += 1
            if kinds[kind] <= limit:
                written = [f"{item.text[span[0] : span[1]]} [{span[2]}]" for span in near]
                shown.append(f"    {kind}: {item.text[start:end]} [{label}] <- {written}")
    print("    " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    print("\n".join(sorted(shown)))


def main() -> None:
    """Run over the sets and print a block a set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sample", type=int, default=None)
    parser.add_argument("--sets", nargs="+", default=sorted(MAPPED), choices=sorted(MAPPED))
    parser.add_argument("--errors", type=int, default=0)
    options = parser.parse_args()
    settings = load_settings({})
    schema = load_domain(settings.domain)
    plain = schema.model_copy(update={"patterns": {}})
    with open_pool(0) as pool:
        for name in options.sets:
            items = examples(options.data / "gold" / name, options.sample)
            local = frames(items)
            bare = bare_entities(items, settings)
            began = time.perf_counter()
            annotations = annotate(
                local["extractions"], local["canonical_texts"], local["elements"], settings.nlp, pool
            ).tables["annotations"]
            read = time.perf_counter()
            ours = mention_spans(local, annotations, schema, settings, pool)
            done = time.perf_counter()
            without = mention_spans(local, annotations, plain, settings, pool) if schema.patterns else ours
            print(
                f"{name}: {len(items)} sentences, annotations {len(items) / (read - began):.0f}/s, "
                f"entities {len(items) / (done - read):.0f}/s"
            )
            for label, spans in (("spaCy alone", bare), ("without patterns", without), ("mentions", ours)):
                typed, untyped = score(items, spans, MAPPED[name], schema)
                print(f"  {label:<17} typed {typed.line()}  span {untyped.line()}")
            if options.errors:
                print_errors(items, ours, MAPPED[name], options.errors)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
