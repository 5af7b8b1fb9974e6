"""Which pairs may be asked about, and which of them come first."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Ints, shown, whole
from penchant.counts import Counts
from penchant.errors import InvalidInput

Pair = tuple[int, int]
PairsLike = Collection[Pair] | Ints
"""Pairs of rows, or an int array of shape (k, 2)."""
_ITEM = 2**32
_FEW = 64
"""Up to so many pairs are encoded one by one, which takes less time than arrays."""
NO_CODES: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Some pairs, first < second."""

    first: Ints
    second: Ints

    @classmethod
    def of_codes(cls, codes: Ints) -> Pairs:
        """Return the pairs that these codes stand for."""
        if not len(codes):
            return cls(NO_CODES, NO_CODES)
        return cls(codes // _ITEM, codes % _ITEM)

    @property
    def codes(self) -> Ints:
        """The code i · 2³² + j of each pair."""
        codes: Ints = self.first * _ITEM + self.second
        return codes

    def at(self, which: np.ndarray) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.first[which], self.second[which])


class Codes:
    """The sorted codes of a set of pairs.

    Examples
    --------
    >>> Codes([(2, 1), (1, 2)]).sorted.tolist() == [2**32 + 2]
    True
    """

    def __init__(self, pairs: PairsLike) -> None:
        self.sorted, self.n_needed = _sorted_codes(pairs)

    @classmethod
    def of_sorted(cls, codes: Ints, n_needed: int) -> Codes:
        """Return the codes of pairs of rows below ``n_needed``, as `code_of` makes them, in rising order."""
        made = cls.__new__(cls)
        made.sorted, made.n_needed = codes, n_needed
        return made

    def plus(self, pairs: Collection[Pair]) -> Codes:
        """Return the codes of these pairs too."""
        more = Codes(pairs)
        more.sorted = np.union1d(self.sorted, more.sorted)
        more.n_needed = max(self.n_needed, more.n_needed)
        return more

    def within(self, n_items: int) -> Ints:
        """Return the codes; `InvalidInput` if a pair has an item that is none of ``n_items``."""
        if self.n_needed > n_items:
            limit, received = f"be of items from 0 to {n_items - 1}", f"item {self.n_needed - 1}"
            raise InvalidInput.of("pairs", limit, received, "correct them")
        return self.sorted


def _sorted_codes(pairs: PairsLike) -> tuple[Ints, int]:
    """Return the codes of the pairs, and the number of items there must be."""
    if not len(pairs):
        return NO_CODES, 0
    if not isinstance(pairs, np.ndarray) and len(pairs) <= _FEW:
        few = sorted({(int(i), int(j)) if i < j else (int(j), int(i)) for i, j in pairs})
        for low, high in few:
            _check_pair(low, high)
        codes = np.array([low * _ITEM + high for low, high in few], dtype=np.int64)
        return codes, max(high for _, high in few) + 1
    both = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs), dtype=np.int64).reshape(-1, 2)
    low, high = both.min(axis=1), both.max(axis=1)
    for place in np.flatnonzero((low < 0) | (low == high))[:1]:
        _check_pair(int(low[place]), int(high[place]))
    return np.unique(low * _ITEM + high), int(high.max()) + 1


def _check_pair(low: int, high: int) -> None:
    if low < 0 or low == high:
        raise InvalidInput.of("pairs", "be two different rows from 0 on", f"({low}, {high})", "correct them")


def code_of(first: int, second: int) -> int:
    """Return the code of a pair of rows, in either order.

    Examples
    --------
    >>> code_of(2, 1) == code_of(1, 2) == 2**32 + 2
    True
    """
    return first * _ITEM + second if first < second else second * _ITEM + first


def pair_of(code: int) -> Pair:
    """Return the pair that a code stands for.

    Examples
    --------
    >>> pair_of(2**32 + 2)
    (1, 2)
    """
    return code // _ITEM, code % _ITEM


def among(codes: Ints, few: Ints) -> np.ndarray:
    """Return which codes are among a few sorted ones."""
    if not len(few):
        return np.zeros(len(codes), dtype=bool)
    found: np.ndarray = few[np.minimum(np.searchsorted(few, codes), len(few) - 1)] == codes
    return found


class Wishes:
    """Which pairs may be asked about, and which of them come first.

    Parameters are those of `penchant.ask.next_pair`, and ``busy``: the items that are in another pair of a batch.

    Attributes
    ----------
    open : bool array of shape (n_items,)
        The items that some pair may be asked about: neither excluded, nor forbidden with all others.
    n_open : int
    avoid, forbidden, preferred : sorted codes
    labels : int array of shape (n_items,), or None
        The group of each item.
    fewest_first : float
        Items with fewer answers come first.
    """

    def __init__(
        self,
        n_items: int,
        *,
        forbidden: Codes,
        avoid: PairsLike | Codes = (),
        preferred: PairsLike = (),
        busy: np.ndarray | None = None,
        least_answers: int = 2,
        most_ahead: int | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> None:
        if n_items < 2:
            raise InvalidInput(f"asking needs at least 2 items, got {n_items}: add some")
        if most_ahead is not None:
            whole("most_ahead", most_ahead, 1, remedy="allow some difference")
        self.n_items, self.busy, self.most_ahead = n_items, busy, most_ahead
        self.forbidden = forbidden.within(n_items)
        self.open = _open(n_items, excluded, self.forbidden)
        self.n_open = int(np.count_nonzero(self.open))
        self.avoid = (avoid if isinstance(avoid, Codes) else Codes(avoid)).within(n_items)
        self.preferred = self._allowed(Codes(preferred).within(n_items)) if len(preferred) else NO_CODES
        self.labels = None if groups is None else _labels(groups, n_items)
        self.fewest_first = least_answers if groups is None else max(least_answers, 1)

    def _allowed(self, preferred: Ints) -> Ints:
        pairs = Pairs.of_codes(preferred)
        kept = self.open[pairs.first] & self.open[pairs.second] & ~among(preferred, self.forbidden)
        allowed: Ints = preferred[kept]
        return allowed

    def fewest(self, answers: Counts) -> float:
        """Return the fewest answers of an item that may be asked about."""
        return float(answers[self.open].min())

    def joins_groups(self, fewest: float) -> bool:
        """Return whether pairs that join two groups come first: every item has an answer, and groups are left."""
        if self.labels is None or fewest <= 0:
            return False
        labels = self.labels[self.open]
        return bool((labels != labels[0]).any())

    def come_first(self, pairs: Pairs) -> bool:
        """Return whether no other pair comes before the preferred ``pairs`` that `kept` left."""
        if not len(pairs.first):
            return False
        first, second = pairs.first[:1], pairs.second[:1]
        avoided = bool(among(pairs.codes[:1], self.avoid)[0])
        return not avoided and (self.busy is None or not (self.busy[first] | self.busy[second])[0])

    def kept(self, pairs: Pairs, answers: Counts) -> Pairs:
        """Drop forbidden pairs, and then those that fail a wish, as long as others are left."""
        codes = pairs.codes
        kept = ~among(codes, self.forbidden) & self.open[pairs.first] & self.open[pairs.second]
        for favoured in self._favoured(pairs, codes, answers):
            if (kept & favoured).any():
                kept &= favoured
        return pairs.at(kept)

    def _favoured(self, pairs: Pairs, codes: Ints, answers: Counts) -> Iterable[np.ndarray]:
        first, second = answers[pairs.first], answers[pairs.second]
        fewest = self.fewest(answers)
        if len(self.avoid):
            yield ~among(codes, self.avoid)
        if self.busy is not None:
            yield ~(self.busy[pairs.first] | self.busy[pairs.second])
        if len(self.preferred):
            yield among(codes, self.preferred)
        if self.labels is not None and self.joins_groups(fewest):
            yield self.labels[pairs.first] != self.labels[pairs.second]
        if fewest < self.fewest_first:
            yield np.minimum(first, second) == fewest
            yield np.maximum(first, second) == fewest  # two of them at once, where that is possible
        if self.most_ahead is not None:
            none_ahead = np.maximum(first, second) < fewest + self.most_ahead
            yield none_ahead | (
                np.minimum(first, second) == fewest
            )  # the last item catches up with any other
            yield none_ahead


def _labels(groups: ArrayLike, n_items: int) -> Ints:
    labels = np.asarray(groups)
    if labels.shape != (n_items,) or labels.dtype.kind not in "iu":
        raise InvalidInput.of(
            "groups", f"be {n_items} whole numbers, a label for each item", shown(groups), "give one for each"
        )
    return labels.astype(np.int64, copy=False)


def not_excluded(n_items: int, excluded: ArrayLike | None) -> np.ndarray:
    """Return which items are not excluded."""
    kept = np.ones(n_items, dtype=bool)
    if excluded is not None:
        kept[_excluded_rows(excluded, n_items)] = False
    return kept


@lru_cache(maxsize=8)
def _all_open(n_items: int) -> np.ndarray:
    return np.ones(n_items, dtype=bool)


def _open(n_items: int, excluded: ArrayLike | None, forbidden: Ints) -> np.ndarray:
    """Return which items are in a pair that may be asked about; the array must not be written to."""
    if excluded is None and len(forbidden) < n_items - 1:
        return _all_open(n_items)
    open_items = not_excluded(n_items, excluded)
    n_open = int(np.count_nonzero(open_items))
    if n_open < 2:
        raise InvalidInput(
            f"asking needs at least 2 items that are not excluded, got {n_open}: exclude fewer"
        )
    if len(forbidden) >= n_open - 1:
        pairs = Pairs.of_codes(forbidden)
        pairs = pairs.at(open_items[pairs.first] & open_items[pairs.second])
        n_forbidden = np.bincount(np.concatenate([pairs.first, pairs.second]), minlength=n_items)
        open_items &= n_forbidden < n_open - 1
        if not open_items.any():
            raise InvalidInput("every pair is forbidden: allow some, or stop")
    return open_items


def _excluded_rows(excluded: ArrayLike, n_items: int) -> Any:
    rows = np.asarray(excluded)
    if not rows.size:
        return np.empty(0, dtype=np.int64)
    if rows.dtype == bool and rows.shape == (n_items,):
        return rows
    if rows.dtype.kind not in "iu" or rows.ndim != 1 or rows.min() < 0 or rows.max() >= n_items:
        raise InvalidInput.of(
            "excluded", f"be rows from 0 to {n_items - 1}, or a mask of all", shown(excluded), "correct it"
        )
    return rows
