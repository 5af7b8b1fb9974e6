"""Sum comparisons by pair of items, in as few bytes as the sums need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput

TIE = 2
MOST_ITEMS = 1 << 30
"""The most items whose pairs can be numbered."""
_SHIFT, _HIGHER = 30, (1 << 30) - 1
_OUTCOME_BITS = 2


class PairSums(NamedTuple):
    """Comparisons summed by pair.

    Attributes
    ----------
    keys : int array of shape (n_pairs,)
        The numbers lower · 2³⁰ + higher of the different pairs, sorted.
    weight : tuple of three arrays of shape (n_pairs,)
        The weight of the comparisons that prefer the lower number, that prefer the higher one, and of ties. Whole
        weights are in as few bytes as they need. A column that is 0 throughout is None.
    """

    keys: Ints
    weight: tuple[NDArray[Any] | None, ...]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def first(self) -> Ints:
        """The lower number of each pair."""
        return self.keys >> _SHIFT

    @property
    def second(self) -> Ints:
        """The higher number of each pair."""
        return self.keys & _HIGHER

    def renumbered(self, index: Ints) -> PairSums:
        """Return the sums with the item ``i`` called ``index[i]``."""
        index = np.asarray(index, dtype=np.int64)
        one, other = index[self.first], index[self.second]
        turned = one > other
        keys = (np.minimum(one, other) << _SHIFT) | np.maximum(one, other)
        order = np.argsort(keys)
        won, lost, tied = self.weight
        if turned.any():
            zeros = np.zeros(len(keys), np.uint8)
            won, lost = (zeros if column is None else column for column in (won, lost))
            won, lost = (
                column if column.any() else None
                for column in (np.where(turned, lost, won), np.where(turned, won, lost))
            )
        columns = tuple(None if column is None else column[order] for column in (won, lost, tied))
        return PairSums(keys[order], columns)


def first_key(item: Any) -> Any:
    """Return the least number that a pair with ``item`` as its lower number can have."""
    return np.asarray(item, dtype=np.int64) << _SHIFT


def count_pairs(
    better: NDArray[Any],
    worse: NDArray[Any],
    tie: NDArray[np.bool_] | None = None,
    weight: Floats | None = None,
) -> PairSums:
    """Sum comparisons by pair.

    Parameters
    ----------
    better, worse : int arrays of shape (m,)
        The numbers of the two items of each comparison, from 0 and below `MOST_ITEMS`.
    tie : bool array of shape (m,), optional
        Where the two are equal.
    weight : array of shape (m,), optional
        1 each if not given.

    Examples
    --------
    >>> sums = count_pairs(np.array([1, 0, 1, 2]), np.array([0, 1, 0, 0]))
    >>> list(zip(sums.first.tolist(), sums.second.tolist())), sums.weight[0].tolist(), sums.weight[1].tolist()
    ([(0, 1), (0, 2)], [1, 0], [2, 1])
    """
    if len(better) and max(int(better.max()), int(worse.max())) >= MOST_ITEMS:
        raise InvalidInput.of("items", f"be fewer than {MOST_ITEMS:,} to be counted", "more", "drop some")
    codes = np.minimum(better, worse).astype(np.int64)
    codes <<= _SHIFT
    codes |= np.maximum(better, worse)
    codes <<= _OUTCOME_BITS
    outcome = (np.asarray(better) > worse).astype(np.int8)
    if tie is not None:
        outcome[tie] = TIE
    codes |= outcome
    if weight is None:
        codes.sort()
    else:
        order = np.argsort(codes, kind="stable")
        codes, weight = codes[order], np.asarray(weight, dtype=np.float64)[order]
    keys = codes >> _OUTCOME_BITS
    starts = _starts(keys)
    outcome = (codes & (1 << _OUTCOME_BITS) - 1).astype(np.int8)
    columns = []
    for code in range(TIE + 1):
        chosen = outcome == code
        values: Any = chosen.astype(np.uint32) if weight is None else np.where(chosen, weight, 0.0)
        columns.append(_narrow(np.add.reduceat(values, starts) if len(starts) else values))
    return PairSums(keys[starts], tuple(columns))


def merged(sums: Sequence[PairSums]) -> PairSums:
    """Return the sums of several sums.

    Examples
    --------
    >>> once = count_pairs(np.array([0]), np.array([1]))
    >>> merged([once, once]).weight[0].tolist()
    [2]
    """
    sums = [part for part in sums if len(part)] or list(sums[:1])
    if len(sums) == 1:
        return sums[0]
    keys = np.concatenate([part.keys for part in sums])
    order = np.argsort(keys, kind="stable")  # sorted parts merge in linear time
    keys = keys[order]
    starts = _starts(keys)
    columns: list[NDArray[Any] | None] = []
    for code in range(TIE + 1):
        given = [part.weight[code] for part in sums]
        if all(column is None for column in given):
            columns.append(None)
            continue
        filled = [
            np.zeros(len(part), np.uint8) if column is None else column
            for part, column in zip(sums, given, strict=True)
        ]
        wide = np.float64 if any(column.dtype.kind == "f" for column in filled) else np.uint64
        columns.append(_narrow(np.add.reduceat(np.concatenate(filled)[order].astype(wide), starts)))
    return PairSums(keys[starts], tuple(columns))


def _starts(keys: Ints) -> Ints:
    """Return where each different one of sorted keys begins."""
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return np.flatnonzero(new)


def _narrow(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return numbers in as few bytes as they need, None where all are 0."""
    if not values.any():
        return None
    if values.dtype.kind == "f" and (values.max() >= 2**32 or not (values == np.rint(values)).all()):
        return values
    return values.astype(smallest_kind(int(values.max())))


def smallest_kind(largest: int) -> np.dtype[Any]:
    """Return the type of the fewest bytes that holds whole numbers up to ``largest``.

    Examples
    --------
    >>> smallest_kind(255), smallest_kind(256), smallest_kind(2**40)
    (dtype('uint8'), dtype('uint16'), dtype('float64'))
    """
    kinds = (np.uint8, np.uint16, np.uint32)
    return np.dtype(next((kind for kind in kinds if largest <= np.iinfo(kind).max), np.float64))
