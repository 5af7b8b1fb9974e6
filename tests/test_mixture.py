"""Quantiles, moments and shares of mixtures of normal distributions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from penchant.mixture import draw_shares, mixture_covariance, mixture_quantile, mixture_variance

RNG = np.random.default_rng(0)
WEIGHTS = np.array([0.2, 0.5, 0.3])
MEANS = RNG.normal(size=(3, 4))
SDS = RNG.uniform(0.1, 2.0, size=(3, 4))


@pytest.mark.parametrize("level", [1e-6, 0.025, 0.5, 0.9])
def test_the_distribution_function_reaches_the_level_at_the_quantile(level: float) -> None:
    """Σ w Φ((q − m)/s) is the level, for each mixture."""
    quantile = mixture_quantile(WEIGHTS, MEANS, SDS, level)
    np.testing.assert_allclose(WEIGHTS @ ndtr((quantile - MEANS) / SDS), level, rtol=1e-9)


def test_the_quantile_of_one_component_is_the_normal_one() -> None:
    """Exactly, also where its sd is 0."""
    mean, sd = np.array([[1.0, 2.0]]), np.array([[0.5, 0.0]])
    expected = mean[0] + ndtri(0.9) * sd[0]
    assert (mixture_quantile(np.ones(1), mean, sd, 0.9) == expected).all()


def test_point_masses_are_steps_of_the_distribution_function() -> None:
    """Below the share of the lower point mass the quantile is that point, above it the other."""
    means, sds = np.array([[0.0], [3.0]]), np.zeros((2, 1))
    low, high = (mixture_quantile(np.array([0.4, 0.6]), means, sds, level)[0] for level in (0.3, 0.5))
    assert low == pytest.approx(0.0, abs=1e-9)
    assert high == pytest.approx(3.0, abs=1e-9)


def test_moments_are_those_of_draws() -> None:
    """400,000 draws, each from one component, have the variance and the covariance."""
    root = RNG.normal(size=(3, 4, 4))
    covariances = root @ root.transpose(0, 2, 1)
    deviations = MEANS - WEIGHTS @ MEANS
    component = RNG.choice(3, 400_000, p=WEIGHTS)
    draws = MEANS[component] + np.einsum("nij,nj->ni", root[component], RNG.normal(size=(400_000, 4)))
    covariance = mixture_covariance(WEIGHTS, deviations, deviations, covariances)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.1)
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    np.testing.assert_allclose(mixture_variance(WEIGHTS, deviations, variances), np.diag(covariance))
    block = mixture_covariance(WEIGHTS, deviations[:, :2], deviations[:, 1:], covariances[:, :2, 1:])
    np.testing.assert_allclose(block, covariance[:2, 1:])


@given(
    weights=st.lists(st.floats(0.01, 1), min_size=1, max_size=6),
    n_draws=st.integers(0, 300),
    offset=st.floats(0, 1, exclude_max=True),
)
def test_shares_are_the_weights_to_the_next_whole_number(
    weights: list[float], n_draws: int, offset: float
) -> None:
    """They sum to the number of draws, and none differs from weight · n by one or more."""
    probability = np.array(weights) / np.sum(weights)
    shares = draw_shares(probability, n_draws, offset)
    assert sum(shares) == n_draws
    assert (np.abs(shares - probability * n_draws) < 1 + 1e-9).all()
