"""Whether a relation with one object at a time has two without a word: counted by SQL, apart from conflict finding."""

from __future__ import annotations

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.store.rows import Rows

#: Subjects of one word may be common nouns, another thing in each document; those of very many objects are classes.
_OVERLAPS = """
WITH said AS (
  SELECT s.view_id, s.entity_id AS subject_id, c.predicate, c.document_id, list(DISTINCT o.entity_id) AS objects
  FROM claims c
  JOIN generation_versions g ON g.version_id = c.version_id AND g.held
  JOIN functional f ON f.predicate = c.predicate
  JOIN entity_mentions s ON s.mention_id = c.subject_mention_id
  JOIN entity_mentions o ON o.mention_id = c.object_mention_id AND o.view_id = s.view_id
  JOIN canonical_entities e ON e.view_id = s.view_id AND e.entity_id = s.entity_id AND contains(trim(e.name), ' ')
  WHERE c.polarity = 'positive' AND c.rule <> 'R12'
  GROUP BY ALL
), wide AS (
  SELECT view_id, subject_id, predicate FROM said GROUP BY ALL HAVING len(list_distinct(flatten(list(objects)))) > 20
)
SELECT DISTINCT a.view_id, a.subject_id, a.predicate
FROM said a
JOIN said b ON b.view_id = a.view_id AND b.subject_id = a.subject_id AND b.predicate = a.predicate
  AND b.document_id > a.document_id AND NOT list_has_any(a.objects, b.objects)
ANTI JOIN wide w ON w.view_id = a.view_id AND w.subject_id = a.subject_id AND w.predicate = a.predicate
ANTI JOIN conflicts k ON k.view_id = a.view_id AND k.subject_id = a.subject_id AND k.predicate = a.predicate
  AND k.basis = 'value'
ORDER BY 1, 2, 3
"""


def silent_overlaps(rows: Rows, domain: DomainSchema) -> pl.DataFrame:
    """view_id, subject_id, predicate: documents give one subject different objects, and no conflict row says so."""
    names = sorted(item.name for item in domain.relations.values() if item.functional)
    functional = pl.DataFrame({"predicate": names}, schema={"predicate": pl.String})
    return rows.read(_OVERLAPS, frames={"functional": functional})
