from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from penchant.errors import PenchantWarning
from penchant.gp import SquaredExponential
from penchant.gp.inference import ep
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.ep import AndersonMixing, EPPosterior, propagate
from penchant.gp.inference.gaussian import Factor
from penchant.gp.inference.laplace import Problem
from penchant.gp.inference.likelihood import Likelihood, Logit, Probit
from tests.gp.problems import Given, importance_moments, incidence, problem

LIKELIHOODS = [Probit(1.4, 0.5), Logit(1.0, 0.5)]


def fitted(K: Any, given: Given, likelihood: Likelihood, mean: Any) -> EPPosterior:
    counts = PairCounts.of(given.pairs, len(K), weight=given.weight, tie=given.tie)
    return propagate(Problem(Factor.of(K), counts, likelihood, mean))


def covariance(belief: EPPosterior) -> Any:
    return belief.posterior.halves @ belief.posterior.halves.T


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
@pytest.mark.parametrize("weight", [1.0, 0.4])
@pytest.mark.parametrize("tie", [False, True])
def test_one_answer_is_exact(likelihood: Likelihood, weight: float, tie: bool) -> None:
    """With one answer the moments and the evidence are those of quadrature on a fine grid, to 1e-9."""
    K, mean = np.array([[1.0, 0.3], [0.3, 2.0]]), np.array([0.5, -0.7])
    given = Given(np.zeros((2, 1)), mean, np.array([[0, 1]]), np.array([tie]), np.array([weight]))
    belief = fitted(K, given, likelihood, mean)
    grid = np.linspace(-20, 20, 40_001)
    variance = K[0, 0] + K[1, 1] - 2 * K[0, 1]
    density = np.exp(-((grid - 1.2) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    density *= np.exp(weight * likelihood.derivatives(grid, np.full(len(grid), tie)).log)
    evidence = np.trapezoid(density, grid)
    lead = np.trapezoid(density * grid, grid) / evidence
    spread = np.trapezoid(density * (grid - lead) ** 2, grid) / evidence
    assert belief.log_evidence == pytest.approx(np.log(evidence), abs=1e-9)
    assert belief.utility[0] - belief.utility[1] == pytest.approx(lead, abs=1e-9)
    assert belief.posterior.difference_variances()[0] == pytest.approx(spread, abs=1e-9)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
def test_several_answers_are_close_to_the_truth(likelihood: Likelihood) -> None:
    """200,000 weighted draws from the prior: evidence within 0.02, means within 0.04 and covariances within 0.06."""
    given = problem(5, 8, seed=3, threshold=0.7)
    K, mean = SquaredExponential(0.5, 2.0)(given.X), 0.2 * given.utility
    belief = fitted(K, given, likelihood, mean)
    evidence, utility, spread = importance_moments(K, likelihood, given, mean)
    assert belief.log_evidence == pytest.approx(evidence, abs=0.02)
    np.testing.assert_allclose(belief.utility, utility, atol=0.04)
    np.testing.assert_allclose(covariance(belief), spread, atol=0.06)


def textbook(K: Any, given: Given, scale: float) -> tuple[Any, Any, float]:
    """EP for the probit, one site after the other, on dense matrices (Minka 2001)."""
    D = incidence(given.pairs, len(K))
    tau, nu = np.zeros(len(D)), np.zeros(len(D))
    for _ in range(100):
        for site, d in enumerate(D):
            spread = np.linalg.inv(np.linalg.inv(K) + (D.T * tau) @ D)
            mean = spread @ (D.T @ nu)
            variance, lead = d @ spread @ d, d @ mean
            v = 1 / (1 / variance - tau[site])
            mu = v * (lead / variance - nu[site])
            z = mu / np.sqrt(scale**2 + v)
            hazard = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / ndtr(z)
            new_mean = mu + v * hazard / np.sqrt(scale**2 + v)
            new_variance = v - v**2 * hazard * (hazard + z) / (scale**2 + v)
            tau[site], nu[site] = 1 / new_variance - 1 / v, new_mean / new_variance - mu / v
    spread = np.linalg.inv(np.linalg.inv(K) + (D.T * tau) @ D)
    return spread @ (D.T @ nu), spread, tau.min()


def test_sweeps_of_all_sites_end_where_one_at_a_time_does() -> None:
    """The parallel, accelerated iteration has the fixed point of the textbook's sequential one, repeats included."""
    given = problem(6, 15, seed=4)
    given = given._replace(weight=np.ones(15))
    K = SquaredExponential(0.3, 4.0)(given.X) + 1e-6 * np.eye(6)
    belief = fitted(K, given, Probit(1.4), np.zeros(6))
    mean, spread, least = textbook(K, given, 1.4)
    assert least >= 0
    np.testing.assert_allclose(belief.utility, mean, atol=1e-5)
    np.testing.assert_allclose(covariance(belief), spread, atol=1e-5)
    np.testing.assert_allclose(K @ belief.alpha, belief.utility, atol=1e-8)


def test_a_hard_problem_converges() -> None:
    """A rough prior of variance 1,000, where plain sweeps go back and forth, still ends."""
    given = problem(60, 240, 4)
    belief = fitted(SquaredExponential(0.1, 1000.0)(given.X), given, Probit(1.4), np.zeros(60))
    assert np.isfinite(belief.log_evidence)


def test_a_propagation_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the sweeps run out before the end, a warning tells what to do."""
    monkeypatch.setattr(ep, "MOST_SWEEPS", 2)
    given = problem()
    with pytest.warns(PenchantWarning, match="stopped after 2 sweeps .* inference"):
        fitted(SquaredExponential(0.5)(given.X), given, Probit(1.4), np.zeros(12))


def sweeps(matrix: np.ndarray, *, mixed: bool) -> int:
    """How many steps x ← A x + 1 takes to its fixed point."""
    x, mixing = np.zeros(len(matrix)), AndersonMixing()
    for step in range(2_000):
        image = matrix @ x + 0.1
        change = float(np.abs(image - x).max())
        if change < 1e-10:
            np.testing.assert_allclose(x, np.linalg.solve(np.eye(len(matrix)) - matrix, np.full(len(x), 0.1)))
            return step
        x = mixing.next(x, image, change) if mixed else image
    return 2_000


def test_slow_and_swinging_iterations_end_sooner() -> None:
    """Where plain iteration takes hundreds of steps, or swings for ever, mixing takes a few dozen at most."""
    for slowest in (0.97, -0.97, -1.02):
        matrix = np.diag([slowest, 0.5, -0.3, 0.1])
        assert sweeps(matrix, mixed=False) > 500
        assert sweeps(matrix, mixed=True) < 30
