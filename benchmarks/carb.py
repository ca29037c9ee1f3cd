"""Open information extraction on CaRB by rules alone: precision, recall, F1 and AUC, in whole and by rule.

Usage: python benchmarks/carb.py DATA [--limit NUMBER] [--jobs NUMBER] [--show NUMBER]
DATA is the folder that holds gold/carb/dev.jsonl (sentences with `facts`, each with `alternatives`: subject,
relation, arguments). Sentences go through the stage `annotations` and the product's rules; `carb_tuples` says how
their clauses are rendered as tuples, `carb_score` how they are scored. Figures of other systems beside it are
CaRB's own, on its test part. Times are CPU seconds of this process, of the parser and of the rules.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import carb_tuples
from carb_score import Extraction, Score, match, paired, score

from muniment.nlp.convert import row_sentence
from muniment.nlp.model import Sentence
from muniment.nlp.stage import annotate
from muniment.settings import NlpSettings
from muniment.tables.registry import TABLES
from muniment.workers.pool import open_pool

#: F1 of other systems on CaRB's test part (Bhardwaj et al. 2019, table 3).
PUBLISHED = {"OpenIE4": 0.488, "OpenIE5": 0.467, "ClausIE": 0.450, "PropS": 0.319}


def load(data: Path, limit: int | None) -> tuple[list[str], list[list[Extraction]]]:
    """Sentences and their gold tuples; of a fact with several wordings the first."""
    path = data / "gold" / "carb" / "dev.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()][:limit]
    return [row["text"] for row in rows], [[_gold(*fact["alternatives"][0]) for fact in row["facts"]] for row in rows]


def _gold(subject: str, relation: str, *arguments: str) -> Extraction:
    return Extraction(relation, (subject, *arguments))


def read(texts: list[str], jobs: int) -> list[list[Sentence]]:
    """Sentences as the stage `annotations` reads them: each text is a document of one paragraph."""
    rows: dict[str, list[dict[str, Any]]] = {"extractions": [], "canonical_texts": [], "elements": []}
    for number, text in enumerate(texts):
        own = {"version_id": f"v{number:05}", "extraction_id": f"x{number:05}"}
        rows["extractions"].append(own | {"document_id": f"d{number}", "language": "en"})
        rows["canonical_texts"].append(own | {"text": text})
        rows["elements"].append(own | {"kind": "paragraph", "start": 0, "end": len(text)})
    extractions, canonical_texts, elements = (TABLES[name].frame(found) for name, found in rows.items())
    with open_pool(jobs) as pool:
        output = annotate(extractions, canonical_texts, elements, NlpSettings(), pool)
    found: list[list[Sentence]] = [[] for _ in texts]
    for row in output.tables["annotations"].sort("extraction_id", "ordinal").iter_rows(named=True):
        number = int(row["extraction_id"][1:])
        found[number].append(row_sentence(row, texts[number]))
    return found


def by_rule(gold: list[list[Extraction]], predicted: list[list[Extraction]]) -> dict[str, tuple[int, float, float]]:
    """Tuples of each rule, their mean word precision once paired with gold, and the gold recall lost without them."""
    numbers: dict[str, int] = defaultdict(int)
    hits: dict[str, float] = defaultdict(float)
    lost: dict[str, float] = defaultdict(float)
    facts = sum(map(len, gold))
    for sentence, items in zip(gold, predicted, strict=True):
        table = [[match(fact, item) for item in items] for fact in sentence]
        for column, precision in paired(table, range(len(items))).items():
            hits[items[column].rule] += precision
        for item in items:
            numbers[item.rule] += 1
        for row in table:
            best = max((recall for _, recall in row), default=0.0)
            for rule in {item.rule for item in items}:
                others = [recall for (_, recall), item in zip(row, items, strict=True) if item.rule != rule]
                lost[rule] += best - max(others, default=0.0)
    return {rule: (numbers[rule], hits[rule] / numbers[rule], lost[rule] / facts) for rule in sorted(numbers)}


def report(name: str, found: Score, number: int) -> str:
    """One line of the table."""
    return (
        f"{name:34}{number:>6} tuples  P {found.precision:.3f}  R {found.recall:.3f}  F1 {found.f1:.3f}  "
        f"AUC {found.auc:.3f}  (confidence >= {found.threshold:.2f})"
    )


def main() -> None:
    """Read, extract, score, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--jobs", type=int, default=0, help="processes of the parser; 0: in this one")
    parser.add_argument("--show", type=int, default=0, help="print this many sentences with gold and tuples")
    options = parser.parse_args()
    texts, gold = load(options.data, options.limit)
    started = time.process_time()
    sentences = read(texts, options.jobs)
    parsed = time.process_time()
    predicted = [[item for sentence in each for item in carb_tuples.tuples(sentence)] for each in sentences]
    done = time.process_time()
    print(f"CaRB dev: {len(texts)} sentences, {sum(map(len, gold))} gold tuples; rules alone, no training")
    print(carb_tuples.__doc__)
    for name, kept in (
        ("clauses and appositions", [[item for item in items if item.rule != "R9"] for items in predicted]),
        ("possessives (R9) too", predicted),
    ):
        print(report(name, score(gold, kept), sum(map(len, kept))))
    print("published, test part:             ", "  ".join(f"{name} F1 {f1:.3f}" for name, f1 in PUBLISHED.items()))
    print("\nrule   tuples  precision  recall lost without it")
    for rule, (number, precision, recall) in by_rule(gold, predicted).items():
        print(f"{rule:6} {number:6}  {precision:9.3f}  {recall:8.3f}")
    if not options.jobs:
        print(f"\nCPU s: parser {parsed - started:.2f} ({len(texts) / (parsed - started):.0f} sentences/s), ", end="")
        print(f"rules {done - parsed:.2f} ({len(texts) / (done - parsed):.0f} sentences/s)")
    for text, facts, items in list(zip(texts, gold, predicted, strict=True))[: options.show]:
        print("\n" + text)
        for fact in facts:
            print("  gold  ", " | ".join([fact.arguments[0], fact.relation, *fact.arguments[1:]]))
        for item in items:
            print(f"  {item.rule:5}", " | ".join([item.arguments[0], item.relation, *item.arguments[1:]]))


if __name__ == "__main__":
    main()
