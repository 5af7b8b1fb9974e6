"""Distances between two rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, vector
from penchant.errors import InvalidInput
from penchant.orders.ranks import check_ranks, inverse
from penchant.schema import Schema, Whole

_COMPARED_AT_ONCE = 512
"""Up to this many places all pairs are compared at once; more are worth loading Numba for."""


@dataclass(frozen=True)
class PairCounts:
    """How the pairs of places stand in two vectors x and y.

    Parameters
    ----------
    concordant, discordant : int
        Pairs in the same order in both, and in opposite orders.
    tied_x, tied_y, tied_both : int
        Pairs tied in x only, in y only, and in both.

    Examples
    --------
    >>> pair_counts([1, 2, 3, 4], [1, 3, 2, 2])
    PairCounts(concordant=3, discordant=2, tied_x=0, tied_y=1, tied_both=0)
    """

    __saved__: ClassVar = Schema(
        {name: Whole(0) for name in ("concordant", "discordant", "tied_x", "tied_y", "tied_both")}
    )

    concordant: int
    discordant: int
    tied_x: int
    tied_y: int
    tied_both: int

    @property
    def total(self) -> int:
        """All pairs, n(n − 1)/2."""
        return self.concordant + self.discordant + self.tied_x + self.tied_y + self.tied_both


def kendall_distance(true_ranks: ArrayLike, predicted_ranks: ArrayLike) -> int:
    """Count the pairs of items that the two rankings put in opposite orders, in O(n log n).

    Parameters
    ----------
    true_ranks, predicted_ranks : array-like of shape (n,)
        For each item its rank, each of 1 to n once.

    Returns
    -------
    int
        From 0 (the same) to n(n − 1)/2 (reversed).

    Examples
    --------
    The items A to E; the truth is E B C A D, the prediction A B E C D:

    >>> kendall_distance([4, 2, 3, 5, 1], [1, 2, 4, 5, 3])
    4
    """
    true, predicted = _two_rankings(true_ranks, predicted_ranks)
    if true.size <= _COMPARED_AT_ONCE:
        return _compare_all(true, predicted).discordant
    return _inversions(predicted[inverse(true - 1)])


def spearman_footrule(true_ranks: ArrayLike, predicted_ranks: ArrayLike) -> int:
    """Add up how many places each item is away from its true rank; parameters as of `kendall_distance`.

    Examples
    --------
    >>> spearman_footrule([4, 2, 3, 5, 1], [1, 2, 4, 5, 3])
    6
    """
    true, predicted = _two_rankings(true_ranks, predicted_ranks)
    return int(np.abs(true - predicted).sum())


def position_error(true_ranks: ArrayLike, predicted_ranks: ArrayLike) -> int:
    """Count the items that are predicted before the truly best one, of at least 1; parameters as of `kendall_distance`.

    Examples
    --------
    >>> position_error([4, 2, 3, 5, 1], [1, 2, 4, 5, 3])
    2
    """
    true, predicted = _two_rankings(true_ranks, predicted_ranks)
    if not true.size:
        raise InvalidInput("true rank must have at least 1 entry, got 0: there is no best item to look for")
    return int(predicted[true == 1][0]) - 1


def discounted_error(
    true_ranks: ArrayLike, predicted_ranks: ArrayLike, *, weights: ArrayLike | None = None
) -> float:
    """Add up the distances of the items from their true ranks, the better items counting more.

    The error is Σ v_i |σ_i − σ'_i|, with σ the true and σ' the predicted ranks.

    Parameters
    ----------
    true_ranks, predicted_ranks
        As in `kendall_distance`.
    weights : array-like of shape (n,), optional
        The factor v_i of each item, at least 0. Without them v_i = 1 / log2(1 + σ_i).

    Examples
    --------
    >>> round(discounted_error([4, 2, 3, 5, 1], [1, 2, 4, 5, 3]), 4)
    3.792
    >>> discounted_error([4, 2, 3, 5, 1], [1, 2, 4, 5, 3], weights=[1, 1, 1, 1, 10])
    24.0
    """
    true, predicted = _two_rankings(true_ranks, predicted_ranks)
    factors = 1.0 / np.log2(1.0 + true) if weights is None else _not_negative(weights, true.size)
    return float(factors @ np.abs(true - predicted))


def pair_counts(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """Count how all pairs of places stand in ``x`` and ``y``, in O(n log n) (Knight 1966).

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Any finite numbers, ties allowed.

    Returns
    -------
    PairCounts

    Examples
    --------
    >>> pair_counts([1, 2, 2, 3], [1, 3, 2, 2])
    PairCounts(concordant=3, discordant=1, tied_x=1, tied_y=1, tied_both=0)
    """
    first = vector("x", x)
    second = vector("y", y, length=first.size)
    count = _compare_all if first.size <= _COMPARED_AT_ONCE else _knight
    return count(first, second)


def _two_rankings(true_ranks: ArrayLike, predicted_ranks: ArrayLike) -> tuple[Ints, Ints]:
    true = check_ranks("true rank", true_ranks)
    return true, check_ranks("predicted rank", predicted_ranks, length=true.size)


def _not_negative(weights: ArrayLike, length: int) -> Floats:
    factors = vector("weight", weights, length=length)
    low = np.flatnonzero(factors < 0)
    if low.size:
        raise InvalidInput(
            f"weight of row {low[0]} must be at least 0, got {factors[low[0]]:g}: "
            "give 0 to an item that must not count"
        )
    return factors


def _compare_all(x: Floats | Ints, y: Floats | Ints) -> PairCounts:
    x_rises, y_rises = x[:, None] < x, y[:, None] < y
    concordant = int(np.count_nonzero(x_rises & y_rises))
    discordant = int(np.count_nonzero(x_rises & y_rises.T))
    apart_x, apart_y = int(np.count_nonzero(x_rises)), int(np.count_nonzero(y_rises))
    tied_x = apart_y - concordant - discordant
    tied_both = x.size * (x.size - 1) // 2 - apart_x - tied_x
    return PairCounts(concordant, discordant, tied_x, apart_x - concordant - discordant, tied_both)


def _knight(x: Floats, y: Floats) -> PairCounts:
    _, x_codes, x_sizes = np.unique(x, return_inverse=True, return_counts=True)
    _, y_codes, y_sizes = np.unique(y, return_inverse=True, return_counts=True)
    # One number a place that sorts by x, then by y: pairs tied in x are then not inverted in y.
    by_x_then_y = np.sort(x_codes.astype(np.int64) * y_sizes.size + y_codes)
    discordant = _inversions(by_x_then_y % y_sizes.size)
    tied_both = _pairs(_run_lengths(by_x_then_y))
    tied_x, tied_y = _pairs(x_sizes) - tied_both, _pairs(y_sizes) - tied_both
    concordant = x.size * (x.size - 1) // 2 - discordant - tied_x - tied_y - tied_both
    return PairCounts(concordant, discordant, tied_x, tied_y, tied_both)


def _inversions(sequence: Ints) -> int:
    from penchant.orders._kernels import count_inversions

    return int(count_inversions(sequence))


def _run_lengths(ascending: Ints) -> Ints:
    starts = np.flatnonzero(np.diff(ascending, prepend=-1))
    return np.diff(starts, append=ascending.size)


def _pairs(sizes: Ints) -> int:
    """Count the pairs inside groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())
