"""Bases of the differences of items that were compared, multiplied by the prior covariance.

A basis vector is a weighted sum c of items, and its row of B is K₀c. Either these rows are stored, or, where a product
with the prior is fast, they are computed from c whenever they are needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.priors import Prior

_FIRST_CAPACITY = 16
Array = TypeVar("Array", Floats, Ints)


class SpanningDifferences:
    """Differences e_i − e_j of items as sums of a few of them, which form a spanning forest of the compared items.

    The difference of any two items that answers connect is a sum of differences along the path between them. So only
    an answer that joins two groups adds a basis vector: there are fewer of them than compared items, whatever the
    number of answers.

    Parameters
    ----------
    before : int
        The number of other basis vectors before these.

    Examples
    --------
    >>> differences = SpanningDifferences()
    >>> for first, second in [(0, 1), (2, 1)]:
    ...     differences.join(first, second)
    >>> differences.coordinates(0, 2)
    array([ 1., -1.])
    """

    def __init__(self, before: int = 0) -> None:
        self.count = before
        self._pairs: list[tuple[int, int]] = []
        self._place: dict[int, int] = {}
        self._group = np.empty(0, dtype=np.int64)
        self._from_root = np.empty((0, before))  # the coordinates of e_item − e_root of its group, a row each

    def pairs(self) -> Ints:
        """Return the items of each difference, shape (count − before, 2)."""
        return np.array(self._pairs, dtype=np.int64).reshape(-1, 2)

    def coordinates(self, first: int, second: int) -> Floats | None:
        """Return the coordinates of e_first − e_second, shape (count,); None where nothing connects the two."""
        if first not in self._place or second not in self._place:
            return None
        left, right = self._place[first], self._place[second]
        if self._group[left] != self._group[right]:
            return None
        coordinates: Floats = self._from_root[left, : self.count] - self._from_root[right, : self.count]
        return coordinates

    def join(self, first: int, second: int) -> None:
        """Add e_first − e_second, which connects their groups."""
        left, right = self._placed(first), self._placed(second)
        new, self.count = self.count, self.count + 1
        self._pairs.append((first, second))
        self._from_root = grown(self._from_root, (len(self._place), self.count))
        moved = np.flatnonzero(self._group[: len(self._place)] == self._group[right])
        # The root of second's group from that of first's: up to first, along the new difference, down from second.
        step = self._from_root[left] - self._from_root[right]
        step[new] -= 1.0
        self._from_root[moved] += step
        self._group[moved] = self._group[left]

    def _placed(self, item: int) -> int:
        if item not in self._place:
            place = self._place[item] = len(self._place)
            self._group = grown(self._group, (place + 1,))
            self._group[place] = place
            self._from_root = grown(self._from_root, (place + 1, self.count))
        return self._place[item]


def grown(array: Array, shape: tuple[int, ...]) -> Array:
    """Return ``array`` with room for ``shape``, filled with zeros; itself where there is room."""
    if all(size >= needed for size, needed in zip(array.shape, shape, strict=True)):
        return array
    room = tuple(
        size if size >= needed else needed + max(_FIRST_CAPACITY, needed // 4)
        for size, needed in zip(array.shape, shape, strict=True)
    )
    larger = np.zeros(room, dtype=array.dtype)
    larger[tuple(slice(size) for size in array.shape)] = array
    return larger


class Basis(ABC):
    """Basis vectors c: first the columns that it starts with, then differences of two items.

    Parameters
    ----------
    prior : Prior
    items : int array of shape (a,)
    columns : array of shape (a, r)
        The weights of the ``items`` in the first r vectors.
    """

    def __init__(self, prior: Prior, items: Ints, columns: Floats) -> None:
        self._prior, self._items, self._columns = prior, items, columns
        self._differences = SpanningDifferences(columns.shape[1])

    @property
    def count(self) -> int:
        """The number of basis vectors."""
        return self._differences.count

    def coordinates(self, first: int, second: int) -> Floats:
        """Return the coordinates of e_first − e_second, shape (count,); it is added where it is not in the span."""
        coordinates = self._differences.coordinates(first, second)
        if coordinates is None:
            self._differences.join(first, second)
            coordinates = np.zeros(self.count)
            coordinates[-1] = 1.0
        return coordinates

    def dual(self, weights: Floats) -> tuple[Ints, Floats]:
        """Return the items that vectors are sums of, and their weights in sums of vectors; (count, k) to (a, k)."""
        before = self._columns.shape[1]
        ends = self._differences.pairs()
        items, places = np.unique(np.concatenate([self._items, ends.ravel()]), return_inverse=True)
        first, second = places[len(self._items) :].reshape(-1, 2).T
        item_weights = np.zeros((len(items), *weights.shape[1:]))
        item_weights[places[: len(self._items)]] = self._columns @ weights[:before]
        np.add.at(item_weights, first, weights[before:])
        np.subtract.at(item_weights, second, weights[before:])
        return items, item_weights

    @abstractmethod
    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""

    @abstractmethod
    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""

    @abstractmethod
    def combined(self, weights: Floats) -> Basis:
        """Return the basis of the sums of vectors that the columns of ``weights`` (count, k) give."""


class StoredBasis(Basis):
    """A basis whose rows of B are computed once and stored."""

    def __init__(self, prior: Prior, items: Ints, columns: Floats, rows: Floats | None = None) -> None:
        super().__init__(prior, items, columns)
        if rows is None:
            block = prior.block(items) if len(items) else np.empty((0, prior.n_items))
            rows = columns.T @ block
        self._rows = rows

    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""
        part: Floats = self._rows[: self.count, items]
        return part

    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""
        along: Floats = weights @ self._rows[: self.count]
        return along

    def combined(self, weights: Floats) -> StoredBasis:
        """Return the basis of the sums of vectors that the columns of ``weights`` give."""
        return StoredBasis(self._prior, *self.dual(weights), weights.T @ self._rows[: self.count])

    def coordinates(self, first: int, second: int) -> Floats:
        """Return the coordinates of e_first − e_second, and store its row where it is added."""
        before = self.count
        coordinates = super().coordinates(first, second)
        if self.count > before:
            self._rows = grown(self._rows, (self.count, self._prior.n_items))
            self._rows[self.count - 1] = self._prior.of_difference(first, second)
        return coordinates


class ImplicitBasis(Basis):
    """A basis whose rows of B are never written out, for a prior with a fast product."""

    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""
        first, second = self._differences.pairs().T
        apart = self._prior.block(first, items) - self._prior.block(second, items)
        return np.concatenate([self._columns.T @ self._prior.block(self._items, items), apart])

    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""
        return self._prior.times(*self.dual(weights))

    def combined(self, weights: Floats) -> ImplicitBasis:
        """Return the basis of the sums of vectors that the columns of ``weights`` give."""
        return ImplicitBasis(self._prior, *self.dual(weights))


class ScaledBasis(Basis):
    """The same vectors for a prior that is ``factor`` times that of ``shared``; nothing is stored twice.

    Several beliefs may share one basis: a vector that one of them adds is in the basis of all.
    """

    def __init__(self, shared: Basis, factor: float) -> None:
        self._shared, self._factor = shared, factor

    @property
    def count(self) -> int:
        """The number of basis vectors."""
        return self._shared.count

    def coordinates(self, first: int, second: int) -> Floats:
        """Return the coordinates of e_first − e_second in the shared basis, which may grow."""
        return self._shared.coordinates(first, second)

    def dual(self, weights: Floats) -> tuple[Ints, Floats]:
        """Return the items that vectors are sums of, and their weights, which do not depend on the factor."""
        return self._shared.dual(weights)

    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""
        return self._factor * self._shared.at(items)

    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""
        return self._shared.along(self._factor * weights)

    def combined(self, weights: Floats) -> Basis:
        """Return the basis of the sums of vectors that the columns of ``weights`` give."""
        return ScaledBasis(self._shared.combined(weights), self._factor)
