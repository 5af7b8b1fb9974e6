"""A set of pairs that changes a little with each question, as sorted codes that the chooser takes without a sort."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

import numpy as np

from penchant.checks import Ints


class PairCodes:
    """The codes of a set of pairs (`penchant.ask.wishes.code_of`), in rising order.

    Examples
    --------
    >>> codes = PairCodes([7, 3])
    >>> codes.add(5)
    >>> codes.discard(7)
    >>> list(codes.joined([4, 5])), 4 in codes
    ([3, 4, 5], False)
    """

    def __init__(self, codes: Iterable[int] = ()) -> None:
        self._codes = array("q", sorted(set(codes)))

    def __len__(self) -> int:
        return len(self._codes)

    def __iter__(self) -> Iterator[int]:
        return iter(self._codes)

    def __contains__(self, code: int) -> bool:
        place = bisect_left(self._codes, code)
        return place < len(self._codes) and self._codes[place] == code

    def add(self, code: int) -> None:
        """Add a code, unless it is there."""
        place = bisect_left(self._codes, code)
        if place == len(self._codes) or self._codes[place] != code:
            self._codes.insert(place, code)

    def discard(self, code: int) -> None:
        """Remove a code, if it is there."""
        place = bisect_left(self._codes, code)
        if place < len(self._codes) and self._codes[place] == code:
            del self._codes[place]

    def joined(self, few: Iterable[int]) -> PairCodes:
        """Return a copy that has a few other codes too."""
        copied = PairCodes()
        copied._codes = self._codes[:]
        for code in few:
            copied.add(code)
        return copied

    def sorted(self) -> Ints:
        """Return the codes as an array, which does not change with them."""
        return np.array(self._codes, dtype=np.int64)
