from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from penchant.gp import Linear, Matern12, SquaredExponential
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.gaussian import Factor, Posterior
from tests.gp.problems import incidence, problem

KERNELS = [SquaredExponential(0.4, 2.0), SquaredExponential(5.0), Matern12(0.4), Linear()]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_posterior_is_the_textbook_one(kernel: object) -> None:
    """Σ = K − K Dᵀ(S + D K Dᵀ)⁻¹ D K with S = diag(1/w) needs an m × m matrix and agrees; so do R and log |B|."""
    given = problem(15, 30)
    K = kernel(given.X)  # type: ignore[operator]
    counts = PairCounts.of(given.pairs, 15)
    w = np.random.default_rng(1).uniform(0.1, 3, size=len(counts.count))
    D = incidence(np.column_stack([counts.better, counts.worse]), 15)
    inner = np.diag(1 / w) + D @ K @ D.T
    R = D.T @ np.linalg.solve(inner, D)
    covariance = K - K @ R @ K
    posterior = Posterior(Factor.of(K), counts, w)
    values = np.arange(15.0)
    np.testing.assert_allclose(posterior.covariance_times(values), covariance @ values, atol=1e-7)
    np.testing.assert_allclose(posterior.halves @ posterior.halves.T, covariance, atol=1e-8)
    np.testing.assert_allclose(
        posterior.difference_variances(), np.einsum("ij,jk,ik->i", D, covariance, D), atol=1e-8
    )
    np.testing.assert_allclose(posterior.explained(), R, atol=1e-7)
    assert posterior.log_determinant == pytest.approx(np.linalg.slogdet(np.eye(15) + K @ D.T * w @ D)[1])


def test_a_factor_is_as_thin_as_its_kernel_is_smooth() -> None:
    """K = LLᵀ to 1e-9 of the variance; a linear kernel of 2 features has rank 2; the pivots' rows are a triangle."""
    X = problem(60, 10).X
    for kernel in KERNELS:
        factor = Factor.of(kernel(X))
        np.testing.assert_allclose(factor.L @ factor.L.T, kernel(X), atol=1e-9)
        assert np.array_equal(factor.triangle, np.tril(factor.triangle))
    assert Factor.of(Linear()(X)).L.shape == (60, 2)
    assert Factor.of(SquaredExponential(5.0)(X)).L.shape[1] < 25
    cross = SquaredExponential(5.0)(X, X[:3] + 0.01)
    factor = Factor.of(SquaredExponential(5.0)(X))
    np.testing.assert_allclose(factor.L @ factor.coordinates(cross[factor.pivots]), cross, atol=1e-6)


def test_many_answers_cost_memory_by_their_number() -> None:
    """Ten times the answers take at most 400 bytes more for each; an m × n matrix would take 2,400."""
    factor = Factor.of(SquaredExponential(5.0)(problem(300, 1).X))
    peaks = []
    for n_pairs in (4_000, 40_000):
        pairs = problem(300, n_pairs).pairs
        tracemalloc.start()
        counts = PairCounts.of(pairs, 300)
        Posterior(factor, counts, counts.count).difference_variances()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 36_000 * 400


def test_a_posterior_that_is_lost_in_rounding_says_so() -> None:
    """Where rounding is as large as the prior's 1 the determinant is NaN, whether a root was found or not."""
    one = PairCounts.of(np.array([[0, 1]]), 2)
    for precision in 10.0 ** np.arange(16, 40, 0.5):
        assert np.isnan(Posterior(Factor.of(np.eye(2)), one, np.array([precision])).log_determinant)
    assert Posterior(Factor.of(np.eye(2)), one, np.array([1.0])).log_determinant == pytest.approx(np.log(3))
    large = Posterior(Factor.of(np.eye(2)), one, np.array([1e12])).log_determinant
    assert large == pytest.approx(np.log(2e12), abs=1e-3)
