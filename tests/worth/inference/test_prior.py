"""The prior of scores against its covariance written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.worth.inference.prior import Prior
from tests.worth.inference.noise import covariance_of

N, P, F, BAR = 6, 0.3, 0.7, 0.05
X = np.random.default_rng(0).normal(size=(N, 2))


def priors() -> list[Any]:
    """Return priors, each with the covariance of the scores that it stands for."""
    features = X.copy()
    features[-1] = 0.0
    explained = features @ features.T / F
    bar = np.diag([*np.full(N - 1, 1 / P), 1 / BAR])
    return [
        pytest.param(Prior(P, N), np.eye(N) / P, id="plain"),
        pytest.param(Prior(P, N, X, F), np.eye(N) / P + X @ X.T / F, id="features"),
        pytest.param(Prior(P, N, bar_precision=BAR), bar, id="bar"),
        pytest.param(Prior(P, N, features, F, bar_precision=BAR), bar + explained, id="features and bar"),
        pytest.param(Prior(P, 1), np.eye(1) / P, id="one item"),
    ]


@pytest.mark.parametrize(("prior", "covariance"), priors())
def test_the_precision_is_the_inverse_covariance(prior: Prior, covariance: Any) -> None:
    """Matrix, products, diagonal, trace, determinant and the variances of differences belong to one covariance."""
    precision = np.linalg.inv(covariance)
    n_items = len(precision)
    assert_allclose(prior.matrix(), precision, atol=1e-12)
    assert_allclose(prior.diagonal, precision.diagonal(), atol=1e-12)
    assert prior.trace == pytest.approx(precision.diagonal()[: prior.n_real].sum())
    assert prior.log_determinant == pytest.approx(np.linalg.slogdet(precision)[1])
    values = np.random.default_rng(1).normal(size=(n_items, 3))
    assert_allclose(prior.product(values), precision @ values, atol=1e-12)
    assert_allclose(prior.product(values[:, 0]), precision @ values[:, 0], atol=1e-12)
    first, second = np.triu_indices(n_items, 1)
    variance = covariance.diagonal()
    assert_allclose(
        prior.pair_variance(first, second),
        variance[first] + variance[second] - 2 * covariance[first, second],
    )
    assert_allclose(covariance_of(prior.noise), precision, atol=1e-12)


def test_coefficients_are_those_of_ridge_regression() -> None:
    """Given the scores, β has the mean and the covariance of a regression with the penalty f / p."""
    prior, worth = Prior(P, N, X, F), np.arange(N, dtype=float)
    information = F * np.eye(2) + P * X.T @ X
    assert_allclose(prior.coefficients(worth), np.linalg.solve(information, P * X.T @ worth))
    rows = np.random.default_rng(2).normal(size=(4, 2))
    assert_allclose(prior.variance_given_worth(rows), np.diag(rows @ np.linalg.solve(information, rows.T)))


def test_repeated_features_are_no_more_than_one() -> None:
    """Where two columns are the same, the variance of a prediction is finite, across them as the prior says."""
    column = X[:, :1]
    prior = Prior(P, N, np.hstack([column, column]), F)
    across = np.array([[1.0, -1.0]])
    assert_allclose(prior.variance_given_worth(across), 2 / F)


def test_no_prior_leaves_no_trace() -> None:
    """A precision of 0 is no prior: a matrix of zeros and no noise."""
    prior = Prior(0.0, 3)
    assert not prior.matrix().any()
    assert not prior.noise(np.random.default_rng(0)).any()
    assert prior.trace == 0.0
