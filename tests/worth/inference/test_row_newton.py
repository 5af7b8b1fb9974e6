"""Newton's method on rows with covariates: steps, Hessians and the mode."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.worth import BradleyTerry
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_newton import BorderedHessian, MarginalHessian, maximise_rows
from tests.worth.inference.test_row_likelihood import likelihood_of


@pytest.fixture
def hessian() -> BorderedHessian:
    likelihood = likelihood_of(BradleyTerry, ties=True)
    point = likelihood.at(np.array([0.3, 0.1, -0.2, -0.2]), np.array([0.2, -0.1, 0.4]))
    return BorderedHessian(likelihood.graph, point.sums, Prior(0.5, 4), has_ties=True)


def test_a_step_solves_the_whole_system(hessian: BorderedHessian, monkeypatch: pytest.MonkeyPatch) -> None:
    """Directly, and with the border eliminated by conjugate gradients."""
    right, border = np.array([1.0, -2.0, 0.5, 0.5]), np.array([0.3, 0.2, -0.1])
    expected = np.linalg.solve(hessian.matrix(), np.append(right, border))
    np.testing.assert_allclose(np.concatenate(hessian.solve(right, border)), expected, rtol=1e-8)
    precision = hessian.border_precision()
    monkeypatch.setattr("penchant.worth.inference.row_newton._DIRECT_ITEMS", 2)
    np.testing.assert_allclose(np.concatenate(hessian.solve(right, border)), expected, rtol=1e-6)
    np.testing.assert_allclose(hessian.border_precision(), precision, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.inv(precision), np.linalg.inv(hessian.matrix())[4:, 4:], rtol=1e-8)


def test_the_marginal_hessian_is_the_inverse_of_the_covariance_of_the_scores(
    hessian: BorderedHessian,
) -> None:
    """Its product, its diagonal and the covariance of its noise."""
    marginal = MarginalHessian(hessian)
    expected = np.linalg.inv(np.linalg.inv(hessian.matrix())[:4, :4])
    np.testing.assert_allclose(marginal.matrix(), expected, rtol=1e-8)
    np.testing.assert_allclose(marginal.diagonal, np.diag(expected), rtol=1e-8)
    rng = np.random.default_rng(0)
    draws = np.array([marginal.noise(rng) for _ in range(4000)])
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(draws.T @ draws / 4000 / scale, expected / scale, atol=0.08)
    with pytest.raises(NotImplementedError):
        marginal.damped(np.zeros(4), 0.0)


def test_the_gradient_vanishes_at_the_mode_from_any_start() -> None:
    """A start far away ends at the same mode; a search that may stop early says how much is missing."""
    likelihood, prior = likelihood_of(BradleyTerry, ties=True), Prior(0.5, 4)
    near = maximise_rows(likelihood, prior, likelihood.at(np.zeros(4), np.zeros(3)))
    far = maximise_rows(likelihood, prior, likelihood.at(np.array([9.0, -9, 4, -4]), np.array([8.0, -8, 3])))
    assert near.converged
    assert far.converged
    np.testing.assert_allclose(near.point.scores, far.point.scores, atol=1e-6)
    np.testing.assert_allclose(near.point.border, far.point.border, atol=1e-6)
    np.testing.assert_allclose(near.point.gradient, prior.product(near.point.scores), atol=1e-7)
    early = maximise_rows(likelihood, prior, likelihood.at(np.zeros(4), np.zeros(3)), enough=0.5)
    assert 0 < early.decrement < 0.5

    def value(mode_scores: np.ndarray, log_likelihood: float) -> float:
        return log_likelihood - 0.25 * float(mode_scores @ mode_scores)

    missing = value(near.point.scores, near.point.value) - value(early.point.scores, early.point.value)
    assert missing == pytest.approx(early.decrement / 2, rel=0.2)
