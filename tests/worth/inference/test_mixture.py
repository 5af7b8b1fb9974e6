"""A mixture of normal posteriors: moments, quantiles and draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr

from penchant.worth import BradleyTerry
from penchant.worth.inference.mixture import ComponentMoments, Mixture, Part
from penchant.worth.inference.posterior import normal_posterior
from tests.worth.simulated import rounds


def test_the_interval_is_that_of_the_draws() -> None:
    """Limits are quantiles of the mixture, not of a normal distribution, and so are those of differences."""
    worth = 4 * np.random.default_rng(0).standard_normal(10)
    model = BradleyTerry().fit(rounds(worth, 4, 1))
    draws = model.sample(200_000, seed=3)
    lower, upper = model.interval(0.9).T
    spread = np.sqrt(model.variance())
    assert_allclose(np.quantile(draws, 0.05, axis=0), lower, atol=0.05 * spread.max())
    assert_allclose(np.quantile(draws, 0.95, axis=0), upper, atol=0.05 * spread.max())
    assert_allclose(draws.mean(axis=0), model.scores_, atol=0.02 * spread.max())
    assert_allclose(np.cov(draws.T), model.covariance(), atol=0.05 * spread.max() ** 2)
    best = int(np.argmax(model.scores_))
    assert upper[best] - model.scores_[best] > 1.02 * (model.scores_[best] - lower[best])
    low, high = model.difference_interval(best, 3, 0.9)
    apart = draws[:, best] - draws[:, 3]
    assert (low, high) == pytest.approx(tuple(np.quantile(apart, [0.05, 0.95])), abs=0.05 * apart.std())
    assert_allclose(model.difference_interval([best], [best]), 0, atol=1e-12)


def test_the_quantiles_of_a_mixture() -> None:
    """The probability below a quantile is the one that was asked for."""
    worth = 3 * np.random.default_rng(2).standard_normal(6)
    model = BradleyTerry().fit(rounds(worth, 3, 1))
    posterior: Any = model.posterior()
    for probability in (0.01, 0.5, 0.9):
        at = posterior.quantile(probability)
        parts = posterior._parts
        below = sum(
            part.weight * ndtr((at - part.offset) / np.sqrt(part.posterior.variance())) for part in parts
        )
        assert_allclose(below, probability, atol=1e-9)


def two_parts() -> tuple[Mixture, list[Part]]:
    """Return a mixture of a narrow and a wide posterior of three scores, and its parts."""
    parts = []
    for weight, offset, scale in ((0.7, [0.3, -0.3, 0.0], 4.0), (0.3, [-0.7, 0.7, 0.0], 0.5)):
        precision = scale * np.array([[2.0, -1.0, 0.0], [-1.0, 3.0, -1.0], [0.0, -1.0, 2.0]])
        parts.append(
            Part(weight, np.array(offset), normal_posterior(precision, centre=np.zeros(3, dtype=bool)))
        )
    return Mixture(parts), parts


def test_moments_add_those_between_the_parts() -> None:
    """The covariance is the mean of the parts' covariances plus that of their offsets, whole or in part."""
    mixture, parts = two_parts()
    expected = sum(
        part.weight * (part.posterior.covariance() + np.outer(part.offset, part.offset)) for part in parts
    )
    assert_allclose(mixture.covariance(), expected)
    assert_allclose(mixture.variance(), np.diag(expected))
    assert_allclose(mixture.covariance([2, 0], [1]), expected[np.ix_([2, 0], [1])])
    assert mixture.heaviest is parts[0]


def test_draws_follow_the_parts() -> None:
    """Each part gets its share of the draws, in random order; the moments of the draws are the mixture's."""
    mixture, _ = two_parts()
    draws = mixture.sample(100_000, seed=1)
    assert_allclose(draws.mean(axis=0), 0, atol=0.02)
    assert_allclose(np.cov(draws.T), mixture.covariance(), atol=0.03)
    assert_allclose(draws[:5000].mean(axis=0), 0, atol=0.1)
    np.testing.assert_array_equal(mixture.sample(7, seed=2), mixture.sample(7, seed=2))
    assert mixture.sample(1, seed=0).shape == (1, 3)


@pytest.mark.parametrize("probability", [0.025, 0.5, 0.975])
def test_quantiles_of_differences_are_those_of_draws(probability: float) -> None:
    """Scores and differences stay below their quantile as often as asked; an item does not differ from itself."""
    mixture, _ = two_parts()
    draws = mixture.sample(100_000, seed=3)
    assert_allclose((draws < mixture.quantile(probability)).mean(axis=0), probability, atol=0.01)
    first, second = np.array([0, 1]), np.array([1, 2])
    at = mixture.difference_quantile(first, second, probability)
    assert_allclose((draws[:, first] - draws[:, second] < at).mean(axis=0), probability, atol=0.01)
    assert mixture.difference_quantile(np.array([1]), np.array([1]), probability) == pytest.approx(
        0, abs=1e-12
    )


def test_a_component_leaves_the_bar_out() -> None:
    """Moments of the items are those of the first rows of a posterior that has one more."""
    _, parts = two_parts()
    component = ComponentMoments(np.array([1.0, 2.0]), parts[0].posterior)
    whole = parts[0].posterior.covariance()
    assert_allclose(component.variance(), whole.diagonal()[:2])
    assert_allclose(component.variance([1]), whole.diagonal()[[1]])
    assert_allclose(component.covariance(), whole[:2, :2])
    assert_allclose(component.covariance([1], [0]), whole[[1]][:, [0]])
