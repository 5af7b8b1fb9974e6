from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.coactive import ExponentiatedPerceptron, ItemMap, PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput


def test_the_doubled_weights_sum_to_one() -> None:
    """Σ w⁺ + Σ w⁻ = 1 after every round, none is negative, and w is w⁺ − w⁻."""
    rng = np.random.default_rng(0)
    learner = ExponentiatedPerceptron(ItemMap(), 3, bound=2.0)
    for _ in range(50):
        X = rng.uniform(-2, 2, size=(4, 3))
        learner.update(X, learner.present(X), int(rng.integers(4)))
        both = np.exp(learner._logs)
        assert both.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(learner.weights, both[:3] - both[3:], atol=1e-15)


def test_not_signed_the_weights_are_a_distribution() -> None:
    """Algorithm 4 itself: weights at least 0 that sum to one."""
    learner = ExponentiatedPerceptron(ItemMap(), 4, bound=1.0, signed=False)
    assert learner.weights.tolist() == [0.25] * 4
    learner.update(np.eye(4), 0, 1)
    assert (learner.weights > 0).all()
    assert learner.weights.sum() == pytest.approx(1, abs=1e-12)


def test_the_rate_is_fixed_by_a_horizon_and_falls_without() -> None:
    """1/(2S√T) in every round, or 1/(2S√t) in round t."""
    X = np.eye(2)
    fixed, falling = (ExponentiatedPerceptron(ItemMap(), 2, bound=3.0, horizon=T) for T in (16, None))
    for number in range(1, 20):
        assert fixed.rate == pytest.approx(1 / 24)
        assert falling.rate == pytest.approx(1 / (6 * np.sqrt(number)))
        fixed.update(X, 0, 1)
        falling.update(X, 0, 1)


def test_nothing_overflows_and_no_weight_is_lost_for_good() -> None:
    """Steps of hundreds of nats leave finite weights, and a weight below the smallest number comes back."""
    learner = ExponentiatedPerceptron(ItemMap(), 2, bound=1e-3, horizon=1, signed=False)
    X = 5.0 * np.eye(2)
    for _ in range(3):
        learner.update(X, 0, 1)
    assert learner.weights.tolist() == [0.0, 1.0]
    for _ in range(6):
        learner.update(X, 1, 0)
    assert learner.weights.tolist() == [1.0, 0.0]


def test_a_long_fixed_rate_is_nearly_the_perceptron() -> None:
    """6.3: with a small η the two point in nearly the same direction."""
    rng = np.random.default_rng(1)
    taste = rng.normal(size=5)
    additive = PreferencePerceptron(RankingMap(), 5)
    multiplied = ExponentiatedPerceptron(RankingMap(), 5, bound=10.0, horizon=10_000)
    for _ in range(200):
        X = rng.normal(size=(6, 5))
        wanted = np.argsort(-X @ taste)
        presented = additive.present(X)
        for learner in (additive, multiplied):
            learner.update(X, presented, wanted)
    one, other = additive.weights, multiplied.weights
    assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.999


@pytest.mark.parametrize("bound", [0, -1.0, np.nan, np.inf, None, "1", True])
def test_a_bound_is_above_zero(bound: Any) -> None:
    """S must be a finite number above 0."""
    with pytest.raises(InvalidInput, match="bound must be a number above 0"):
        ExponentiatedPerceptron(RankingMap(), 2, bound=bound)


@pytest.mark.parametrize("horizon", [0, 2.0, -3, True])
def test_a_horizon_is_a_whole_number(horizon: Any) -> None:
    """T must be at least 1."""
    with pytest.raises(InvalidInput, match="horizon must be a whole number of at least 1"):
        ExponentiatedPerceptron(RankingMap(), 2, bound=1.0, horizon=horizon)
