"""Facts of essays that the claims keep, by two judges without a language model. Used by relations.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from relation_reading import Record, ratio, read, records

from muniment.index.embedder import open_embedder
from muniment.settings import Settings

#: Cosines of fact and claim from which the embedding judge takes a fact as kept.
COSINES = (0.7, 0.8, 0.9)

_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "been", "being", "by", "can", "do", "does", "for", "from", "had"),
        *("has", "have", "in", "into", "is", "it", "its", "like", "may", "more", "most", "of", "on", "or", "other"),
        *("such", "than", "that", "the", "their", "them", "they", "this", "through", "to", "was", "were", "which"),
        *("while", "who", "will", "with"),
    }
)


def mine(data: Path, limit: int, settings: Settings, misses: bool) -> list[str]:
    """Facts of essays kept by the claims, by two judges."""
    chosen = records(data, "mine", limit)
    claims, _ = read({item["id"]: item["text"].strip("`") for item in chosen}, settings)
    kept = claims.filter(pl.col("rule") != "R12")
    said = {item["id"]: kept.filter(document_id=item["id"]).to_dicts() for item in chosen}
    sentences = {key: [_sentence(row) for row in rows] for key, rows in said.items()}
    facts = [(item["id"], fact) for item in chosen for fact in item["facts"]]
    embed: Callable[[list[str]], np.ndarray] = open_embedder(settings.index.embedder).embed
    vectors = {key: embed(lines) for key, lines in sentences.items() if lines}
    wanted = embed([fact for _, fact in facts])
    following = dict(zip(list(said), [*list(said)[1:], next(iter(said))], strict=True))
    own = np.array([_best(vectors.get(key), wanted[place]) for place, (key, _) in enumerate(facts)])
    control = np.array([_best(vectors.get(following[key]), wanted[place]) for place, (key, _) in enumerate(facts)])
    strings = [_covered(fact, said[key]) for key, fact in facts]
    strange = [_covered(fact, said[following[key]]) for key, fact in facts]
    if misses:
        lost = [fact for (_, fact), is_kept in zip(facts, strings, strict=True) if not is_kept]
        print("\n".join(f"    lost {fact}" for fact in lost[:40]))
    lines = [
        f"mine: {len(chosen)} essays, {len(facts)} facts, {kept.height} claims",
        f"  string judge               {ratio(sum(strings), len(facts)):.3f} kept "
        f"(by another essay's claims {ratio(sum(strange), len(facts)):.3f})",
    ]
    return lines + [
        f"  embedding judge, cosine {limit:.1f} {(own >= limit).mean():.3f} kept "
        f"(by another essay's claims {(control >= limit).mean():.3f})"
        for limit in COSINES
    ]


def _sentence(row: Record) -> str:
    parts = (row["subject"], row["predicate_text"], row["object"] or row["value"], row["condition_text"])
    return " ".join(" ".join(part.split()) for part in parts if part)


def _best(vectors: np.ndarray | None, wanted: np.ndarray) -> float:
    return 0.0 if vectors is None else float((vectors @ wanted).max())


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.lower()) if word not in _STOP}


def _covered(fact: str, rows: Sequence[Record]) -> bool:
    """Whether one claim, or two that share an end, hold 60 % of the fact's stems."""
    wanted = _stems(fact)
    stems = [
        (_stems(_sentence(row)) & wanted, {row["subject_mention_id"], row["object_mention_id"]} - {None})
        for row in rows
    ]
    useful = [item for item in stems if item[0]]
    need = 0.6 * len(wanted)
    return any(
        len(left[0] | right[0]) >= need
        for place, left in enumerate(useful)
        for right in useful[place:]
        if left[1] & right[1]
    )
