"""When claims hold: phrases of effect in sentences, periods after an event, and what a document's metadata state."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from claims_documents import claims, corpus, entities, read
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.assertion import Validity
from muniment.claims.timex import events_after, known_events, later
from muniment.claims.validity import combined, phrases

EVENTS = {"publication": date(2025, 1, 10), "signature": date(2024, 4, 1)}
Interval = tuple[date | None, date | None, str | None, str]


def _stated(text: str, **options: bool) -> Validity:
    return combined(phrases(text, EVENTS), text, **options)


def _interval(text: str) -> Interval:
    found = _stated(text)
    return found.start, found.end, found.precision, found.basis


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


@pytest.mark.parametrize(
    ("text", "start", "end", "precision", "basis"),
    [
        ("It enters into force on 1 January 2025.", "2025-01-01", None, "day", "stated_open"),
        ("It entered into force on July 1, 2025.", "2025-07-01", None, "day", "stated_open"),
        ("It shall apply from 1 July 2026.", "2026-07-01", None, "day", "stated_open"),
        ("It shall apply until 31 December 2026.", None, "2027-01-01", "day", "stated"),
        ("With effect from 1 April 2024, Acme supports it.", "2024-04-01", None, "day", "stated_open"),
        ("The policy is effective 1 July 2025.", "2025-07-01", None, "day", "stated_open"),
        ("Effective date: 2025-07-01", "2025-07-01", None, "day", "stated_open"),
        ("As of 1 March 2025, Ada owns it.", "2025-03-01", None, "day", "stated_open"),
        ("It runs from 1 April 2024 to 31 March 2027.", "2024-04-01", "2027-04-01", "day", "stated"),
        ("It runs from 1 April 2024 until 31 March 2027.", "2024-04-01", "2027-04-01", "day", "stated"),
        ("between 1 April 2024 and 31 March 2027", "2024-04-01", "2027-04-01", "day", "stated"),
        ("for the period 1 April 2024 – 31 March 2027", "2024-04-01", "2027-04-01", "day", "stated"),
        ("The permit expires on 31 March 2027.", None, "2027-04-01", "day", "stated"),
        ("The permit is valid until 29 February 2028.", None, "2028-03-01", "day", "stated"),
        ("It is valid until March 2027.", None, "2027-04-01", "month", "stated"),
        ("It is valid through 2026.", None, "2027-01-01", "year", "stated"),
        ("It is valid until December 2026.", None, "2027-01-01", "month", "stated"),
        ("It was terminated on 30 June 2025.", None, "2025-07-01", "day", "stated"),
        ("It is repealed with effect from 25 May 2018.", None, "2018-05-25", "day", "stated"),
        ("It ceases to apply on 25 May 2018.", None, "2018-05-25", "day", "stated"),
        ("Ada owned it in 2015.", "2015-01-01", "2016-01-01", "year", "stated"),
        ("It failed in September 2025.", "2025-09-01", "2025-10-01", "month", "stated"),
        ("Ada owns it from March 2024.", "2024-03-01", None, "month", "stated_open"),
        ("Ada has owned it since 2019.", "2019-01-01", None, "year", "stated_open"),
        ("It applies from 2025 until March 2027.", "2025-01-01", "2027-04-01", "year", "stated"),
        ("It took effect on 1 April 2024 and expires on 31 March 2027.", "2024-04-01", "2027-04-01", "day", "stated"),
        ("Le règlement entre en vigueur le 1er juillet 2026.", "2026-07-01", None, "day", "stated_open"),
        ("Elle s'applique à compter du 1er juillet 2026.", "2026-07-01", None, "day", "stated_open"),
        ("Elle est valable jusqu'au 31 décembre 2026.", None, "2027-01-01", "day", "stated"),
        ("du 1er janvier 2024 au 31 décembre 2025", "2024-01-01", "2026-01-01", "day", "stated"),
        ("La directive est abrogée à compter du 25 mai 2018.", None, "2018-05-25", "day", "stated"),
    ],
)
def test_phrases_of_effect_state_half_open_intervals(
    text: str, start: str | None, end: str | None, precision: str, basis: str
) -> None:
    assert _interval(text) == (_day(start), _day(end), precision, basis)


@pytest.mark.parametrize(
    "text",
    [
        "The Supplier must report within 30 days of notification.",
        "It is due within 30 days from 1 January 2025.",
        "Name one owner by 31 December 2025.",
        "Reply no later than 31 March 2025.",
        "The Board met on 1 March 2025.",
        "The law of 1 July 2024 names them.",
        "You may 2015 times try.",
        "It applies from 05/06/2023.",  # the order is not known
        "It applies from Q3 2025.",
        "Version 2.1 of 2025 is current.",
        "It holds until further notice.",
    ],
)
def test_deadlines_events_and_unclear_dates_are_no_validity(text: str) -> None:
    assert _stated(text) == Validity()


def test_the_words_are_kept_verbatim() -> None:
    assert _stated("Brightwell may use it until 31 December 2025.").text == "until 31 December 2025"
    both = _stated("It applies from 1 July 2025, whoever asks, until 31 December 2025.")
    assert both.text == "applies from 1 July 2025; until 31 December 2025"


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("It shall enter into force 20 days after publication.", "2025-01-30", None),
        ("It shall enter into force on the twentieth day following that of its publication.", "2025-01-30", None),
        ("It becomes effective on the day of its publication.", "2025-01-10", None),
        ("It enters into force on the day following its publication.", "2025-01-11", None),
        ("It takes effect thirty (30) days after the date of signature.", "2024-05-01", None),
        ("It enters into force three months after signature.", "2024-07-01", None),
        ("It is valid for two years from signature.", "2024-04-01", "2026-04-01"),
        ("It expires six months after signature.", None, "2024-10-02"),
    ],
)
def test_periods_after_a_known_event_are_resolved(text: str, start: str, end: str | None) -> None:
    assert _interval(text) == (_day(start), _day(end), "day", "relative_resolved")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It shall enter into force 20 days after notification.", "enter into force 20 days after notification"),
        ("It takes effect 10 business days after publication.", "takes effect 10 business days after publication"),
        ("It applies from 1 Jan 2024 and from 1 Jan 2025.", "applies from 1 Jan 2024 and from 1 Jan 2025"),
        ("It applies from 1 July 2025 until 1 July 2024.", "applies from 1 July 2025 until 1 July 2024"),
    ],
)
def test_what_cannot_be_resolved_keeps_its_words_and_nothing_else(text: str, words: str) -> None:
    assert _stated(text) == Validity(text=words)


def test_of_what_is_denied_only_the_beginning_is_taken() -> None:
    denied = _stated("It does not apply until 1 July 2026.", negative=True)
    assert (denied.start, denied.end, denied.basis, denied.text) == (None, None, "unknown", "apply until 1 July 2026")
    assert _stated("It does not apply from 1 July 2026.", negative=True).start == date(2026, 7, 1)


def test_events_come_from_metadata_or_one_signature_in_the_text() -> None:
    text = "This Agreement was signed on 1 April 2024 in Harnley."
    assert known_events(text, [], date(2025, 1, 10), date(2025, 2, 1)) == {
        "publication": date(2025, 1, 10), "entry into force": date(2025, 2, 1), "signature": date(2024, 4, 1),
    }  # fmt: skip
    assert known_events(f"{text} It was signed on 2 April 2024.", [], None, None) == {}
    assert known_events(text, [("signed_on", "2024-03-30")], None, None) == {"signature": date(2024, 3, 30)}


def test_months_end_on_their_last_day() -> None:
    assert later(date(2024, 1, 31), 1, "month") == date(2024, 2, 29)
    assert later(date(2024, 2, 29), 1, "year") == date(2025, 2, 28)
    assert later(date(9999, 12, 31), 1, "day") is None
    assert later(date(2024, 1, 1), 3, "business day") is None
    (found,) = events_after("no later than thirty (30) days after receipt")
    assert (found.number, found.unit, found.event) == (30, "day", "notification")


@given(st.dates(date(1600, 1, 1), date(2190, 1, 1)), st.dates(date(1600, 1, 1), date(2190, 1, 1)))
def test_an_interval_never_ends_before_it_begins(first: date, last: date) -> None:
    found = _stated(f"It applies from {first.isoformat()} until {last.isoformat()}.")
    if first <= last:
        assert (found.start, found.basis) == (first, "stated")
        assert found.end is not None
        assert (found.end - last).days == 1
    else:
        assert (found.start, found.end, found.basis) == (None, None, "unknown")


def _by_predicate(text: str, **extraction: Any) -> dict[str, dict[str, object]]:
    output = entities(corpus({"v1": ([("title", "Access Policy"), ("paragraph", text)], "en")}, **extraction))
    return {str(row["predicate_raw"]): row for row in claims(output)}


def test_a_phrase_belongs_to_the_claims_of_its_clause_only() -> None:
    found = _by_predicate("Brightwell may access the Gateway until 31 December 2025, and Acme monitors the Archive.")
    assert found["access"]["valid_to"] == date(2026, 1, 1)
    assert found["access"]["validity_text"] == "until 31 December 2025"
    assert (found["monitor"]["valid_to"], found["monitor"]["validity_basis"]) == (None, "unknown")


def test_a_year_beside_a_noun_dates_the_noun_and_not_the_claim() -> None:
    rows = claims(read("Reports from 2015 describe the Archive."))
    assert rows
    assert {row["valid_from"] for row in rows} == {None}


def test_claims_inherit_what_metadata_state_of_the_document_and_say_so() -> None:
    """Validity is never inferred; but a document's own validity is stated, and holds for what it says."""
    stated = {"valid_from": date(2024, 1, 1), "valid_to": date(2025, 7, 1), "validity_status": "stated"}
    found = _by_predicate(
        "Ada Lovelace owns the Gateway. Brightwell may access the Archive until 31 December 2024. "
        "The Gateway replaced the Relay.",
        **stated,
    )
    owned = found["own"]
    assert (owned["valid_from"], owned["valid_to"], owned["validity_basis"]) == (
        date(2024, 1, 1), date(2025, 7, 1), "metadata",
    )  # fmt: skip
    access = found["access"]  # states its own time
    assert (access["valid_from"], access["valid_to"], access["validity_basis"]) == (None, date(2025, 1, 1), "stated")
    assert found["replace"]["validity_basis"] == "unknown"  # an event is over, whatever is valid now


def test_without_stated_validity_nothing_is_inherited() -> None:
    found = _by_predicate("Ada Lovelace owns the Gateway.", published_on=date(2024, 5, 1))
    assert (found["own"]["valid_from"], found["own"]["validity_basis"]) == (None, "unknown")
    assert found["own"]["asserted_on"] == date(2024, 5, 1)
