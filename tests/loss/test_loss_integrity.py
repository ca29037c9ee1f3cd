"""Evidence outside the text: it must be, word for word, a field that the version states."""

from __future__ import annotations

import polars as pl
import pytest

from muniment.loss.integrity import reference_findings
from muniment.loss.verbatim import check_verbatim
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

FIELDS = pl.DataFrame({"version_id": ["v", "w"], "field": ["owner", "owner"], "value": ["Ada", "Bob"]})


def _rows(**changes: object) -> FrameRows:
    evidence = {"claim_id": "c", "version_id": "v", "start": -1, "end": -1, "quote": "Ada", "field": "owner", **changes}
    return FrameRows(
        {
            "claim_evidence": pl.concat([TABLES["claim_evidence"].empty(), pl.DataFrame([evidence])], how="diagonal"),
            "extracted_metadata": pl.concat([TABLES["extracted_metadata"].empty(), FIELDS], how="diagonal"),
            "claims": pl.DataFrame({"claim_id": ["c"]}),
        }
    )


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, 0),
        ({"quote": "ada"}, 1),
        ({"quote": "Bob"}, 1),  # another version states it
        ({"field": "author"}, 1),
        ({"field": None}, 1),
        ({"end": 3}, 1),
        ({"start": 0, "end": 3}, 0),  # in the text: the verbatim check has it
    ],
)
def test_a_quote_outside_the_text_is_a_stated_field(changes: dict[str, object], found: int) -> None:
    rows = _rows(**changes)
    for wanted in (None, pl.DataFrame({"version_id": ["v"]})):
        assert sum(item.rows for item in reference_findings(rows, ["claim_evidence"], wanted)) == found
    assert reference_findings(rows, ["claim_evidence"], pl.DataFrame({"version_id": ["w"]})) == []


def test_what_stands_in_the_text_is_compared_with_it() -> None:
    texts = pl.DataFrame({"extraction_id": ["x"], "version_id": ["v"], "text": ["Ada owns it."]})
    evidence = pl.DataFrame(
        {"extraction_id": ["x"] * 3, "version_id": ["v"] * 3, "start": [0, 0, -1], "end": [3, 3, -1],
         "quote": ["Ada", "Bob", "elsewhere"]}
    )  # fmt: skip
    frames = {
        name: TABLES[name].empty() for name in ("chunks", "mentions", "table_cells", "text_edits", "unit_references")
    }
    rows = FrameRows({**frames, "claim_evidence": evidence, "canonical_texts": texts})
    (result,) = [item for item in check_verbatim(rows) if item.table == "claim_evidence"]
    assert (result.checked, result.failures) == (2, 1)
