"""What every belief promises, as tests of a function ``make(preferences)`` that returns the belief after learning them.

A new belief is added to ``BELIEFS`` in ``test_beliefs.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from penchant import Preferences
from penchant.ask import next_pair, next_pairs, settled
from penchant.belief import difference_variance, upper_variance
from penchant.errors import InvalidInput
from tests.contract.model import N_ITEMS, judged

N_DRAWS = 4000

Make = Callable[[Preferences], Any]


class BeliefContract:
    """The promises, one test each; its docstring is the promise."""

    both_bad = True
    """Whether both-bad answers are learned."""

    def make(self, preferences: Preferences) -> Any:
        raise NotImplementedError

    @pytest.fixture
    def belief(self, make: Make) -> Any:
        return make(judged())

    def test_everything_has_one_row_an_item(self, belief: Any) -> None:
        """Ids, counts, means, variances and covariances are of the items, in one order; counts are of answers."""
        assert belief.items_ == tuple(map(str, range(N_ITEMS)))
        assert belief.mean.shape == belief.counts_.shape == belief.variance().shape == (N_ITEMS,)
        assert belief.covariance().shape == (N_ITEMS, N_ITEMS)
        assert belief.counts_.tolist() == np.bincount(judged().pairs().ravel(), minlength=N_ITEMS).tolist()

    def test_rows_select(self, belief: Any) -> None:
        """Variances and covariances of some rows are those parts of the whole."""
        rows, columns = [4, 1], [0, 2, 4]
        np.testing.assert_allclose(belief.variance(rows), belief.variance()[rows], rtol=1e-6)
        part = belief.covariance()[np.ix_(rows, columns)]
        np.testing.assert_allclose(belief.covariance(rows, columns), part, rtol=1e-6, atol=1e-8)

    def test_the_covariance_is_one(self, belief: Any) -> None:
        """It is symmetric without negative eigenvalues, has the variances on its diagonal, and bounds hold them."""
        covariance, variance = belief.covariance(), belief.variance()
        np.testing.assert_allclose(covariance, covariance.T, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(covariance.diagonal(), variance, rtol=1e-6)
        assert np.linalg.eigvalsh(covariance).min() > -1e-8 * variance.max()
        lower, upper = belief.variance_bounds()
        assert (lower <= variance * (1 + 1e-9)).all()
        assert (variance <= upper * (1 + 1e-9)).all()
        np.testing.assert_array_equal(upper_variance(belief), upper)

    def test_draws_follow_the_moments(self, belief: Any) -> None:
        """Means and covariances of joint draws are the belief's own up to the error of drawing."""
        drawn = belief.sample(N_DRAWS, 3)
        error = np.sqrt(belief.variance() / N_DRAWS)
        assert (np.abs(drawn.mean(axis=0) - belief.mean) < 5 * error).all()
        scale = np.sqrt(np.outer(belief.variance(), belief.variance()))
        assert np.abs((np.cov(drawn.T) - belief.covariance()) / scale).max() < 0.15

    def test_draws_are_reproducible_and_select_rows(self, belief: Any) -> None:
        """One seed gives the same draws again, another gives others; draws of rows have as many columns."""
        np.testing.assert_array_equal(belief.sample(50, 1), belief.sample(50, 1))
        assert (belief.sample(50, 1) != belief.sample(50, 2)).any()
        some = belief.sample(N_DRAWS, 1, rows=[5, 0])
        assert some.shape == (N_DRAWS, 2)
        away = np.abs(some.mean(axis=0) - belief.mean[[5, 0]])
        assert (away < 5 * np.sqrt(belief.variance([5, 0]) / N_DRAWS)).all()

    def test_noise_is_in_units_of_the_mean(self, make: Make) -> None:
        """After many answers about two items, Φ(difference / (√2 · noise)) is about the share that one of them won."""
        pairs = [(0, 1)] * 255 + [(1, 0)] * 45
        order = np.random.default_rng(0).permutation(300)
        belief = make(Preferences.from_pairs(np.array(pairs)[order], items=range(N_ITEMS)))
        chance = ndtr((belief.mean[0] - belief.mean[1]) / (np.sqrt(2) * belief.noise_))
        assert chance == pytest.approx(0.85, abs=0.05)

    def test_learning_moves_the_belief(self, make: Make) -> None:
        """Answers that put 5 above 0 raise their difference, narrow it and are counted; the first ones still count."""
        before = make(judged())
        first, second = np.array([5]), np.array([0])
        apart, spread = before.mean[5] - before.mean[0], difference_variance(before, first, second)
        counts = before.counts_.copy()
        after = before.learn(Preferences.from_pairs([(5, 0)] * 12, items=range(N_ITEMS)))
        assert after.mean[5] - after.mean[0] > apart
        assert difference_variance(after, first, second) < spread
        assert (after.counts_ - counts).tolist() == [12, 0, 0, 0, 0, 12]

    def test_the_ranking_is_of_the_means(self, belief: Any) -> None:
        """Items come in the order of their means, with these as scores, their counts and an interval each."""
        ranking = belief.rank()
        order = np.argsort(-belief.mean, kind="stable")
        assert ranking.items == tuple(belief.items_[row] for row in order)
        np.testing.assert_allclose(ranking.scores, belief.mean[order], rtol=1e-9)
        np.testing.assert_array_equal(ranking.answers, belief.counts_[order])
        assert (ranking.lower < ranking.scores).all()
        assert (ranking.scores < ranking.upper).all()
        width = ranking.upper - ranking.lower
        assert (belief.rank(level=0.5).upper - belief.rank(level=0.5).lower < width).all()

    def test_the_bar_has_no_row(self, make: Make) -> None:
        """Both-bad answers are learned without a row of their own, or rejected."""
        answers = Preferences.from_answers([str(k % 6) for k in range(40)], [str((k + 1) % 6) for k in range(40)],
                                           ["left", "both_bad", "right", "left"] * 10)  # fmt: skip
        try:
            belief = make(answers)
        except InvalidInput:
            return
        assert len(belief.items_) == len(belief.mean) == len(belief.counts_) == len(belief.variance()) == 6
        assert belief.covariance().shape == (6, 6)
        assert belief.sample(3).shape == (3, 6)

    def test_the_most_probable_component_has_moments(self, belief: Any) -> None:
        """It has a mean, variances and covariances of the same items, and is no wider than the mixture as a whole."""
        component = belief.most_probable()
        assert component.mean.shape == component.variance().shape == (N_ITEMS,)
        np.testing.assert_allclose(component.covariance().diagonal(), component.variance(), rtol=1e-6)
        assert component.variance().sum() <= belief.variance().sum() * (1 + 1e-9)

    def test_arrays_for_the_chooser_are_its_moments(self, belief: Any) -> None:
        """Where the component to choose by gives arrays, differences of items have its means and variances in them."""
        component = belief.most_probable()
        if not hasattr(component, "chooser_arrays"):
            return
        mean, variance, covariance = component.chooser_arrays()
        assert mean.shape == variance.shape == (N_ITEMS,)
        np.testing.assert_allclose(mean - mean[0], component.mean - component.mean[0], rtol=1e-9, atol=1e-12)
        first, second = np.triu_indices(N_ITEMS, k=1)
        if covariance is None:
            np.testing.assert_allclose(variance, component.variance(), rtol=1e-9)
            return
        np.testing.assert_allclose(variance, covariance.diagonal(), rtol=1e-9)
        apart = variance[first] + variance[second] - 2 * covariance[first, second]
        np.testing.assert_allclose(apart, difference_variance(component, first, second), rtol=1e-6)

    def test_asking_and_stopping_take_it(self, belief: Any) -> None:
        """The next pairs are different items of it, and a stopping rule gives a value with its error."""
        first, second = next_pair(belief)
        assert 0 <= first < second < N_ITEMS
        assert next_pairs(belief, count=2)[0] == (first, second)
        found = settled(belief, top=2)
        assert 0 <= found.value <= 1
        assert found.error > 0
