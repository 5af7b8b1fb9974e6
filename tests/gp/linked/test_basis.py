"""Rows of B, stored or worked out, are the prior times the directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.gp.linked.basis import Basis, ImplicitBasis, SpanningDifferences, StoredBasis, grown
from penchant.gp.linked.priors import FeaturePrior, InducingPrior

N = 12
RNG = np.random.default_rng(31)
PRIOR = InducingPrior(
    FeaturePrior(RNG.normal(size=(N, 2)), scale=1.0, lengthscale=1.0), np.array([4, 0, 9]), nugget=0.2
)
START = np.array([2, 7, 8]), RNG.normal(size=(3, 2))
PAIRS = [(0, 7), (1, 7), (1, 0), (5, 3)]


def taught(kind: type[Basis]) -> tuple[Basis, np.ndarray]:
    """Return a basis that starts with two columns, and its directions written out, (N, count)."""
    basis = kind(PRIOR, *START)
    for pair in PAIRS:
        basis.coordinates(*pair)
    directions = np.zeros((N, basis.count))
    directions[START[0], :2] = START[1]
    for place, (first, second) in enumerate([(0, 7), (1, 7), (5, 3)], start=2):
        directions[first, place], directions[second, place] = 1, -1
    return basis, directions


@pytest.mark.parametrize("kind", [StoredBasis, ImplicitBasis])
def test_rows_are_the_prior_times_the_directions(kind: type[Basis]) -> None:
    """At some items, along all of them, and turned to other sums, B is K₀ times what the directions hold."""
    basis, directions = taught(kind)
    covariance = PRIOR.block(np.arange(N))
    rows = directions.T @ covariance
    items, weights, turn = np.array([3, 3, 11]), RNG.normal(size=5), RNG.normal(size=(5, 2))
    np.testing.assert_allclose(basis.at(items), rows[:, items], atol=1e-12)
    np.testing.assert_allclose(basis.along(weights), weights @ rows, atol=1e-12)
    turned = basis.combined(turn)
    assert turned.count == 2
    np.testing.assert_allclose(turned.at(items), turn.T @ rows[:, items], atol=1e-12)


@pytest.mark.parametrize("kind", [StoredBasis, ImplicitBasis])
def test_a_difference_that_is_there_takes_no_direction(kind: type[Basis]) -> None:
    """1 − 0 is 1 − 7 less 0 − 7; the dual says how much of each item a sum holds."""
    basis, directions = taught(kind)
    assert basis.count == 5
    assert basis.coordinates(1, 0).tolist() == [0, 0, -1, 1, 0]
    weights = RNG.normal(size=5)
    items, held = basis.dual(weights)
    np.testing.assert_allclose(held, (directions @ weights)[items], atol=1e-12)
    assert items.tolist() == [0, 1, 2, 3, 5, 7, 8]


PAIR_LISTS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] != pair[1]))


def difference(first: int, second: int) -> np.ndarray:
    return np.eye(8)[first] - np.eye(8)[second]


@given(PAIR_LISTS)
def test_differences_are_sums_of_as_many_vectors_as_needed(pairs: list[tuple[int, int]]) -> None:
    """After any pairs, the coordinates of each give exactly its difference, and the vectors are as many as the rank."""
    differences = SpanningDifferences()
    for first, second in pairs:
        if differences.coordinates(first, second) is None:
            differences.join(first, second)
    vectors = np.array([difference(*pair) for pair in differences.pairs().tolist()]).reshape(-1, 8)
    for first, second in pairs:
        coordinates = differences.coordinates(first, second)
        assert coordinates is not None
        np.testing.assert_array_equal(coordinates @ vectors, difference(first, second))
    compared = np.array([difference(*pair) for pair in pairs]).reshape(-1, 8)
    assert differences.count == (np.linalg.matrix_rank(compared) if pairs else 0)


def test_directions_that_stand_before_say_nothing_of_items() -> None:
    """Where others stand before, a difference is made of the later ones alone."""
    directions = SpanningDifferences(2)
    assert directions.coordinates(0, 1) is None
    directions.join(0, 1)
    assert directions.coordinates(1, 0).tolist() == [0, 0, -1]


def test_what_grows_keeps_what_it_held() -> None:
    """Room is added in zeros, and where there is room the array is left alone."""
    array = np.array([[1, 2]])
    larger = grown(array, (1, 3))
    assert larger[0, :3].tolist() == [1, 2, 0]
    assert grown(larger, (1, 3)) is larger
