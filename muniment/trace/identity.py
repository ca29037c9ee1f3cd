"""Questions of identity as answers: pairs of entities that may be one, and what people have judged."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from muniment.resolution.ambiguous import ambiguous_pairs
from muniment.resolution.judgements import parsed, retractions
from muniment.store.rows import Rows


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class PairSide(_Part):
    """An entity of a pair with the sentence of its earliest mention."""

    entity_id: str
    name: str
    entity_type: str
    sentence: str | None

    def __str__(self) -> str:
        said = f": {' '.join(self.sentence.split())[:200]!r}" if self.sentence else ""
        return f"{self.name} ({self.entity_type}, {self.entity_id}){said}"


class OpenPair(_Part):
    """Two entities that may be one."""

    pair_id: str
    left: PairSide
    right: PairSide
    rule: str
    score: float

    def __str__(self) -> str:
        return f"{self.pair_id}  {self.rule}, score {self.score:.2f}\n  {self.left}\n  {self.right}"


class OpenPairs(_Part):
    """What waits for a decision, the likeliest first."""

    pairs: list[OpenPair]

    def __str__(self) -> str:
        head = f"{len(self.pairs)} pairs that may be one entity"
        return "\n".join([head, *(str(pair) for pair in self.pairs)])


class JudgementLine(_Part):
    """A judgement and what became of it.

    `state`: applied, partly_unanchored, unanchored, contradicted (see judgement_states), undone, or waiting: not
    yet published.
    """

    judgement_id: str
    kind: str
    says: str
    state: str
    decided_by: str
    decided_at: datetime
    contradicts: list[str]
    undone_by: str | None
    undone_at: datetime | None

    def __str__(self) -> str:
        line = f"{self.judgement_id}  {self.decided_at:%Y-%m-%d}  {self.state:<12}{self.says}, by {self.decided_by}"
        if self.contradicts:
            line += f"; contradicts {', '.join(self.contradicts)}"
        return line if self.undone_by is None else f"{line}; undone by {self.undone_by}"


class JudgementList(_Part):
    """All judgements of identity, in the order of time."""

    judgements: list[JudgementLine]

    def __str__(self) -> str:
        return "\n".join([f"{len(self.judgements)} judgements", *(str(one) for one in self.judgements)])


_ANCHORS = """
SELECT c.entity_id, substring(t.text, CAST(a.start AS BIGINT) + 1, CAST(a."end" - a.start AS BIGINT)) AS sentence
FROM canonical_entities c
JOIN mentions m ON m.mention_id = c.anchor_mention_id
JOIN annotations a ON a.extraction_id = m.extraction_id AND a.ordinal = m.ordinal
JOIN canonical_texts t ON t.extraction_id = m.extraction_id
WHERE c.view_id = ? AND c.entity_id IN (SELECT left_id FROM pairs UNION SELECT right_id FROM pairs)
"""


def open_pairs(rows: Rows, view_id: str) -> OpenPairs:
    """Pairs that resolution left to people and nobody has decided."""
    pairs = ambiguous_pairs(rows, view_id)
    sentences = dict(rows.read(_ANCHORS, [view_id], {"pairs": pairs}).iter_rows())
    found = []
    for row in pairs.iter_rows(named=True):
        left, right = (
            PairSide(
                entity_id=row[f"{side}_id"],
                name=row[f"{side}_name"],
                entity_type=row[f"{side}_type"],
                sentence=sentences.get(row[f"{side}_id"]),
            )
            for side in ("left", "right")
        )
        found.append(OpenPair(pair_id=row["pair_id"], left=left, right=right, rule=row["rule"], score=row["score"]))
    return OpenPairs(pairs=found)


def judgement_list(newest: Rows, published: Rows) -> JudgementList:
    """Judgements of the newest state of the warehouse, with what the published generation made of them."""
    recorded = newest.table("judgements")
    undone = retractions(recorded)
    states = {row["judgement_id"]: row for row in published.table("judgement_states").iter_rows(named=True)}
    lines = []
    for one in parsed(recorded):
        state, taken = states.get(one.judgement_id), undone.get(one.judgement_id)
        lines.append(
            JudgementLine(
                judgement_id=one.judgement_id,
                kind=one.kind,
                says=str(one),
                state="undone" if taken else "waiting" if state is None else state["state"],
                decided_by=one.decided_by,
                decided_at=one.decided_at,
                contradicts=state["contradicts"] if state and not taken else [],
                undone_by=taken["decided_by"] if taken else None,
                undone_at=taken["decided_at"] if taken else None,
            )
        )
    return JudgementList(judgements=sorted(lines, key=lambda line: (line.decided_at, line.judgement_id)))
