"""Which pairs are compared by their value: all of few items, neighbours in the order of the means of many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.ask.wishes import Pairs, Wishes, among
from penchant.checks import Floats, Ints
from penchant.counts import Counts

ALL_PAIRS = 100
"""Up to this many items every pair is a candidate; of more, neighbours by their means are."""
NEIGHBOURS = 24
MOST_PAIRS = 100_000
"""Of many items fewer neighbours are candidates, so that there are about so many pairs at most."""
_LEAST_NEIGHBOURS = 4
_FEW_LABELS = 100
"""Labels up to so many times the number of items are counted without a sort."""
_ELSEWHERE = 16
"""How many pairs that meet a wish are looked for where no candidate meets it."""


def reach(n_items: int) -> int:
    """Return how many ranks apart the items of a candidate may be.

    Examples
    --------
    >>> reach(50), reach(1000), reach(10_000), reach(100_000)
    (50, 24, 10, 4)
    """
    if n_items <= ALL_PAIRS:
        return n_items
    return min(NEIGHBOURS, max(MOST_PAIRS // n_items, _LEAST_NEIGHBOURS))


def by_mean(mean: Floats, rows: Ints) -> Ints:
    """Return ``rows`` in order of falling mean, and of their index where that is equal."""
    order: Ints = rows[np.argsort(-mean[rows], kind="stable")]
    return order


def neighbours(order: Ints) -> Pairs:
    """Return the candidates among items in order of their means."""
    apart = range(1, min(reach(len(order)), len(order) - 1) + 1)
    first = np.concatenate([order[:-gap] for gap in apart])
    second = np.concatenate([order[gap:] for gap in apart])
    return Pairs(np.minimum(first, second), np.maximum(first, second))


def all_pairs(rows: Ints) -> Pairs:
    """Return every pair of ``rows``, which are sorted."""
    first, second = np.triu_indices(len(rows), k=1)
    return Pairs(rows[first], rows[second])


def drawn(rows: Ints, seed: int | None) -> Pairs:
    """Draw random pairs of ``rows``, at least one with each."""
    random = np.random.default_rng(seed)
    first = random.permutation(len(rows))
    second = (first + random.integers(1, len(rows), len(rows))) % len(rows)
    return Pairs(rows[np.minimum(first, second)], rows[np.maximum(first, second)])


def missing(order: Ints, wishes: Wishes, answers: Counts, found: Pairs) -> Pairs:
    """Return pairs for the first wish about groups or answers, if none of the pairs ``found`` meets it.

    That happens where neighbours are forbidden with each other: then the pairs may stand anywhere in the order.

    Parameters
    ----------
    order : int array
        The items that may be asked about, in order of falling mean.
    found : Pairs
        The candidates that `Wishes.kept` left; none where all are forbidden.
    """
    needs = _Needs.of(order, wishes, answers)
    if needs is None or (len(found.first) and needs.met_by(found)):
        return Pairs(found.first[:0], found.second[:0])
    taken = np.union1d(wishes.forbidden, wishes.avoid) if len(wishes.avoid) else wishes.forbidden
    pairs = _nearest(order, needs.visited, needs.labels, taken)
    every = np.arange(len(order))
    if not len(pairs.first) and not len(found.first):
        pairs = _nearest(order, every, None, taken)
    if not len(pairs.first) and not len(found.first):
        pairs = _nearest(order, every, None, wishes.forbidden)
    return pairs


@dataclass(frozen=True, eq=False)
class _Needs:
    """What the first wish about groups or answers needs.

    Attributes
    ----------
    wanted : bool array of shape (n_items,)
        The items of which a pair must have one.
    visited : int array
        The places in the order of items that need a partner.
    labels : int array of shape (len(order),), or None
        The groups of the items in the order, if the two must be of different ones.
    groups : int array of shape (n_items,), or None
    """

    wanted: np.ndarray
    visited: Ints
    labels: Ints | None
    groups: Ints | None

    @classmethod
    def of(cls, order: Ints, wishes: Wishes, answers: Counts) -> _Needs | None:
        fewest = wishes.fewest(answers)
        if wishes.labels is not None and wishes.joins_groups(fewest):
            labels = wishes.labels[order]
            visited = np.flatnonzero(labels != _commonest(labels))
            return cls(wishes.open, visited, labels, wishes.labels)
        if fewest < wishes.fewest_first:
            wanted = answers == fewest
            return cls(wanted, np.flatnonzero(wanted[order]), None, None)
        return cls(wishes.open, np.arange(len(order)), None, None)

    def met_by(self, pairs: Pairs) -> bool:
        first, second = pairs.first[0], pairs.second[0]
        apart = self.groups is None or self.groups[first] != self.groups[second]
        return bool(apart and (self.wanted[first] or self.wanted[second]))


def _commonest(labels: Ints) -> int:
    """Return the label of the most items."""
    if labels.min() >= 0 and labels.max() <= _FEW_LABELS * len(labels):
        return int(np.argmax(np.bincount(labels)))
    values, sizes = np.unique(labels, return_counts=True)
    return int(values[np.argmax(sizes)])


def _nearest(order: Ints, visited: Ints, labels: Ints | None, taken: Ints) -> Pairs:
    """Return pairs of visited items with the nearest one in the order that is free and of another group.

    An item that finds none in a group of at most half of the items is forbidden with at least the other half, so that
    few are visited in vain.
    """
    found: set[tuple[int, int]] = set()
    for place in visited.tolist():
        for width in (NEIGHBOURS, len(order)):
            low = max(place - width, 0)
            near = order[low : place + width + 1]
            item = order[place]
            suited = (near != item) & ~among(
                Pairs(np.minimum(item, near), np.maximum(item, near)).codes, taken
            )
            if labels is not None:
                suited &= labels[low : place + width + 1] != labels[place]
            others = np.flatnonzero(suited)
            if len(others):
                other = near[others[np.argmin(np.abs(others + low - place))]]
                found.add((int(min(item, other)), int(max(item, other))))
                break
        if len(found) == _ELSEWHERE:
            break
    first, second = np.array(sorted(found), dtype=np.int64).reshape(-1, 2).T
    return Pairs(first, second)
