"""Step two, inside: comparisons as totals. Preferences in; for each pair of items how often who was preferred out.

Models of paired comparisons need no more than these totals, so that time and memory depend on how many
different pairs were compared. A total is added up answer by answer in the order of telling, whether the answers
come at once or in parts: the last bit is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
        for keys, weight in _keyed(preferences):
            totals = totals._merged(keys, weight, preferences.n_items)
        return totals

    def renumbered(self, moved: Ints) -> PairTotals:
        """Return the same totals with item i called ``moved[i]``, which must keep the order of the items."""
        return PairTotals(moved[self.pairs].astype(np.int32), self.weight)

    def _merged(self, keys: NDArray[Any], weight: Floats | None, n_items: int) -> PairTotals:
        if weight is None and not len(self) and n_items**2 <= len(keys):
            return _counted_in_a_square(keys, n_items)
        if weight is None and (self.weight == np.rint(self.weight)).all():
            keys, weight = _counted(keys)  # whole numbers add up the same in any order
        if len(self):
            first, second = self.pairs.astype(keys.dtype)
            known = (first * n_items + second) * 4 + np.arange(3, dtype=keys.dtype)[:, None]
            weight = np.ones(len(keys)) if weight is None else weight
            keys, weight = np.append(known.ravel(), keys), np.append(self.weight.ravel(), weight)
        if weight is None or not (keys[1:] > keys[:-1]).all():
            keys, place = np.unique(keys, return_inverse=True)
            weight = np.bincount(place, weight).astype(np.float64)
        return _of_keys(keys, weight, n_items)


def _keyed(preferences: Preferences) -> Iterator[tuple[NDArray[Any], Floats | None]]:
    """Walk the comparisons as numbers 4·(lower·n + higher) + outcome, with their weights (None: 1 each)."""
    statements, n_items = preferences.statements, preferences.n_items
    kind = np.int32 if 4 * n_items**2 < 2**31 else np.int64  # half the size sorts twice as fast
    if statements.only_comparisons:
        for start in range(0, len(statements), _BLOCK):
            part = slice(2 * start, 2 * (start + _BLOCK))
            better, worse = statements.members[part].reshape(-1, 2).T
            tie = statements.levels[part][1::2] == 0
            weight = None if preferences.weight is None else preferences.weight[start : start + _BLOCK]
            yield _keys(better, worse, tie, n_items, kind), weight
        return
    for block in preferences.pair_blocks(_IMPLIED_BLOCK):
        weight = None if preferences.weight is None else block.weight
        yield _keys(block.better, block.worse, block.tie, n_items, kind), weight


def _keys(better: Any, worse: Any, tie: NDArray[np.bool_], n_items: int, kind: Any) -> NDArray[Any]:
    keys: NDArray[Any] = np.minimum(better, worse).astype(kind)
    keys *= n_items
    keys += np.maximum(better, worse).astype(kind)
    keys *= 4
    keys += better > worse
    if tie.any():
        keys[tie] += TIE - (better > worse)[tie].astype(kind)
    return keys


def _counted(keys: NDArray[Any]) -> tuple[NDArray[Any], Floats]:
    """Return the different keys, sorted, and how often each occurs."""
    keys = np.sort(keys)
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    return keys[starts], np.diff(starts, append=len(keys)).astype(np.float64)


def _counted_in_a_square(keys: NDArray[Any], n_items: int) -> PairTotals:
    """Return the totals of keys by counting in a square of all pairs, which few items make small."""
    outcomes = keys & 3
    cells = n_items**2
    kinds = 1 + int(outcomes.max(initial=0))
    counts = np.bincount((keys >> 2) + outcomes * cells, minlength=kinds * cells).reshape(kinds, cells)
    pair = np.flatnonzero(counts.sum(axis=0))
    totals = np.zeros((3, len(pair)))
    for total, count in zip(totals, counts, strict=False):
        total[:] = count.take(pair)
    return PairTotals(_split(pair, n_items), totals)


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
