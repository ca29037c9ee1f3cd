"""Where an id that was once published leads."""

from __future__ import annotations

import polars as pl

from muniment.resolution.published import Redirect, redirect, update_published_ids
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES, check_frame


def _mentions(entities: dict[str, str], view_id: str = "operator", document: str = "d") -> pl.DataFrame:
    """Mentions of entities by letters; a letter is also the mention's name, so names differ where mentions do."""
    return pl.DataFrame(
        [
            (view_id, f"{document}:{mention}", entity, document, mention)
            for entity, mentions in entities.items()
            for mention in mentions
        ],
        schema=["view_id", "mention_id", "entity_id", "document_id", "name"],
        orient="row",
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


def test_a_new_version_of_the_anchor_s_document_leads_to_the_entity_of_the_same_names() -> None:
    first = _mentions({"A": "ab", "B": "c"})
    one = update_published_ids(TABLES["published_ids"].empty(), first.clear(), first, "g1", "operator")
    # the same document read anew: other mention ids, and A's anchor has gone, so b has a new id
    again = _mentions({"N": "bz", "M": "q"}).with_columns(pl.col("mention_id") + "'")
    assert _present(update_published_ids(one, first, again, "g2", "operator")) == {
        "A": "N",
        "B": None,
        "M": "M",
        "N": "N",
    }


def test_views_do_not_mix() -> None:
    theirs = _mentions({"A": "ab"}, "legal")
    frame = update_published_ids(TABLES["published_ids"].empty(), theirs, theirs, "g1", "operator")
    assert frame.is_empty()


def test_only_ids_that_are_no_entity_now_are_redirected() -> None:
    first, second = _mentions({"A": "ab", "B": "c", "C": "d"}), _mentions({"A": "abc"})
    one = update_published_ids(TABLES["published_ids"].empty(), first.clear(), first, "g1", "operator")
    ids = update_published_ids(one, first, second, "g2", "operator")
    shared = {"view_id": "operator", "name": "a", "entity_type": "system", "mentions": 3, "documents": 1}
    entity = {**shared, "entity_id": "A", "anchor_mention_id": "d:a", "anchor_document_id": "d"}
    schema = TABLES["canonical_entities"].schema
    entities = pl.DataFrame([{name: entity.get(name) for name in schema}], schema=schema)
    rows = FrameRows({"published_ids": ids, "canonical_entities": entities})
    assert redirect(rows, "operator", "A") is None
    assert redirect(rows, "operator", "never published") is None
    assert redirect(rows, "legal", "B") is None
    moved, gone = redirect(rows, "operator", "B"), redirect(rows, "operator", "C")
    assert moved == Redirect("B", "A", "g2") and "A" in str(moved) and "g2" in str(moved)
    assert gone == Redirect("C", None, "g2") and "nothing mentions it" in str(gone)
