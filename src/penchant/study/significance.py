"""Tests of shares: exact binomial tails, and Holm's correction for several tests at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, vector


def p_at_least(count: ArrayLike, total: ArrayLike, share: float) -> Floats:
    """Return the probability of ``count`` or more out of ``total`` where each happens with probability ``share``.

    Examples
    --------
    >>> p_at_least([9, 0], [10, 10], 0.5).tolist()
    [0.0107421875, 1.0]
    """
    from scipy.special import bdtrc

    counts, totals = vector("count", count), vector("total", total)
    return np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0), totals.astype(np.int64), share), 1.0)


def p_of_half(count: ArrayLike, total: ArrayLike) -> Floats:
    """Return the two-sided p-value of ``count`` out of ``total`` where each happens with probability one half.

    Examples
    --------
    >>> p_of_half([9, 5], [10, 10]).tolist()
    [0.021484375, 1.0]
    """
    counts, totals = vector("count", count), vector("total", total)
    tail = np.minimum(p_at_least(counts, totals, 0.5), p_at_least(totals - counts, totals, 0.5))
    p: Floats = np.minimum(2 * tail, 1.0)
    return p


def holm(p: ArrayLike) -> Floats:
    """Return p-values adjusted for their number: rejecting those below α errs anywhere with probability at most α.

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = vector("p", p)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
