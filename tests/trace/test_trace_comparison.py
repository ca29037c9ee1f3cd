"""When a text counts as found: as it is, after the declared normalisation, or piece by piece; and never otherwise."""

from __future__ import annotations

import pytest

from muniment.trace.comparison import compare
from muniment.trace.shown import shows


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("pay 5%", "we pay 5% now", "exact"),
        ("pay  5 %", "we pay\n5% now", "normalised"),
        ("it’s “x” – ﬁne", 'it\'s "x" - fine', "normalised"),
        ("co\u00adoperate", "cooperate", "normalised"),
        ("pay 5%", "we pay 6% now", "not_found"),
        ("Pay", "pay", "not_found"),
        ("-5", "5", "not_found"),
        ("first\n\nsecond", "second … first", "normalised"),  # elements in another order
        ("first\n\nthird", "second … first", "not_found"),
        ("a\t1\nb\t2", '"a";"1"\n"b";"2"', "normalised"),
        ("a\t2", '"a";"1"\n"b" and much more text that is no delimiter at all;"2"', "not_found"),
        ("a\t2", '"a";"1"\n"a";"2"', "normalised"),  # the second place where the row may begin
    ],
)
def test_a_text_is_found_as_it_is_or_after_the_declared_normalisation(text: str, source: str, expected: str) -> None:
    assert compare(text, source) == expected


def test_stored_rows_are_compared_cell_by_cell() -> None:
    source = "gate\t1250\t0.075\nwall\t7\t0.5"
    assert compare("gate\t1,250.00\t7.5%", source, shows) == "normalised"
    assert compare("gate\t7.00\t7.5%", source, shows) == "not_found"
    assert compare("gate\t1,250.00\t7.5%", source) == "not_found"


@pytest.mark.parametrize(
    ("shown", "stored", "expected"),
    [
        ("1,250.00", "1250", True),
        ("$1,234.50", "1234.5", True),
        ("(350)", "-350", True),
        ("7.5%", "0.075", True),
        ("7.5%", "0.75", False),
        ("0.33", "0.333333", True),
        ("0.34", "0.333333", False),
        ("1.23E+04", "12345.678", True),
        ("TRUE", "1", True),
        ("TRUE", "0", False),
        ("31/01/2024", "45322", True),
        ("31 January 2024", "45322", True),
        ("31 March 2024", "45322", False),
        ("30/01/2024", "45322", False),
        ("13:30", "45322.5625", True),
        ("13:31", "45322.5625", False),
        ("2024-01-31", "43860", True),  # counted from 1904
        ("word", "5", False),
        ("5", "word", False),
    ],
)
def test_a_cell_shows_a_stored_value(shown: str, stored: str, expected: bool) -> None:
    assert shows(shown, stored) is expected
