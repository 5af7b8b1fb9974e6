"""A mixture of beliefs by expectation propagation over scales of the prior."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from penchant.checks import Floats, Ints
from penchant.threads import one_thread

SCALES = tuple(0.1 * 2.0**k for k in range(7))
"""The sds of the prior that are mixed, 0.1 to 6.4: equally spaced in their logarithm."""
LEAST_LOG_WEIGHT = -12.0
"""Scales with a weight below exp of this, relative to the largest, get none."""


class ScaleMixture:
    """Beliefs about the same answers at several scales of the prior.

    Each scale has the weight of its evidence times its prior weight, see `log_prior`. One scale makes a normal belief.

    Parameters
    ----------
    n_items : int
    scales : array of shape (n_scales,)
        Increasing.
    tolerance : float
        The change of a site at which expectation propagation ends.

    Attributes
    ----------
    means : array of shape (n_scales, n_items)
    covariances : array of shape (n_scales, n_items, n_items)
    log_weights : array of shape (n_scales,)
        Up to a constant; minus infinity where means and covariances are out of date.
    """

    def __init__(self, n_items: int, scales: Floats, *, tolerance: float) -> None:
        self.scales, self.tolerance = scales, tolerance
        self.means = np.zeros((len(scales), n_items))
        self.covariances = scales[:, None, None] ** 2 * np.eye(n_items)
        self.log_weights = log_prior(scales)
        self._sites = np.zeros((len(scales), 2, 64))
        self._n_answers = 0

    @property
    def weights(self) -> Floats:
        """The posterior probability of each scale."""
        likely = np.exp(self.log_weights - self.log_weights.max())
        weights: Floats = likely / likely.sum()
        return weights

    def learn(self, pairs: Ints) -> None:
        """Learn all answers, better first; those of the last call come first."""
        from penchant.simulate.asking_kernels import propagate_at_scales

        if len(pairs) == self._n_answers:
            return
        while len(pairs) > self._sites.shape[2]:
            self._sites = np.concatenate([self._sites, np.zeros_like(self._sites)], axis=2)
        with one_thread():
            propagate_at_scales(
                pairs,
                self.scales,
                log_prior(self.scales),
                self.means,
                self.covariances,
                self._sites,
                self.log_weights,
                self.tolerance,
                LEAST_LOG_WEIGHT,
            )
        self._n_answers = len(pairs)

    def sample(self, n_draws: int, seed: int, rows: Ints) -> Floats:
        """Draw the scores of the items at ``rows`` together; each scale gets its share of the draws.

        Returns
        -------
        array of shape (n_draws, len(rows))
            In random order, so that any part of the draws is of all scales.
        """
        random = np.random.default_rng(seed)
        ends = np.rint(np.cumsum(self.weights) * n_draws).astype(np.int64).tolist()
        places = random.permutation(n_draws)
        draws = np.empty((n_draws, len(rows)))
        for k, (begin, end) in enumerate(pairwise((0, *ends))):
            if end > begin:
                root = np.linalg.cholesky(self.covariances[k][np.ix_(rows, rows)])
                noise = random.standard_normal((end - begin, len(rows)))
                draws[places[begin:end]] = self.means[k, rows] + noise @ root.T
        return draws


def log_prior(scales: Floats) -> Floats:
    """Return the log prior weights of scales that are equally spaced in their logarithm.

    They follow the density of a half-t with 3 degrees of freedom and scale 1, without the Jacobian of a change to the
    logarithm: below 1 all magnitudes are about equally likely. With the Jacobian small scales are unlikely, and runs
    with utilities of sd 0.2 stopped too early.
    """
    weights: Floats = -2 * np.log1p(scales**2 / 3)
    return weights
