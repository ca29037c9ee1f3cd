"""Step 1 of a slice: which entities of the view a request names, with candidates, scores and ambiguity.

Names are matched through the view's aliases only; a name that is not written in the request is never guessed.
An entity's id may stand for its name; an id published earlier leads to the entity that it became.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from muniment.nlp.names import normalise
from muniment.resolution.entity_types import GENERIC_TYPE
from muniment.resolution.published import redirect
from muniment.slices.model import Candidate, ScopeEntity
from muniment.store.rows import Rows

#: Longest name looked for, in words.
MAX_WORDS = 12

#: A candidate with at least this share of the best one's score is close: both are taken, and it is said.
CLOSE = 0.5

#: Candidates listed for one name, and suggestions for a request that names nothing.
MAX_CANDIDATES = 5

_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")

#: Words of requests that ask rather than name.
_ASKING = frozenset(
    {
        *("dependency", "dependencies", "depend", "depends", "upstream", "downstream", "relation", "relations"),
        *("relationship", "relationships", "list", "show", "trace", "what", "which", "who", "where", "how", "why"),
        *("document", "documents"),
    }
)


@dataclass(frozen=True, slots=True)
class _Gram:
    """Words first..last of the request (half-open) and the normalised name they make."""

    first: int
    last: int
    name: str


def has_entities(rows: Rows, view_id: str) -> bool:
    """Whether the entity layer of the view holds anything."""
    return rows.read("SELECT 1 FROM canonical_entities WHERE view_id = ? LIMIT 1", [view_id]).height > 0


def _grams(request: str) -> list[_Gram]:
    words = request.split()
    grams: list[_Gram] = []
    for first in range(len(words)):
        for last in range(first + 1, min(first + MAX_WORDS, len(words)) + 1):
            name = normalise(" ".join(words[first:last]))
            grams.append(_Gram(first, last, name))
            if name.endswith("'s") and len(name) > 2:
                grams.append(_Gram(first, last, name[:-2]))
    return [gram for gram in grams if gram.name and gram.name not in _ASKING]


def _longest(grams: list[_Gram], known: set[str]) -> list[_Gram]:
    """Known names in the request, the longest first, without overlap; in order of place."""
    taken: list[_Gram] = []
    for gram in sorted(grams, key=lambda gram: (gram.first - gram.last, gram.first, gram.name)):
        free = all(gram.last <= other.first or gram.first >= other.last for other in taken)
        if gram.name in known and free:
            taken.append(gram)
    return sorted(taken, key=lambda gram: gram.first)


def _candidates(rows: Rows, view_id: str, names: list[str]) -> dict[str, list[Candidate]]:
    """Entities by alias, best first. A long form that was only defined counts as one mention."""
    found = rows.read(
        "SELECT a.alias, a.entity_id, e.name, e.entity_type, greatest(a.mentions, 1) AS weight, e.mentions "
        "FROM aliases a JOIN canonical_entities e ON e.view_id = a.view_id AND e.entity_id = a.entity_id "
        "JOIN names n ON n.alias = a.alias WHERE a.view_id = ? AND a.status IS DISTINCT FROM 'unconfirmed'",
        [view_id],
        {"names": pl.DataFrame({"alias": names}, schema={"alias": pl.String})},
    )
    scored = found.with_columns((pl.col("weight") / pl.col("weight").sum().over("alias")).round(4).alias("score"))
    ordered = scored.sort("alias", "score", "mentions", "entity_id", descending=[False, True, True, False])
    result: dict[str, list[Candidate]] = {}
    for row in ordered.iter_rows(named=True):
        result.setdefault(row["alias"], []).append(
            Candidate(
                entity_id=row["entity_id"],
                name=row["name"],
                entity_type=row["entity_type"],
                score=row["score"],
                mentions=row["mentions"],
            )
        )
    return result


def _specific(name: str, candidates: list[Candidate]) -> bool:
    """Whether a name is more than one generic word."""
    return " " in name or any(candidate.entity_type != GENERIC_TYPE for candidate in candidates)


def find_entities(rows: Rows, view_id: str, request: str) -> list[ScopeEntity]:
    """Ids and then names in the request, each in order of place, with the entities taken as focus.

    Single generic words are a focus only where nothing more specific is named. Candidates that are close are
    all taken and marked ambiguous.
    """
    by_id = [_by_id(rows, view_id, entity_id) for entity_id in dict.fromkeys(_ID.findall(request))]
    grams = _grams(_ID.sub(" ", request))
    by_name = _candidates(rows, view_id, sorted({gram.name for gram in grams}))
    spans = list({gram.name: gram for gram in reversed(_longest(grams, set(by_name)))}.values())[::-1]
    specific = {gram.name for gram in spans if _specific(gram.name, by_name[gram.name])}
    result = [entity for entity in by_id if entity is not None]
    for gram in spans:
        candidates = by_name[gram.name]
        close = [one for one in candidates if one.score >= CLOSE * candidates[0].score]
        focus = not specific or gram.name in specific
        result.append(
            ScopeEntity(
                text=gram.name,
                candidates=tuple(candidates[: max(MAX_CANDIDATES, len(close))]),
                chosen=tuple(one.entity_id for one in close) if focus else (),
                ambiguous=focus and len(close) > 1,
            )
        )
    return result


def _by_id(rows: Rows, view_id: str, entity_id: str) -> ScopeEntity | None:
    """The entity of an id, or the one that it became; None where no entity ever had it."""
    moved = redirect(rows, view_id, entity_id)
    present = entity_id if moved is None else moved.entity_id
    found = rows.read(
        "SELECT entity_id, name, entity_type, mentions FROM canonical_entities WHERE view_id = ? AND entity_id = ?",
        [view_id, present],
    )
    candidates = tuple(Candidate(**row, score=1.0) for row in found.iter_rows(named=True))
    if not candidates and moved is None:
        return None
    said = None if moved is None else str(moved)
    chosen = tuple(one.entity_id for one in candidates)
    return ScopeEntity(text=entity_id, candidates=candidates, chosen=chosen, moved=said)


def suggestions(rows: Rows, view_id: str, request: str) -> list[str]:
    """Names of the view that share a word of four letters or more with the request, most mentioned first."""
    words = sorted({word for word in normalise(request).split() if len(word) >= 4} - _ASKING)
    found = rows.read(
        "SELECT e.name, max(e.mentions) AS mentions, count(DISTINCT w.word) AS shared FROM aliases a "
        "JOIN canonical_entities e ON e.view_id = a.view_id AND e.entity_id = a.entity_id "
        "JOIN words w ON contains(' ' || a.alias || ' ', ' ' || w.word || ' ') "
        "WHERE a.view_id = ? AND a.status IS DISTINCT FROM 'unconfirmed' "
        "GROUP BY e.name ORDER BY shared DESC, mentions DESC, e.name LIMIT 5",
        [view_id],
        {"words": pl.DataFrame({"word": words}, schema={"word": pl.String})},
    )
    return found["name"].to_list()
