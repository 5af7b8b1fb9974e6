"""What the linear utility leaves out: dense formulas, written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.smooth_part import SmoothPart
from penchant.gp.kernels import SquaredExponential
from tests.gp.problems import laplace_mode

KERNEL = SquaredExponential((0.5, 0.8), 0.3)
COEF_SD = np.array([2.0, 3.0])


@pytest.fixture(scope="module")
def made() -> Any:
    rng = np.random.default_rng(0)
    X = rng.random((9, 2))
    pairs = np.array([rng.choice(9, 2, replace=False) for _ in range(30)])
    mode = laplace_mode(KERNEL(X), pairs, Probit(0.4), prior_mean=X @ [0.5, 0.5])
    return X, mode, SmoothPart.at(mode, KERNEL, X, COEF_SD), rng.random((7, 2))


def covariance(X: Any, mode: Any, new: Any) -> Any:
    """k(x, x') − k(x)ᵀRk(x') + t(x)ᵀ C t(x'): a Gaussian process with an estimated linear mean."""
    W = mode.posterior.W.toarray()
    K, across = KERNEL(X), KERNEL(new, X)
    R = W @ np.linalg.inv(np.eye(len(X)) + K @ W)
    middle = X.mean(axis=0)
    trend = (new - middle) - across @ R @ (X - middle)
    spread = np.linalg.inv((X - middle).T @ R @ (X - middle) + np.diag(COEF_SD**-2.0))
    return KERNEL(new) - across @ R @ across.T + trend @ spread @ trend.T


def test_the_mean_is_that_of_the_process(made: Any) -> None:
    """k(x)ᵀK⁻¹(f_MAP − f_lin), with the inverse written out."""
    X, mode, part, new = made
    dense = KERNEL(new, X) @ np.linalg.solve(KERNEL(X), mode.utility - X @ [0.5, 0.5])
    np.testing.assert_allclose(part.value(new), dense, atol=1e-5)


def test_variances_are_those_of_the_dense_formulas(made: Any) -> None:
    """Of utilities, and of differences of utilities."""
    X, mode, part, new = made
    dense = covariance(X, mode, new)
    np.testing.assert_allclose(part.variance(new), np.diagonal(dense), rtol=1e-6)
    own = np.diagonal(dense)
    apart = own[:-1] + own[1:] - 2 * np.diagonal(dense, 1)
    np.testing.assert_allclose(part.difference_variance(new[:-1], new[1:]), apart, rtol=1e-6)
    np.testing.assert_allclose(part.difference_variance(new, new), 0, atol=1e-12)


def test_the_gradient_matches_finite_differences(made: Any) -> None:
    """In each feature."""
    *_, part, new = made
    gradient = part.gradient(new)
    for feature in range(2):
        step = 1e-5 * np.eye(2)[feature]
        np.testing.assert_allclose(
            gradient[:, feature], (part.value(new + step) - part.value(new - step)) / 2e-5, atol=1e-8
        )


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_where_the_features_begin_changes_nothing(made: Any, offset: float) -> None:
    """A year counted from 0 or from 1e8: the same variances and slopes, but for how the rows themselves round."""
    X, mode, part, new = made
    far = SmoothPart.at(mode, KERNEL, X + offset, COEF_SD)
    left = 1e-15 * offset
    np.testing.assert_allclose(far.coef_covariance, part.coef_covariance, rtol=1e2 * left)
    np.testing.assert_allclose(far.variance(new + offset), part.variance(new), rtol=1e2 * left)
    np.testing.assert_allclose(
        far.difference_variance(new[:-1] + offset, new[1:] + offset),
        part.difference_variance(new[:-1], new[1:]),
        rtol=1e2 * left,
    )
    np.testing.assert_allclose(far.gradient(new + offset), part.gradient(new), atol=1e2 * left)
