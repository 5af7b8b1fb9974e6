from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from penchant.errors import PenchantWarning
from penchant.gp import SquaredExponential
from penchant.gp.inference import laplace
from penchant.gp.inference.likelihood import Logit, Probit
from tests.gp.problems import incidence, laplace_mode, log_likelihoods, problem

GIVEN = problem(8, 25, seed=2, threshold=0.7)
K = SquaredExponential((0.5, 0.8), 3.0)(GIVEN.X) + 1e-6 * np.eye(8)
MEAN = 0.3 * GIVEN.utility


@pytest.mark.parametrize("likelihood", [Probit(1.4, 0.5), Logit(1.0, 0.5)], ids=repr)
def test_the_mode_is_the_highest_point_of_the_posterior(likelihood: Any) -> None:
    """A general minimiser of −log P(answers | f) + ½(f−m)ᵀK⁻¹(f−m) ends at the same place, to 1e-6."""
    D, L = incidence(GIVEN.pairs, 8), np.linalg.cholesky(K)

    def fall(v: np.ndarray) -> tuple[float, np.ndarray]:
        log, slope, _, _ = likelihood.derivatives(D @ (MEAN + L @ v), GIVEN.tie)
        return 0.5 * v @ v - log @ GIVEN.weight, v - L.T @ D.T @ (slope * GIVEN.weight)

    mode = laplace_mode(K, GIVEN.pairs, likelihood, weight=GIVEN.weight, tie=GIVEN.tie, prior_mean=MEAN)
    slow = minimize(fall, np.zeros(8), jac=True, options={"gtol": 1e-8})
    np.testing.assert_allclose(mode.utility, MEAN + L @ slow.x, atol=1e-6)
    np.testing.assert_allclose(K @ mode.alpha, mode.utility - MEAN, atol=1e-8)
    assert mode.log_likelihood == pytest.approx(log_likelihoods(likelihood, mode.utility[None], GIVEN)[0])


@pytest.mark.parametrize("likelihood", [Probit(1.4, 0.5), Logit(1.0, 0.5)], ids=repr)
def test_the_evidence_is_the_dense_formula(likelihood: Any) -> None:
    """log P(answers | f̂) − ½(f̂−m)ᵀK⁻¹(f̂−m) − ½ log |I + K W|, W from each answer's curvature."""
    mode = laplace_mode(K, GIVEN.pairs, likelihood, weight=GIVEN.weight, tie=GIVEN.tie, prior_mean=MEAN)
    D = incidence(GIVEN.pairs, 8)
    bend = likelihood.derivatives(D @ mode.utility, GIVEN.tie).curvature * GIVEN.weight
    apart = mode.utility - MEAN
    dense = (
        mode.log_likelihood
        - 0.5 * apart @ np.linalg.solve(K, apart)
        - 0.5 * np.linalg.slogdet(np.eye(8) + K @ (D.T * bend) @ D)[1]
    )
    assert mode.log_evidence == pytest.approx(dense, abs=1e-6)


def test_flat_contradiction_and_huge_variance_stay_finite() -> None:
    """Answers in a circle under a prior of variance 1e8 have finite utilities; so has one answer alone."""
    circle = np.array([[0, 1], [1, 2], [2, 0]] * 40)
    mode = laplace_mode(1e8 * np.eye(3), circle, Probit(1.4))
    np.testing.assert_allclose(mode.utility, 0, atol=1e-6)
    alone = laplace_mode(1e8 * np.eye(3), circle[:1], Probit(1.4))
    assert np.isfinite(alone.utility).all()
    assert alone.utility[0] > alone.utility[1]


def test_a_climb_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the steps run out before the top, a warning tells what to change."""
    monkeypatch.setattr(laplace, "MOST_STEPS", 1)
    with pytest.warns(PenchantWarning, match="stopped after 1 steps .* raise the noise"):
        laplace_mode(K, GIVEN.pairs, Probit(0.1))
