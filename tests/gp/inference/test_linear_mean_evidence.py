"""Hyperparameters by evidence, with a linear prior mean: gradients are right, and what is given is kept."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.evidence import Evidence
from penchant.gp.inference.linear_mean_evidence import (
    Hyperparameters,
    evidence_gradient,
    learn_hyperparameters,
)


def problem(seed: int = 0, n: int = 12, m: int = 40) -> Evidence:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    utility = X @ [0.7, 0.3] + 0.3 * np.sin(5 * X[:, 0])
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)])
    rated = utility[pairs] + rng.normal(0, 0.15, pairs.shape)
    pairs = np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])
    return Evidence(X, PairCounts.of(pairs, n), X @ [0.6, 0.4])


def test_the_gradient_matches_finite_differences() -> None:
    """By each lengthscale, the variance and the noise, to five digits."""
    evidence = problem()
    theta = Hyperparameters((0.3, 0.6), 0.25, 0.12).theta
    _, gradient = evidence_gradient(evidence, Hyperparameters.of(theta))
    for place in range(len(theta)):
        step = 1e-4 * np.eye(len(theta))[place]
        up, down = (
            evidence_gradient(evidence, Hyperparameters.of(theta + side * step))[0].log_evidence
            for side in (1, -1)
        )
        assert gradient[place] == pytest.approx((up - down) / 2e-4, rel=1e-5, abs=1e-6)


def test_the_gradient_by_the_prior_mean_matches_finite_differences() -> None:
    """In each item."""
    evidence = problem(1)
    at = Hyperparameters((0.4, 0.4), 0.3, 0.15)
    gradient = evidence_gradient(evidence, at)[0].mean_gradient()
    for item in range(len(evidence.X)):
        step = 1e-4 * np.eye(len(evidence.X))[item]
        up, down = (
            evidence_gradient(Evidence(evidence.X, evidence.pairs, evidence.prior_mean + side * step), at)[0]
            for side in (1, -1)
        )
        assert gradient[item] == pytest.approx(
            (up.log_evidence - down.log_evidence) / 2e-4, rel=1e-5, abs=1e-6
        )


def test_what_is_given_is_kept() -> None:
    """Given hyperparameters come back as they are, and the others maximise."""
    evidence = problem()
    width = np.ones(2)
    free = learn_hyperparameters(evidence, width, 0.2, lengthscale=None, scale=None, noise=None)
    start = Hyperparameters((0.5, 0.5), 0.2, 0.2)
    assert (
        evidence_gradient(evidence, free)[0].log_evidence > evidence_gradient(evidence, start)[0].log_evidence
    )
    kept = learn_hyperparameters(
        evidence, width, 0.2, lengthscale=np.array([0.3, 0.7]), scale=0.1, noise=None
    )
    assert kept.lengthscale == pytest.approx((0.3, 0.7))
    assert kept.scale == pytest.approx(0.1)
    assert kept.noise != pytest.approx(0.2)
    all_given = learn_hyperparameters(
        evidence, width, 0.2, lengthscale=np.array([0.3, 0.7]), scale=0.1, noise=0.4
    )
    assert (all_given.scale, all_given.noise) == (0.1, 0.4)


def test_units_do_not_matter() -> None:
    """Features in other units give the same lengthscales in those units."""
    evidence = problem(2)
    unit = np.array([1000.0, 0.01])
    plain = learn_hyperparameters(evidence, np.ones(2), 0.2, lengthscale=None, scale=None, noise=None)
    other = Evidence(evidence.X * unit, evidence.pairs, evidence.prior_mean)
    scaled = learn_hyperparameters(other, unit, 0.2, lengthscale=None, scale=None, noise=None)
    np.testing.assert_allclose(np.array(scaled.lengthscale) / unit, plain.lengthscale, rtol=1e-3)


def test_the_noise_does_not_vanish_where_a_line_explains_all_answers() -> None:
    """With answers that no noise contradicts, noise and scale stay near what is usual beside the linear utility."""
    rng = np.random.default_rng(4)
    X = rng.random((20, 2))
    line = X @ [0.6, 0.4]
    pairs = np.array([rng.choice(20, 2, replace=False) for _ in range(30)])
    pairs = np.where(line[pairs[:, :1]] > line[pairs[:, 1:]], pairs, pairs[:, ::-1])
    evidence = Evidence(X, PairCounts.of(pairs, 20), line)
    found = learn_hyperparameters(evidence, np.ones(2), 0.1, lengthscale=None, scale=None, noise=None)
    assert 0.2 < found.noise / line.std() < 2
    assert 0.2 < found.scale / found.noise < 5


def test_the_size_of_the_linear_utility_does_not_matter() -> None:
    """A prior mean in other units gives the same scale and noise in those units."""
    evidence = problem(3)
    plain = learn_hyperparameters(evidence, np.ones(2), 0.2, lengthscale=None, scale=None, noise=None)
    other = Evidence(evidence.X, evidence.pairs, 50 * evidence.prior_mean)
    scaled = learn_hyperparameters(other, np.ones(2), 10.0, lengthscale=None, scale=None, noise=None)
    assert scaled.noise / 50 == pytest.approx(plain.noise, rel=1e-3)
    assert scaled.scale / 50 == pytest.approx(plain.scale, rel=1e-3)
