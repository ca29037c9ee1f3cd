"""The scoring method of CaRB (Bhardwaj, Aggarwal, Mausam: CaRB, EMNLP 2019, section 4), written anew.

A tuple is (subject, relation, arguments …), each slot a text of words parted by blanks, case kept. Two tuples are
compared slot by slot as bags of words: subject, relation, and the other arguments joined into one slot. Word
precision is the share of the prediction's words that the gold tuple has in the same slot, word recall the share of
the gold tuple's words found. Without a common word in the relation (a predicted `be` stands for any form of it), or
where the prediction has no second argument though gold has one, both are 0. For a gold relation that holds
said, told, added, adds or says the prediction is compared with its arguments changed round too.

In a sentence precision pairs predictions and gold tuples one to one, taking the pair of highest word precision
first; a prediction without a partner has precision 0. Recall takes for each gold tuple the best prediction, as often
as it likes. Sums over all sentences, at each distinct confidence as threshold, give the curve; the figure quoted is
the point of highest F1, and AUC is the trapezoid area of the curve with the point (recall 0, precision 1) added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_BE = ("be", "is", "am", "are", "was", "were", "been", "being")
_SAYING = ("said", "told", "added", "adds", "says")

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Extraction:
    """A tuple: relation, then its arguments from the subject on; `rule` is the one that made it."""

    relation: str
    arguments: tuple[str, ...]
    confidence: float = 1.0
    rule: str = "gold"


@dataclass(frozen=True, slots=True)
class Score:
    """The best point of the curve and the area under it."""

    precision: float
    recall: float
    f1: float
    auc: float
    threshold: float


def match(gold: Extraction, predicted: Extraction) -> Pair:
    """Word precision and word recall of a predicted tuple against a gold one."""
    straight = _slots(_binary(gold.arguments), gold.relation, _binary(predicted.arguments), predicted.relation)
    if not any(word in gold.relation for word in _SAYING):
        return straight
    turned = (" ".join(predicted.arguments[1:]), *predicted.arguments[:1])
    return max(straight, _slots(_binary(gold.arguments), gold.relation, turned, predicted.relation))


def score(gold: Sequence[Sequence[Extraction]], predicted: Sequence[Sequence[Extraction]]) -> Score:
    """The score of predictions, sentence by sentence beside gold."""
    tables = [
        [[match(fact, item) for item in items] for fact in facts] for facts, items in zip(gold, predicted, strict=True)
    ]
    facts = sum(len(table) for table in tables)
    points = [
        (_point(tables, predicted, threshold, facts), threshold)
        for threshold in sorted({item.confidence for items in predicted for item in items})
    ]
    if not points:
        return Score(0.0, 0.0, 0.0, 0.0, 0.0)
    (precision, recall), threshold = max(points, key=lambda item: _f1(*item[0]))
    return Score(precision, recall, _f1(precision, recall), _area([point for point, _ in points]), threshold)


def _point(
    tables: list[list[list[Pair]]], predicted: Sequence[Sequence[Extraction]], threshold: float, facts: int
) -> Pair:
    hits, kept, found = 0.0, 0, 0.0
    for table, items in zip(tables, predicted, strict=True):
        columns = [index for index, item in enumerate(items) if item.confidence >= threshold]
        kept += len(columns)
        hits += sum(paired(table, columns).values())
        found += sum(max((row[column][1] for column in columns), default=0.0) for row in table)
    return (hits / kept if kept else 1.0), (found / facts if facts else 0.0)


def paired(table: list[list[Pair]], columns: Iterable[int]) -> dict[int, float]:
    """Word precision by column of pairs taken greedily, each gold tuple (row) and each prediction once."""
    pairs = sorted((-row[column][0], line, column) for line, row in enumerate(table) for column in columns)
    lines: set[int] = set()
    found: dict[int, float] = {}
    for negative, line, column in pairs:
        if line not in lines and column not in found:
            lines.add(line)
            found[column] = -negative
    return found


def _area(points: list[Pair]) -> float:
    curve = [*points, (1.0, 0.0)]
    return sum((left[1] - right[1]) * (left[0] + right[0]) / 2 for left, right in pairwise(curve))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _binary(arguments: tuple[str, ...]) -> tuple[str, ...]:
    return (arguments[0], " ".join(arguments[1:])) if len(arguments) >= 2 else arguments


def _slots(gold: tuple[str, ...], relation: str, predicted: tuple[str, ...], predicted_relation: str) -> Pair:
    own, other = predicted_relation.split(), relation.split()
    common = _common(other, own)
    if "be" in _rest(own, other) and any(form in other for form in _BE):
        common += 1
    if not common or len(predicted) < min(len(gold), 2):
        return 0.0, 0.0
    predicted_words, gold_words = len(own), len(other)
    for index, text in enumerate(gold):
        gold_words += len(text.split())
        if index < len(predicted):
            predicted_words += len(predicted[index].split())
            common += _common(text.split(), predicted[index].split())
    return common / predicted_words, common / gold_words


def _common(left: list[str], right: list[str]) -> int:
    return sum((Counter(left) & Counter(right)).values())


def _rest(words: list[str], taken: list[str]) -> list[str]:
    return list((Counter(words) - Counter(taken)).elements())
