"""The threshold of ties of a live belief: how far two perceived utilities may differ and still be called equal.

The share of ties among the answers is not the probability that two equal items tie: most pairs are not equal, and tie
less often. The threshold is therefore the most probable one given the answers, with the utilities integrated over.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.answers import Answers, PairCounts
from penchant.gp.inference.ep import Sites, propagate
from penchant.gp.inference.evidence import ROUGH_SITES, THRESHOLD_BOUNDS, maximum
from penchant.gp.inference.gaussian import Factor
from penchant.gp.inference.hyperprior import thresholds
from penchant.gp.inference.laplace import Problem
from penchant.gp.inference.likelihood import Likelihood

UNSEEN = (0.5, 9.5)
"""The Beta prior of the share of ties while there were none: 5 % are expected before any answer."""


def unseen_share(answers: float) -> float:
    """Return the expected probability that two equal items tie after so many answers, none of them a tie.

    It is the mean of a Beta(½, 9½) prior after the answers: small, and never 0.

    Examples
    --------
    >>> unseen_share(0.0), unseen_share(90.0)
    (0.05, 0.005)
    """
    ties, others = UNSEEN
    return ties / (ties + others + answers)


def threshold_of(answers: Answers, covariance: Floats, mean: Floats, likelihood: Likelihood) -> float:
    """Return the threshold for answers between items whose utilities have this prior.

    With ties among the answers it has the highest evidence of expectation propagation times a weak prior, lognormal
    around 0.4 of the likelihood's scale with an sd of 1.5. Without ties, equal items tie with `unseen_share`.

    Parameters
    ----------
    answers : Answers
    covariance : array of shape (n, n)
        Of the prior; n is more than the largest row of the answers.
    mean : array of shape (n,)
    likelihood : Likelihood
        Its own threshold is where the search starts, where it is above 0.
    """
    if not answers.tie.any():
        return likelihood.threshold_for(unseen_share(float(answers.weight.sum())))
    rows, places = np.unique(answers.pairs, return_inverse=True)
    counts = PairCounts.of(
        places.reshape(-1, 2).astype(np.int64), len(rows), weight=answers.weight, tie=answers.tie
    )
    factor = Factor.of(covariance[np.ix_(rows, rows)])
    prior = thresholds(likelihood.scale)
    sites: Sites | None = None

    def log_posterior(theta: Floats) -> tuple[float, Floats]:
        nonlocal sites
        tried = replace(likelihood, threshold=float(np.exp(theta[0])))
        problem = Problem(factor, counts, tried, mean[rows])
        found = propagate(problem, start=sites, tolerance=ROUGH_SITES, quiet=True)
        sites = found.sites
        by_log = np.array([tried.threshold * found.threshold_gradient(tried)])
        return found.log_evidence + prior.log_density(theta), by_log + prior.gradient(theta)

    bounds = np.log(np.multiply(THRESHOLD_BOUNDS, likelihood.scale))[None]
    start = np.log([likelihood.threshold]) if likelihood.threshold else prior.centre
    return float(np.exp(maximum(log_posterior, np.clip(start, *bounds.T), bounds)[0][0]))
