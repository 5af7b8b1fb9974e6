"""Thurstone: Case V by hand, and the normal distribution's tails."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import log_ndtr

from penchant import Preferences
from penchant.worth import Thurstone
from penchant.worth.thurstone import _NormalLink
from tests.worth.simulated import comparisons, coverage

LINK = _NormalLink()


def test_two_items_by_hand() -> None:
    """Seven to three is a difference of √2 Φ⁻¹(0.7): each perception has noise 1."""
    model = Thurstone(prior=0).fit(Preferences.from_pairs([("a", "b")] * 7 + [("b", "a")] * 3))
    assert model.scores_[0] - model.scores_[1] == pytest.approx(np.sqrt(2) * NormalDist().inv_cdf(0.7))
    assert model.win_probability("a", "b") == pytest.approx(0.7)


def test_an_indifference_threshold_by_hand() -> None:
    """Two items with 5, 3 and 4 answers: the three probabilities are the three shares."""
    pairs, tie = [(0, 1)] * 5 + [(1, 0)] * 3 + [(0, 1)] * 4, [False] * 8 + [True] * 4
    model = Thurstone(prior=0).fit(Preferences.from_pairs(pairs, tie=tie))
    np.testing.assert_allclose(model.outcome_probability(0, 1), [5 / 12, 4 / 12, 3 / 12], atol=1e-7)


@pytest.mark.parametrize("d", [-60.0, -20.0, -3.0, 0.0, 3.0, 20.0, 60.0])
def test_slopes_are_right_in_the_tails(d: float) -> None:
    """Slope and bend of log Φ agree with differences of scipy's log_ndtr, however unlikely the answer."""
    found = LINK.decided(np.array([d]), np.array([[1.0], [0.0], [0.0]]))
    low, middle, high = log_ndtr((d + np.array([-1e-3, 0, 1e-3])) / np.sqrt(2))
    assert found.gradient[0] == pytest.approx((high - low) / 2e-3, rel=1e-5, abs=1e-9)
    assert found.curvature[0] == pytest.approx(-(high - 2 * middle + low) / 1e-6, rel=1e-3, abs=2e-6)


@pytest.mark.parametrize("tie", [0.01, 0.7, 3.0])
@pytest.mark.parametrize("d", [-40.0, -2.0, 0.0, 0.3, 5.0, 40.0])
def test_slopes_of_a_tie_are_right_in_the_tails(d: float, tie: float) -> None:
    """First and second derivatives of log P(tie) agree with differences of its logarithm in the tails."""

    def log_tie(d: float, tie: float) -> float:
        far, near = -(abs(d) + tie) / np.sqrt(2), -(abs(d) - tie) / np.sqrt(2)
        return float(log_ndtr(near) + np.log1p(-np.exp(log_ndtr(far) - log_ndtr(near))))

    found = LINK.tied(np.array([d]), np.array([[0.0], [0.0], [1.0]]), tie)
    h = 1e-4
    by_d = (log_tie(d + h, tie) - log_tie(d - h, tie)) / (2 * h)
    by_tie = (log_tie(d, tie + h) - log_tie(d, tie - h)) / (2 * h)
    assert found.gradient[0] == pytest.approx(by_d, rel=1e-4, abs=1e-6)
    assert found.tie_gradient is not None
    assert found.tie_gradient[0] == pytest.approx(by_tie, rel=1e-3)
    assert found.curvature[0] >= 0
    assert found.tie_curvature is not None
    assert found.cross is not None
    assert found.curvature[0] * found.tie_curvature[0] >= found.cross[0] ** 2 * (1 - 1e-9)


def test_intervals_hold_what_they_promise() -> None:
    """With 20 items and 14 answers each, ties among them, 95 % intervals hold 92–98 % in 60 runs (1,200 intervals)."""
    worth = np.random.default_rng(5).normal(size=20)
    held = coverage(
        Thurstone().fit,
        worth,
        lambda truth, seed: comparisons(truth, 140, seed, ties=0.4, probit=True),
        n_runs=60,
    )
    assert 0.92 <= held <= 0.98
