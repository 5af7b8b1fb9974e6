"""The constrained most likely linear utility: what a slow solver finds, and words where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, minimize
from scipy.special import log_ndtr

from penchant.gp.inference.linear_utility import LEAST_WEIGHT, linear_utility, separates


def answered(m: int, d: int, seed: int, size: float = 2.0) -> Any:
    """Differences of compared rows, better less worse, by people with a linear utility and noise."""
    rng = np.random.default_rng(seed)
    apart = rng.uniform(-1, 1, size=(m, d))
    won = rng.random(m) < np.exp(log_ndtr(apart @ (size * rng.normal(size=d))))
    return np.where(won[:, None], apart, -apart)


def slow(apart: Any, weight: Any, direction: Any, width: Any) -> Any:
    """The minimum by a solver that knows nothing of the problem."""
    low = np.where(direction > 0, LEAST_WEIGHT / width, -np.inf)
    high = np.where(direction < 0, -LEAST_WEIGHT / width, np.inf)
    start = np.clip(np.zeros(len(width)), low, high)
    return minimize(
        lambda beta: (
            -weight @ log_ndtr(apart @ beta),
            -(weight * np.exp(-((apart @ beta) ** 2) / 2 - log_ndtr(apart @ beta)) / np.sqrt(2 * np.pi))
            @ apart,
        ),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(low, high),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    ).x


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_constrained_minimum(seed: int) -> None:
    """With rising, falling and free features, weights and units the solution is that of a general solver."""
    d = 1 + seed % 4
    rng = np.random.default_rng(seed)
    width = 10.0 ** rng.uniform(-2, 2, size=d)
    apart = answered(80, d, seed) * width
    weight, direction = rng.uniform(0.5, 2, 80), rng.integers(-1, 2, size=d)
    found = linear_utility(apart, weight, direction, width)
    beta = found.coef * np.sqrt(0.5) / found.noise
    np.testing.assert_allclose(beta * width, slow(apart, weight, direction, width) * width, atol=2e-5)
    assert np.abs(found.coef).sum() == pytest.approx(1)
    assert not found.separable


def test_a_contradicted_feature_keeps_a_little_weight() -> None:
    """Where people want less of what must be good, its weight is the least allowed, and of the right sign."""
    apart = answered(200, 2, 0)
    apart[:, 0] = -np.abs(apart[:, 0]) * np.where(np.arange(200) % 5, 1, -1)
    for sign in (1, -1):
        found = linear_utility(apart * [sign, 1], np.ones(200), np.array([sign, 0]), np.ones(2))
        beta = found.coef * np.sqrt(0.5) / found.noise
        assert beta[0] == pytest.approx(sign * LEAST_WEIGHT, rel=1e-9)


@given(seed=st.integers(0, 10_000), m=st.integers(2, 6), d=st.integers(1, 3))
def test_separable_answers_are_known(seed: int, m: int, d: int) -> None:
    """Answers are called separable where random directions find a witness, and never where they contradict."""
    rng = np.random.default_rng(seed)
    apart, direction = rng.normal(size=(m, d)), rng.integers(-1, 2, size=d)
    tries = rng.normal(size=(2000, d))
    tries = np.where(direction == 0, tries, direction * np.abs(tries))
    if (tries @ apart.T >= 0).all(axis=1).any():
        assert separates(apart, direction)
    assert not separates(np.vstack([apart, -apart]), direction)


def test_separable_answers_get_finite_weights() -> None:
    """People who never contradict themselves get the weights of a prior, and that is said."""
    apart = np.abs(answered(30, 2, 1))
    found = linear_utility(apart, np.ones(30), np.array([1, 1]), np.ones(2))
    assert found.separable
    assert 0.01 < found.noise < 1
    assert not linear_utility(
        np.vstack([apart, -apart[:3]]), np.ones(33), np.array([1, 1]), np.ones(2)
    ).separable


def test_answers_that_are_indifferent_to_a_feature_are_not_separable() -> None:
    """A direction that no answer tells anything about does not count, and takes no weight."""
    apart = np.column_stack([answered(60, 1, 3), np.zeros(60)])
    found = linear_utility(apart, np.ones(60), np.array([0, 0]), np.ones(2))
    assert not found.separable
    assert found.coef[1] == 0


def test_nothing_learned_is_no_utility() -> None:
    """Free features and answers that cancel give weights of 0 and a finite noise."""
    apart = np.array([[1.0], [-1.0]])
    found = linear_utility(apart, np.ones(2), np.array([0]), np.ones(1))
    assert found.coef.tolist() == [0.0]
    assert np.isfinite(found.noise)
