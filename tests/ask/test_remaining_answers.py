"""How far an order is from right in draws, and how many answers are left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from penchant.ask.remaining_answers import RemainingAnswers, correlations, worst_miss


@given(st.integers(2, 7), st.integers(0, 1000), st.floats(0, 1), st.data())
def test_it_is_the_share_of_draws_without_a_wrong_pair(
    n_items: int, seed: int, width: float, data: st.DataObject
) -> None:
    """A plain loop over the pairs of an order finds the same worst one."""
    top = data.draw(st.none() | st.integers(1, n_items - 1))
    scores = np.random.default_rng(seed).normal(size=(20, n_items))
    pairs = [(a, b) for a in range(n_items) for b in range(a + 1, n_items) if top is None or (a < top <= b)]
    plain = [max(row[b] - row[a] for a, b in pairs) for row in scores]
    assert worst_miss(scores, top) == pytest.approx(plain)


@given(st.integers(2, 8), st.integers(0, 1000), st.floats(0, 1))
def test_the_correlation_counts_pairs(n_items: int, seed: int, width: float) -> None:
    """It is 1 less twice the share of pairs whose later one leads by more than the width, counted one by one."""
    scores = np.random.default_rng(seed).normal(size=(5, n_items))
    pairs = [(a, b) for a in range(n_items) for b in range(a + 1, n_items)]
    plain = [1 - 2 * np.mean([row[b] - row[a] > width for a, b in pairs]) for row in scores]
    assert correlations(scores, width) == pytest.approx(plain)


def test_of_many_pairs_some_are_drawn() -> None:
    """The correlation of hundreds of items is that of all pairs to a percent."""
    scores = np.linspace(2, -2, 300) + np.random.default_rng(0).normal(size=(3, 300))
    first, second = np.triu_indices(300, k=1)
    plain = 1 - 2 * (scores[:, second] - scores[:, first] > 0.1).mean(axis=1)
    assert correlations(scores, 0.1) == pytest.approx(plain, abs=0.03)


def remaining(sd: float, goal: str = "top", top: int | None = 1, width: float = 0.1) -> RemainingAnswers:
    """Three items a distance of 1 apart, each with this standard deviation."""
    deviations = sd * np.random.default_rng(0).standard_normal((4000, 3))
    return RemainingAnswers(np.array([1.0, 0.0, -1.0]), deviations, goal, top, width, np.sqrt(2))


def test_the_value_is_a_share_of_draws_with_its_error() -> None:
    """Of two items it is Φ((d + width)/s); the error is that of a share, and never 0."""
    deviations = np.random.default_rng(1).standard_normal((20_000, 2))
    found = RemainingAnswers(np.array([0.5, 0.0]), deviations, "exact", None, 0.2, 1.0)
    assert found.value == pytest.approx(ndtr(0.7 / np.sqrt(2)), abs=0.01)
    assert found.error == pytest.approx(np.sqrt(found.value * (1 - found.value) / 20_000))
    certain = remaining(1e-6)
    assert certain.value == 1.0
    assert certain.error == pytest.approx(1 / 4000)


def test_an_order_is_valued_by_its_correlation() -> None:
    """The value is the mean of Kendall's correlations of the draws, with the standard error of that mean."""
    found = remaining(1.0, "order", None)
    expected = correlations(found.mean + found.deviations, 0.1)
    assert found.value == pytest.approx(expected.mean())
    assert found.error == pytest.approx(expected.std() / np.sqrt(4000))


@pytest.mark.parametrize(("goal", "top"), [("top", 1), ("exact", None), ("order", None)])
def test_more_is_left_of_a_higher_level_and_of_more_doubt(goal: str, top: int | None) -> None:
    """The estimate lies in its range, and both grow with the level and with the deviations."""
    found = remaining(1.0, goal, top)
    some, more = found.answers_left(0.8), found.answers_left(0.99)
    for left, fewest, most in (some, more):
        assert 1 <= fewest <= left <= most
    assert some[0] < more[0]
    assert some[2] < more[2]


def test_at_least_one_answer_is_left() -> None:
    """Where the smallest step reaches the level and little is known so far, the estimate does not fall to 0."""
    left, fewest, most = remaining(3.0).answers_left(0.01)
    assert (left, fewest) == (1, 1)
    assert most >= 1
