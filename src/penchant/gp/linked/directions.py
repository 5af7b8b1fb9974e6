"""Along which differences something was learned. Pairs of items in; what they are made of out."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from penchant.checks import Floats, Ints

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
