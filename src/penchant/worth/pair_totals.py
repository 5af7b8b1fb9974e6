"""Step two, inside: comparisons as totals. Preferences in; for each pair of items how often who was preferred out.

Models of paired comparisons need no more than these totals, so that time and memory depend on how many
different pairs were compared. A total is added up answer by answer in the order of telling, whether the answers
come at once or in parts: the last bit is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences import Preferences

FIRST, SECOND, TIE = range(3)
_BLOCK = 1 << 23
_IMPLIED_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class PairTotals:
    """What was said about each pair of items.

    Parameters
    ----------
    pairs : int32 array of shape (2, n_pairs)
        The two items of each pair, the lower index first; sorted, each pair once.
    weight : array of shape (3, n_pairs)
        With which weight the first was preferred, the second was preferred, and the two were equal.
    """

    pairs: NDArray[np.int32]
    weight: Floats

    @classmethod
    def none(cls) -> PairTotals:
        """Return the totals of no answers."""
        return cls(np.empty((2, 0), dtype=np.int32), np.empty((3, 0)))

    def __len__(self) -> int:
        return int(self.pairs.shape[1])

    def plus(self, preferences: Preferences) -> PairTotals:
        """Return these totals with the answers of ``preferences`` added, said or implied."""
        totals = self
        for told in _told(preferences):
            totals = totals._merged(told, preferences.n_items)
        return totals

    def renumbered(self, moved: Ints) -> PairTotals:
        """Return the same totals with item i called ``moved[i]``, which must keep the order of the items."""
        return PairTotals(moved[self.pairs].astype(np.int32), self.weight)

    def _merged(self, told: _Told, n_items: int) -> PairTotals:
        if told.weight is None and (self.weight == np.rint(self.weight)).all():
            # Whole numbers add up the same in any order.
            count = _counted_in_a_square if 4 * n_items**2 <= len(told.better) else _counted
            return self._joined(count(told, n_items), n_items)
        keys = told.keys(n_items)
        weight = np.ones(len(keys)) if told.weight is None else told.weight
        known = _numbers(self.pairs, n_items) * 4 + np.arange(3)[:, None]
        keys, place = np.unique(np.append(known.ravel(), keys), return_inverse=True)
        weight = np.bincount(place, np.append(self.weight.ravel(), weight)).astype(np.float64)
        return _of_keys(keys, weight, n_items)

    def _joined(self, other: PairTotals, n_items: int) -> PairTotals:
        """Return the sums of both."""
        if not len(self):
            return other
        mine, theirs = _numbers(self.pairs, n_items), _numbers(other.pairs, n_items)
        both = np.union1d(mine, theirs)
        weight = np.zeros((3, len(both)))
        weight[:, np.searchsorted(both, mine)] = self.weight
        weight[:, np.searchsorted(both, theirs)] += other.weight
        return PairTotals(_split(both, n_items), weight)


class _Told(NamedTuple):
    """Some comparisons: who was better, who was worse, whether they were equal, and the weights (None: 1 each)."""

    better: NDArray[Any]
    worse: NDArray[Any]
    tie: NDArray[np.bool_]
    weight: Floats | None

    def keys(self, n_items: int) -> NDArray[Any]:
        """Return the numbers 4·(lower·n + higher) + outcome."""
        kind = np.int32 if 4 * n_items**2 < 2**31 else np.int64  # half the size sorts twice as fast
        keys: NDArray[Any] = np.minimum(self.better, self.worse).astype(kind, copy=False)
        keys *= n_items
        keys += np.maximum(self.better, self.worse).astype(kind, copy=False)
        keys *= 4
        turned = self.better > self.worse
        keys += turned
        if self.tie.any():
            keys[self.tie] += TIE - turned[self.tie].astype(kind)
        return keys


def _told(preferences: Preferences) -> Iterator[_Told]:
    """Walk the comparisons in blocks, in the order of telling."""
    statements = preferences.statements
    if statements.only_comparisons:
        for start in range(0, len(statements), _BLOCK):
            part = slice(2 * start, 2 * (start + _BLOCK))
            better, worse = statements.members[part].reshape(-1, 2).T
            weight = None if preferences.weight is None else preferences.weight[start : start + _BLOCK]
            yield _Told(better, worse, statements.levels[part][1::2] == 0, weight)
        return
    for block in preferences.pair_blocks(_IMPLIED_BLOCK):
        weight = None if preferences.weight is None else block.weight
        yield _Told(block.better, block.worse, block.tie, weight)


def _counted(told: _Told, n_items: int) -> PairTotals:
    """Return how often each outcome of each pair was told, by sorting."""
    keys = told.keys(n_items)
    keys.sort()
    outcomes = keys & 3
    keys >>= 2
    new = np.ones(len(keys) + 1, dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:-1])
    bounds = np.flatnonzero(new)
    totals = np.zeros((3, len(bounds) - 1))
    totals[FIRST] = np.diff(bounds)
    running = np.zeros(len(keys) + 1, dtype=np.int32)  # a block is not that long
    for outcome in (SECOND, TIE) if told.tie.any() else (SECOND,):
        np.cumsum(outcomes == outcome, out=running[1:])
        totals[outcome] = np.diff(running.take(bounds))
        totals[FIRST] -= totals[outcome]
    return PairTotals(_split(keys.take(bounds[:-1]), n_items), totals)


def _counted_in_a_square(told: _Told, n_items: int) -> PairTotals:
    """Return how often each outcome of each pair was told, in a square of all pairs, which few items make small."""
    cells = told.better.astype(np.int64)
    cells *= n_items
    cells += told.worse
    won, *tied = (
        np.bincount(some, minlength=n_items**2).reshape(n_items, n_items)
        for some in ((cells[~told.tie], cells[told.tie]) if told.tie.any() else (cells,))
    )
    equal = [square + square.T for square in tied]
    met = np.triu(sum(equal, won + won.T) > 0, 1)
    pairs = np.stack(np.nonzero(met)).astype(np.int32)
    totals = np.zeros((3, pairs.shape[1]))
    totals[FIRST], totals[SECOND] = won[met], won.T[met]
    for square in equal:
        totals[TIE] = square[met]
    return PairTotals(pairs, totals)


def _numbers(pairs: NDArray[np.int32], n_items: int) -> Ints:
    """Return the numbers first·n + second of pairs."""
    numbers: Ints = pairs[0].astype(np.int64) * n_items + pairs[1]
    return numbers


def _split(pair: NDArray[Any], n_items: int) -> NDArray[np.int32]:
    """Return the two items of the numbers first·n + second, shape (2, n_pairs)."""
    pairs = np.empty((2, len(pair)), dtype=np.int32)
    pairs[0] = pair // n_items
    pairs[1] = pair % n_items
    return pairs


def _of_keys(keys: NDArray[Any], weight: Floats, n_items: int) -> PairTotals:
    """Return the totals of sorted, different keys."""
    pair = keys >> 2
    new = np.ones(len(pair), dtype=bool)
    np.not_equal(pair[1:], pair[:-1], out=new[1:])
    place = np.cumsum(new) - 1
    pair = pair[new]
    totals = np.zeros(3 * len(pair))
    totals[(keys & 3) * len(pair) + place] = weight
    return PairTotals(_split(pair, n_items), totals.reshape(3, -1))
