"""A few kernels with the moments of the distribution of the hyperparameters."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.checks import Floats
from penchant.gp import Linear, SquaredExponential, WhiteNoise
from penchant.gp.inference.feature_utility import TrainingData
from penchant.gp.inference.hyperprior import Units
from penchant.gp.inference.kernel_points import (
    KernelPoint,
    directions,
    posterior_points,
    prior_points,
    spread,
)
from penchant.gp.preference_gp import PreferenceGP
from tests.gp.problems import problem

ROWS = np.random.default_rng(0).uniform(size=(30, 3))
KERNEL = SquaredExponential((1.0, 1.0, 1.0), 1.0) + WhiteNoise(0.5)
PRIOR = KERNEL.prior(Units.of(ROWS, 1.0))


def moments(points: list[KernelPoint]) -> tuple[Floats, Floats]:
    """Return the mean and the covariance of the logarithms of the hyperparameters."""
    weights = np.array([point.weight for point in points])
    thetas = np.array([point.kernel.theta for point in points])
    mean = weights @ thetas
    return mean, (thetas - mean).T * weights @ (thetas - mean)


def test_prior_points_have_the_moments_of_the_prior() -> None:
    """With room for all directions, mean and covariance of θ are those of the prior; the weights sum to 1."""
    points = prior_points(KERNEL, PRIOR, ROWS, 9)
    mean, covariance = moments(points)
    assert sum(point.weight for point in points) == pytest.approx(1)
    np.testing.assert_allclose(mean, PRIOR.centre, atol=1e-9)
    np.testing.assert_allclose(covariance, np.linalg.inv(PRIOR.precision), atol=1e-9)


@pytest.mark.parametrize("most", [3, 5])
def test_few_points_keep_the_variance_of_the_spread(most: int) -> None:
    """Along the slope of the log spread the variance of θ is the whole one, however few points there are."""
    points = prior_points(KERNEL, PRIOR, ROWS, most)
    assert len(points) <= most
    centre, step = points[0].kernel, 1e-4
    slope = np.array(
        [
            (
                np.log(spread(centre.with_theta(centre.theta + move), ROWS))
                - np.log(spread(centre.with_theta(centre.theta - move), ROWS))
            )
            / (2 * step)
            for move in step * np.eye(len(centre.theta))
        ]
    )
    _, covariance = moments(points)
    whole = np.linalg.inv(PRIOR.precision)
    assert slope @ covariance @ slope == pytest.approx(slope @ whole @ slope, rel=1e-3)


def test_directions_are_parts_of_the_covariance() -> None:
    """All of them give it; one alone has the whole variance along the slope, and no direction is counted twice."""
    covariance = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.5]])
    values, vectors = np.linalg.eigh(covariance)
    root, slope = vectors * np.sqrt(values) @ vectors.T, np.array([0.0, 1.0, 1.0])
    every = directions(root, slope, 3)
    np.testing.assert_allclose(every @ every.T, covariance, atol=1e-12)
    one, two = directions(root, slope, 1), directions(root, slope, 2)
    assert slope @ one @ one.T @ slope == pytest.approx(slope @ covariance @ slope)
    assert np.linalg.eigvalsh(covariance - two @ two.T).min() > -1e-12
    assert directions(root, np.zeros(3), 2).shape == (3, 2)


def test_kept_hyperparameters_stay() -> None:
    """Those without room between their bounds, and those without a prior, are the same in all points."""
    kernel = SquaredExponential(0.7, 2.0, None, (0.1, 10.0)) + Linear(0.3, None)
    points = prior_points(kernel, kernel.prior(Units.of(ROWS, 1.0)), ROWS, 9)
    thetas = np.array([point.kernel.theta for point in points])
    assert len(points) == 3
    np.testing.assert_allclose(thetas[:, [0, 2]], np.log([[0.7, 0.3]] * 3))
    fixed = SquaredExponential(0.7, 2.0, None, None)
    assert [point.kernel for point in prior_points(fixed, fixed.prior(Units.of(ROWS, 1.0)), ROWS, 9)] == [
        fixed
    ]


def test_posterior_points_are_around_the_mode() -> None:
    """The first is the most probable kernel, and the others surround it with weights that sum to 1."""
    given = problem()
    search = PreferenceGP()._mode_search(TrainingData.of(given.X, given.pairs, None))
    points = posterior_points(search, 9)
    assert sum(point.weight for point in points) == pytest.approx(1)
    np.testing.assert_array_equal(points[0].kernel.theta, search.kernel.theta)
    few = posterior_points(search, 3)
    assert len(few) <= 3 < len(points)
    np.testing.assert_array_equal(few[0].kernel.theta, search.kernel.theta)
