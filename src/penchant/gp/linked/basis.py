"""The directions in which something was learned, seen from every item. A prior in; rows of B out.

A direction is a weighted sum c of items, and its row of B is K₀c. Either these rows are stored, or, where a prior is
quickly multiplied, they are worked out from c whenever they are needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.priors import Prior


class Basis(ABC):
    """The directions c: first the columns that it starts with, then differences of two items.

    Parameters
    ----------
    prior : Prior
    items : int array of shape (a,)
    columns : array of shape (a, r)
        Each says how much of each of the ``items`` a direction holds.
    """

    def __init__(self, prior: Prior, items: Ints, columns: Floats) -> None:
        self._prior, self._items, self._columns = prior, items, columns
        self._directions = Directions(columns.shape[1])

    @property
    def count(self) -> int:
        """How many directions there are."""
        return self._directions.count

    def of(self, first: int, second: int) -> Floats:
        """Return what e_first − e_second is made of, shape (count,), with a direction more if it takes one."""
        made_of = self._directions.of(first, second)
        if made_of is None:
            self._directions.join(first, second)
            self._joined(first, second)
            made_of = np.zeros(self.count)
            made_of[-1] = 1.0
        return made_of

    def dual(self, weights: Floats) -> tuple[Ints, Floats]:
        """Return the items that directions hold, and how much of each their sums do; (count, k) to (a, k)."""
        before = self._columns.shape[1]
        ends = self._directions.pairs()
        items, places = np.unique(np.concatenate([self._items, ends.ravel()]), return_inverse=True)
        first, second = places[len(self._items) :].reshape(-1, 2).T
        held = np.zeros((len(items), *weights.shape[1:]))
        held[places[: len(self._items)]] = self._columns @ weights[:before]
        np.add.at(held, first, weights[before:])
        np.subtract.at(held, second, weights[before:])
        return items, held

    @abstractmethod
    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""

    @abstractmethod
    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""

    @abstractmethod
    def turned(self, weights: Floats) -> Basis:
        """Return the basis of the sums of directions that the columns of ``weights`` (count, k) say."""

    @abstractmethod
    def _joined(self, first: int, second: int) -> None:
        """Take notice of the direction e_first − e_second, the last."""


class StoredBasis(Basis):
    """Rows of B that are worked out once and stored."""

    def __init__(self, prior: Prior, items: Ints, columns: Floats, rows: Floats | None = None) -> None:
        super().__init__(prior, items, columns)
        if rows is None:
            there = prior.block(items) if len(items) else np.empty((0, prior.n_items))
            rows = columns.T @ there
        self._rows = rows

    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""
        part: Floats = self._rows[: self.count, items]
        return part

    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""
        along: Floats = weights @ self._rows[: self.count]
        return along

    def turned(self, weights: Floats) -> StoredBasis:
        """Return the basis of the sums of directions that the columns of ``weights`` say."""
        return StoredBasis(self._prior, *self.dual(weights), weights.T @ self._rows[: self.count])

    def _joined(self, first: int, second: int) -> None:
        self._rows = grown(self._rows, (self.count, self._prior.n_items))
        self._rows[self.count - 1] = self._prior.against(first, second)


class QuickBasis(Basis):
    """Rows of B that are never written out, since the prior is multiplied quickly."""

    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""
        first, second = self._directions.pairs().T
        apart = self._prior.block(first, items) - self._prior.block(second, items)
        return np.concatenate([self._columns.T @ self._prior.block(self._items, items), apart])

    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""
        return self._prior.times(*self.dual(weights))

    def turned(self, weights: Floats) -> QuickBasis:
        """Return the basis of the sums of directions that the columns of ``weights`` say."""
        return QuickBasis(self._prior, *self.dual(weights))

    def _joined(self, first: int, second: int) -> None:
        """Nothing is stored."""


class ScaledBasis(Basis):
    """The same directions for a prior that is ``factor`` times that of ``shared``; nothing is stored twice.

    Several beliefs may share one basis: a direction that one of them adds is there for all.
    """

    def __init__(self, shared: Basis, factor: float) -> None:
        self._shared, self._factor = shared, factor

    @property
    def count(self) -> int:
        """How many directions there are."""
        return self._shared.count

    def of(self, first: int, second: int) -> Floats:
        """Return what e_first − e_second is made of, shape (count,), with a direction more if it takes one."""
        return self._shared.of(first, second)

    def dual(self, weights: Floats) -> tuple[Ints, Floats]:
        """Return the items that directions hold, and how much of each their sums do; (count, k) to (a, k)."""
        return self._shared.dual(weights)

    def at(self, items: Ints) -> Floats:
        """Return B at ``items``, shape (count, len(items))."""
        return self._factor * self._shared.at(items)

    def along(self, weights: Floats) -> Floats:
        """Return Bᵀ weights, shape (n_items,)."""
        return self._shared.along(self._factor * weights)

    def turned(self, weights: Floats) -> Basis:
        """Return the basis of the sums of directions that the columns of ``weights`` (count, k) say."""
        return ScaledBasis(self._shared.turned(weights), self._factor)

    def _joined(self, first: int, second: int) -> None:
        """Nothing is stored here."""


_FIRST_CAPACITY = 16
Array = TypeVar("Array", Floats, Ints)


class Directions:
    """Differences e_i − e_j of items as sums of the few that were asked about first.

    Items that answers connect hang together, and the difference of any two of them is a sum of differences along
    the way. So only an answer that joins two groups adds a direction: there are fewer of them than items that
    were asked about, however many answers there are.

    Parameters
    ----------
    before : int
        How many other directions stand before these.

    Examples
    --------
    >>> directions = Directions()
    >>> for first, second in [(0, 1), (2, 1)]:
    ...     directions.join(first, second)
    >>> directions.of(0, 2)
    array([ 1., -1.])
    """

    def __init__(self, before: int = 0) -> None:
        self.count = before
        self._pairs: list[tuple[int, int]] = []
        self._place: dict[int, int] = {}
        self._group = np.empty(0, dtype=np.int64)
        self._made_of = np.empty((0, before))  # e_item − e_root of its group, a row each

    def pairs(self) -> Ints:
        """Return the items of each difference, shape (count − before, 2)."""
        return np.array(self._pairs, dtype=np.int64).reshape(-1, 2)

    def of(self, first: int, second: int) -> Floats | None:
        """Return what e_first − e_second is made of, shape (count,); None where nothing connects the two."""
        if first not in self._place or second not in self._place:
            return None
        one, other = self._place[first], self._place[second]
        if self._group[one] != self._group[other]:
            return None
        made_of: Floats = self._made_of[one, : self.count] - self._made_of[other, : self.count]
        return made_of

    def join(self, first: int, second: int) -> None:
        """Add e_first − e_second, which connects their groups."""
        one, other = self._placed(first), self._placed(second)
        new, self.count = self.count, self.count + 1
        self._pairs.append((first, second))
        self._made_of = grown(self._made_of, (len(self._place), self.count))
        moved = np.flatnonzero(self._group[: len(self._place)] == self._group[other])
        # e_second's root as seen from e_first's: up to first, along the new direction, down from second.
        step = self._made_of[one] - self._made_of[other]
        step[new] -= 1.0
        self._made_of[moved] += step
        self._group[moved] = self._group[one]

    def _placed(self, item: int) -> int:
        if item not in self._place:
            place = self._place[item] = len(self._place)
            self._group = grown(self._group, (place + 1,))
            self._group[place] = place
            self._made_of = grown(self._made_of, (place + 1, self.count))
        return self._place[item]


def grown(array: Array, shape: tuple[int, ...]) -> Array:
    """Return ``array`` with room for ``shape``, zeros where there was none; itself where there is room."""
    if all(there >= needed for there, needed in zip(array.shape, shape, strict=True)):
        return array
    room = tuple(
        there if there >= needed else needed + max(_FIRST_CAPACITY, needed // 4)
        for there, needed in zip(array.shape, shape, strict=True)
    )
    larger = np.zeros(room, dtype=array.dtype)
    larger[tuple(slice(there) for there in array.shape)] = array
    return larger
