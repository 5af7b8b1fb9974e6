"""Differences of items are sums of those that were asked about first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.gp.linked.directions import Directions, grown

PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] != pair[1]))


def difference(first: int, second: int) -> np.ndarray:
    return np.eye(8)[first] - np.eye(8)[second]


@given(PAIRS)
def test_a_difference_is_the_sum_that_is_said(pairs: list[tuple[int, int]]) -> None:
    """After any pairs, each of them is exactly the sum of directions that it is said to be made of."""
    directions = Directions()
    for first, second in pairs:
        if directions.of(first, second) is None:
            directions.join(first, second)
    made = np.array([difference(*pair) for pair in directions.pairs().tolist()]).reshape(-1, 8)
    for first, second in pairs:
        made_of = directions.of(first, second)
        assert made_of is not None
        np.testing.assert_array_equal(made_of @ made, difference(first, second))


@given(PAIRS)
def test_there_are_no_more_directions_than_needed(pairs: list[tuple[int, int]]) -> None:
    """Their number is the rank of the differences, however many answers there were."""
    directions = Directions()
    for first, second in pairs:
        if directions.of(first, second) is None:
            directions.join(first, second)
    differences = np.array([difference(*pair) for pair in pairs]).reshape(-1, 8)
    assert directions.count == (np.linalg.matrix_rank(differences) if pairs else 0)


def test_directions_that_stand_before_say_nothing_of_items() -> None:
    """Where others stand before, a difference is made of the later ones alone."""
    directions = Directions(2)
    assert directions.of(0, 1) is None
    directions.join(0, 1)
    assert directions.of(1, 0).tolist() == [0, 0, -1]


def test_what_grows_keeps_what_it_held() -> None:
    """Room is added in zeros, and where there is room the array is left alone."""
    array = np.array([[1, 2]])
    larger = grown(array, (1, 3))
    assert larger[0, :3].tolist() == [1, 2, 0]
    assert grown(larger, (1, 3)) is larger
