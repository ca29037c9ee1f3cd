"""The conflict list of a slice: what cannot all hold as stated, with both sides; other differences stay out of it."""

from __future__ import annotations

import datetime
from dataclasses import replace

from slice_rows import Fact, Shelf

from muniment.slices.conflicts import conflict_ids_of, load_conflicts
from muniment.slices.model import Conflict
from muniment.store.rows import FrameRows

_YES = Fact("Billing uses Ledger.", "Billing", "use", "Ledger")
_NO = Fact("Billing does not use Ledger.", "Billing", "use", "Ledger", polarity="negative")
_DAY = datetime.date(2026, 1, 1)


def _listed(*facts: Fact) -> list[Conflict]:
    """Conflicts that the claims bring into a slice; each fact is a document of its own."""
    shelf = Shelf()
    for number, fact in enumerate(facts):
        shelf.add(f"d{number}", fact)
    rows: FrameRows = shelf.rows()
    found = conflict_ids_of(rows, "operator", [f"c-d{number}-0" for number in range(len(facts))])
    return load_conflicts(rows, "operator", {key for keys in found.values() for key in keys})


def test_a_contradiction_is_listed_with_both_sides_and_their_words() -> None:
    (conflict,) = _listed(_YES, _NO)
    assert conflict.conflict_kind == "contradiction"
    assert conflict.sides == {"negative": ("c-d1-0",), "positive": ("c-d0-0",)}
    assert [one.quote for one in conflict.evidence] == ["Billing does not use Ledger.", "Billing uses Ledger."]


def test_a_conflict_says_whether_its_claims_are_dated() -> None:
    assert [one.undated for one in _listed(_YES, replace(_NO, valid_from=_DAY))] == [True]
    assert [one.undated for one in _listed(replace(_YES, valid_from=_DAY), replace(_NO, valid_from=_DAY))] == [False]


def test_another_scope_is_not_listed() -> None:
    assert _listed(_YES, replace(_NO, condition="when offline")) == []


def test_a_side_is_quoted_by_a_claim_that_can_be_seen() -> None:
    hidden = replace(_NO, text="Billing never uses Ledger.", hidden=True)
    (conflict,) = _listed(_YES, hidden, _NO)
    assert conflict.sides["negative"] == ("c-d1-0", "c-d2-0")
    assert [one.quote for one in conflict.evidence] == ["Billing does not use Ledger.", "Billing uses Ledger."]
