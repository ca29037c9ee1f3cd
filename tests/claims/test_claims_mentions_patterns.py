"""The schema's patterns as mentions: where they hold, what they win over, what they identify, and the books."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from claims_documents import Parts, corpus, entities, mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.claims.patterns import identifier_of, pattern_matches
from muniment.domain.loading import load_domain
from muniment.domain.model import DomainSchema, EntityType, Pattern
from muniment.settings import DomainSettings
from muniment.stages import StageOutput

CONTROL = Pattern(name="control_id", type="control", regex=r"\b[A-Z]{2}-\d{2}\b", identifier=True)
CHANGE = Pattern(name="change_id", type="change", regex=r"\bCHG-\d{4}\b", identifier=True)
LAW = Pattern(name="eu_law", type="law", regex=r"\b(?:Regulation|Directive) \(EU\) (?:No )?\d+/\d+", identifier=True)
ARTICLE = Pattern(name="chinese_article", type="unit", regex=r"第\d+条")
DATE = Pattern(name="iso_day", type="date", regex=r"\b\d{4}-\d\d-\d\d\b")
NAMED = Pattern(name="host", type="system", regex=r"\bhost (?P<name>[a-z]+\d+)\b", flags="i")


def _schema(*patterns: Pattern) -> DomainSchema:
    """The default types with these patterns only."""
    default = load_domain(DomainSettings(packs=("default",)))
    types = {**{name: EntityType(name=name) for name in ("change", "law", "unit")}, **default.types}
    return DomainSchema(
        packs=("own 1",),
        types=types,
        relations=default.relations,
        attributes=default.attributes,
        patterns={item.name: item for item in patterns},
    )


def _read(text: str, *patterns: Pattern, language: str = "en", kind: str = "paragraph") -> StageOutput:
    return _document([(kind, text)], *patterns, language=language)


def _document(parts: Parts, *patterns: Pattern, language: str = "en") -> StageOutput:
    return entities(corpus({"v1": (parts, language)}), domain=_schema(*patterns))


def _patterns(output: StageOutput) -> list[tuple[str, str | None, str, str | None]]:
    rows: list[dict[str, Any]] = output.tables["mentions"].filter(source="pattern").sort("start").to_dicts()
    return [(row["text"], row["label"], row["entity_type"], row["identifier"]) for row in rows]


def test_a_match_is_a_mention_with_the_patterns_type_and_identifier() -> None:
    output = _read("The auditor tested the control LG-02 in May.", CONTROL)
    assert _patterns(output) == [("LG-02", "control_id", "control", "lg-02")]


def test_an_identifier_takes_in_the_capitalised_words_that_say_what_it_is_of() -> None:
    output = _read("The Remote Access Control AC-04 depends on Redis.", CONTROL)
    assert _patterns(output) == [("Remote Access Control AC-04", "control_id", "control", "ac-04")]


def test_two_matches_may_share_a_token() -> None:
    output = _read("It covers AC-04/AC-05.", CONTROL)
    assert [(text, identifier) for text, _, _, identifier in _patterns(output)] == [
        ("AC-04", "ac-04"),
        ("AC-05", "ac-05"),
    ]


def test_the_group_called_name_is_the_mention() -> None:
    assert [row[0] for row in _patterns(_read("It runs on Host db01 today.", NAMED))] == ["db01"]


def test_a_provision_is_not_the_law_that_it_is_of() -> None:
    output = _read("Article 5(2) of Regulation (EU) 2019/881 applies to providers.", LAW)
    found = mentions(output)
    assert found["Article 5(2) of Regulation (EU) 2019/881"]["identifier"] is None
    assert _patterns(output) == []
    losses = output.tables["losses"].filter(unit="pattern_matches").select("reason_code", "amount").rows()
    assert losses == [("mention_overlapped", 1)]


def test_the_words_before_a_citation_belong_to_it() -> None:
    output = _read("Commission Delegated Regulation (EU) No 648/2012 applies.", LAW)
    assert _patterns(output) == [
        ("Commission Delegated Regulation (EU) No 648/2012", "eu_law", "law", "regulation(eu)648/2012")
    ]


def test_a_title_is_parted_at_its_identifier() -> None:
    output = _document([("title", "CHG-1077: Longer retention of logs"), ("paragraph", "It rains.")], CHANGE)
    found = mentions(output)
    assert found["CHG-1077"]["identifier"] == "chg-1077"
    assert found["Longer retention of logs"]["is_subject"]
    assert found["Longer retention of logs"]["identifier"] is None


def test_values_of_patterns_are_values_of_claims() -> None:
    output = _read("The effective date is 2026-07-01.", DATE)
    row = output.tables["claims"].to_dicts()[0]
    assert (row["value"], row["object_mention_id"]) == ("2026-07-01", None)


@pytest.mark.parametrize(
    ("kind", "text"),
    [("table", "AC\t-04"), ("table", "AC\n-04"), ("code", "AC\n-04")],
)
def test_a_match_never_reaches_over_a_cell_or_a_line_of_code(kind: str, text: str) -> None:
    loose = Pattern(name="loose", type="control", regex=r"AC\s?-04", identifier=True)
    assert _patterns(_read(text, loose, kind=kind)) == []
    assert [row[0] for row in _patterns(_read("The AC -04 test passed.", loose))] == ["AC -04"]


def test_a_match_never_reaches_over_an_element() -> None:
    loose = Pattern(name="loose", type="control", regex=r"AC\s*04")
    assert _patterns(_document([("paragraph", "AC"), ("paragraph", "04")], loose)) == []


def test_a_match_across_sentences_is_counted_as_lost() -> None:
    loose = Pattern(name="loose", type="control", regex=r"end\. Begin")
    output = _read("This is the end. Begin again now.", loose)
    assert _patterns(output) == []
    assert output.tables["losses"].filter(unit="pattern_matches")["reason_code"].to_list() == [
        "pattern_across_sentences"
    ]


def test_of_overlapping_matches_the_higher_priority_wins_then_the_longer() -> None:
    short = Pattern(name="b_short", type="control", regex=r"AC-04")
    long = Pattern(name="a_long", type="policy", regex=r"AC-04-7")
    high = Pattern(name="z_high", type="change", regex=r"AC-04", priority=5)
    text = "The AC-04-7 test"
    elements = [(0, len(text), "paragraph")]
    assert [(m.pattern, m.start, m.end) for m in pattern_matches(text, elements, [short, long])] == [("a_long", 4, 11)]
    assert [(m.pattern, m.start, m.end) for m in pattern_matches(text, elements, [long, short, high])] == [
        ("z_high", 4, 9)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ISO 27001", "ISO-27001"),
        ("Regulation (EU) No 648/2012", "regulation (EU) 648/2012"),
        ("règlement (UE) n° 648/2012", "Règlement (UE) 648/2012"),
        ("AC‑04", "ＡＣ-04"),
        ("the AC-04", "AC-04"),
    ],
)
def test_an_identifier_has_one_spelling(one: str, other: str) -> None:
    assert identifier_of(one) == identifier_of(other)


def test_different_identifiers_stay_different() -> None:
    written = ["AC-04", "AC-4", "AC-040", "A-C04", "2014/65/EU", "2014/56/EU", "1-23", "12-3"]
    assert len({identifier_of(item) for item in written}) == len(written)


def test_without_a_language_pipeline_patterns_are_what_is_left_and_the_books_say_so() -> None:
    output = _read("根据第12条规定, 供应商应当通知 AC-04。", ARTICLE, CONTROL, language="zh")
    assert [row[0] for row in _patterns(output)] == ["第12条", "AC-04"]
    losses = output.tables["losses"].filter(unit="sentences").select("reason_code", "severity").rows()
    assert losses == [("no_language_pipeline", "minor")]
    assert output.tables["claims"].is_empty()
    english = _read("The control AC-04 works.", CONTROL)
    assert english.tables["losses"].filter(reason_code="no_language_pipeline").is_empty()


def test_another_schema_annotates_nothing_anew_and_other_mentions_stay() -> None:
    source = corpus({"v1": ([("paragraph", "Acme Ltd tested the control LG-02 in Paris.")], "en")})
    before = entities(source, domain=_schema())
    after = entities(source, domain=_schema(CONTROL))
    names = set(before.tables["mentions"]["text"])
    assert names - {"LG-02"} <= set(after.tables["mentions"]["text"])
    assert after.tables["mentions"].filter(source="pattern").height == 1


_PIECES = st.lists(
    st.sampled_from(["AC-04", "Control", "the", "CHG-1234", "Acme Ltd", "Regulation (EU) 2019/881", "of", ".", "\n",
                     "Article 5", "2026-07-01", "tests", "(", ")", "/", ","]),
    min_size=1, max_size=14,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(_PIECES)
def test_any_text_keeps_spans_verbatim_apart_and_the_books_balanced(pieces: list[str]) -> None:
    text = " ".join(pieces)
    if not text.strip():
        return
    output = _read(text, CONTROL, CHANGE, LAW, DATE)
    rows = output.tables["mentions"].sort("start").to_dicts()
    assert all(text[row["start"] : row["end"]] == row["text"] and row["name"] for row in rows)
    assert all(before["end"] <= after["start"] for before, after in pairwise(rows))
    assert set(output.tables["stage_books"]["unexplained"]) == {0}
    counted = output.tables["stage_books"].filter(unit="pattern_matches")["actual"].sum()
    assert counted == output.tables["mentions"].filter(pl.col("source") == "pattern").height
