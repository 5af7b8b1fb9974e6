"""Sum over the pairs that grades imply, by levels: the rows of one grade in one query.

Whatever is a product of something of the better and something of the worse row can be summed over all pairs of
a query level by level, without writing the pairs out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints

_COMPILED_FROM = 50_000
"""Rows from which on Numba is worth loading."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Rows that stand query by query, and in each query level by level.

    Attributes
    ----------
    starts : ndarray of shape (n_levels + 1,)
        Where each level begins among the rows.
    query_starts : ndarray of shape (n_queries + 1,)
        Where each query begins among the levels.
    """

    starts: Ints
    query_starts: Ints

    @classmethod
    def of(cls, grades: Floats, queries: Ints) -> Levels:
        """Find the levels of rows that are sorted by query and grade."""
        new_query = changes(queries)
        starts = np.flatnonzero(new_query | changes(grades))
        return cls(
            np.append(starts, len(grades)),
            np.append(np.flatnonzero(new_query[starts]), len(starts)),
        )

    def reversed(self) -> Levels:
        """Return the levels of the same rows in opposite order."""
        return Levels(self.starts[-1] - self.starts[::-1], self.query_starts[-1] - self.query_starts[::-1])

    def sums_before(self, values: Floats) -> Floats:
        """Return for each row the sum of ``values`` over the rows of earlier levels of its query."""
        if len(values) < _COMPILED_FROM:
            return self._accumulated(np.add, values, 0.0)
        from penchant.rankers.solvers._boost_kernels import sums_before

        return sums_before(np.ascontiguousarray(values), self.starts, self.query_starts)

    def log_sums_before(self, values: Floats) -> Floats:
        """Return for each row log Σ exp(value) over the rows of earlier levels of its query."""
        if len(values) < _COMPILED_FROM:
            return self._accumulated(np.logaddexp, values, -np.inf)
        from penchant.rankers.solvers._boost_kernels import log_sums_before

        return log_sums_before(np.ascontiguousarray(values), self.starts, self.query_starts)

    def _accumulated(self, add: np.ufunc, values: Floats, nothing: float) -> Floats:
        sums = add.reduceat(values, self.starts[:-1])
        before = np.full(len(sums), nothing)
        first, n_levels = self.query_starts[:-1], np.diff(self.query_starts)
        if n_levels.max() < len(n_levels):  # all queries at once, level by level
            for level in range(1, n_levels.max()):
                place = first[n_levels > level] + level
                before[place] = add(before[place - 1], sums[place - 1])
        else:
            for start, stop in pairwise(self.query_starts.tolist()):
                before[start + 1 : stop] = add.accumulate(sums[start : stop - 1])
        return np.repeat(before, np.diff(self.starts))

    def misranked(self, scores: Floats, weight: Floats) -> float:
        """Add up weight · weight over the pairs of a row and one of an earlier level that scores no less.

        It takes O(n log n) for queries of n rows. Sort a query by score: the row of the later level comes
        first in a misranked pair, so that for exactly one length of 1, 2, 4 … rows it stands in the first and
        the other in the second half of the same two runs of that length.
        """
        level = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        query = np.repeat(np.arange(len(self.query_starts) - 1), np.diff(self.query_starts))[level]
        order = np.lexsort((-level, scores, query))
        level, weight = level[order], weight[order]
        first_row = self.starts[self.query_starts[:-1]]
        place = np.arange(len(query)) - first_row[query]
        total = 0.0
        for bit in range(int(place.max()).bit_length()):
            second = (place >> bit & 1).astype(np.bool_)
            # By query and pair of runs (both in order already), later levels first, second halves first.
            runs = np.cumsum(changes(query) | changes(place >> bit + 1))
            by_level = np.lexsort((~second, -level, runs))
            ahead = np.cumsum(np.where(second, 0.0, weight)[by_level])
            start = np.flatnonzero(changes(runs))
            ahead -= np.append(0.0, ahead)[start][runs - 1]
            total += float(np.where(second, weight, 0.0)[by_level] @ ahead)
        return total


def changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Say of each entry whether it differs from the one before it; the first does."""
    differs: NDArray[np.bool_] = np.append(True, values[1:] != values[:-1])
    return differs
