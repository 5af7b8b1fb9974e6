"""Newton's step and the variances with the judges eliminated, against the whole Hessian written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.worth.inference import arrowhead
from penchant.worth.inference.arrowhead import Arrowhead
from penchant.worth.inference.crowd_likelihood import Point
from tests.worth.inference.test_crowd_likelihood import crowd_of, numeric_hessian, point_of

N_JUDGES = 3


def whole(found: Arrowhead) -> tuple[Any, Any]:
    """Return the gradient and the direction along which mean reliability changes, over worth, v and w."""
    gradient = np.concatenate([found.common, found.judges.ravel()])
    direction = np.concatenate([np.zeros(len(found.common)), found.shares, np.zeros(found.shares.size)])
    return gradient, direction


def case(tie: bool = True) -> tuple[Arrowhead, Any, Any]:
    """Return the derivatives at a random point, the whole Hessian there, and a basis of the allowed steps."""
    crowd = crowd_of(tie=tie)
    point = point_of(crowd, 0.2)
    found = crowd.derivatives(point)
    _, direction = whole(found)
    basis = np.linalg.svd(direction[:, None])[0][:, 1:]
    return found, numeric_hessian(crowd, point), basis


@pytest.mark.parametrize("tie", [False, True])
def test_the_step_is_newtons(tie: bool) -> None:
    """It solves the whole system along the allowed directions, and leads downwards."""
    found, hessian, basis = case(tie)
    gradient, direction = whole(found)
    exact = -basis @ np.linalg.solve(basis.T @ hessian @ basis, basis.T @ gradient)
    common, judges = found.step()
    assert_allclose(np.concatenate([common, judges.ravel()]), exact, rtol=1e-4, atol=1e-6)
    assert direction @ exact == pytest.approx(0, abs=1e-12)
    assert found.along(common, judges) == pytest.approx(gradient @ exact, rel=1e-4)
    assert found.along(common, judges) < 0


@pytest.mark.parametrize("tie", [False, True])
def test_variances_are_those_of_the_whole_inverse(tie: bool) -> None:
    """The marginal precision of worth, and the covariance of draws, which come in pairs of opposites."""
    found, hessian, basis = case(tie)
    covariance = basis @ np.linalg.inv(basis.T @ hessian @ basis) @ basis.T
    size = len(found.common)
    assert found.is_minimum
    assert_allclose(found.marginal, np.linalg.inv(covariance[:size, :size]), rtol=1e-4, atol=1e-5)
    assert_allclose(found.information(0.1), found.marginal)
    draws = found.common_draws(0.1, 40_000, seed=1)
    assert_allclose(draws.mean(axis=0), 0, atol=1e-12)
    spread = np.sqrt(np.diag(covariance)[:size])
    assert_allclose(draws.T @ draws / len(draws) / np.outer(spread, spread), np.corrcoef(draws.T), atol=0.05)
    assert_allclose(draws.std(axis=0), spread, rtol=0.05)


def test_the_gradient_leaves_mean_reliability_out() -> None:
    """``largest_gradient`` is the largest entry of the gradient without its part along the shares."""
    found, _, _ = case()
    gradient, direction = whole(found)
    allowed = gradient - direction * (direction @ gradient) / (direction @ direction)
    assert found.largest_gradient == pytest.approx(np.abs(allowed).max())


def test_sparse_and_dense_couplings_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product G Gᵀ does not depend on how it is computed."""
    found, _, _ = case()
    monkeypatch.setattr(arrowhead, "_DENSE", 1.0)
    again, _, _ = case()
    assert_allclose(again.marginal, found.marginal, rtol=1e-12, atol=1e-12)


def test_no_judges_leave_worth_alone() -> None:
    """Without named judges the marginal is the curvature of worth itself."""
    crowd = crowd_of(judges=0)
    found = crowd.derivatives(point_of(crowd, 0.2))
    assert_allclose(found.marginal, found.curvature)
    assert_allclose(found.step()[0], -np.linalg.solve(found.curvature, found.common), atol=1e-10)


def saddle() -> Arrowhead:
    """Return the derivatives between two judges of whom one always says the contrary of the other."""
    crowd = crowd_of(rows=[(0, 1, 0)] * 10 + [(1, 0, 1)] * 10, n_items=2, judges=2)
    return crowd.derivatives(Point(np.zeros(2), np.zeros((2, 2))))


def test_at_a_saddle_the_prior_is_left() -> None:
    """The direction that leads down has the curvature of the prior."""
    found = saddle()
    assert not found.is_minimum
    assert np.linalg.eigvalsh(found.marginal)[0] < 0
    assert np.linalg.eigvalsh(found.information(0.1))[0] == pytest.approx(0.1)
    assert np.isfinite(found.common_draws(0.1, 4, seed=0)).all()


def test_near_a_saddle_the_step_leads_downwards() -> None:
    """Where the Hessian has a negative eigenvalue, it is lifted until the step descends."""
    crowd = crowd_of(rows=[(0, 1, 0)] * 10 + [(1, 0, 1)] * 10, n_items=2, judges=2)
    found = crowd.derivatives(Point(np.array([0.01, -0.01]), np.array([[0.05, -0.05], [0.0, 0.0]])))
    assert not found.is_minimum
    assert found.along(*found.step()) < 0
