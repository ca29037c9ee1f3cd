"""Two hundred pairs of names that differ by little: none is merged, alone or beside all the others."""

from __future__ import annotations

import pytest
from near_names import NEAR
from resolution_rows import Documents, Named, resolved

#: One document that says both "J. Smith" and "John Smith", and names no other, means one person.
_INITIALS = {("J. Smith", "John Smith"), ("M. Osei", "Margit Osei"), ("A. Weber", "Anna Weber")}


def _merged(documents: Documents) -> list[tuple[str, str]]:
    """Pairs of which some mention of each side is one entity's."""
    frames = resolved(documents)
    entity = dict(frames["entity_mentions"].select("mention_id", "entity_id").iter_rows())
    sides: dict[tuple[str, int], str] = {}
    for document_id, named in documents.items():
        for place, item in enumerate(named):
            text = item[0] if isinstance(item, tuple) else item.text
            sides[text, len(sides)] = entity[f"m:{document_id}:{place}"]
    of_name: dict[str, set[str]] = {}
    for (text, _), found in sides.items():
        of_name.setdefault(text, set()).add(found)
    return [(left, right) for _, left, right in NEAR if of_name[left] & of_name[right]]


def test_there_are_two_hundred_pairs_of_each_other_kind() -> None:
    assert len(set(NEAR)) == len(NEAR) >= 200
    assert {kind for kind, _, _ in NEAR} == {"law", "organisation", "person", "place", "system"}


@pytest.mark.parametrize("typed", ["as what they are", "concept", "organisation", "product"])
def test_near_identical_names_of_different_documents_are_never_merged(typed: str) -> None:
    def named(kind: str, name: str) -> list[Named]:
        return [(name, kind if typed == "as what they are" else typed)]

    documents = {
        f"{side}{number}": named(kind, name)
        for number, (kind, *names) in enumerate(NEAR)
        for side, name in zip("ab", names, strict=True)
    }
    assert _merged(documents) == []


def test_near_identical_names_of_one_document_are_never_merged() -> None:
    documents: dict[str, list[Named]] = {
        f"d{number}": [(left, kind), (right, kind)] for number, (kind, left, right) in enumerate(NEAR)
    }
    assert set(_merged(documents)) <= _INITIALS


def test_all_of_them_in_one_document_are_never_merged() -> None:
    document: list[Named] = [(name, kind) for kind, *names in NEAR for name in names]
    assert set(_merged({"d": document})) <= _INITIALS
