"""Expectation propagation mixed over scales of the prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import ndtr
from scipy.stats import multivariate_normal, norm

from penchant.simulate import Propagated
from penchant.simulate.scale_mixture import SCALES, ScaleMixture, log_prior
from tests.simulate.test_asking_beliefs import answers, taught


def plain_ep(pairs: np.ndarray, n_items: int, scale: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, covariance and log evidence by expectation propagation, one site after the other, everything inverted."""
    count = len(pairs)
    contrasts = np.zeros((count, n_items))
    contrasts[np.arange(count), pairs[:, 0]], contrasts[np.arange(count), pairs[:, 1]] = 1, -1
    tau, nu, log_scale = np.zeros(count), np.zeros(count), np.zeros(count)
    prior = np.eye(n_items) / scale**2
    for _ in range(60):
        for i, a in enumerate(contrasts):
            others = np.arange(count) != i
            cavity = np.linalg.inv(prior + (contrasts[others].T * tau[others]) @ contrasts[others])
            v, c = a @ cavity @ a, a @ cavity @ (contrasts[others].T @ nu[others])
            z = c / np.sqrt(1 + v)
            ratio = norm.pdf(z) / norm.cdf(z)
            mean, variance = c + v * ratio / np.sqrt(1 + v), v - v**2 * ratio * (ratio + z) / (1 + v)
            tau[i], nu[i] = 1 / variance - 1 / v, mean / variance - c / v
            # ∫ N(d; c, v) exp(nu d − ½ tau d²) dd has to be Φ(z).
            site = (variance / v) ** 0.5 * np.exp(mean**2 / (2 * variance) - c**2 / (2 * v))
            log_scale[i] = norm.logcdf(z) - np.log(site)
    covariance = np.linalg.inv(prior + (contrasts.T * tau) @ contrasts)
    mean = covariance @ contrasts.T @ nu
    determinant = np.linalg.slogdet(covariance / scale**2)[1]
    return mean, covariance, log_scale.sum() + (determinant + mean @ contrasts.T @ nu) / 2


def learned(pairs: np.ndarray, n_items: int, scales: tuple[float, ...] = SCALES) -> ScaleMixture:
    mixture = ScaleMixture(n_items, np.array(scales), tolerance=1e-8)
    mixture.learn(pairs)
    return mixture


@pytest.mark.parametrize("scale", [0.1, 0.8, 6.4])
def test_each_scale_is_plain_expectation_propagation(scale: float) -> None:
    """Mean and covariance at a scale are those of a plain double loop."""
    pairs = answers(4, 9, 1)
    mixture = learned(pairs, 4, (scale,))
    mean, covariance, _ = plain_ep(pairs, 4, scale)
    assert mixture.means[0] == pytest.approx(mean, abs=1e-6)
    assert mixture.covariances[0] == pytest.approx(covariance, abs=1e-6)


def test_weights_are_evidence_times_prior() -> None:
    """The weights are those of the plain evidence and of the prior weights, at every scale."""
    pairs = answers(4, 9, 2)
    mixture = learned(pairs, 4)
    likely = np.exp([plain_ep(pairs, 4, scale)[2] for scale in SCALES] + log_prior(np.array(SCALES)))
    assert mixture.weights == pytest.approx(likely / likely.sum(), rel=1e-4)


def test_the_evidence_is_the_probability_of_the_answers() -> None:
    """Up to the error of expectation propagation, it is the integral over two utilities."""
    pairs = np.array([[0, 1], [0, 1], [1, 0], [0, 1]])
    for scale in (0.3, 2.0):
        sd = 2**0.5 * scale
        grid = np.linspace(-8 * sd, 8 * sd, 20_001)
        exact = trapezoid(ndtr(grid) ** 3 * ndtr(-grid) * norm.pdf(grid, scale=sd), grid)
        assert np.exp(plain_ep(pairs, 2, scale)[2]) == pytest.approx(exact, rel=0.02)


def test_draws_are_those_of_the_mixture() -> None:
    """Shares of draws are the weights; mean and covariance of the draws are those of the mixture by hand."""
    pairs = answers(5, 25, 3)
    belief = Propagated(5)
    taught(belief, pairs)
    rows = np.array([3, 0, 4])
    draws = belief.sample(200_000, 1, rows=rows)
    w, means, covariances = belief.mixture.weights, belief.mixture.means, belief.mixture.covariances
    mean = w @ means
    covariance = np.einsum("k,kij->ij", w, covariances) + np.einsum(
        "k,ki,kj->ij", w, means - mean, means - mean
    )
    assert draws.mean(axis=0) == pytest.approx(mean[rows], abs=0.02)
    assert np.cov(draws.T) == pytest.approx(covariance[np.ix_(rows, rows)], rel=0.03, abs=0.02)
    first = sum(
        weight * multivariate_normal.cdf(np.zeros(3), -m[rows], k[np.ix_(rows, rows)])
        for weight, m, k in zip(w, means, covariances, strict=True)
    )
    assert (draws > 0).all(axis=1).mean() == pytest.approx(first, abs=0.01)
    assert draws[:1000].mean(axis=0) == pytest.approx(mean[rows], abs=0.3), "any part is of all scales"


def test_answers_may_come_in_any_parts() -> None:
    """A mixture that learned on the way ends where one ends that learns everything at once."""
    pairs = answers(6, 150, 4)
    once, often = learned(pairs, 6), ScaleMixture(6, np.array(SCALES), tolerance=1e-8)
    for end in (1, 7, 30, 80, 150):
        often.learn(pairs[:end])
    kept = once.weights > 1e-3
    assert often.weights == pytest.approx(once.weights, abs=1e-4)
    assert often.means[kept] == pytest.approx(once.means[kept], abs=0.01)


def test_a_given_scale_makes_a_normal_belief() -> None:
    """With the scale given the draws have the mean and covariance of the refreshed belief."""
    belief = Propagated(4, scale=1.5)
    taught(belief, answers(4, 20, 5))
    belief.refresh()
    draws = belief.sample(200_000)
    assert belief.mixture.weights.tolist() == [1.0]
    assert draws.mean(axis=0) == pytest.approx(belief.mean, abs=0.02)
    assert np.cov(draws.T) == pytest.approx(belief.covariance(), abs=0.03)
