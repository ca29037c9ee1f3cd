"""Values of claims: equal amounts come out equal however they are written; what can be read in two ways stays text."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from claims_documents import claims, corpus, entities, one
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.numbers import decimal_mark, read_digits, read_ordinal, read_words
from muniment.claims.units import canonical, find_currency, find_unit
from muniment.claims.values import Conventions, conventions_of, read_value, says_nothing

Meaning = tuple[str, float | None, str | None]


def _meaning(text: str, kind: str = "number", **options: Any) -> Meaning:
    value = read_value(7, 7 + len(text), text, kind, **options)
    assert (value.start, value.end, value.text) == (7, 7 + len(text), text)
    return value.kind, value.number, value.unit


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        (
            ["30 days", "thirty (30) days", "30 (thirty) days", "thirty days", "30-day", "thirty-day", "720 hours",
             "30 calendar days", "trente jours", "30 jours calendaires"],
            ("duration", 30, "day"),
        ),
        (["30 business days", "thirty (30) working days", "30 jours ouvrés"], ("duration", 30, "business day")),
        (["30 jours ouvrables"], ("duration", 30, "jour ouvrable")),
        (["24 hours", "one day", "a day", "1440 minutes"], ("duration", 1, "day")),
        (["36 hours", "1.5 days", "one day and 12 hours"], ("duration", 36, "hour")),
        (["2 weeks", "14 days"], ("duration", 14, "day")),
        (["24 months", "two years", "2 ans"], ("duration", 2, "year")),
        (["13 months", "13 mois", "one year and 1 month"], ("duration", 13, "month")),
        (["2 hours and 9 minutes", "129 minutes"], ("duration", 129, "minute")),
        (["half an hour", "30 min"], ("duration", 30, "minute")),
        (["30 days' notice", "30 days of notification", "within 30 days", "30 days after receipt"],
         ("duration", 30, "day")),
        (["EUR 1.2 million", "€1.2 million", "1,200,000 EUR", "1.2 million euros", "€1,200,000", "1.2M€"],
         ("money", 1_200_000, "EUR")),
        (["£250,000", "GBP 250,000", "£ 250k", "250 000 GBP"], ("money", 250_000, "GBP")),
        (["US$ 5m", "USD 5 million", "5,000,000 US dollars"], ("money", 5_000_000, "USD")),
        (["5%", "5 %", "five per cent", "5 percent"], ("percent", 5, "%")),
        (["2 TB", "2,000 GB", "2000000 MB"], ("quantity", 2000, "GB")),
        (["1 km", "1,000 m", "1000 metres"], ("quantity", 1000, "m")),
        (["1 ha", "10,000 m²", "10,000 square metres"], ("quantity", 10_000, "m²")),
        (["−5 °C", "-5 °C"], ("quantity", -5, "°C")),
        (["five failed attempts", "5 failed attempts"], ("quantity", 5, "failed attempt")),
        (["340 pumping stations"], ("quantity", 340, "pumping station")),
        (["5 m"], ("quantity", 5, "m")),
        (["1,234.5", "1.234,5", "1 234,5", "1'234.5"], ("number", 1234.5, None)),
        (["1,234"], ("number", 1234, None)),
        (["3½", "3.5"], ("number", 3.5, None)),
        (["a half", "half"], ("number", 0.5, None)),
        (["one hundred and twenty", "120"], ("number", 120, None)),
        (["2015"], ("number", 2015, None)),
    ],
)  # fmt: skip
def test_equal_amounts_have_one_meaning(texts: list[str], meaning: Meaning) -> None:
    assert {text: _meaning(text) for text in texts} == dict.fromkeys(texts, meaning)


@pytest.mark.parametrize(
    "text",
    [
        "thirty (60) days",  # words and digits disagree
        "5-10 days", "5 to 10 days", "between 5 and 10", "10–20 %",  # ranges
        "v2.1", "V 3", "2.1.3", "version 4", "rev. 2", "1.2.3.4",  # versions
        "Q3 2025", "ISO 27001", "Article 5", "24/7", "1/2 day", "12:30", "1st", "+33 1 23 45 67 89", "10.0.0.1",
        "123-456", "12 34", "1,23,456", "a period", "three or four days", "one month and three days",
    ],
)  # fmt: skip
def test_what_is_no_single_amount_stays_text(text: str) -> None:
    assert _meaning(text) == ("text", None, None)


def test_a_bound_stays_beside_its_number() -> None:
    for text in ("at least 90 days", "no more than 90 days", "up to 90 days", "about 90 days", "≥ 90 days"):
        assert _meaning(text) == ("duration", 90, "day")


def test_the_kind_is_settled_by_the_words() -> None:
    assert _meaning("30 days", "date") == ("duration", 30, "day")
    assert _meaning("last week", "date") == ("text", None, None)
    year = read_value(0, 4, "2015", "date")
    assert (year.kind, year.day, year.precision) == ("date", date(2015, 1, 1), "year")
    month = read_value(0, 10, "March 2024", "text")
    assert (month.kind, month.day, month.precision) == ("date", date(2024, 3, 1), "month")


def test_numbers_follow_the_decimal_mark_of_their_source() -> None:
    french, unknown = Conventions(decimal=","), Conventions(decimal=None)
    assert _meaning("1,234", conventions=french) == ("number", 1.234, None)
    assert _meaning("1.234", conventions=french) == ("number", 1234, None)
    assert _meaning("1,234", conventions=unknown) == ("text", None, None)
    assert _meaning("1,5 M€", conventions=french) == ("money", 1_500_000, "EUR")
    assert decimal_mark("It grew by 2.5 % to 1,234,567.", "und") == "."
    assert decimal_mark("La hausse est de 2,5 % pour 1 234,50.", "und") == ","
    assert decimal_mark("2.5 % and 2,5 %", "en") is None
    assert [decimal_mark("no numbers", language) for language in ("en", "fr", "und")] == [".", ",", None]


def test_a_dollar_is_of_the_country_that_the_source_names() -> None:
    assert _meaning("$5") == ("money", 5, "$")
    assert _meaning("$5", conventions=conventions_of("CAD is the currency.", "en")) == ("money", 5, "CAD")
    assert _meaning("$5", conventions=conventions_of("USD and CAD", "en", ["en-US"])) == ("money", 5, "$")
    assert _meaning("$5", conventions=conventions_of("no code", "en", ["en-US"])) == ("money", 5, "USD")


@pytest.mark.parametrize(
    ("text", "unit", "meaning"),
    [
        ("(1,200)", None, ("number", -1200, None)),
        ("(41.2)", "£k", ("money", -41_200, "GBP")),
        ("£(1,200)", None, ("money", -1200, "GBP")),
        ("(1)", None, ("text", None, None)),  # the mark of a note
        ("96,250*", None, ("number", 96_250, None)),
        ("3.4¹", None, ("number", 3.4, None)),
        ("12 [3]", None, ("number", 12, None)),
        ("30", "days", ("duration", 30, "day")),
        ("45 hours", "days", ("duration", 45, "hour")),  # what stands in the cell goes before the header
        ("60", "s", ("duration", 1, "minute")),
        ("17,310", "Ml", ("quantity", 17_310_000, "m³")),
        ("5", "%", ("percent", 5, "%")),
        ("yes", None, ("boolean", 1, None)),
        ("Non", None, ("boolean", 0, None)),
        ("✓", None, ("boolean", 1, None)),
        ("N", None, ("text", None, None)),
    ],
)
def test_cells_are_read_as_tables_write_them(text: str, unit: str | None, meaning: Meaning) -> None:
    assert _meaning(text, "text", cell=True, unit=unit) == meaning


def test_yes_and_brackets_mean_nothing_in_running_text() -> None:
    assert _meaning("yes") == ("text", None, None)
    assert _meaning("(1,200)") == ("text", None, None)


def test_cells_that_say_nothing() -> None:
    assert all(says_nothing(text) for text in ("", " - ", "–", "n/a", "N/A", "None", "TBD", "néant"))
    assert not any(says_nothing(text) for text in ("0", "no", "nobody", "NA-01"))


@given(st.integers(min_value=0, max_value=10**9))
def test_grouped_numbers_are_read_back(number: int) -> None:
    assert read_digits(f"{number:,}", ".") == number
    assert read_digits(f"{number:,}".replace(",", "\u202f"), None) == number
    assert read_digits(f"-{number}", None) == -number


@given(st.integers(min_value=1, max_value=10_000), st.sampled_from(["minute", "hour", "day", "week"]))
def test_periods_keep_their_length(number: int, unit: str) -> None:
    size = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
    amount, name = canonical(Decimal(number), unit)
    assert amount == amount.to_integral_value()
    assert amount * size[name] == number * size[unit]
    assert canonical(amount, name) == (amount, name)


def test_words_and_units_that_are_none() -> None:
    words = ("quatre-vingt-dix", "soixante-dix", "two thirds", "third", "four twenty")
    assert [read_words(text) for text in words] == [90, 70, Decimal(2) / Decimal(3), None, None]
    assert [read_ordinal(text) for text in ("twentieth", "20th", "vingtième", "twenty")] == [20, 20, 20, None]
    assert find_unit("MW") != find_unit("mW")
    assert find_unit("attempts") is None
    assert find_currency("ISO") is None


def test_values_of_sentences_have_their_meaning() -> None:
    row = one("The Gateway retains access logs for 72 hours.", "retention_period")
    assert (row["value"], row["value_type"]) == ("72 hours", "duration")
    assert (row["value_number"], row["value_unit"]) == (3, "day")


def test_numeric_dates_of_a_document_follow_its_own_evidence_and_are_counted_where_there_is_none() -> None:
    sentence = "The review is due on 05/06/2023."
    alone = entities(corpus({"v1": ([("paragraph", sentence)], "en")}))
    evident = entities(corpus({"v1": ([("paragraph", f"{sentence} The audit is due on 23/06/2023.")], "en")}))
    read = {row["value_date"] for row in claims(evident) if row["value"] == "05/06/2023"}
    assert read == {date(2023, 6, 5)}
    unread = {(row["value_type"], row["value_date"]) for row in claims(alone) if row["value"] == "05/06/2023"}
    assert unread == {("text", None)}
    assert alone.tables["losses"].filter(reason_code="value_ambiguous")["amount"].to_list() == [1]
    assert evident.tables["losses"].filter(reason_code="value_ambiguous").is_empty()
