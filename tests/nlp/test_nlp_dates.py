"""Dates in text: which words name a day, a month or a year, and which never do."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.nlp.dates import ambiguous, date_order, find_dates, parse_day, read_date


@pytest.mark.parametrize(
    ("text", "day", "precision"),
    [
        ("2026-07-01", date(2026, 7, 1), "day"),
        ("2024/03/05", date(2024, 3, 5), "day"),
        ("2025-08-17T03:12Z", date(2025, 8, 17), "day"),
        ("1 July 2026", date(2026, 7, 1), "day"),
        ("1st of July, 2026", date(2026, 7, 1), "day"),
        ("1st day of April 2024", date(2024, 4, 1), "day"),
        ("July 1, 2026", date(2026, 7, 1), "day"),
        ("01-Jul-2026", date(2026, 7, 1), "day"),
        ("1er juillet 2026", date(2026, 7, 1), "day"),
        ("12 mars 2024", date(2024, 3, 12), "day"),
        ("Mon, 18 Aug 2025 16:40:00 +0000", date(2025, 8, 18), "day"),
        ("29 February 2024", date(2024, 2, 29), "day"),
        ("July 2026", date(2026, 7, 1), "month"),
        ("May 2015", date(2015, 5, 1), "month"),
        ("août 2024", date(2024, 8, 1), "month"),
        ("2011-06", date(2011, 6, 1), "month"),
        ("2015", date(2015, 1, 1), "year"),
    ],
)
def test_a_date_has_the_precision_it_is_written_with(text: str, day: date, precision: str) -> None:
    found = read_date(text)
    assert found is not None
    assert (found.day, found.precision) == (day, precision)


@pytest.mark.parametrize(
    "text",
    [
        "05/06/2023",  # two days
        "05.06.2023",
        "1/7/24",  # a year of two digits
        "29 February 2023",
        "31 June 2024",
        "2023-13-01",
        "may 2015",  # the verb
        "march 2015",
        "Q3 2025",
        "FY2024",
        "2011-12",  # a month, or a season of two years
        "2024-25",
        "version 2.1.2024.7",
        "2015 pages",
        "last week",
        "17 August",
        "",
    ],
)
def test_what_names_no_single_date_is_not_read(text: str) -> None:
    assert read_date(text) is None


def test_numeric_dates_follow_the_order_of_their_source() -> None:
    assert parse_day("05/06/2023", "dmy") == date(2023, 6, 5)
    assert parse_day("05/06/2023", "mdy") == date(2023, 5, 6)
    assert parse_day("13/06/2023") == date(2023, 6, 13)
    assert parse_day("06/13/2023") == date(2023, 6, 13)
    assert parse_day("05/05/2023") == date(2023, 5, 5)
    assert [ambiguous(text) for text in ("05/06/2023", "05/05/2023", "13/06/2023", "5 June 2023")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "languages", "order"),
    [
        ("05/06/2023 and 23/06/2023", (), "dmy"),
        ("05/06/2023 and 06/23/2023", (), "mdy"),
        ("23/06/2023 and 06/23/2023", ("fr",), None),  # contradicting evidence
        ("05/06/2023", (), None),
        ("05/06/2023", ("en",), None),
        ("05/06/2023", ("en-US",), "mdy"),
        ("05/06/2023", ("en_GB",), "dmy"),
        ("05/06/2023", ("fr",), "dmy"),
        ("05/06/2023", ("fr-CA",), None),
        ("05/06/2023", ("en-US", "en-GB"), None),
        ("06/23/2023", ("en-GB",), "mdy"),  # what the source does beats what it states
    ],
)
def test_the_order_comes_from_the_source_or_its_stated_region(
    text: str, languages: tuple[str, ...], order: str | None
) -> None:
    assert date_order(text, languages) == order


def test_dates_are_found_in_running_text() -> None:
    text = "You may 2015 times try; from 1 July 2026 (not 05/06/2023) until March 2027, see 1.2.2024.1 and page 20256."
    assert [(text[item.start : item.end], item.precision) for item in find_dates(text)] == [
        ("1 July 2026", "day"),
        ("March 2027", "month"),
    ]


@given(st.dates(min_value=date(1500, 1, 1), max_value=date(2199, 12, 31)))
def test_every_day_is_read_back_from_its_written_forms(day: date) -> None:
    months = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
              "November", "December")  # fmt: skip
    month = months[day.month - 1]
    for text in (day.isoformat(), f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}"):
        assert parse_day(text) == day
    assert parse_day(f"{day.day:02}/{day.month:02}/{day.year}", "dmy") == day
    assert parse_day(f"{day.month:02}/{day.day:02}/{day.year}", "mdy") == day
