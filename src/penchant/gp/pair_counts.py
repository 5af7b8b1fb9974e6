"""Answers, counted. Pairs of rows in; each different answer once, with its count, out.

What a Gaussian process needs of m answers on n items is sums over pairs: an n-vector, and the sparse n × n
matrix W = Σ w (e_a − e_b)(e_a − e_b)ᵀ. Nothing here is m × n or m × m.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from penchant.checks import Floats, Ints
from penchant.gp.likelihood import Bools


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
