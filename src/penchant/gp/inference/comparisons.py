"""Answers about rows. Pairs or Preferences in; rows, weights and ties out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from penchant.checks import Floats, Ints, numbers, positive, same_length
from penchant.errors import InvalidInput
from penchant.gp.inference.likelihood import Bools
from penchant.preferences import Preferences


class Answers(NamedTuple):
    """What was said about rows of features.

    ``pairs`` (m, 2) are rows, better first; ``weight`` (m,) is above 0; where ``tie`` (m,) the two are equal.
    """

    pairs: Ints
    weight: Floats
    tie: Bools

    def decided(self) -> Answers:
        """Return the answers that are no ties."""
        kept = ~self.tie
        if not kept.any():
            raise InvalidInput(
                "pairs must hold a preference, got ties only: add comparisons that are no ties"
            )
        return Answers(self.pairs[kept], self.weight[kept], self.tie[kept])


def answers_about(
    X: Any, n_rows: int, pairs: Any, weight: ArrayLike | None = None, tie: ArrayLike | None = None
) -> Answers:
    """Return the answers, checked.

    Parameters
    ----------
    X : array-like or DataFrame
        The features as they were given; Preferences of ids are matched by a frame's index.
    n_rows : int
        How many there are.
    pairs : array-like of int, shape (m, 2), or Preferences
    weight : array-like of shape (m,), optional
    tie : array-like of bool, shape (m,), optional
    """
    if isinstance(pairs, Preferences):
        return _of_preferences(X, pairs, weight, tie)
    rows = _rows(pairs, n_rows)
    weights = np.ones(len(rows)) if weight is None else positive("weight", weight, length=len(rows))
    return Answers(rows, weights, _ties(tie, len(rows)))


def compared_items(rows: Floats, answers: Answers) -> tuple[Floats, PairCounts]:
    """Return the different ones (n, n_features) of ``rows`` that were compared, and the answers about them."""
    used, place = np.unique(answers.pairs, return_inverse=True)
    items, same = np.unique(rows[used], axis=0, return_inverse=True)
    pairs = same.ravel()[place].reshape(-1, 2)
    counts = PairCounts.of(pairs, len(items), weight=answers.weight, tie=answers.tie)
    if not len(counts.count):
        raise InvalidInput(
            "pairs must compare rows with different features, got only rows that are the same: "
            "add features that tell them apart"
        )
    return items, counts


def _of_preferences(
    X: Any, preferences: Preferences, weight: ArrayLike | None, tie: ArrayLike | None
) -> Answers:
    for name, value in (("weight", weight), ("tie", tie)):
        if value is not None:
            raise InvalidInput(
                f"{name} must not be given beside Preferences, which hold their own: leave it out"
            )
    said = preferences.comparisons()
    if not len(said):
        raise InvalidInput("preferences must hold at least one comparison, got none: add some")
    rows = preferences.match(X)[np.column_stack([said.better, said.worse])]
    if (rows < 0).any():
        raise InvalidInput(
            "preferences must compare rows of X, got the bar of both-bad answers, which has no features: "
            "leave those answers out"
        )
    return Answers(rows, said.weight, said.tie)


def _rows(pairs: ArrayLike, n_rows: int) -> Ints:
    array = numbers("pair", pairs)
    if array.ndim != 2 or array.shape[1] != 2 or not len(array):
        raise InvalidInput(
            f"pairs must have at least one row and two columns, got shape {array.shape}: "
            "give one (better, worse) a row"
        )
    is_row = (array == np.floor(array)) & (array >= 0) & (array < n_rows)
    bad = np.flatnonzero(~is_row.all(axis=1) | (array[:, 0] == array[:, 1]))
    if bad.size:
        raise InvalidInput(
            f"pair {bad[0]} must be two different rows from 0 to {n_rows - 1}, got "
            f"({array[bad[0], 0]:g}, {array[bad[0], 1]:g}): give the better row first"
        )
    return array.astype(np.int64)


def _ties(tie: ArrayLike | None, length: int) -> Bools:
    if tie is None:
        return np.zeros(length, dtype=bool)
    told = np.asarray(tie)
    if told.ndim != 1 or told.dtype != bool:
        raise InvalidInput(
            f"tie must be True or False for each pair, got an array of {told.dtype} with shape {told.shape}: "
            "give one a row"
        )
    same_length("tie", told, length)
    return told


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Different answers, each with how often it was given.

    Attributes
    ----------
    better, worse : int ndarray of shape (m,)
        Items; where ``tie``, equal ones.
    tie : bool ndarray of shape (m,)
    count : ndarray of shape (m,)
        The sum of weights of the same answer.
    n_items : int
    """

    better: Ints
    worse: Ints
    tie: Bools
    count: Floats
    n_items: int

    @classmethod
    def of(cls, pairs: Ints, n_items: int, *, weight: Floats | None = None, tie: Bools | None = None) -> Self:
        """Count the same answers together; pairs of an item with itself say nothing and are left out.

        Parameters
        ----------
        pairs : int ndarray of shape (m, 2)
            Items, better first.
        n_items : int
        weight : ndarray of shape (m,), optional
        tie : bool ndarray of shape (m,), optional
        """
        tied = np.zeros(len(pairs), dtype=bool) if tie is None else tie
        first, second = np.where(tied, np.sort(pairs, axis=1).T, pairs.T)
        weights = np.ones(len(pairs)) if weight is None else weight
        different = first != second
        code = ((first * n_items + second) * 2 + tied)[different]
        known, place = np.unique(code, return_inverse=True)
        ends, tied = np.divmod(known, 2)
        better, worse = np.divmod(ends, n_items)
        count = np.bincount(place, weights[different], len(known)).astype(np.float64)
        return cls(better, worse, tied.astype(bool), count, n_items)

    def differences(self, utility: Floats) -> Floats:
        """Return by how much each better item leads, shape (m,); ``utility`` is (n_items,)."""
        return utility[self.better] - utility[self.worse]

    def spread(self, values: Floats) -> Floats:
        """Return Σ values · (e_better − e_worse), shape (n_items,)."""
        gained = np.bincount(self.better, values, self.n_items)
        return np.subtract(gained, np.bincount(self.worse, values, self.n_items), dtype=np.float64)

    def precision(self, values: Floats) -> csr_array:
        """Return W = Σ values · (e_better − e_worse)(e_better − e_worse)ᵀ, (n_items, n_items)."""
        columns, starts, place = self._pattern
        parts = np.concatenate([values, values, -values, -values])
        data = np.bincount(place, parts, len(columns))
        return csr_array((data, columns, starts), shape=(self.n_items, self.n_items))

    @cached_property
    def _pattern(self) -> tuple[Ints, Ints, Ints]:
        """Where the entries of W stand: their columns, the starts of the rows, and the place of each part."""
        a, b = self.better, self.worse
        code = np.concatenate([a, b, a, b]) * self.n_items + np.concatenate([a, b, b, a])
        known, place = np.unique(code, return_inverse=True)
        rows, columns = np.divmod(known, self.n_items)
        starts = np.searchsorted(rows, np.arange(self.n_items + 1))
        return columns, starts, place
