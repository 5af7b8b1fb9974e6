"""The expected gain of each pair of items for finding the top k."""

from __future__ import annotations

import numpy as np

from penchant.belief import LEAST_VARIANCE
from penchant.checks import Floats, Ints

CONTENDERS = 128
"""Of more items, those that are most likely on the wrong side of the border are compared."""
_EACH_SIDE = 32
"""So many of these are inside the top, and so many outside, where there are so many."""


def contenders(mean: Floats, variance: Floats, order: Ints, top: int) -> Ints:
    """Return the items to compare, sorted: all, or those most likely on the wrong side of the border.

    Parameters
    ----------
    mean, variance : arrays of shape (n,)
    order : int array
        Items in order of falling mean.
    top : int
        The border is in the middle between the means of the items at this place and the one before.

    Examples
    --------
    >>> mean = np.linspace(100, -100, 1000)
    >>> found = contenders(mean, np.ones(1000), np.arange(1000), 500)
    >>> len(found), int(found[0]), int(found[-1])
    (128, 436, 563)
    """
    if len(order) <= CONTENDERS:
        return np.sort(order)
    border = (mean[order[top - 1]] + mean[order[top]]) / 2
    sds = np.abs(mean[order] - border) / np.sqrt(np.maximum(variance[order], LEAST_VARIANCE))
    chosen = np.zeros(len(order), dtype=bool)
    chosen[_smallest(sds[:top], _EACH_SIDE)] = True
    chosen[top + _smallest(sds[top:], _EACH_SIDE)] = True
    sds[chosen] = -1.0
    chosen[_smallest(sds, CONTENDERS)] = True
    return np.sort(order[chosen])


def _smallest(values: Floats, count: int) -> Ints:
    """Return the places of the ``count`` smallest values, of equal ones the first."""
    if len(values) <= count:
        return np.arange(len(values))
    largest = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < largest)
    return np.concatenate([below, np.flatnonzero(values == largest)[: count - len(below)]])


def expected_gain(mean: Floats, covariance: Floats, inside: np.ndarray, *, width: float) -> Floats:
    """Return by how much an answer about each pair lowers the expected number of wrong pairs across the border.

    Of an item in the top by its mean and one outside, the second is more than ``width`` better with probability
    Φ(−(|d| + width)/s), where s² is the variance of their difference d. An answer about items i and j takes
    b (C a)(C a)ᵀ off the covariance C, where a is 1 at i, −1 at j and 0 elsewhere, v = aᵀ C a, q = d_ij/√(1 + v) and
    b = φ(q)² / ((1 + v) Φ(q) Φ(−q)). To first order in the variances the sum of these probabilities then falls by

        b · aᵀ C L C a,

    where L is the Laplacian of the graph that joins the two of each such pair with the weight
    ∂Φ(−(|d| + width)/s)/∂(s²), up to a constant factor.

    Parameters
    ----------
    mean : array of shape (n,)
    covariance : array of shape (n, n)
        Both in units of the noise of an answer.
    inside : bool array of shape (n,)
        Which items are in the top by their means.
    width : float
        Items that differ by less count as tied.

    Returns
    -------
    array of shape (n, n)
        Symmetric; its diagonal has no meaning.

    Examples
    --------
    >>> inside = np.array([True, True, False, False])
    >>> gain = expected_gain(np.array([3.0, 0.2, 0.0, -3.0]), np.eye(4), inside, width=0.25)
    >>> [int(i) for i in np.unravel_index(np.argmax(gain), gain.shape)]
    [1, 2]
    """
    from scipy.special import erfcx, ndtr

    own = covariance.diagonal()
    variance = np.maximum(own[:, None] + own - 2 * covariance, LEAST_VARIANCE)
    difference = mean[:, None] - mean
    apart = np.abs(difference) + width
    across = inside[:, None] != inside
    weight = np.where(across, apart * np.exp(-(apart**2) / (2 * variance)) / variance**1.5, 0.0)
    reduction = covariance @ (np.diag(weight.sum(axis=0)) - weight) @ covariance
    along = reduction.diagonal()[:, None] + reduction.diagonal() - 2 * reduction
    q = np.abs(difference) / np.sqrt(1 + variance)
    density = np.exp(-(q**2) / 2) / np.sqrt(2 * np.pi)
    hazard = np.sqrt(2 / np.pi) / erfcx(q / np.sqrt(2))  # φ(q) / Φ(−q), also where both vanish
    gain: Floats = density * hazard / ((1 + variance) * ndtr(q)) * along
    return gain
