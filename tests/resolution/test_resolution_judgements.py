"""Judgements: found again by their words, replayed first, never dropped, never guessed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resolution_rows import scans

from muniment.nlp.names import display, normalise
from muniment.resolution.judgements import (
    Judgement,
    JudgementError,
    Kind,
    Side,
    effective,
    judgement_row,
    retraction_row,
    retractions,
)
from muniment.resolution.replay import PAIRS, Replayed, judged_pairs
from muniment.resolution.resolve import resolve
from muniment.resolution.selectors import Selector, SelectorError, Units, make_selectors
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES, check_frame

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NONE = TABLES["judgements"].empty()
Paragraph = tuple[str, str]  # heading, text


@dataclass
class Corpus:
    """Documents as paragraphs under headings; every occurrence of a name is a mention `<document><version>:<n>`."""

    documents: Mapping[str, Sequence[Paragraph]]
    names: Mapping[str, str]
    version: str = ""

    def __post_init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.elements: list[tuple[str, str, int, int, list[str]]] = []
        mentions: list[tuple[str, str, int, int, str, str]] = []
        for document, paragraphs in self.documents.items():
            extraction = f"x:{document}{self.version}"
            text = ""
            for heading, paragraph in paragraphs:
                start = len(text) + 2 * bool(text)
                text += "\n\n" * bool(text) + paragraph
                self.elements.append((document, extraction, start, len(text), [heading]))
                for name, kind in sorted(self.names.items()):
                    at = paragraph.find(name)
                    while at >= 0:
                        mentions.append((document, extraction, start + at, start + at + len(name), name, kind))
                        at = paragraph.find(name, at + 1)
            self.texts[extraction] = text
        ordered: dict[str, int] = {}
        self.rows: list[dict[str, object]] = []
        for document, extraction, start, end, name, kind in sorted(mentions):
            ordered[document] = number = ordered.get(document, -1) + 1
            self.rows.append(
                {
                    "mention_id": f"{document}{self.version}:{number}", "extraction_id": extraction,
                    "version_id": f"v:{document}", "document_id": document, "start": start, "end": end, "text": name,
                    "name": normalise(name), "display_name": display(name), "entity_type": kind, "source": "ner",
                    "is_subject": False,
                }
            )  # fmt: skip

    @property
    def mentions(self) -> pl.DataFrame:
        return TABLES["mentions"].frame(self.rows)

    @property
    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        schema = ["document_id", "extraction_id", "start", "end", "section_path"]
        return (
            pl.DataFrame(self.elements, schema=schema, orient="row"),
            pl.DataFrame(list(self.texts.items()), schema=["extraction_id", "text"], orient="row"),
        )

    @property
    def units(self) -> Units:
        return Units(*self.frames)

    def of(self, *mention_ids: str) -> pl.DataFrame:
        return self.mentions.filter(pl.col("mention_id").is_in(mention_ids))

    def side(self, *mention_ids: str) -> Side:
        some = self.of(*mention_ids)
        return Side(some["text"][0], tuple(make_selectors(some, self.units)), tuple(some["name"].unique().sort()))

    def replayed(self, judgements: list[Judgement]) -> Replayed:
        found = judged_pairs(judgements, self.mentions, *self.frames, "operator")
        assert found.pairs.schema == PAIRS
        check_frame(TABLES["judgement_states"], found.states)
        return found

    def groups(self, judgements: list[Judgement]) -> set[frozenset[str]]:
        frames = resolve(
            self.mentions, scans({name: [] for name in self.documents}), "operator", ResolutionSettings(),
            judged=self.replayed(judgements).pairs,
        )  # fmt: skip
        for name, frame in frames.items():
            check_frame(TABLES[name], frame)
        grouped = frames["entity_mentions"].group_by("entity_id").agg("mention_id")
        return {frozenset(some) for some in grouped["mention_id"]}

    def states(self, judgements: list[Judgement]) -> list[str]:
        return self.replayed(judgements).states["state"].to_list()


def judged(*rows: tuple[Kind, Side, Side]) -> list[Judgement]:
    recorded = NONE
    for kind, left, right in rows:
        recorded = pl.concat([recorded, judgement_row(recorded, kind, left, right, "Ann", NOW)])
    return effective(recorded)


def groups_of(*some: str) -> set[frozenset[str]]:
    return {frozenset(one.split()) for one in some}


NAMES = {"Harbour Gateway": "system", "Mooring Relay": "system", "Tide Archive": "system"}
PORT = Corpus(
    {
        "a": [("Systems", "The Harbour Gateway feeds the Tide Archive."), ("Notes", "Ann owns the Harbour Gateway.")],
        "b": [("Systems", "The Mooring Relay is old. The Harbour Gateway is new.")],
        "c": [("Systems", "The Mooring Relay is switched off at night.")],
    },
    NAMES,
)
APART = groups_of("a:0 a:2 b:1", "a:1", "b:0 c:0")


def test_without_judgements_names_decide() -> None:
    assert PORT.groups([]) == APART


def test_entities_that_a_person_joins_become_one_and_are_two_again_after_the_undo() -> None:
    row = judgement_row(NONE, "same_entity", PORT.side("a:0"), PORT.side("c:0"), "Ann", NOW)
    assert PORT.groups(effective(row)) == groups_of("a:0 a:2 b:0 b:1 c:0", "a:1")
    undone, taken = retraction_row(row, row["judgement_id"][0][:6], "Bob", NOW)
    recorded = pl.concat([row, undone])
    assert taken == row["judgement_id"][0]
    assert effective(recorded) == [] and retractions(recorded)[taken]["decided_by"] == "Bob"
    # the same judgement may be made again: a row of its own, with an id of its own
    again = judgement_row(recorded, "same_entity", PORT.side("c:0"), PORT.side("a:0"), "Ann", NOW)
    assert again["judgement_id"][0] not in set(recorded["judgement_id"])
    assert PORT.groups(effective(pl.concat([recorded, again]))) == groups_of("a:0 a:2 b:0 b:1 c:0", "a:1")


def test_equal_unknown_and_undone_judgements_are_refused_in_words() -> None:
    row = judgement_row(NONE, "same_entity", PORT.side("a:0"), PORT.side("c:0"), "Ann", NOW)
    with pytest.raises(JudgementError, match="judged already"):
        judgement_row(row, "same_entity", PORT.side("c:0"), PORT.side("a:0"), "Bob", NOW)
    with pytest.raises(JudgementError, match="no judgement has this id"):
        retraction_row(row, "ffffffff-0000", "Ann", NOW)
    undone, taken = retraction_row(row, row["judgement_id"][0], "Ann", NOW)
    both = pl.concat([row, undone])
    with pytest.raises(JudgementError, match="undone already"):
        retraction_row(both, taken, "Ann", NOW)
    with pytest.raises(JudgementError, match="make the judgement again"):
        retraction_row(both, undone["judgement_id"][0], "Ann", NOW)


def test_who_decides_and_when_changes_no_id() -> None:
    sides = PORT.side("a:0"), PORT.side("c:0")
    one = judgement_row(NONE, "same_entity", *sides, "Ann", NOW)
    other = judgement_row(NONE, "same_entity", *sides, "Bob", datetime(2027, 1, 1, tzinfo=UTC))
    assert one["judgement_id"].equals(other["judgement_id"])


def test_mentions_split_off_leave_and_all_others_of_the_names_stay_together() -> None:
    split = judged(("split_entity", PORT.side("a:2"), PORT.side("a:0", "b:1")))
    assert PORT.groups(split) == groups_of("a:0 b:1", "a:2", "a:1", "b:0 c:0")
    # the earliest mention itself may be what leaves; later documents stay with the rest
    split = judged(("split_entity", PORT.side("a:0"), PORT.side("a:2", "b:1")))
    grown = Corpus({**PORT.documents, "d": [("News", "The Harbour Gateway has failed twice.")]}, NAMES)
    assert grown.groups(split) == groups_of("a:0", "a:2 b:1 d:0", "a:1", "b:0 c:0")


def test_a_part_of_what_was_split_off_may_be_split_off_again() -> None:
    split = judged(
        ("split_entity", PORT.side("a:0", "a:2"), PORT.side("b:1")),
        ("split_entity", PORT.side("a:2"), PORT.side("a:0")),
    )
    assert PORT.groups(split) == groups_of("a:0", "a:2", "b:1", "a:1", "b:0 c:0")
    assert PORT.states(split) == ["applied", "applied"]


def test_what_was_split_off_may_be_joined_with_another_entity() -> None:
    both = judged(
        ("split_entity", PORT.side("a:2"), PORT.side("a:0")), ("same_entity", PORT.side("a:2"), PORT.side("c:0"))
    )
    assert PORT.groups(both) == groups_of("a:0 b:1", "a:2 b:0 c:0", "a:1")
    assert PORT.states(both) == ["applied", "applied"]


def test_contradicting_judgements_keep_the_pair_apart_and_both_are_named() -> None:
    sides = PORT.side("a:0"), PORT.side("c:0")
    rows = judged(("same_entity", *sides), ("different_entity", *sides))
    by_kind = {one.kind: one.judgement_id for one in rows}
    assert PORT.groups(rows) == APART
    states = {row["kind"]: row for row in PORT.replayed(rows).states.iter_rows(named=True)}
    assert states["same_entity"]["state"] == "contradicted"
    assert states["same_entity"]["contradicts"] == [by_kind["different_entity"]]
    assert states["different_entity"]["contradicts"] == [by_kind["same_entity"]]


def test_a_chain_of_judgements_may_not_join_what_another_tells_apart() -> None:
    a, b, c = PORT.side("a:0"), PORT.side("c:0"), PORT.side("a:1")
    rows = judged(("same_entity", a, b), ("same_entity", b, c), ("different_entity", a, c))
    assert PORT.groups(rows) == APART
    assert sorted(PORT.states(rows)) == ["applied", "contradicted", "contradicted"]


def test_two_entities_told_apart_stay_apart_though_their_names_are_equal() -> None:
    rows = judged(("different_entity", PORT.side("b:0"), PORT.side("c:0")))
    assert PORT.groups(rows) == groups_of("a:0 a:2 b:1", "a:1", "b:0", "c:0")


def _changed(**documents: list[Paragraph]) -> Corpus:
    return Corpus({**PORT.documents, **documents}, NAMES, version="'")


def test_a_judgement_follows_its_sentence_into_a_new_version_and_stops_where_it_is_gone() -> None:
    rows = judged(("same_entity", PORT.side("a:0"), PORT.side("c:0")))
    merged = "The Mooring Relay is switched off at night."
    moved = _changed(c=[("Scope", "All of this is new."), ("Systems", "A new line."), ("Systems", merged)])
    assert moved.states(rows) == ["applied"]
    assert moved.groups(rows) == groups_of("a':0 a':2 b':0 b':1 c':0", "a':1")
    for gone in (
        [("Systems", "The Mooring Relay is switched off by day.")],  # other words after it
        [("Plans", merged)],  # under another heading
        [("Systems", merged), ("Systems", merged)],  # two places read alike
    ):
        other = _changed(c=gone)
        assert other.states(rows) == ["unanchored"]
        assert other.replayed(rows).states["document_id"].to_list() == ["c"]
        assert len(other.groups(rows)) == 3
    assert PORT.states(rows) == ["applied"]  # the words are back


def test_a_split_of_which_one_place_is_gone_holds_for_the_others_and_says_so() -> None:
    rows = judged(("split_entity", PORT.side("a:2", "b:1"), PORT.side("a:0")))
    other = _changed(b=[("Systems", "The Harbour Gateway is brand new.")])
    states = other.replayed(rows).states
    assert states["state"].to_list() == ["partly_unanchored"] and states["missing"].to_list() == [1]
    assert other.groups(rows) == groups_of("a':0 b':0", "a':2", "a':1", "c':0")


def test_a_mention_that_reads_like_another_in_its_section_needs_more_words_or_is_refused() -> None:
    far = "x" * 40
    same = Corpus(
        {"d": [("S", f"one {far} Tide Archive {far} end"), ("S", f"two {far} Tide Archive {far} end")]}, NAMES
    )
    first, second = make_selectors(same.of("d:0"), same.units), make_selectors(same.of("d:1"), same.units)
    assert first[0].reach > 32 and first != second
    twins = Corpus({"d": [("S", "The Tide Archive."), ("S", "The Tide Archive."), ("S", "My Tide Archive.")]}, NAMES)
    with pytest.raises(SelectorError, match="read alike"):
        make_selectors(twins.of("d:0"), twins.units)
    both = make_selectors(twins.of("d:0", "d:1"), twins.units)
    assert [one.matches for one in both] == [2]
    split = judged(("split_entity", twins.side("d:0", "d:1"), twins.side("d:2")))
    assert twins.groups(split) == groups_of("d:0 d:1", "d:2")


def test_a_selector_keeps_text_surroundings_and_unit() -> None:
    (selector,) = make_selectors(PORT.of("b:1"), PORT.units)
    assert selector == Selector("b", "Harbour Gateway", "The Mooring Relay is old. The ", " is new.", ("Systems",))
    assert Selector.of(selector.content()) == selector


_KINDS: list[Kind] = ["same_entity", "different_entity", "split_entity"]
_IDS = ["a:0", "a:1", "a:2", "b:0", "b:1", "c:0"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(_KINDS), st.lists(st.sampled_from(_IDS), min_size=2, max_size=3, unique=True)),
        max_size=5,
    ),
    st.integers(0, 99),
)
def test_any_judgements_leave_pairs_that_hold_and_do_not_depend_on_their_order(
    drawn: list[tuple[Kind, list[str]]], seed: int
) -> None:
    rows = {}
    for kind, ids in drawn:
        one = judgement_row(NONE, kind, PORT.side(ids[0]), PORT.side(*ids[1:]), "Ann", NOW)
        rows[one["judgement_id"][0]] = one
    judgements = effective(pl.concat([NONE, *rows.values()]))
    found = PORT.replayed(judgements)
    shuffled = random.Random(seed).sample(judgements, len(judgements))
    again = PORT.replayed(shuffled)
    assert again.pairs.equals(found.pairs) and again.states.equals(found.states)
    assert found.states.height == len(judgements)
    entity = {mention: group for group in PORT.groups(judgements) for mention in group}
    for left, right, decision, _ in found.pairs.iter_rows():
        assert (entity[left] == entity[right]) == (decision == "same")
    place = {make_selectors(PORT.of(mention), PORT.units)[0]: mention for mention in _IDS}
    for one in judgements:
        if one.kind == "different_entity":  # whatever the others say
            assert entity[place[one.subject.mentions[0]]] != entity[place[one.object.mentions[0]]]
