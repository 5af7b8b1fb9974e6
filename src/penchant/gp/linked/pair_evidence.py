"""Expectation propagation on the differences of the compared pairs, where these are fewer than the items.

Answers depend on the differences d = A f of the pairs alone, whose prior covariance is D = A K Aᵀ. With the precisions
T of the sites, all that a sweep needs is the inverse of B = I + T^½ D T^½: the posterior variances are the diagonal of
T^−½ (I − B⁻¹) T^−½, and (D + T⁻¹)⁻¹ is T^½ B⁻¹ T^½ (Rasmussen and Williams, section 3.6).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from penchant.checks import Floats
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.ep import AndersonMixing, Sites
from penchant.gp.inference.likelihood import Probit
from penchant.lapack import cholesky, inverse_of_factor, log_determinant

_MOST_SWEEPS = 100
_LEAST_SHARE = 1e-12
"""The share of a variance that is at least left when a site is taken out of the posterior."""
_LEAST_PRECISION = 1e-9
"""Sites of less precision, in units of the prior's, count as this much, where 1 − B⁻¹ would be rounding."""


class PairEvidence(NamedTuple):
    """What expectation propagation on the differences of pairs ends with.

    Attributes
    ----------
    sites : Sites
    log_evidence : float
        NaN where rounding may be as large as the smallest eigenvalue of B.
    incidence : sparse array of shape (m, a)
        A.
    pull : array of shape (m,)
        ν − τ times the posterior means of the differences: the mean of f is K Aᵀ pull.
    halves : array of shape (m, m)
        T^½ B⁻¹ T^½.
    """

    sites: Sites
    log_evidence: float
    incidence: csr_array
    pull: Floats
    halves: Floats

    def covariance_gradient(self) -> Floats:
        """Return the derivative of the log evidence by K, symmetric, shape (a, a); the sites count as given."""
        by_pairs = 0.5 * (np.outer(self.pull, self.pull) - self.halves)
        return np.asarray(self.incidence.T @ (self.incidence.T @ by_pairs).T)


def propagated_pairs(
    covariance: Floats, counts: PairCounts, likelihood: Probit, start: Sites | None, tolerance: float
) -> PairEvidence:
    """Return the fixed point of expectation propagation for a prior ``covariance`` (a, a) of the items, mean 0.

    Parameters
    ----------
    covariance : array of shape (a, a)
    counts : PairCounts
        Of m different answers.
    likelihood : Probit
    start : Sites, optional
    tolerance : float
        The change of a site, in standard deviations of its difference, at which it ends.
    """
    incidence = incidence_of(counts)
    prior = np.asarray(incidence @ (incidence @ covariance).T)
    copies, power = np.maximum(counts.count, 1), np.minimum(counts.count, 1)
    own = np.diagonal(prior)
    least = _LEAST_PRECISION / np.maximum(own, np.finfo(np.float64).tiny)
    sites = start or Sites(np.zeros(len(own)), np.zeros(len(own)))
    mixing = AndersonMixing()
    for _ in range(_MOST_SWEEPS):
        tau, nu = np.maximum(copies * sites.tau, least), copies * sites.nu
        root = np.sqrt(tau)
        inner = np.asfortranarray(root[:, None] * prior * root)
        inner[np.diag_indices_from(inner)] += 1.0
        # As in `penchant.gp.inference.gaussian.Posterior`: rounding moves the eigenvalues by up to eps·trace(B).
        sound = float(np.finfo(np.float64).eps * np.trace(inner)) < 1
        if not sound or not cholesky(inner):
            return PairEvidence(sites, float("nan"), incidence, np.zeros(len(own)), np.zeros_like(inner))
        determinant = log_determinant(inner)
        inverse_of_factor(inner)
        inverse = np.tril(inner) + np.tril(inner, -1).T
        scaled = nu / root
        kept = inverse @ scaled
        mean, variance = (scaled - kept) / root, (1 - np.diagonal(inverse)) / tau
        left = np.maximum(1 - sites.tau * variance, _LEAST_SHARE)
        cavity_variance = variance / left
        cavity_mean = (mean - sites.nu * variance) / left
        tilted = likelihood.tilted(cavity_mean, cavity_variance, counts.tie, power)
        updated = Sites.matching(cavity_mean, cavity_variance, tilted)
        change = sites.distance(updated, cavity_variance)
        if change <= tolerance:
            break
        mixed = Sites(*np.split(mixing.next(sites.flat, updated.flat, change), 2))
        used, sites = sites, mixed if (mixed.tau >= 0).all() else updated
    else:
        sites = used  # those that the last sweep was made with
    normal = sites.log_mean(cavity_mean, cavity_variance)
    log_evidence = float(copies @ (tilted.log - normal)) + float(nu @ mean - determinant) / 2
    return PairEvidence(sites, log_evidence, incidence, root * kept, root[:, None] * inverse * root)


def incidence_of(counts: PairCounts) -> csr_array:
    """Return A, shape (m, a): e_better − e_worse for each different answer."""
    rows = np.arange(len(counts.better))
    ends = np.concatenate([counts.better, counts.worse])
    signs = np.repeat([1.0, -1.0], len(rows))
    return csr_array((signs, (np.tile(rows, 2), ends)), shape=(len(rows), counts.n_items))
