"""Compiled expectation propagation against plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_ndtr

from penchant.simulate.asking_kernels import (
    explain,
    from_sites,
    learn,
    log_chance,
    log_evidence,
    move,
    propagate,
    propagate_at_scales,
    renew,
    tilted_derivatives,
)
from tests.simulate.test_asking_beliefs import answers

N = 4


PAIRS = np.array(
    [(0, 1)] * 9
    + [(1, 0)] * 3
    + [(1, 2)] * 8
    + [(2, 1)] * 4
    + [(0, 3)] * 9
    + [(3, 0)] * 1
    + [(2, 3)] * 6
    + [(3, 2)] * 5
)


def start(variance: float = 1.5) -> tuple[Any, Any]:
    return np.zeros(N), variance * np.eye(N)


@pytest.mark.parametrize("z", [-45.0, -30.0, -3.0, 0.0, 2.0, 8.0])
@pytest.mark.parametrize("variance", [0.1, 4.0])
def test_derivatives_are_those_of_the_log_probability(z: float, variance: float) -> None:
    """Differences of log Φ(d/√(1 + v)) agree with the derivatives, also far in the tail."""
    sd = np.sqrt(1 + variance)
    d, h = z * sd, 1e-4 * max(1.0, abs(z))
    low, middle, high = log_ndtr(np.array([d - h, d, d + h]) / sd)
    gradient, curvature = tilted_derivatives(d, variance)
    assert gradient == pytest.approx((high - low) / (2 * h), rel=1e-4, abs=1e-9)
    assert curvature == pytest.approx((2 * middle - high - low) / h**2, rel=2e-2, abs=1e-6)


@pytest.mark.parametrize("z", [-100.0, -31.0, -29.0, -1.0, 0.0, 5.0])
def test_the_log_of_a_chance_does_not_underflow(z: float) -> None:
    """It is SciPy's log Φ on both sides of where the tail's formula takes over."""
    assert log_chance(z) == pytest.approx(log_ndtr(z), rel=1e-5, abs=1e-12)


def test_a_move_is_of_rank_one() -> None:
    """The mean moves along k, and the covariance loses a multiple of kkᵀ."""
    rng = np.random.default_rng(0)
    mean, k = rng.normal(size=N), rng.normal(size=N)
    covariance = 3 * np.eye(N)
    before = mean.copy()
    move(mean, covariance, k, 0.3, 0.2)
    assert_allclose(mean, before + 0.3 * k)
    assert_allclose(covariance, 3 * np.eye(N) - 0.2 * np.outer(k, k))


def test_the_site_of_an_answer_gives_its_belief() -> None:
    """The incremental step and the sites that it returns describe the same normal distribution."""
    mean, covariance = start()
    pairs = np.array([[0, 1], [2, 1], [0, 3]])
    sites = np.array([learn(mean, covariance, *pair) for pair in pairs.tolist()]).T.copy()
    again, written = start()
    from_sites(pairs, sites[0], sites[1], 1.5, again, written)
    assert_allclose(again, mean, atol=1e-10)
    assert_allclose(written, covariance, atol=1e-10)


def test_without_answers_the_belief_is_the_prior() -> None:
    """No sites: mean 0, the prior's variance, and a probability of nothing of 1."""
    mean, covariance = np.ones(N), np.ones((N, N))
    none = np.empty((0, 2), dtype=np.int64), np.empty(0), np.empty(0)
    propagate(*none, 2.0, mean, covariance, 1e-6)
    assert_allclose(mean, 0)
    assert_allclose(covariance, 2 * np.eye(N))
    assert log_evidence(*none, 2.0, mean, covariance) == pytest.approx(0, abs=1e-12)


def test_propagation_ends_at_a_fixed_point() -> None:
    """There each site has the moments of its answer: renewing moves none of them."""
    pairs = answers(N, 30, 1)
    mean, covariance = start()
    tau, nu = np.zeros((2, 30))
    assert renew(pairs, tau.copy(), nu.copy(), mean, covariance, 1.0) > 0.1
    propagate(pairs, tau, nu, 1.5, mean, covariance, 1e-9)
    before = tau.copy(), nu.copy()
    assert renew(pairs, tau, nu, mean, covariance, 1.0) < 1e-8
    assert_allclose(tau, before[0], atol=1e-7)
    assert_allclose(nu, before[1], atol=1e-7)


def test_one_answer_is_exact() -> None:
    """With one answer the evidence is Φ(0) = ½, whatever the prior, and the incremental step is the fixed point."""
    pairs = np.array([[1, 2]])
    mean, covariance = start(0.7)
    learn(mean, covariance, 1, 2)
    tau, nu = np.zeros((2, 1))
    fixed, written = start(0.7)
    propagate(pairs, tau, nu, 0.7, fixed, written, 1e-12)
    assert_allclose(fixed, mean, atol=1e-10)
    assert_allclose(written, covariance, atol=1e-10)
    assert np.exp(log_evidence(pairs, tau, nu, 0.7, fixed, written)) == pytest.approx(0.5)


def evidence_at(pairs: Any, variance: float) -> float:
    mean, covariance = start(variance)
    tau, nu = np.zeros((2, len(pairs)))
    propagate(pairs, tau, nu, variance, mean, covariance, 1e-9)
    return float(log_evidence(pairs, tau, nu, variance, mean, covariance))


def test_the_variance_is_moved_to_where_the_evidence_is_largest() -> None:
    """From either side, repeated calls end near the best of a grid."""
    grid = np.geomspace(0.02, 20, 80)
    best = grid[int(np.argmax([evidence_at(PAIRS, variance) for variance in grid]))]
    assert 0.1 < best < 5
    for variance in (0.1, 10.0):
        mean, covariance = start(variance)
        tau, nu = np.zeros((2, len(PAIRS)))
        for _ in range(10):
            variance = explain(PAIRS, tau, nu, variance, mean, covariance, 1e-6)
        assert variance == pytest.approx(best, rel=0.2)


def test_scales_far_from_the_answers_get_no_weight() -> None:
    """Weights are evidence plus prior; outwards from the largest they end where they fall too far below it."""
    pairs = np.repeat(PAIRS, 3, axis=0)
    scales, log_prior = np.array([0.001, 0.01, 0.7, 2.0, 300.0]), -0.1 * np.arange(5)
    expected = log_prior + [evidence_at(pairs, scale**2) for scale in scales]
    assert int(np.argmax(expected)) == 2
    means, covariances = np.zeros((5, N)), scales[:, None, None] ** 2 * np.eye(N)
    sites, log_weights = np.zeros((5, 2, len(pairs))), np.array([-9.0, -9.0, 0.0, -9.0, -9.0])
    propagate_at_scales(pairs, scales, log_prior, means, covariances, sites, log_weights, 1e-9, -3.0)
    kept = expected >= expected.max() - 3.0
    assert kept.tolist() == [False, False, True, True, False]
    assert_allclose(log_weights[kept], expected[kept], atol=1e-5)
    assert (log_weights[~kept] == -np.inf).all()
