"""Stated metadata: dates that name one day, validity, language."""

from __future__ import annotations

import datetime

import pytest

from muniment.extraction.metadata import normalise, parse_day
from muniment.extraction.model import Element, Reading, Stated


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2015-03-04", (2015, 3, 4)),
        ("2015-03-04T10:00:00Z", (2015, 3, 4)),
        ("4 March 2015", (2015, 3, 4)),
        ("March 4th, 2015", (2015, 3, 4)),
        ("Thu, 11 Jun 2009 23:25:02 -0700", (2009, 6, 11)),
        ("11 Jun 2009 23:25:02 +0200 (CEST)", (2009, 6, 11)),
    ],
)
def test_a_value_that_names_one_day_is_read(value: str, day: tuple[int, int, int]) -> None:
    assert parse_day(value) == datetime.date(*day)


@pytest.mark.parametrize("value", ["2015", "05/06/2023", "31 Feb 2024", "2024-02-31", "soon", "March 2015", "1/2/03"])
def test_a_value_that_names_none_or_two_days_is_not(value: str) -> None:
    assert parse_day(value) is None


def test_an_invalid_date_is_a_loss_naming_the_field_and_not_the_value() -> None:
    found = normalise(Reading("r", "1", [], [Stated("effective_date", "05/06/2023")]), "")
    assert found.valid_from is None
    assert found.validity_status == "unverified"
    (problem,) = found.problems
    assert problem.reason_code == "metadata_invalid"
    assert problem.locator == {"field": "effective_date"}
    assert "05/06" not in problem.detail


def test_a_stated_last_day_of_validity_becomes_the_day_after_and_valid_to_stays() -> None:
    stated = [Stated("effective", "2020-01-01"), Stated("expires", "2020-12-31")]
    found = normalise(Reading("r", "1", [], stated), "")
    assert (found.valid_from, found.valid_to) == (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1))
    assert found.validity_status == "stated"
    half_open = normalise(Reading("r", "1", [], [Stated("valid_to", "2021-01-01")]), "")
    assert half_open.valid_to == datetime.date(2021, 1, 1)
    assert normalise(Reading("r", "1", [], stated[:1]), "").validity_status == "stated_open"


def test_the_language_is_stated_or_recognised_or_und() -> None:
    stated = normalise(Reading("r", "1", [], [Stated("language", "fr-CA")]), "whatever this text is written in")
    assert (stated.language, stated.language_basis) == ("fr", "explicit")
    text = "Der Vertrag endet mit Ablauf des Jahres, in dem er gekündigt worden ist."
    assert normalise(Reading("r", "1", []), text).language == "de"
    assert normalise(Reading("r", "1", []), "12 kg, 7 %").language == "und"


def test_the_title_is_stated_or_the_first_heading() -> None:
    elements = [Element("paragraph", "x"), Element("heading", "Scope of\nthe law")]
    found = normalise(Reading("r", "1", elements), "")
    assert (found.title, found.title_basis) == ("Scope of the law", "rule")
    found = normalise(Reading("r", "1", elements, [Stated("title", "Law 5")]), "")
    assert (found.title, found.title_basis) == ("Law 5", "explicit")
