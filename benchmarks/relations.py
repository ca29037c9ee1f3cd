"""Relations against gold: what the rules find and the shipped schema names, on four public sets.

Usage: python benchmarks/relations.py DATA [--set NAME] [--limit N] [--misses]
DATA is a folder with gold/<set>/dev.jsonl and files/. Every set is sampled evenly to N records (default 60).

- normative_relations: PEPs and EIPs are ingested as files. A link (requires, replaces; superseded_by is replaces turned
  round) is recovered where a claim of the document with that relation has the two numbers, as mention or as the
  value of a field of the document itself; a status where a claim `status` has the word. `fields` is what the schema
  reads of the metadata that extraction found, whether or not a claim has a subject for it.
- re_docred: entities by overlap of spans. `pairs`: two gold entities with any claim between them (co-occurrence, R12,
  apart) against pairs with any gold relation. `typed`: claims of a relation that RE_DOCRED maps to Wikidata properties,
  in the right direction, against the gold triples with these properties.
- edc_webnlg: ends by head match (same last word, one name within the other, or the same number). `pairs` and `typed`
  as above, with WEBNLG as mapping; precision of pairs is over claims that are no bare preposition between nouns.
- mine: a fact is kept by the string judge where one claim, or two that share an end, hold 60 % of its content words
  (five-letter stems); by the embedding judge where the cosine of the product's embedder to one claim as a sentence
  reaches .7, .8 or .9. The same facts against the claims of another essay show what either judge lets through. No
  language model judges, so figures compare with each other only, not with those of the benchmark's paper.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from relation_facts import mine
from relation_pairs import docred, webnlg
from relation_specs import normative

from muniment.settings import Settings, load_settings

SETS: dict[str, Callable[[Path, int, Settings, bool], list[str]]] = {
    "normative_relations": normative,
    "re_docred": docred,
    "edc_webnlg": webnlg,
    "mine": mine,
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Relations against gold.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", choices=sorted(SETS), action="append", help="default: all")
    parser.add_argument("--limit", type=int, default=60, help="records of a set")
    parser.add_argument("--misses", action="store_true", help="also list what was not found")
    chosen = parser.parse_args()
    settings = load_settings({})
    for name in chosen.set or SETS:
        print("\n".join(SETS[name](chosen.data, chosen.limit, settings, chosen.misses)), flush=True)


if __name__ == "__main__":
    main()
