"""Choose a pair with compiled code, for beliefs that give their moments as arrays.

The choice is that of `penchant.ask.choice`, except that of many items every candidate has its exact value where the
belief gives the covariance matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from penchant.ask.candidates import ALL_PAIRS, missing, reach
from penchant.ask.choice import ELSEWHERE, SHORTLIST, best_of, joined, near_border, weigh
from penchant.ask.choice import choose as choose_plainly
from penchant.ask.value import indifference_width
from penchant.ask.wishes import NO_CODES, Pair, Pairs, Wishes
from penchant.belief import LEAST_VARIANCE, Moments, difference_variance
from penchant.checks import Floats, Ints
from penchant.counts import Counts
from penchant.delayed import DelayedMatrix, delayed

_RULES = {"order": 0, "information": 1, "wrong-order": 2, "best": 3}
_MOST_MOVES = 8
"""Up to so many moves an item, an order is renewed by insertion; a sort takes less time than more of them."""
_NO_COVARIANCE, _NO_SIGNS = np.empty((0, 0)), np.empty(0)
Arrays = tuple[Floats, Floats, "Floats | DelayedMatrix | None"]
_NOT_BUSY = np.empty(0, dtype=bool)


class ChooserArrays(Protocol):
    """Moments that the compiled choice can use without copying them."""

    def chooser_arrays(self) -> Arrays:
        """Return the mean (n,), the variance (n,), and the covariance (n, n) or None, in units of the scores.

        The covariance may be a `penchant.delayed.DelayedMatrix`. They are read only, and until the next answer. A
        common shift of all scores may be part of the covariance and the variances. Without a covariance,
        `penchant.belief.difference_variance` and ``covariance`` of few items are called for the pairs that are most
        worth it.
        """


def arrays_of(moments: Moments) -> Arrays | None:
    """Return the arrays of moments that offer them, else None."""
    method = getattr(moments, "chooser_arrays", None)
    arrays: Arrays | None = None if method is None else method()
    return arrays


class Sorted:
    """The order of all items by falling mean, kept from one choice to the next."""

    def __init__(self) -> None:
        self._order: Ints = NO_CODES

    def of(self, mean: Floats) -> Ints:
        """Return the items in order of falling mean, and of their index where it is equal."""
        from penchant.ask._kernels import sort_by_mean

        order = self._order.copy() if len(self._order) == len(mean) else np.arange(len(mean))
        if not sort_by_mean(mean, order, _MOST_MOVES * len(mean)):
            order = np.argsort(-mean, kind="stable")
        self._order = order
        return order


@dataclass(frozen=True, eq=False)
class _Marks:
    """What the kernels need of the wishes.

    Attributes
    ----------
    flags : int array of shape (n_items,)
    labels : int array of shape (n_items,)
        Empty where groups do not matter.
    needed : int
        The bit that the key of a pair must have so that the first wish about groups or answers is met; 0 for none.
    """

    flags: NDArray[np.int8]
    labels: Ints
    needed: int

    @classmethod
    def of(cls, wishes: Wishes, answers: Counts) -> _Marks:
        from penchant.ask._kernels import JOINING, ONE_FEWEST, flag, several

        counts = answers.astype(np.float64, copy=False)
        busy = _NOT_BUSY if wishes.busy is None else wishes.busy
        ahead = np.inf if wishes.most_ahead is None else float(wishes.most_ahead)
        flags = np.empty(len(counts), dtype=np.int8)
        fewest = flag(counts, wishes.open, busy, float(wishes.fewest_first), ahead, flags)
        if wishes.labels is not None and fewest > 0 and several(wishes.labels, wishes.open):
            return cls(flags, wishes.labels, JOINING)
        return cls(flags, NO_CODES, ONE_FEWEST if fewest < wishes.fewest_first else 0)


def choose(
    moments: Moments,
    arrays: Arrays,
    answers: Counts,
    wishes: Wishes,
    order: Ints,
    *,
    rule: str,
    top: int | None,
    unit: float,
    seed: int | None,
) -> Pair:
    """Return the pair of the largest value among those that meet the most wishes.

    Parameters
    ----------
    moments : Moments
    arrays : tuple
        Its `ChooserArrays`.
    order : int array of shape (n_items,)
        All items in order of falling mean.
    unit : float
        The noise of an answer.
    """
    mean, variance, covariance = arrays
    order = order if wishes.n_open == len(order) else order[wishes.open[order]]
    if top is not None and len(wishes.preferred):
        return choose_plainly(moments, answers, wishes, rule=rule, top=top, unit=unit, seed=seed)
    marks = _Marks.of(wishes, answers)
    more, codes, values = Pairs.of_codes(wishes.preferred), NO_CODES, None
    if len(wishes.preferred):
        more = wishes.kept(more, answers)
    if not wishes.come_first(more):
        if top is None:
            key, codes, values = _in_order(arrays, wishes, marks, order, rule, unit, seed)
        else:
            key, codes, values = _near_border(moments, arrays, wishes, marks, order, top, unit, seed)
        if key < 0 or key & marks.needed != marks.needed:
            more = joined(more, missing(order, wishes, answers, Pairs.of_codes(codes)))
    if len(more.first):
        kept = wishes.kept(joined(Pairs.of_codes(codes), more), answers).codes
        values = values if np.array_equal(kept, np.sort(codes)) else None
        codes = kept if values is None else codes
    if values is None or (covariance is None and top is None):
        pairs = Pairs.of_codes(codes)
        exact = _variances(moments, variance, covariance, pairs)
        values = weigh(mean, pairs, exact, ELSEWHERE if top is not None else rule, unit)
    return best_of(codes, values, seed)


def _variances(
    moments: Moments, variance: Floats, covariance: Floats | DelayedMatrix | None, pairs: Pairs
) -> Floats:
    """Return the variance of the difference of each pair."""
    first, second = pairs.first, pairs.second
    if covariance is None:
        return difference_variance(moments, first, second)
    between = delayed(covariance).entries(first, second)
    return np.maximum(variance[first] + variance[second] - 2 * between, LEAST_VARIANCE)


def _in_order(
    arrays: Arrays,
    wishes: Wishes,
    marks: _Marks,
    order: Ints,
    rule: str,
    unit: float,
    seed: int | None,
) -> tuple[int, Ints, Floats]:
    """Return the largest key of the candidates and the best pairs of it: a shortlist without a covariance."""
    from penchant.ask._kernels import ALL_EQUAL, SMALLEST, best_pairs

    mean, variance, covariance = arrays
    size = ALL_EQUAL if seed is not None else SMALLEST
    if covariance is None:
        size = SHORTLIST if len(order) > ALL_PAIRS else len(order) * (len(order) - 1) // 2
    matrix = _NO_COVARIANCE if covariance is None else covariance
    if not isinstance(matrix, DelayedMatrix):
        matrix = DelayedMatrix(matrix, _NO_COVARIANCE, _NO_SIGNS)
    return best_pairs(
        mean,
        variance,
        *matrix,
        unit,
        _RULES[rule],
        order,
        reach(len(order)),
        marks.flags,
        marks.labels,
        wishes.avoid,
        wishes.forbidden,
        size,
    )


@cache
def _width() -> float:
    return indifference_width(1.0)


def _block(moments: Moments, items: Ints) -> Floats:
    """Return the covariance of some items, or about that where the moments offer ``rough_covariance`` for less work."""
    rough = getattr(moments, "rough_covariance", None)
    block: Floats = moments.covariance(items, items) if rough is None else rough(items)
    return block


def _near_border(
    moments: Moments,
    arrays: Arrays,
    wishes: Wishes,
    marks: _Marks,
    order: Ints,
    top: int,
    unit: float,
    seed: int | None,
) -> tuple[int, Ints, Floats]:
    """Return the largest key of the pairs near the border of the top, and those of the largest gain."""
    from penchant.ask._kernels import ALL_EQUAL, SMALLEST, best_border_pairs

    mean, variance, covariance = arrays
    items = near_border(mean, variance, order, top)
    block = _block(moments, items) if covariance is None else delayed(covariance).block(items, items)
    inside = np.zeros(len(mean), dtype=bool)
    inside[order[: min(top, len(order) - 1)]] = True
    return best_border_pairs(
        mean[items] / unit,
        block / unit**2,
        inside[items],
        _width(),
        items,
        marks.flags,
        marks.labels,
        wishes.avoid,
        wishes.forbidden,
        ALL_EQUAL if seed is not None else SMALLEST,
    )
