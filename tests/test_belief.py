"""What follows from the moments of a belief."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.ask import next_pair, next_pairs, settled
from penchant.belief import (
    LEAST_VARIANCE,
    IndependentBelief,
    NormalBelief,
    difference_variance,
    rows_of,
    to_choose_by,
    upper_variance,
)

MEAN = np.array([0.5, -1.0, 2.0])
COVARIANCE = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.4]])


class Joint(NormalBelief):
    """A normal belief about three items."""

    items_ = ("a", "b", "c")
    noise_ = 1.0

    def __init__(self) -> None:
        self.mean, self.counts_ = MEAN, np.array([3, 1, 2])

    def variance(self, rows: Any = None) -> Any:
        return COVARIANCE.diagonal()[rows_of(rows, 3)]

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        return COVARIANCE[np.ix_(rows_of(rows, 3), rows_of(columns, 3))]

    def __repr__(self) -> str:
        return "Joint()"


class Alone(IndependentBelief):
    """Independent scores of the same three items."""

    items_ = ("a", "b", "c")
    noise_ = 1.0

    def __init__(self) -> None:
        self.mean, self.counts_ = MEAN, np.array([3, 1, 2])

    def variance(self, rows: Any = None) -> Any:
        return COVARIANCE.diagonal()[rows_of(rows, 3)]


def test_rows_are_indices() -> None:
    """None is all items, a number is one row, and negative ones count from the end; others are an error."""
    assert rows_of(None, 3).tolist() == [0, 1, 2]
    assert rows_of(1, 3).tolist() == [1]
    assert rows_of([-1, 0], 3).tolist() == [2, 0]
    with pytest.raises(IndexError):
        rows_of([3], 3)


def test_a_normal_belief_is_its_own_bound_and_component() -> None:
    """Where nothing else is written, both bounds are the variances and the belief is no mixture."""
    belief = Joint()
    for bound in (*belief.variance_bounds(), upper_variance(belief)):
        np.testing.assert_array_equal(bound, belief.variance())
    assert belief.most_probable() is belief
    assert to_choose_by(belief) is belief


def test_draws_of_rows_have_their_moments() -> None:
    """20,000 draws of two of the items have the means and the covariance of those."""
    rows = [2, 0]
    drawn = Joint().sample(20_000, 1, rows=rows)
    np.testing.assert_allclose(drawn.mean(axis=0), MEAN[rows], atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), COVARIANCE[np.ix_(rows, rows)], atol=0.08)


def test_the_ranking_shows_the_belief() -> None:
    """Items stand in the order of their means, with intervals from their variances and their counts."""
    ranking = Joint().rank(level=0.9)
    assert ranking.items == ("c", "a", "b")
    np.testing.assert_allclose(ranking.scores, [2.0, 0.5, -1.0])
    np.testing.assert_allclose(ranking.upper - ranking.scores, 1.6449 * np.sqrt([0.4, 2.0, 1.0]), rtol=1e-4)
    assert ranking.answers.tolist() == [2, 3, 1]
    assert ranking.model == "Joint()"


def test_independent_scores_have_a_diagonal_covariance() -> None:
    """Any part of the covariance is that part of a diagonal matrix, and draws of rows are columns of all draws."""
    belief, whole = Alone(), np.diag(COVARIANCE.diagonal())
    np.testing.assert_array_equal(belief.covariance(), whole)
    np.testing.assert_array_equal(belief.covariance([2, 0], [0, 1]), whole[np.ix_([2, 0], [0, 1])])
    np.testing.assert_array_equal(belief.sample(9, 4, rows=[2, 0]), belief.sample(9, 4)[:, [2, 0]])


@pytest.mark.parametrize(("first", "second"), [([0], [2]), ([0, 1, 2, 2], [1, 2, 0, 1])])
def test_the_variance_of_a_difference(first: list[int], second: list[int]) -> None:
    """For few pairs and for many it is V_a + V_b − 2 C_ab."""
    pairs = np.array(first), np.array(second)
    expected = [
        COVARIANCE[i, i] + COVARIANCE[j, j] - 2 * COVARIANCE[i, j] for i, j in zip(*pairs, strict=True)
    ]
    np.testing.assert_allclose(difference_variance(Joint(), *pairs), expected)


def test_the_variance_of_a_difference_is_above_zero() -> None:
    """An item does not differ from itself, but dividing by the variance must stay possible."""
    assert difference_variance(Joint(), np.array([1]), np.array([1])).tolist() == [LEAST_VARIANCE]


def test_own_methods_come_first() -> None:
    """Moments that know bounds, differences or a most probable component are asked for them."""

    class Own(Joint):
        def variance_bounds(self) -> Any:
            return np.zeros(3), np.full(3, 9.0)

        def difference_variance(self, first: Any, second: Any) -> Any:
            return np.full(len(first), -1.0)

        def most_probable(self) -> Any:
            return alone

    alone, own = Alone(), Own()
    assert to_choose_by(own) is alone
    assert upper_variance(own).tolist() == [9.0] * 3
    assert difference_variance(own, np.array([0]), np.array([1])).tolist() == [LEAST_VARIANCE]


class OnlyMoments:
    """A belief of a user's own: a mean, variances and covariances, and nothing else."""

    mean = np.array([1.0, 0.5, -1.0])

    def variance(self, rows: Any = None) -> Any:
        return np.diag(self.covariance())[slice(None) if rows is None else rows]

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        return np.eye(3)[np.ix_(rows_of(rows, 3), rows_of(columns, 3))]


def test_a_mean_and_covariances_are_enough_for_asking() -> None:
    """Without noise, counts and draws of its own the noise is 1, counts are given, and draws are normal."""
    belief: Any = OnlyMoments()
    counts = np.full(3, 5)
    assert next_pair(belief, counts) == next_pair(belief, counts, noise=1.0)
    assert next_pairs(belief, counts, 2)[0] == next_pair(belief, counts)
    assert settled(belief) == settled(belief, noise=1.0)
