"""Quantiles, moments and shares of draws of mixtures of normal distributions; components along the first axis."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from penchant.checks import Floats

_TOLERANCE = 1e-13
_MOST_BISECTIONS = 100


def mixture_quantile(weights: Floats, means: Floats, sds: Floats, level: float) -> Floats:
    """Return where the distribution function of each mixture of normal distributions reaches ``level``, by bisection.

    Parameters
    ----------
    weights : array of shape (k,)
        Of the components; they sum to 1.
    means, sds : arrays of shape (k, …)
        A component with an sd of 0 is a point mass.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> weights, means, sds = np.array([0.5, 0.5]), np.array([[-1.0], [1.0]]), np.array([[0.1], [0.1]])
    >>> mixture_quantile(weights, means, sds, 0.25).round(3)
    array([-1.])
    """
    from scipy.special import ndtr, ndtri

    ends = means + float(ndtri(level)) * sds
    if len(weights) == 1:
        return np.asarray(ends[0])
    low, high = ends.min(axis=0), ends.max(axis=0)  # each component reaches the level at its own quantile
    is_point = sds == 0
    divisor = np.where(is_point, 1.0, sds)
    for _ in range(_MOST_BISECTIONS):
        middle = (low + high) / 2
        share = ndtr((middle - means) / divisor)
        if is_point.any():
            share = np.where(is_point, middle >= means, share)
        below = np.tensordot(weights, share, axes=1) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
        if ((high - low) <= _TOLERANCE * (1 + np.abs(high))).all():
            break
    return np.asarray((low + high) / 2)


def mixture_variance(weights: Floats, deviations: Floats, variances: Floats) -> Floats:
    """Return the variance of each mixture, shape (n,): within the components and between them.

    ``deviations`` (k, n) are the means of the components less that of the mixture, ``variances`` are (k, n).
    """
    variance: Floats = weights @ (variances + deviations**2)
    return variance


def mixture_covariance(weights: Floats, left: Floats, right: Floats, covariances: Iterable[Floats]) -> Floats:
    """Return the covariance of a mixture, shape (a, b): Σ w (C + l rᵀ).

    ``left`` (k, a) and ``right`` (k, b) are the means of the components less that of the mixture, at the rows and at
    the columns; ``covariances`` are those of the components, taken one at a time.
    """
    total = np.zeros((left.shape[1], right.shape[1]))
    for weight, row, column, covariance in zip(weights, left, right, covariances, strict=True):
        total += weight * covariance
        total += weight * np.outer(row, column)
    return total


def draw_shares(weights: Floats, n_draws: int, offset: float = 0.5) -> list[int]:
    """Return how many of ``n_draws`` come from each component, by systematic sampling.

    With an ``offset`` drawn uniformly from 0 to 1 each share has the expectation weight · n_draws; at ½ the shares are
    the nearest whole numbers.

    Examples
    --------
    >>> draw_shares(np.array([0.5, 0.3, 0.2]), 9)
    [4, 3, 2]
    """
    positions = (offset + np.arange(n_draws)) / max(n_draws, 1)
    component = np.searchsorted(np.cumsum(weights)[:-1], positions, side="right")
    shares: list[int] = np.bincount(component, minlength=len(weights)).tolist()
    return shares
