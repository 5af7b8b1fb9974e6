"""Answers about pairs of items: checked, matched to rows of features, and counted.

A Gaussian process needs only sums over pairs of m answers on n items: an n-vector, and the sparse n × n matrix
W = Σ w (e_a − e_b)(e_a − e_b)ᵀ. Nothing here is m × n or m × m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from penchant.checks import Floats, Ints, index_pairs, positive, same_length
from penchant.errors import InvalidInput, UnknownItem
from penchant.gp.inference.likelihood import Bools
from penchant.preferences import Preferences


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers about pairs of items, in the order in which they were given.

    Attributes
    ----------
    pairs : int array of shape (m, 2)
        Items, better first; where ``tie``, equal ones.
    weight : array of shape (m,)
        Above 0.
    tie : bool array of shape (m,)
    """

    pairs: Ints
    weight: Floats
    tie: Bools

    @classmethod
    def none(cls) -> Self:
        """Return no answers."""
        return cls(np.empty((0, 2), dtype=np.int64), np.empty(0), np.empty(0, dtype=bool))

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, part: Any) -> Self:
        return type(self)(self.pairs[part], self.weight[part], self.tie[part])

    def followed_by(self, more: Answers) -> Self:
        """Return these answers and ``more`` after them."""
        return type(self)(
            np.concatenate([self.pairs, more.pairs]),
            np.concatenate([self.weight, more.weight]),
            np.concatenate([self.tie, more.tie]),
        )

    def decided(self) -> Self:
        """Return the answers that are no ties."""
        if self.tie.all():
            raise InvalidInput(
                "pairs must hold a preference, got ties only: add comparisons that are no ties"
            )
        return self[~self.tie]


def answers_about(
    X: Any, n_rows: int, pairs: Any, weight: ArrayLike | None = None, tie: ArrayLike | None = None
) -> Answers:
    """Return the answers, checked.

    Parameters
    ----------
    X : array-like or DataFrame
        The features as they were given; Preferences of ids are matched by a frame's index.
    n_rows : int
        The number of rows of X.
    pairs : array-like of int, shape (m, 2), or Preferences
    weight : array-like of shape (m,), optional
    tie : array-like of bool, shape (m,), optional
    """
    if isinstance(pairs, Preferences):
        return _of_preferences(X, pairs, weight, tie)
    rows = index_pairs(pairs, n_rows)
    weights = np.ones(len(rows)) if weight is None else positive("weight", weight, length=len(rows))
    return Answers(rows, weights, _ties(tie, len(rows)))


def answers_between(preferences: Preferences, items: Sequence[str]) -> Answers:
    """Return the comparisons of ``preferences``, in their order, as rows of ``items``, matched by id.

    Examples
    --------
    >>> answers_between(Preferences.from_pairs([("tea", "milk")]), ["milk", "water", "tea"]).pairs
    array([[2, 0]])
    """
    comparisons = preferences.comparisons()
    pairs = np.column_stack([comparisons.better, comparisons.worse])
    place = {item: row for row, item in enumerate(items)}
    rows = np.array([place.get(item, -1) for item in preferences.items], dtype=np.int64)[pairs]
    unknown = np.argwhere(rows < 0)
    if len(unknown):
        row, side = unknown[0]
        raise UnknownItem(
            f"item {preferences.items[pairs[row, side]]!r} of comparison {row} must be one of the {len(items):,} items "
            "of the belief: leave the comparison out, or add the item"
        )
    return Answers(rows, comparisons.weight, comparisons.tie)


def compared_items(rows: Floats, answers: Answers) -> tuple[Floats, PairCounts]:
    """Return the different ones (n, n_features) of ``rows`` that were compared, and the answers about them."""
    used, place = np.unique(answers.pairs, return_inverse=True)
    items, same = np.unique(rows[used], axis=0, return_inverse=True)
    pairs = same.ravel()[place].reshape(-1, 2)
    counts = PairCounts.of(pairs, len(items), weight=answers.weight, tie=answers.tie)
    if not len(counts.count):
        raise InvalidInput(
            "pairs must compare rows with different features, got only rows that are the same: "
            "add features in which they differ"
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
    comparisons = preferences.comparisons()
    if not len(comparisons):
        raise InvalidInput("preferences must hold at least one comparison, got none: add some")
    rows = preferences.match(X)[np.column_stack([comparisons.better, comparisons.worse])]
    if (rows < 0).any():
        raise InvalidInput(
            "preferences must compare rows of X, got the bar of both-bad answers, which has no features: "
            "leave those answers out"
        )
    return Answers(rows, comparisons.weight, comparisons.tie)


def _ties(tie: ArrayLike | None, length: int) -> Bools:
    if tie is None:
        return np.zeros(length, dtype=bool)
    ties = np.asarray(tie)
    if ties.ndim != 1 or ties.dtype != bool:
        raise InvalidInput(
            f"tie must be True or False for each pair, got an array of {ties.dtype} with shape {ties.shape}: "
            "give one a row"
        )
    same_length("tie", ties, length)
    return ties


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Different answers, each with the number of times it was given.

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
        """Count equal answers; pairs of an item with itself carry no information and are left out.

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
        codes, place = np.unique(code, return_inverse=True)
        ends, tied = np.divmod(codes, 2)
        better, worse = np.divmod(ends, n_items)
        count = np.bincount(place, weights[different], len(codes)).astype(np.float64)
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
        """The sparsity of W: columns of its entries, starts of its rows, and the entry that each part adds to."""
        a, b = self.better, self.worse
        code = np.concatenate([a, b, a, b]) * self.n_items + np.concatenate([a, b, b, a])
        codes, place = np.unique(code, return_inverse=True)
        rows, columns = np.divmod(codes, self.n_items)
        starts = np.searchsorted(rows, np.arange(self.n_items + 1))
        return columns, starts, place
