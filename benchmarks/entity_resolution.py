"""Entity resolution on records: pair precision, recall and F1 without training, and what blocking keeps.

    python benchmarks/entity_resolution.py DATA [SET …]

DATA is the folder that holds the gold sets (er_dblp_acm, …), each with records.jsonl and dev.jsonl (true pairs).

A record is given to the functions of the product like this. Its names (the text fields, joined) are blocked by
`resolution.blocking`: rare words, sound, initials, and as neighbours the nearest by TF-IDF of letter triples, instead
of the embedding. Guards come before scores: `resolution.guards.refused` on the name where names are titles (numerals,
digits, opposed words; shops add and drop numbers), an identifier that differs. The score is the mean over the fields
that both records have, by kind: text by cosine of letter triples and rapidfuzz (`resolution.similar`), persons by
compatible names (`resolution.persons`), numbers and identifiers by equality; codes in names (model numbers) count as
much as all the rest. Where records come from two lists without duplicates of their own, a pair must be the best of
both its records, as for the peers' figures beside it.

Nothing is fitted to a set: no label is used. The two thresholds (two lists, one list) were chosen once, looking at the
sets together. DATA holds one half of the true pairs of each set: only those count as found or missed, and precision is
scored over the answers that touch a record of such a pair, for a pair of the other half cannot be told from a false
one. The peers' figures are over all true pairs of the set: near, not the same.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sparse

from muniment.nlp.names import normalise
from muniment.resolution.blocking import candidate_pairs
from muniment.resolution.guards import refused
from muniment.resolution.persons import parse_person
from muniment.resolution.similar import similarity

#: From this score on two records are one thing. In two lists the best-of-both test does most of the work.
THRESHOLD = {"two lists": 0.25, "one list": 0.5}

#: Sparse rows; the library's own types say too little to check against.
Matrix: Any = sparse.csr_matrix

#: Codes in names: words of letters and digits, and long numbers.
_CODE = re.compile(r"(?=\w*\d)(?=\w*[a-z])\w{4,}|\d{4,}")

NEIGHBOURS = 20
MAX_BLOCK = 40

#: Precision, recall, F1 of peers on all true pairs, measured for this project on the same machines.
PEERS = {
    "er_dblp_acm": {"TF-IDF + mutual best, threshold of dev": (0.992, 0.975, 0.983), "Splink": (0.912, 0.978, 0.944),
                    "Splink + mutual best": (0.985, 0.969, 0.977), "dedupe, 300 labels": (0.995, 0.828, 0.904)},
    "er_abt_buy": {"TF-IDF + mutual best, threshold of dev": (0.988, 0.824, 0.899), "Splink": (0.156, 0.660, 0.253),
                   "Splink + mutual best": (0.387, 0.589, 0.467), "dedupe, 300 labels": (0.863, 0.695, 0.770)},
    "er_restaurants": {"TF-IDF + mutual best, threshold of dev": (0.807, 0.989, 0.889), "Splink": (0.787, 0.955, 0.863),
                       "dedupe, 300 labels": (0.752, 0.888, 0.814)},
    "er_febrl_1": {"TF-IDF, threshold of dev": (1.0, 1.0, 1.0), "Splink": (1.0, 0.998, 0.999),
                   "dedupe, 300 labels": (1.0, 0.920, 0.958)},
}  # fmt: skip


@dataclass(frozen=True)
class Set:
    """Which fields of a set are what; `two_lists`: each list holds a thing once; `titles`: digits in names decide."""

    text: tuple[str, ...]
    persons: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    two_lists: bool = True
    titles: bool = False


SETS = {
    "er_dblp_acm": Set(("title",), persons=("authors",), numbers=("year",), titles=True),
    "er_abt_buy": Set(("name", "description")),
    "er_restaurants": Set(("name", "street"), identifiers=("phone_number",)),
    "er_febrl_1": Set(
        ("given_name", "surname", "address_1", "address_2", "suburb"),
        numbers=("street_number", "postcode", "date_of_birth"),
        identifiers=("soc_sec_id",),
        two_lists=False,
    ),
    "er_walmart_amazon": Set(("title", "brand"), identifiers=("modelno",)),
}


def _records(folder: Path) -> pl.DataFrame:
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{key.rpartition("#")[2]: str(value or "") for key, value in json.loads(line).items()} for line in lines]
    return pl.DataFrame(rows).with_row_index("row")


def _truth(folder: Path, place: dict[str, int]) -> set[tuple[int, int]]:
    pairs = [json.loads(line) for line in (folder / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [(place[pair["a"]], place[pair["b"]]) for pair in pairs]
    return {(min(pair), max(pair)) for pair in found}


def tfidf(texts: list[str]) -> Any:
    """Rows of unit length over letter triples, weighted by log(n / documents with the triple)."""
    index: dict[str, int] = {}
    rows, columns = [], []
    for row, text in enumerate(texts):
        padded = f" {text} " if text else ""
        for first in range(len(padded) - 2):
            rows.append(row)
            columns.append(index.setdefault(padded[first : first + 3], len(index)))
    counts = Matrix((np.ones(len(rows)), (rows, columns)), shape=(len(texts), max(len(index), 1)))
    weights = np.log(len(texts) / np.maximum(1, np.diff(counts.tocsc().indptr))) + 1e-9
    counts.data = 1 + np.log(counts.data)
    weighted = counts @ sparse.diags(weights)
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    return Matrix(sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ weighted)


def _nearest(matrix: Any, lists: np.ndarray, *, two: bool) -> pl.DataFrame:
    """Pairs of rows: of each row the `NEIGHBOURS` nearest of another list (of all rows where there is one)."""
    found: set[tuple[int, int]] = set()
    columns = Matrix(matrix.T)
    for first in range(0, matrix.shape[0], 512):
        block = Matrix(matrix[first : first + 512] @ columns)
        for offset in range(block.shape[0]):
            row = first + offset
            start, end = block.indptr[offset], block.indptr[offset + 1]
            others, cosines = block.indices[start:end], block.data[start:end]
            fit = (lists[others] != lists[row]) if two else others != row
            others, cosines = others[fit], cosines[fit]
            for other in others[np.lexsort((others, -cosines))[:NEIGHBOURS]]:
                found.add((min(row, int(other)), max(row, int(other))))
    return pl.DataFrame(sorted(found), schema={"left": pl.Int64, "right": pl.Int64}, orient="row")


def _blocked(names: list[str], lists: np.ndarray, shape: Set, matrix: Any) -> pl.DataFrame:
    """Candidate pairs of rows by the product's keys and by nearness."""
    rows = pl.DataFrame({"row": np.arange(len(names)), "name": names})
    near = _nearest(matrix, lists, two=shape.two_lists)
    pairs = candidate_pairs(rows.select("name").filter(pl.col("name") != ""), MAX_BLOCK)
    keyed = (
        pairs.join(rows.rename({"row": "left"}), on="name")
        .join(rows.rename({"row": "right", "name": "name_right"}), on="name_right")
        .select(pl.min_horizontal("left", "right").alias("left"), pl.max_horizontal("left", "right").alias("right"))
    )
    same = rows.join(rows, on="name").filter((pl.col("row") < pl.col("row_right")) & (pl.col("name") != ""))
    equal = same.select(pl.col("row").alias("left"), pl.col("row_right").alias("right"))
    every = pl.concat([near, keyed, equal]).unique().sort("left", "right")
    left, right = every["left"].to_numpy(), every["right"].to_numpy()
    return every.filter(pl.Series(lists[left] != lists[right])) if shape.two_lists else every


def _cosines(matrix: Any, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    parts = [
        np.asarray(
            matrix[left[first : first + 50_000]].multiply(matrix[right[first : first + 50_000]]).sum(axis=1)
        ).ravel()
        for first in range(0, len(left), 50_000)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _persons_alike(left: str, right: str) -> float:
    """Share of the shorter list of persons that have a compatible name in the other."""
    one, other = (
        [parse_person(normalise(name)) for name in names.split(",") if name.strip()] for names in (left, right)
    )
    shorter, longer = sorted((one, other), key=len)
    fits = [
        any(a.surname == b.surname and (not a.given or not b.given or a.given[0] == b.given[0]) for b in longer)
        for a in shorter
    ]
    return sum(fits) / len(fits)


def _field_scores(
    texts: dict[str, list[str]], left: np.ndarray, right: np.ndarray, score: Callable[[list[str], list[str]], Any]
) -> list[np.ndarray]:
    """Scores of each field, nan where one record has none."""
    found = []
    for values in texts.values():
        column = np.array(values, dtype=object)
        one, other = column[left], column[right]
        both = (one != "") & (other != "")
        scores = np.full(len(left), np.nan)
        scores[both] = score(list(one[both]), list(other[both]))
        found.append(scores)
    return found


def _shared(left: set[str], right: set[str]) -> float:
    """1 with a common code, 0 with none, nan where one has no code."""
    return float(bool(left & right)) if left and right else np.nan


def _equal(left: list[str], right: list[str]) -> np.ndarray:
    return np.array([float(one == other) for one, other in zip(left, right, strict=True)])


def _scores(records: pl.DataFrame, shape: Set, pairs: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """(score, guarded) of candidate pairs."""
    left, right = pairs["left"].to_numpy(), pairs["right"].to_numpy()

    def texts(fields: tuple[str, ...]) -> dict[str, list[str]]:
        return {field: [normalise(value) for value in records[field]] for field in fields}

    named = texts(shape.text)
    fields = []
    for values in named.values():
        cosine = _cosines(tfidf(values), left, right)
        column = np.array(values, dtype=object)
        cosine[(column[left] == "") | (column[right] == "")] = np.nan
        fields.append(cosine)
    first = next(iter(named.values()))
    names = np.array(first, dtype=object)
    fields.append(np.array(similarity(list(names[left]), list(names[right]))))
    whole = [" ".join(parts).strip() for parts in zip(*named.values(), strict=True)]
    fields.append(_cosines(tfidf(whole), left, right))
    fields += _field_scores(
        {field: list(records[field]) for field in shape.persons},
        left,
        right,
        lambda one, other: [_persons_alike(a, b) for a, b in zip(one, other, strict=True)],
    )
    fields += _field_scores(texts(shape.numbers), left, right, _equal)
    identifiers = {
        field: ["".join(filter(str.isalnum, value)) for value in values]
        for field, values in texts(shape.identifiers).items()
    }
    known = _field_scores(identifiers, left, right, _equal)
    codes = [set(_CODE.findall(text.replace("-", "").replace("/", ""))) for text in whole]
    shared = np.array([_shared(codes[one], codes[other]) for one, other in zip(left, right, strict=True)])
    # half of the evidence, where there is any: a code says more than a hundred words
    plain = np.nanmean(np.vstack([*fields, *known]), axis=0)
    score = plain if shape.titles else np.nanmean(np.vstack([plain, plain, shared]), axis=0)
    differ = np.zeros(len(left), dtype=bool)
    for one in known if shape.two_lists else ():
        differ |= one == 0
    return score, differ | _refused(list(names[left]), list(names[right]), titles=shape.titles)


def _refused(left: list[str], right: list[str], *, titles: bool) -> np.ndarray:
    frame = refused(pl.DataFrame({"left": left, "right": right}), "left", "right")
    guards = ["digits_differ", "numerals_differ", "opposed_qualifiers"] if titles else []
    return frame["refusal"].is_in(guards).fill_null(value=False).to_numpy()


def _best_of_both(pairs: pl.DataFrame) -> pl.DataFrame:
    """Pairs that are the best of both records (ties: the smaller row)."""
    best = pairs.sort("score", "left", "right", descending=[True, False, False])
    one = best.unique("left", keep="first", maintain_order=True)
    other = best.unique("right", keep="first", maintain_order=True)
    return one.join(other.select("left", "right"), on=["left", "right"])


def measure(folder: Path, shape: Set) -> dict[str, float]:
    """Figures of one set."""
    started = time.perf_counter()
    records = _records(folder)
    truth = _truth(folder, dict(zip(records["id"], records["row"], strict=True)))
    lists = records["source"].rank("dense").to_numpy()
    names = [normalise(" ".join(parts)) for parts in zip(*(records[field] for field in shape.text), strict=True)]
    pairs = _blocked(names, lists, shape, tfidf(names))
    score, guarded = _scores(records, shape, pairs)
    threshold = THRESHOLD["two lists" if shape.two_lists else "one list"]
    judged = pairs.with_columns(pl.Series("score", score)).filter(~pl.Series(guarded) & (pl.col("score") >= threshold))
    found = _best_of_both(judged) if shape.two_lists else judged
    known = {row for pair in truth for row in pair}
    kept = {
        (left, right) for left, right, _ in found.select("left", "right", "score").iter_rows() if {left, right} & known
    }
    candidates = set(pairs.iter_rows())
    right = len(kept & truth)
    precision, recall = right / max(1, len(kept)), right / len(truth)
    return {
        "records": records.height,
        "pairs": len(truth),
        "candidates": len(candidates),
        "blocked_recall": len(truth & candidates) / len(truth),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(1e-9, precision + recall),
        "seconds": time.perf_counter() - started,
    }


def main() -> None:
    """Print a line a set, and the peers'."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, help="folder that holds gold/")
    parser.add_argument("sets", nargs="*", default=list(SETS), help=f"of {', '.join(SETS)}; default: all")
    options = parser.parse_args()
    for name in options.sets:
        row = measure(options.data / "gold" / name, SETS[name])
        print(
            f"{name}: {row['records']} records, {row['candidates']:,} candidates, blocked recall "
            f"{row['blocked_recall']:.3f}; P {row['precision']:.3f} R {row['recall']:.3f} F1 {row['f1']:.3f}; "
            f"{row['seconds']:.1f} s",
            flush=True,
        )
        for peer, (precision, recall, f1) in PEERS.get(name, {}).items():
            print(f"    {peer}: P {precision:.3f} R {recall:.3f} F1 {f1:.3f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
