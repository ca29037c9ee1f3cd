"""Entities merged across documents: B-cubed on the gold entity mentions of ECB+.

    python benchmarks/ecb_plus.py DATA

DATA holds ecb_plus/dev.jsonl. Gold spans are given to `resolve` as mentions (HUM… as person where the name parses as
one and organisation for the group types, LOC as place, other things untyped; TIM are values and left out); chains are
the answer. Pronouns and common nouns ("the actor", "he") are in the gold, and nothing in resolution by names guesses
them; so figures are given for all mentions, for those with a capital letter, and beside two baselines: every mention
alone, and equal normalised names together. B-cubed: Bagga and Baldwin 1998. Chains span a topic's documents only, but
all topics are resolved at once, as a corpus is.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from muniment.nlp.names import display, normalise
from muniment.resolution.resolve import resolve
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES

_TYPES = {"HUM_PART_ORG": "organisation", "HUM_PART_GPE": "organisation", "HUM_PART_MEDIA": "organisation"}


def entity_type(kind: str, text: str) -> str:
    """Type as a tagger would give it; only by the gold's coarse type and the capital letter."""
    if not any(char.isupper() for char in text):
        return "concept"
    if kind.startswith("LOC"):
        return "place"
    if kind.startswith("HUM"):
        return _TYPES.get(kind, "person")
    return "concept"


def read(path: Path) -> tuple[pl.DataFrame, dict[str, str], set[str]]:
    """(rows of mentions, chain of each mention, mentions with a capital letter)."""
    rows: list[dict[str, Any]] = []
    chains: dict[str, str] = {}
    named: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        for place, mention in enumerate(document["mentions"]):
            if mention["kind"] != "entity" or mention["type"].startswith("TIM"):
                continue
            mention_id = f"{document['id']}:{place}"
            text = mention["text"]
            chains[mention_id] = mention["chain"]
            if any(char.isupper() for char in text):
                named.add(mention_id)
            rows.append(
                {
                    "mention_id": mention_id, "extraction_id": document["id"], "version_id": document["id"],
                    "document_id": document["id"], "start": int(mention["sent"]) * 1000 + mention["tokens"][0],
                    "end": int(mention["sent"]) * 1000 + mention["tokens"][-1] + 1, "text": text,
                    "name": normalise(text), "display_name": display(text),
                    "entity_type": entity_type(mention["type"], text), "source": "ner", "is_subject": False,
                }
            )  # fmt: skip
    return TABLES["mentions"].frame(rows), chains, named


def b_cubed(answer: Mapping[str, str], gold: Mapping[str, str]) -> tuple[float, float, float]:
    """(precision, recall, F1): the mean over mentions of the share of its group that is of its chain, and back."""
    shared = Counter((answer[mention], gold[mention]) for mention in gold)
    answered, chained = Counter(answer[mention] for mention in gold), Counter(gold.values())
    precision = sum(shared[answer[m], gold[m]] / answered[answer[m]] for m in gold) / len(gold)
    recall = sum(shared[answer[m], gold[m]] / chained[gold[m]] for m in gold) / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall)


def wrong_merges(answer: Mapping[str, str], gold: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Names of groups with mentions of several chains, largest first."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for mention, chain in gold.items():
        groups[answer[mention]][f"{names[mention]} [{chain}]"] += 1
    mixed = [group for group in groups.values() if len({label.rpartition("[")[2] for label in group}) > 1]
    mixed.sort(key=lambda group: (-sum(group.values()), sorted(group)))
    return ["; ".join(f"{label} x{count}" for label, count in group.most_common(4)) for group in mixed]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, help="folder that holds gold/")
    parser.add_argument("--wrong", action="store_true", help="list merges of different chains")
    options = parser.parse_args()
    mentions, chains, named = read(options.data / "gold" / "ecb_plus" / "dev.jsonl")
    order = mentions["document_id"].unique().sort()
    documents = pl.DataFrame({"document_id": order, "first_scan": range(1, len(order) + 1)})
    started = time.perf_counter()
    frames = resolve(mentions, documents, "operator", ResolutionSettings())
    seconds = time.perf_counter() - started
    names = dict(mentions.select("mention_id", "name").iter_rows())
    answers = {
        "resolution": dict(frames["entity_mentions"].select("mention_id", "entity_id").iter_rows()),
        "equal names": names,
        "each alone": {mention: mention for mention in chains},
    }
    print(f"{len(chains)} mentions of {len(order)} documents, {len(named)} with a capital letter; {seconds:.2f} s")
    for label, answer in answers.items():
        for part, chosen in (("all", chains), ("named", {m: chain for m, chain in chains.items() if m in named})):
            precision, recall, f1 = b_cubed(answer, chosen)
            print(f"{label:12} {part:6} B-cubed P {precision:.3f} R {recall:.3f} F1 {f1:.3f}")
    if options.wrong:
        gold = {m: chain for m, chain in chains.items() if m in named}
        print("\n".join(wrong_merges(answers["resolution"], gold, names)[:25]))


if __name__ == "__main__":
    main()
