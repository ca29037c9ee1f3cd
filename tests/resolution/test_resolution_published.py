"""Where an id that was once published leads."""

from __future__ import annotations

import polars as pl

from muniment.resolution.published import update_published_ids
from muniment.tables.registry import TABLES, check_frame


def _mentions(entities: dict[str, str], view_id: str = "operator") -> pl.DataFrame:
    return TABLES["entity_mentions"].frame(
        [
            {"view_id": view_id, "mention_id": mention, "entity_id": entity, "version_id": "v", "document_id": "d"}
            for entity, mentions in entities.items()
            for mention in mentions
        ]
    )


def _present(frame: pl.DataFrame) -> dict[str, str | None]:
    return dict(check_frame(TABLES["published_ids"], frame).select("entity_id", "present_entity_id").iter_rows())


def test_ids_follow_merges_splits_returns_and_ends() -> None:
    nothing = TABLES["published_ids"].empty()
    first = _mentions({"A": "abc", "B": "de", "C": "f"})
    one = update_published_ids(nothing, first.clear(), first, "g1", "operator")
    assert _present(one) == {"A": "A", "B": "B", "C": "C"}
    assert set(one["first_generation"]) == {"g1"}

    # B is merged into A; C's document is gone
    second = _mentions({"A": "abcde"})
    two = update_published_ids(one, first, second, "g2", "operator")
    assert _present(two) == {"A": "A", "B": "A", "C": None}
    assert dict(two.select("entity_id", "changed_generation").iter_rows()) == {"A": "g1", "B": "g2", "C": "g2"}

    # A is split: it keeps its anchor with two mentions, the larger part is D; C's document returns
    third = _mentions({"A": "ab", "D": "cde", "C": "f"})
    three = update_published_ids(two, second, third, "g3", "operator")
    assert _present(three) == {"A": "A", "B": "D", "C": "C", "D": "D"}
    assert set(three["first_generation"]) == {"g1", "g3"}

    # nothing changes: nothing is written anew
    four = update_published_ids(three, third, third, "g4", "operator")
    assert four.equals(three)


def test_an_id_whose_mentions_were_all_read_anew_stays_with_its_entity() -> None:
    first, again = _mentions({"A": "ab", "B": "c"}), _mentions({"A": "xy"})
    one = update_published_ids(TABLES["published_ids"].empty(), first.clear(), first, "g1", "operator")
    merged = update_published_ids(one, first, _mentions({"A": "abc"}), "g2", "operator")
    assert _present(update_published_ids(merged, _mentions({"A": "abc"}), again, "g3", "operator")) == {
        "A": "A",
        "B": "A",
    }


def test_views_do_not_mix() -> None:
    theirs = _mentions({"A": "ab"}, "legal")
    frame = update_published_ids(TABLES["published_ids"].empty(), theirs, theirs, "g1", "operator")
    assert frame.is_empty()
