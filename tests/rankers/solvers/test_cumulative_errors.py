"""Standard errors from the curvature, and whether maximum likelihood exists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from penchant.errors import InvalidInput
from penchant.rankers import OrdinalRegression
from tests.rankers.test_ordinal_regression import rated, slow_loss


@pytest.mark.parametrize(("alpha", "n", "d"), [(0.0, 80, 2), (0.5, 80, 2), (0.7, 6, 9)])
def test_errors_are_those_of_the_inverse_curvature(alpha: float, n: int, d: int) -> None:
    """They equal those of the numerically differentiated objective, also with more features than rows."""
    X, y, _, _ = rated(n, d, 3, seed=5)
    X = X + 3.0  # the cuts lie elsewhere than those of centred rows
    model = OrdinalRegression(alpha=alpha).fit(X, y)
    codes = np.searchsorted(model.classes_, y)

    def loss(free: Any) -> float:
        return slow_loss(free[:d], free[d:], X, codes, alpha, "logit")

    at = np.r_[model.coef_, model.thresholds_]
    hessian = approx_fprime(at, lambda free: approx_fprime(free, loss, 1e-5), 1e-5)
    expected = np.sqrt(np.diag(np.linalg.inv((hessian + hessian.T) / 2)))
    np.testing.assert_allclose(np.r_[model.coef_errors_, model.threshold_errors_], expected, rtol=0.01)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_separated_categories_are_found_and_others_are_not(seed: int, scale: float) -> None:
    """A feature that orders the categories has no maximum likelihood; with overlapping rows it has one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2)) * [1.0, scale]
    y = np.digitize(X[:, 1], np.quantile(X[:, 1], [0.4, 0.7]))
    with pytest.raises(InvalidInput, match=r"not be separated perfectly .* mostly by x1"):
        OrdinalRegression(alpha=0).fit(X, y)
    mixed = np.r_[y, y[::-1]], np.r_[X, X]
    assert np.isfinite(OrdinalRegression(alpha=0).fit(mixed[1], mixed[0]).coef_).all()


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ([[0, 1, 2, 3, 4, 5], [1, 3, 5, 7, 9, 11]], "x0, x1, which determine each other"),
        ([[0, 1, 2, 3, 4, 5], [7, 7, 7, 7, 7, 7]], "x1, which is constant"),
    ],
)
def test_collinear_features_are_named(columns: list[list[int]], what: str) -> None:
    """Without a ridge the weights of such features are not determined."""
    with pytest.raises(InvalidInput, match=f"features must not be collinear where alpha is 0, got {what}"):
        OrdinalRegression(alpha=0).fit(np.array(columns).T, [0, 1, 0, 1, 0, 1])


def test_more_features_than_rows_need_a_ridge() -> None:
    """The message counts the features."""
    with pytest.raises(
        InvalidInput, match="alpha must be above 0 where there are fewer rows than 9 features, got 0"
    ):
        OrdinalRegression(alpha=0).fit(np.eye(4, 9), [0, 1, 0, 1])
