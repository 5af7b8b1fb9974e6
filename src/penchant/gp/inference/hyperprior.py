"""Weak priors of hyperparameters, in the units of the data: features' standard deviations and the noise.

The evidence alone often prefers one set of hyperparameters only slightly, or one that is absurd. The priors here are
normal in the logarithms and weak: with a few hundred comparisons the evidence outweighs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import block_diag

from penchant.checks import Floats

SHARED_SD, OWN_SD = 0.85, 0.5
"""The sd of a log lengthscale: of the part that all features share, and of each feature's own part."""
VARIANCE = 4.0
"""The usual variance of a utility, in units of the noise's."""
RESIDUAL = 0.1
"""The usual part of that variance that features do not explain."""
VARIANCE_SD = 1.5
THRESHOLD, THRESHOLD_SD = 0.4, 1.5
"""The usual threshold of ties, in units of the likelihood's scale, and the sd of its logarithm."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of hyperparameters.

    Attributes
    ----------
    feature_sd : ndarray of shape (d,)
        The standard deviations of the features over the compared items; 0: a constant feature.
    variance : float
        The usual prior variance of a utility.
    """

    feature_sd: Floats
    variance: float

    @classmethod
    def of(cls, items: Floats, noise: float) -> Self:
        """Return the units of compared items (n, d) that are perceived with this noise."""
        varying = np.ptp(items, axis=0) > 0  # rounding may leave a constant feature a tiny deviation
        return cls(np.where(varying, items.std(axis=0), 0.0), VARIANCE * noise**2)


@dataclass(frozen=True, eq=False)
class Hyperprior:
    """A normal prior of the logarithms θ of hyperparameters; a row of zeros in ``precision`` is a flat one.

    Attributes
    ----------
    centre : ndarray of shape (p,)
    precision : ndarray of shape (p, p)
    """

    centre: Floats
    precision: Floats

    @classmethod
    def flat(cls, size: int) -> Self:
        """Return a flat prior for ``size`` hyperparameters: only their bounds limit them."""
        return cls(np.zeros(size), np.zeros((size, size)))

    @classmethod
    def independent(cls, centre: Floats, sd: float) -> Self:
        """Return a prior with the same sd for each."""
        return cls(centre, np.eye(len(centre)) / sd**2)

    @classmethod
    def joined(cls, *parts: Hyperprior) -> Self:
        """Return the prior of several independent groups of hyperparameters."""
        precision = np.asarray(block_diag(*(part.precision for part in parts)), dtype=np.float64)
        return cls(np.concatenate([part.centre for part in parts]), precision)

    def log_density(self, theta: Floats) -> float:
        """Return −½(θ − centre)ᵀ precision (θ − centre)."""
        deviation = theta - self.centre
        return -0.5 * float(deviation @ self.precision @ deviation)

    def gradient(self, theta: Floats) -> Floats:
        """Return its derivative by θ, shape (p,)."""
        return np.asarray(-self.precision @ (theta - self.centre))


def lengthscales(theta: Floats, units: Units) -> Hyperprior:
    """Return the prior of log lengthscales: one for all features, or one for each.

    The usual lengthscale of a feature is √d of its standard deviations, with d the number of features that vary. A
    utility that is smooth in one feature is likely smooth in others: the lengthscales share most of their deviation
    from the usual ones. The lengthscale of a constant feature, which has no effect, is centred at its present value.
    """
    sd = units.feature_sd
    if theta.size == 1:
        total = float(np.sqrt((sd**2).sum()))
        centre = np.log([total]) if total else theta
        return Hyperprior.independent(centre, float(np.hypot(SHARED_SD, OWN_SD)))
    varies = sd > 0
    centre = theta.copy()
    centre[varies] = np.log(np.sqrt(varies.sum()) * sd[varies])
    covariance = np.where(np.outer(varies, varies), SHARED_SD**2, 0.0)
    covariance[np.diag_indices_from(covariance)] += np.where(varies, OWN_SD**2, 1.0)
    return Hyperprior(centre, np.linalg.inv(covariance))


def variances(theta: Floats, usual: float) -> Hyperprior:
    """Return the prior of log variances of utilities whose usual value is given."""
    return Hyperprior.independent(np.full(theta.size, np.log(usual)), VARIANCE_SD)


def weight_variances(theta: Floats, units: Units) -> Hyperprior:
    """Return the prior of log variances of linear weights: the features together explain the usual variance."""
    squares = units.feature_sd**2
    if theta.size == 1:
        total = float(squares.sum())
        centre = np.log([units.variance / total]) if total else theta
        return Hyperprior.independent(centre, VARIANCE_SD)
    varies = squares > 0
    centre = theta.copy()
    centre[varies] = np.log(units.variance / (varies.sum() * squares[varies]))
    return Hyperprior.independent(centre, VARIANCE_SD)


def thresholds(scale: float) -> Hyperprior:
    """Return the prior of the log threshold of a likelihood with this scale."""
    return Hyperprior.independent(np.log([THRESHOLD * scale]), THRESHOLD_SD)
