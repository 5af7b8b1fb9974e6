from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.errors import PenchantWarning
from penchant.gp import PreferenceGP, SquaredExponential
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.evidence import THRESHOLD_BOUNDS, Evidence, Search, learn_hyperparameters
from penchant.gp.inference.hyperposterior import (
    FAR,
    MOST_POINTS,
    curvature,
    design,
    warn_of_bounds,
    weights_of,
)
from penchant.gp.inference.hyperprior import Units
from penchant.gp.inference.likelihood import Probit
from penchant.threads import one_thread
from tests.gp.problems import Given, problem


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 16, 31])
def test_a_normal_posterior_keeps_its_moments(size: int) -> None:
    """Where the posterior is normal, the weighted points have its mean and covariance to the last digits."""
    points, base = design(size)
    rng = np.random.default_rng(size)
    mean, root = rng.normal(size=size), rng.normal(size=(size, size))
    weights = weights_of(-3.0 - 0.5 * (points**2).sum(axis=1), points, base)
    theta = mean + points @ root.T
    np.testing.assert_allclose(weights @ theta, mean, atol=1e-12)
    away = theta - mean
    np.testing.assert_allclose(away.T * weights @ away, root @ root.T, atol=1e-12)


def test_many_hyperparameters_have_no_more_points_than_the_limit() -> None:
    """Beyond 31 hyperparameters the mean and the variances stay right, and the covariances nearly."""
    points, base = design(60)
    assert len(points) == MOST_POINTS + 1
    np.testing.assert_allclose(base @ points, 0, atol=1e-12)
    covariance = points.T * base @ points
    np.testing.assert_allclose(np.diagonal(covariance), 1)
    assert np.sqrt(np.mean((covariance - np.eye(60)) ** 2)) < 0.3


def test_points_without_a_density_have_no_weight() -> None:
    """A point whose evidence is not a number is left out; a more likely one than normal has more weight."""
    points, base = design(3)
    logs = -0.5 * (points**2).sum(axis=1)
    logs[1], logs[2] = np.nan, logs[2] + np.log(2)
    weights = weights_of(logs, points, base)
    assert weights[1] == 0
    assert weights[2] == pytest.approx(2 * weights[3])
    assert weights.sum() == pytest.approx(1)
    assert base[1] == pytest.approx(1 / (4 * FAR**2))


def posterior_search(given: Given, inference: Any) -> tuple[Search, Any]:
    n = len(given.X)
    evidence = Evidence(given.X, PairCounts.of(given.pairs, n), np.zeros(n))
    kernel = SquaredExponential((1.0,) * given.X.shape[1], 1.0)
    prior = kernel.prior(Units.of(given.X, 1.0))
    likelihood = Probit(np.sqrt(2))
    kernel, _ = learn_hyperparameters(evidence, kernel, likelihood, inference, prior=prior)
    search = Search(evidence, kernel, likelihood, inference, prior)
    return search, evidence.posterior(kernel, likelihood, inference)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_the_curvature_is_that_of_the_log_posterior(inference: Any) -> None:
    """Second differences of the values, by expectation propagation too, give the same matrix within 5 %."""
    search, belief = posterior_search(problem(10, 60), inference)

    def value(theta: Any) -> float:
        return search.log_posterior(theta, belief)[1]

    step, at = 0.15 * np.eye(3), search.start
    with one_thread():
        found = [
            [
                (value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b))
                / (-4 * 0.15**2)
                for b in step
            ]
            for a in step
        ]
    np.testing.assert_allclose(curvature(search, belief), found, rtol=0.05)


@pytest.mark.parametrize(("seed", "n_pairs", "tolerance"), [(0, 25, 0.25), (1, 80, 0.12)])
def test_the_average_is_that_of_a_dense_grid(seed: int, n_pairs: int, tolerance: float) -> None:
    """Centred utilities have the mean of a dense grid of hyperparameters within 0.15 sd, and its sd within 12 %.

    From 25 answers, which leave a posterior with a heavy tail, the sd of an item is up to 25 % too small.
    """
    given = problem(8, n_pairs, n_features=1, seed=seed)
    model = PreferenceGP(inference="laplace").fit_pairs(given.X, given.pairs)
    search, belief = posterior_search(given, "laplace")
    low, high = search.start - 4, search.start + 4
    grid = np.stack(np.meshgrid(*np.linspace(low, high, 16).T), axis=-1).reshape(-1, 2)
    logs, means, covariances = [], [], []
    middle = np.eye(8) - 1 / 8
    with one_thread():
        for theta in grid:
            kernel, likelihood = search.at(theta)
            at = search.evidence.posterior(kernel, likelihood, "laplace", belief, rough=True)
            logs.append(at.log_evidence + search.prior.log_density(theta))
            means.append(middle @ at.utility)
            covariances.append(middle @ at.posterior.halves @ at.posterior.halves.T @ middle)
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    mean = weights @ np.array(means)
    away = np.array(means) - mean
    covariance = np.einsum("k,kij->ij", weights, covariances) + away.T * weights @ away
    sd = np.sqrt(np.diagonal(covariance))
    utility, found = model.predict(given.X, return_cov=True)
    np.testing.assert_allclose(middle @ utility / sd, mean / sd, atol=0.15)
    np.testing.assert_allclose(np.sqrt(np.diagonal(middle @ found @ middle)) / sd, 1, atol=tolerance)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"lengthscale_bounds": (1e-3, 1e-2)}, r"lengthscale of SquaredExponential .* upper one, 0.01"),
        ({"lengthscale_bounds": (50.0, 60.0)}, r"lengthscale of SquaredExponential .* lower one, 50"),
        (
            {"variance_bounds": (1e-3, 1e-2)},
            r"variance of SquaredExponential .* upper one, 0.01: give a kernel",
        ),
    ],
)
def test_a_bound_that_is_reached_is_reported(bounds: Any, words: str) -> None:
    """The warning names the hyperparameter, the bound and what to do; the others are averaged over nevertheless."""
    given = problem(12, 60)
    with pytest.warns(PenchantWarning, match=words):
        model = PreferenceGP(SquaredExponential(**bounds)).fit_pairs(given.X, given.pairs)
    assert len(model.components_) > 1
    low, high = SquaredExponential(**bounds).bounds.T
    for component in model.components_:
        theta = component.kernel.theta
        assert ((low - 1e-9 <= theta) & (theta <= high + 1e-9)).all()


def test_an_indifference_at_its_bound_is_reported() -> None:
    """It is named too, with its own remedy."""
    given = problem(6, 10)
    counts = PairCounts.of(given.pairs, 6, tie=np.ones(10, dtype=bool))
    evidence = Evidence(given.X, counts, np.zeros(6), learn_threshold=True)
    search = Search(evidence, SquaredExponential(1.0), Probit(1.0, THRESHOLD_BOUNDS[1]), "laplace")
    with pytest.warns(PenchantWarning, match="indifference .* upper one, 10: give the indifference"):
        warn_of_bounds(search)
