"""The change log: what became of the entities of the generation before."""

from __future__ import annotations

import polars as pl

from muniment.resolution.changes import entity_changes
from muniment.resolution.published import update_published_ids
from muniment.tables.registry import TABLES, check_frame

NOTHING = TABLES["published_ids"].empty()


def _mentions(entities: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        [("operator", f"m:{one}", entity, "d", one) for entity, some in entities.items() for one in some],
        schema=dict.fromkeys(("view_id", "mention_id", "entity_id", "document_id", "name"), pl.String),
        orient="row",
    )


def _entities(named: dict[str, tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(
        [("operator", entity, *words) for entity, words in named.items()],
        schema=dict.fromkeys(("view_id", "entity_id", "name", "entity_type"), pl.String),
        orient="row",
    )


def _log(
    known: pl.DataFrame,
    old: tuple[dict[str, str], dict[str, tuple[str, str]]],
    new: tuple[dict[str, str], dict[str, tuple[str, str]]],
) -> set[tuple[str, str, str, str | None, str | None, int]]:
    frame = entity_changes(
        known, _entities(old[1]), _entities(new[1]), _mentions(old[0]), _mentions(new[0]), "g2", "operator"
    )
    checked = check_frame(TABLES["entity_changes"], frame)
    assert set(checked["generation_id"]) == {"g2"}
    return set(checked.drop("view_id", "generation_id").iter_rows())


def test_each_kind_of_change_is_told_once_and_the_kept_are_counted() -> None:
    old = (
        {"A": "ab", "B": "c", "C": "d", "E": "ef", "F": "g", "G": "h"},
        {
            "A": ("Alpha", "system"), "B": ("Beta", "system"), "C": ("Gamma", "system"), "E": ("Epsilon", "system"),
            "F": ("Phi", "system"), "G": ("Gone", "system"),
        },
    )  # fmt: skip
    # B goes into A, which gets another name and type; C's anchor is gone; E loses a mention; G's words are gone
    new = (
        {"A": "abc", "D": "d", "E": "e", "S": "f", "F": "g", "N": "z"},
        {
            "A": ("Alpha One", "product"), "D": ("Gamma", "system"), "E": ("Epsilon", "system"),
            "S": ("Epsilon", "system"), "F": ("Phi", "system"), "N": ("New", "system"),
        },
    )  # fmt: skip
    assert _log(NOTHING, old, new) == {
        ("merged_into", "B", "A", "Beta", None, 1),
        ("renamed", "A", "", "Alpha", "Alpha One", 1),
        ("retyped", "A", "", "system", "product", 1),
        ("moved_to", "C", "D", "Gamma", None, 1),
        ("split_from", "S", "E", None, "Epsilon", 1),
        ("gone", "G", "", "Gone", None, 1),
        ("minted", "N", "", None, "New", 1),
        ("kept", "", "", None, None, 3),
    }


def test_an_entity_published_before_returns_and_nothing_new_is_only_counted() -> None:
    first, none = ({"A": "a"}, {"A": ("Alpha", "system")}), ({}, {})
    nobody = _mentions({})
    known = update_published_ids(NOTHING, nobody, _mentions(first[0]), "g1", "operator")
    gone = update_published_ids(known, _mentions(first[0]), nobody, "g2", "operator")
    assert _log(gone, none, first) == {("returned", "A", "", None, "Alpha", 1), ("kept", "", "", None, None, 0)}
    assert _log(known, first, first) == {("kept", "", "", None, None, 1)}
