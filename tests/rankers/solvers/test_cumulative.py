"""The likelihood of ordered categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.rankers.solvers.cumulative import LINKS, Cumulative, Point
from tests.rankers.test_ordinal_regression import rated


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_gradient_and_hessian_are_those_of_finite_differences(link: str) -> None:
    """Gradient and Hessian match central differences of the loss and of the gradient."""
    X, y, w, cuts = rated(40, 2, 4, seed=2)
    rising = np.argsort(y, kind="stable")
    weight = np.linspace(0.5, 2.0, len(y))
    part = Cumulative(X[rising], y[rising], weight, 0.7, LINKS[link])
    at = np.r_[w, cuts]

    def point(free: Any) -> Point:
        return Point(free[:2], free[2:], part.X @ free[:2])

    def loss(free: Any) -> float:
        return part.loss(point(free))

    def slope(free: Any) -> Any:
        return part.gradient_and_hessian(point(free))[0]

    steps = 1e-5 * np.eye(at.size)
    np.testing.assert_allclose(
        slope(at), [(loss(at + step) - loss(at - step)) / 2e-5 for step in steps], rtol=1e-6, atol=1e-6
    )
    curvature = part.gradient_and_hessian(point(at))[1]
    np.testing.assert_allclose(
        curvature, [(slope(at + step) - slope(at - step)) / 2e-5 for step in steps], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_far_tails_keep_their_digits(link: str) -> None:
    """Thirty standard deviations out, the log mass and its slopes are finite and fit one another."""
    lower, upper = np.array([-31.0, 30.0, 29.9999]), np.array([-30.0, np.inf, 30.0])
    mass, derivatives = LINKS[link].log_mass, LINKS[link].derivatives(lower, upper)
    assert np.isfinite(mass(lower, upper)).all()
    numeric = (mass(lower + 1e-6, upper) - mass(lower - 1e-6, upper)) / 2e-6
    np.testing.assert_allclose(derivatives.lower, numeric, rtol=1e-3, atol=1e-6)
    assert (derivatives.lower_lower <= 0).all()


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_products_are_those_of_the_hessian(link: str) -> None:
    """A product without the Hessian is the product with it."""
    X, y, w, cuts = rated(60, 3, 4, seed=5)
    rising = np.argsort(y, kind="stable")
    part = Cumulative(X[rising], y[rising], np.linspace(0.5, 2.0, len(y)), 0.7, LINKS[link])
    derivatives = part.derivatives(Point(w, cuts, part.X @ w))
    for vector in np.random.default_rng(0).standard_normal((5, 6)):
        expected = part.hessian(derivatives) @ vector
        np.testing.assert_allclose(
            part.hessian_product(derivatives, vector), expected, rtol=1e-10, atol=1e-10
        )


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3])
def test_many_features_reach_the_minimum_too(
    link: str, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps by conjugate gradients end where steps by factored Hessians end, whatever the scale of the features."""
    X, y, *_ = rated(300, 60, 4, seed=6)
    X = X * np.geomspace(1.0, scale, 60)
    rising = np.argsort(y, kind="stable")
    part = Cumulative(X[rising], y[rising], np.ones(len(y)), 0.5, LINKS[link])
    by_products, _ = part.minimise()
    monkeypatch.setattr("penchant.rankers.solvers.cumulative._MANY", 1_000)
    factored, _ = part.minimise()
    allowed = 1e-12 * (1 + len(y))  # the Newton decrement at which both stop
    assert abs(part.loss(by_products) - part.loss(factored)) <= 10 * allowed
    gradient = part.gradient(by_products, part.derivatives(by_products))
    hessian = part.hessian(part.derivatives(by_products))
    assert gradient @ np.linalg.solve(hessian, gradient) <= allowed
