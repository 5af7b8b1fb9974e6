"""Comparisons that several tests of Gaussian processes learn from, and slow, obvious references."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.gaussian import Factor
from penchant.gp.inference.laplace import LaplaceMode, Problem, maximise
from penchant.gp.inference.likelihood import Bools, Likelihood


class Given(NamedTuple):
    X: Floats
    utility: Floats
    pairs: Ints
    tie: Bools
    weight: Floats


def problem(
    n_rows: int = 12, n_pairs: int = 40, n_features: int = 2, *, seed: int = 0, threshold: float = 0.0
) -> Given:
    """Answers with noise 1 about a smooth utility; ties where the perceived difference is within ±threshold."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_features))
    utility = 2 * np.sin(3 * X).sum(axis=1)
    first = rng.integers(n_rows, size=n_pairs)
    second = (first + rng.integers(1, n_rows, size=n_pairs)) % n_rows
    seen = utility[first] - utility[second] + np.sqrt(2) * rng.normal(size=n_pairs)
    better, worse = np.where(seen > 0, (first, second), (second, first))
    return Given(
        X,
        utility,
        np.column_stack([better, worse]),
        np.abs(seen) < threshold,
        rng.uniform(0.4, 2.5, size=n_pairs),
    )


def log_likelihoods(likelihood: Any, utilities: Floats, given: Given) -> Floats:
    """log P(answers) of each row of utilities (k, n), summed answer by answer."""
    better, worse = given.pairs.T
    difference = utilities[..., better] - utilities[..., worse]
    tie = np.broadcast_to(given.tie, difference.shape)
    log = likelihood.derivatives(difference.ravel(), tie.ravel()).log.reshape(difference.shape)
    return np.asarray(log @ given.weight)


def importance_moments(
    K: Floats, likelihood: Any, given: Given, prior_mean: Floats, *, n: int = 200_000, seed: int = 0
) -> tuple[float, Floats, Floats]:
    """log P(answers), and the posterior's mean and covariance, by weighting draws from the prior."""
    rng = np.random.default_rng(seed)
    draws = prior_mean + rng.normal(size=(n, len(K))) @ np.linalg.cholesky(K + 1e-10 * np.eye(len(K))).T
    log = log_likelihoods(likelihood, draws, given)
    share = np.exp(log - log.max())
    evidence = float(np.log(share.mean()) + log.max())
    share /= share.sum()
    mean = share @ draws
    return evidence, mean, (draws - mean).T @ ((draws - mean) * share[:, None])


def incidence(pairs: Ints, n_items: int) -> Floats:
    """One row an answer, 1 at its better item and -1 at its worse, (m, n)."""
    rows = np.zeros((len(pairs), n_items))
    rows[np.arange(len(pairs)), pairs[:, 0]] = 1
    rows[np.arange(len(pairs)), pairs[:, 1]] = -1
    return rows


def laplace_mode(
    K: Floats, pairs: Ints, likelihood: Likelihood, *, prior_mean: Floats | None = None, **answers: Any
) -> LaplaceMode:
    """The posterior mode with a prior covariance; ``answers`` are the weight and tie of `PairCounts.of`."""
    counts = PairCounts.of(pairs, len(K), **answers)
    mean = np.zeros(len(K)) if prior_mean is None else prior_mean
    return maximise(Problem(Factor.of(K), counts, likelihood, mean))
