"""Names that no score may merge."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from muniment.resolution.components import connected_components
from muniment.resolution.guards import refused


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("directive 2014/65/eu", "directive 2014/56/eu", "digits_differ"),
        ("article 5", "article 5", None),
        ("article 12", "article 1 2", "digits_differ"),
        ("world war i", "world war ii", "numerals_differ"),
        ("annex a", "annex b", "numerals_differ"),
        ("mifid ii", "markets in financial instruments directive ii", None),
        ("d.c.l", "doctor of civil law", None),
        ("north plant", "south plant", "opposed_qualifiers"),
        ("north plant", "plant", None),
        ("interim report", "final report", "opposed_qualifiers"),
        ("internal audit", "external audit", "opposed_qualifiers"),
        ("old policy", "new policy", "opposed_qualifiers"),
        ("direction nord", "direction sud", "opposed_qualifiers"),
        ("new south wales", "new north wales", "opposed_qualifiers"),
        ("northumbria plant", "southampton plant", None),
    ],
)
def test_guards(left: str, right: str, expected: str | None) -> None:
    frame = pl.DataFrame({"l": [left, right], "r": [right, left]})
    assert refused(frame, "l", "r")["refusal"].to_list() == [expected, expected]


def test_components_take_the_smallest_node_as_their_name() -> None:
    left, right = np.array([5, 4, 1, 7]), np.array([4, 3, 2, 7])
    assert connected_components(8, left, right).tolist() == [0, 1, 1, 3, 3, 3, 6, 7]


def test_a_long_chain_is_one_component() -> None:
    ends = np.random.default_rng(1).permutation(2000)
    assert set(connected_components(2000, ends[:-1], ends[1:]).tolist()) == {0}
