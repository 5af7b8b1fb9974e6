"""Comparisons as totals of pairs, and sums over pairs and items.

Models of paired comparisons need totals only, so that time and memory depend on how many different pairs were
compared. A total is summed answer by answer in log order, whether the answers come at once or in parts: the last bit
is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences import Items, Preferences

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_PART = 1 << 14
_MANY = 1 << 20
"""With so many comparisons or pairs, compiled code is used: loading it takes longer than fewer of them."""
FIRST, SECOND, TIE = range(3)
_BLOCK = 1 << 23
_IMPLIED_BLOCK = 1 << 20


def parts(length: int) -> Iterator[slice]:
    """Yield slices of an array that are small enough for the processor's cache, intermediate results included."""
    return (slice(start, min(start + _PART, length)) for start in range(0, length, _PART))


class PairGraph:
    """Items and the pairs of them that were compared.

    Parameters
    ----------
    pairs : int32 array of shape (2, n_pairs)
        Sorted, the lower index first.
    n_items : int
    """

    def __init__(self, pairs: NDArray[np.int32], n_items: int) -> None:
        self.first, self.second = pairs
        self.n_items = n_items
        self.starts = np.searchsorted(self.first, np.arange(n_items + 1, dtype=np.int32)).astype(np.int32)
        self._ones = np.ones(n_items)

    def __len__(self) -> int:
        return len(self.first)

    def net(self, flows: Floats) -> Floats:
        """Return for each item the sum over its pairs, with plus where it is the first and minus where the second."""
        matrix = self.upper(flows)
        result: Floats = matrix @ self._ones
        result -= matrix.T @ self._ones
        return result

    def gross(self, flows: Floats) -> Floats:
        """Return for each item the sum over its pairs, shape (n_items,)."""
        return self.product(flows, self._ones)

    def product(self, flows: Floats, values: Floats) -> Floats:
        """Return for each item the sum over its pairs times the others' values, shape (n_items,) or (n_items, k)."""
        if values.size == self.n_items and len(self) >= _MANY:  # each pair is read once
            from penchant.worth.inference._streamed_kernels import add_product

            found = np.zeros(self.n_items)
            starts = self.starts.astype(np.int64)
            add_product(0, starts, 0, self.second, flows, values.ravel(), found)
            return found.reshape(values.shape)
        matrix = self.upper(flows)
        result: Floats = matrix @ values
        result += matrix.T @ values
        return result

    def upper(self, values: Floats) -> csr_array:
        """Return the upper triangle that holds a number for each pair, sparse."""
        from scipy.sparse import csr_array

        matrix = csr_array((self.n_items, self.n_items))
        matrix.data, matrix.indices, matrix.indptr = values, self.second, self.starts
        return matrix

    def full(self, values: Floats) -> Floats:
        """Return the upper triangle written out, shape (n_items, n_items)."""
        matrix = np.zeros((self.n_items, self.n_items))
        matrix.ravel()[self.first.astype(np.int64) * self.n_items + self.second] = values
        return matrix


@dataclass(frozen=True, eq=False)
class PairTotals:
    """The total weight of each outcome for each pair of items.

    Parameters
    ----------
    pairs : int32 array of shape (2, n_pairs)
        The two items of each pair, the lower index first; sorted, each pair once.
    weight : array of shape (3, n_pairs)
        The weight of the answers that prefer the first, that prefer the second, and that call the two equal.
    """

    pairs: NDArray[np.int32]
    weight: Floats

    def __len__(self) -> int:
        return int(self.pairs.shape[1])

    def plus(self, preferences: Preferences) -> PairTotals:
        """Return these totals with the comparisons of ``preferences`` added, stated or implied."""
        totals = self
        for block in _blocks(preferences):
            totals = totals._merged(block, preferences.n_items)
        return totals

    def centre(self, catalogue: Items) -> NDArray[np.bool_]:
        """Return which items were compared at all, the bar excluded: worth is relative to their mean."""
        compared = np.zeros(catalogue.count, dtype=bool)
        compared[self.pairs.ravel()] = True
        compared[catalogue.count - catalogue.bar :] = False
        return compared

    def renumbered(self, moved: Ints) -> PairTotals:
        """Return the same totals with item i called ``moved[i]``, which must keep the order of the items."""
        return PairTotals(moved[self.pairs].astype(np.int32), self.weight)

    def _merged(self, block: _Block, n_items: int) -> PairTotals:
        if block.weight is None and (self.weight == np.rint(self.weight)).all():
            # Whole numbers add up the same in any order.
            counted = _way_to_count(len(block.better), n_items)(block, n_items)
            return self._joined(counted, n_items) if self.pairs.size else counted
        keys = block.keys(n_items)
        weight = np.ones(len(keys)) if block.weight is None else block.weight
        present = _numbers(self.pairs, n_items) * 4 + np.arange(3)[:, None]
        keys, place = np.unique(np.append(present.ravel(), keys), return_inverse=True)
        weight = np.bincount(place, np.append(self.weight.ravel(), weight)).astype(np.float64)
        return _of_keys(keys, weight, n_items)

    def _joined(self, other: PairTotals, n_items: int) -> PairTotals:
        """Return the sums of both."""
        mine, theirs = _numbers(self.pairs, n_items), _numbers(other.pairs, n_items)
        both = np.union1d(mine, theirs)
        weight = np.zeros((3, len(both)))
        weight[:, np.searchsorted(both, mine)] = self.weight
        weight[:, np.searchsorted(both, theirs)] += other.weight
        return PairTotals(_split(both, n_items), weight)


NO_TOTALS = PairTotals(np.empty((2, 0), dtype=np.int32), np.empty((3, 0)))
"""Those of no answers."""


class _Block(NamedTuple):
    """Some comparisons: who was better, who was worse, whether they were equal, and the weights (None: 1 each)."""

    better: NDArray[Any]
    worse: NDArray[Any]
    tie: NDArray[np.bool_]
    weight: Floats | None

    def keys(self, n_items: int) -> NDArray[Any]:
        """Return the numbers 4·(lower·n + higher) + outcome."""
        kind = np.int32 if 4 * n_items**2 < 2**31 else np.int64  # half the size sorts twice as fast
        keys = np.empty(len(self.better), dtype=kind)
        for part in parts(len(keys)):
            better, worse, tie = self.better[part], self.worse[part], self.tie[part]
            turned = better > worse
            key = np.minimum(better, worse).astype(kind, copy=False)
            key *= n_items
            key += np.maximum(better, worse)
            key *= 4
            key += turned
            if tie.any():
                key[tie] += TIE - turned[tie].astype(kind)
            keys[part] = key
        return keys


def _blocks(preferences: Preferences) -> Iterator[_Block]:
    """Yield the comparisons in blocks, in log order."""
    statements = preferences.statements
    if statements.only_comparisons:
        for start in range(0, len(statements), _BLOCK):
            part = slice(2 * start, 2 * (start + _BLOCK))
            better, worse = statements.members[part].reshape(-1, 2).T
            weight = None if preferences.weight is None else preferences.weight[start : start + _BLOCK]
            yield _Block(better, worse, statements.levels[part][1::2] == 0, weight)
        return
    for implied in preferences.pair_blocks(_IMPLIED_BLOCK):
        weight = None if preferences.weight is None else implied.weight
        yield _Block(implied.better, implied.worse, implied.tie, weight)


def _way_to_count(n_rows: int, n_items: int) -> Callable[[_Block, int], PairTotals]:
    """Return the fastest of the three ways to count comparisons, which give the same totals."""
    if n_items**2 <= n_rows:
        return _counted_in_a_square
    return _counted_in_buckets if n_rows >= _MANY else _counted


def _counted(block: _Block, n_items: int) -> PairTotals:
    """Return how often each outcome of each pair was recorded, by sorting."""
    keys = block.keys(n_items)
    keys.sort()
    new = np.ones(len(keys) + 1, dtype=bool)
    for part in parts(len(keys) - 1):
        new[1:-1][part] = keys[1:][part] ^ keys[:-1][part] > 3
    bounds = np.flatnonzero(new)
    totals = np.zeros((3, len(bounds) - 1))
    np.subtract(bounds[1:], bounds[:-1], out=totals[FIRST])
    running = np.zeros(len(keys) + 1, dtype=np.int32)  # a block is not that long
    for outcome in (SECOND, TIE) if block.tie.any() else (SECOND,):
        np.cumsum(keys & 3 == outcome, out=running[1:])
        totals[outcome] = np.diff(running.take(bounds))
        totals[FIRST] -= totals[outcome]
    return PairTotals(_split(keys.take(bounds[:-1]) >> 2, n_items), totals)


def _counted_in_buckets(block: _Block, n_items: int) -> PairTotals:
    """Return how often each outcome of each pair was recorded, from buckets of items, for many comparisons."""
    from penchant.worth.inference._counting_kernels import count_into, number_of_pairs, sorted_by_pair

    kind: type[Any] = np.int32 if 4 * n_items < 2**31 else np.int64
    sides = (block.better, block.worse)
    better, worse = (np.ascontiguousarray(side, dtype=kind) for side in sides)
    outcome = (better > worse).astype(np.int8)
    outcome[block.tie] = TIE
    ends, codes = sorted_by_pair(better, worse, outcome, n_items)
    n_pairs = number_of_pairs(ends, codes)
    pairs, totals = np.empty((2, n_pairs), dtype=np.int32), np.zeros((3, n_pairs))
    count_into(ends, codes, pairs, totals)
    return PairTotals(pairs, totals)


def _counted_in_a_square(block: _Block, n_items: int) -> PairTotals:
    """Return how often each outcome of each pair was recorded, from a square of all pairs, for few items."""
    won, *tied = _squares(block, n_items)
    met = won > 0
    for square in tied:
        met |= square > 0
    met = np.triu(met | met.T).ravel()
    n_pairs, stop = np.count_nonzero(met), 0
    pairs, totals = np.empty((2, n_pairs), dtype=np.int32), np.zeros((3, n_pairs))
    for part in parts(len(met)):
        forth = np.flatnonzero(met[part]) + part.start
        start, stop = stop, stop + len(forth)
        pairs[:, start:stop] = first, second = _split(forth, n_items)
        back = second * n_items + first
        totals[FIRST, start:stop], totals[SECOND, start:stop] = won.take(forth), won.take(back)
        for square in tied:
            totals[TIE, start:stop] = square.take(forth) + square.take(back)
    return PairTotals(pairs, totals)


def _squares(block: _Block, n_items: int) -> list[Ints]:
    """Return how often each item was preferred to each other, and equal to it where anything was."""
    cells = block.better.astype(np.int64)
    cells *= n_items
    cells += block.worse
    kinds = (cells[~block.tie], cells[block.tie]) if block.tie.any() else (cells,)
    return [np.bincount(some, minlength=n_items**2).reshape(n_items, n_items) for some in kinds]


def _numbers(pairs: NDArray[np.int32], n_items: int) -> Ints:
    """Return the numbers first·n + second of pairs."""
    numbers: Ints = pairs[0].astype(np.int64) * n_items + pairs[1]
    return numbers


def _split(pair: NDArray[Any], n_items: int) -> NDArray[np.int32]:
    """Return the two items of the numbers first·n + second, shape (2, n_pairs)."""
    pairs = np.empty((2, len(pair)), dtype=np.int32)
    for part in parts(len(pair)):
        pairs[0, part] = first = pair[part] // n_items
        pairs[1, part] = pair[part] - first * n_items
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
