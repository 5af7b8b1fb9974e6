"""Sum over weighted pairs of rows: how far score differences fall short of a margin, and its derivatives.

`StatedPairs` are written out. `GradedPairs`, implied by grades inside queries, never are: a list of 100,000 rows with
five grades implies 4·10⁹ of them, and one sum over those takes milliseconds. Where they are few, writing them out is
faster than loading compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.metrics.queries import Queries
from penchant.preferences import Preferences


def checked_total(total: float) -> float:
    """Return the sum of the weights of pairs, or raise `InvalidInput` if it over- or underflows.

    The weight of an implied pair is the product of those of its rows, which does so before they do.
    """
    if not 0 < total < np.inf:
        raise InvalidInput(
            f"weights of all pairs must add up to a finite number above 0, got {total:g}: scale them towards 1"
        )
    return total


class PairSample(NamedTuple):
    """Some of many pairs, weighed so that they stand for all of them; three arrays of shape (n_sampled,)."""

    better: Ints
    worse: Ints
    weight: Floats


class Shortfall(Protocol):
    """The pairs whose score difference is below a margin τ, each with its lack z = τ − (s_better − s_worse).

    Attributes
    ----------
    linear, squared : float
        Σ w·z and Σ w·z² over those pairs, w being their weights.
    gradient : ndarray of shape (n_rows,)
        The derivative of ``squared / 2`` by the scores.
    """

    linear: float
    squared: float
    gradient: Floats

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative of ``squared / 2`` times ``direction``, shape (n_rows,)."""
        ...

    def sample(self, most: int, *, without: Self | None = None) -> PairSample:
        """Return at most ``most`` of the pairs, evenly drawn, less those that fall short in ``without`` too."""
        ...


class PairSums(Protocol):
    """Weighted pairs of rows; ``total`` is the sum of their weights."""

    total: float

    def short_of(self, margin: float, scores: Floats) -> Shortfall:
        """Return the pairs that fall short of ``margin`` at ``scores`` (n_rows,)."""
        ...


class StatedPairs:
    """Pairs that are written out.

    Parameters
    ----------
    rows : ndarray of shape (n_pairs, 2)
        Better first.
    weight : ndarray of shape (n_pairs,)
    """

    def __init__(self, rows: Ints, weight: Floats) -> None:
        self.better, self.worse = np.ascontiguousarray(rows.T)
        self.weight = weight
        with np.errstate(over="ignore"):
            self.total = checked_total(float(weight.sum())) if len(weight) else 0.0

    def short_of(self, margin: float, scores: Floats) -> StatedShortfall:
        """Return the pairs that fall short of ``margin`` at ``scores`` (n_rows,)."""
        lack = margin - (scores.take(self.better) - scores.take(self.worse))
        short = np.flatnonzero(lack > 0)  # take by number is twice as fast as indexing by a mask
        better, worse = self.better.take(short), self.worse.take(short)
        return StatedShortfall(better, worse, self.weight.take(short), lack.take(short), margin, len(scores))


@dataclass(eq=False)
class StatedShortfall:
    """As `Shortfall`, of pairs that are written out; all arrays but the results have shape (n_short,)."""

    better: Ints
    worse: Ints
    weight: Floats
    lack: Floats
    margin: float
    n_rows: int

    def __post_init__(self) -> None:
        weighted = self.weight * self.lack
        self.linear = float(weighted.sum())
        self.squared = float(weighted @ self.lack)
        self.gradient = -self._spread(weighted)

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative of ``squared / 2`` times ``direction``, shape (n_rows,)."""
        return self._spread(self.weight * (direction.take(self.better) - direction.take(self.worse)))

    def sample(self, most: int, *, without: Self | None = None) -> PairSample:
        """Return at most ``most`` of the pairs, evenly drawn, less those that fall short in ``without`` too."""
        widest = np.inf if without is None else self.margin - without.margin
        among = np.flatnonzero(self.lack <= widest)
        drawn, each = evenly_drawn(len(among), most)
        kept = among[drawn]
        return PairSample(self.better[kept], self.worse[kept], each * self.weight[kept])

    def _spread(self, values: Floats) -> Floats:
        """Give each pair's value to its better row, and take it from its worse one."""
        gained = np.bincount(self.better, values, self.n_rows)
        return np.subtract(gained, np.bincount(self.worse, values, self.n_rows), dtype=np.float64)


def evenly_drawn(count: int, most: int) -> tuple[Ints, float]:
    """Return which of ``count`` things to take so that there are at most ``most``, and how many each stands for."""
    each = max(1.0, count / most)
    return ((np.arange(min(count, most)) + 0.5) * each).astype(np.int64), each


FEW_PAIRS = 200_000


def implied_pairs(grades: Floats, queries: Queries, weight: Floats) -> PairSums:
    """Return the pairs of different grades inside a query, weighted by the product of their rows' weights.

    Parameters
    ----------
    grades, weight : ndarray of shape (n_rows,)
    queries : Queries
    """
    graded = GradedPairs(grades, queries, weight)
    return graded if graded.n_pairs > FEW_PAIRS else StatedPairs(*written_out(grades, queries, weight))


def written_out(grades: Floats, queries: Queries, weight: Floats) -> tuple[Ints, Floats]:
    """Return the implied pairs (n_pairs, 2), better first, and the weight of each (n_pairs,)."""
    kept = np.flatnonzero(weight > 0)
    pairs = kept[Preferences.from_grades(grades[kept], queries.codes[kept]).pairs()]
    return pairs, weight[pairs].prod(axis=1)


class GradedPairs:
    """The implied pairs of rows that stand sorted by query and grade, in runs of equal grade.

    Parameters
    ----------
    grades, weight : ndarray of shape (n_rows,)
    queries : Queries
    """

    def __init__(self, grades: Floats, queries: Queries, weight: Floats) -> None:
        rows = np.lexsort((grades, queries.codes))
        self.rows = rows[weight[rows] > 0]
        self.weight = weight[self.rows]
        new_query = np.diff(queries.codes[self.rows], prepend=-1) != 0
        new_run = new_query | (np.diff(grades[self.rows], prepend=np.nan) != 0)
        self._runs = np.append(np.flatnonzero(new_run), len(self.rows))
        self._first_runs = np.append(np.flatnonzero(new_query[self._runs[:-1]]), len(self._runs) - 1)
        self._queries = np.flatnonzero(new_query)
        self._order = np.arange(len(self.rows), dtype=np.int32)
        self._merges: Ints | None = None
        with np.errstate(over="ignore", invalid="ignore"):
            self.total = checked_total(self._sum_of_products(self.weight))

    @property
    def n_pairs(self) -> int:
        """How many pairs the grades imply."""
        return round(self._sum_of_products(np.ones(len(self.rows))))

    def _sum_of_products(self, weight: Floats) -> float:
        """Return Σ w_i·w_j over the pairs: those of a query without those of its runs."""
        of_query = np.add.reduceat(weight, self._queries)
        of_run = np.add.reduceat(weight, self._runs[:-1])
        return float(of_query @ of_query - of_run @ of_run) / 2

    def short_of(self, margin: float, scores: Floats) -> GradedShortfall:
        """Return the pairs that fall short of ``margin`` at ``scores`` (n_rows,)."""
        from penchant.rankers.solvers._svm_kernels import find_bounds, merge_table

        if self._merges is None:
            self._merges = merge_table(self._runs, self._first_runs)
        size = int((self._merges[:, 2] - self._merges[:, 0]).sum())
        rows, bounds = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        own = self._centred(scores[self.rows])
        find_bounds(own, margin, self._runs, self._merges, self._order, rows, bounds)
        return GradedShortfall(self, margin, scores, own, self._merges, rows, bounds)

    def _centred(self, scores: Floats) -> Floats:
        """Take each query's mean from its scores: sums of squares of a large offset would lose digits."""
        sizes = np.diff(self._queries, append=len(scores))
        return scores - np.repeat(np.add.reduceat(scores, self._queries) / sizes, sizes)


class GradedShortfall:
    """As `Shortfall`, of implied pairs: sums over partners stand in for sums over pairs.

    With A the summed weight of a row's partners in pairs that fall short, S the same with partners that are
    better counted negative, and B(v) the sum of their w·v: the gradient is w·(A·s − B(s) − τ·S).
    """

    def __init__(
        self,
        pairs: GradedPairs,
        margin: float,
        scores: Floats,
        own: Floats,
        merges: Ints,
        rows: NDArray[np.int32],
        bounds: NDArray[np.int32],
    ) -> None:
        self._pairs, self._merges, self._rows, self._bounds = pairs, merges, rows, bounds
        self._shape = scores.shape
        weight = pairs.weight
        self._partners = self._sums(weight)
        lead = weight * self._sums(weight, -1.0)
        curved = weight * (self._partners * own - self._sums(weight * own))
        count = float(weight @ self._partners) / 2
        self.linear = margin * count - float(lead @ own)
        self.squared = margin * (self.linear - float(lead @ own)) + float(curved @ own)
        self.gradient = self._at_rows(curved - margin * lead)

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative of ``squared / 2`` times ``direction``, shape (n_rows,)."""
        own, weight = direction[self._pairs.rows], self._pairs.weight
        return self._at_rows(weight * (self._partners * own - self._sums(weight * own)))

    def sample(self, most: int, *, without: Self | None = None) -> PairSample:
        """Return at most ``most`` of the pairs, evenly drawn, less those that fall short in ``without`` too.

        The pairs of a lower row are the upper rows of its merge before its bound.
        """
        low, middle, high = self._merges.T
        first_upper = np.cumsum(high - low) - (high - middle)
        is_lower = np.repeat(
            np.tile([True, False], len(low)), np.column_stack([middle - low, high - middle]).ravel()
        )
        places, partners = np.flatnonzero(is_lower), np.repeat(first_upper, middle - low)
        skipped = 0 if without is None else without._bounds[places].astype(np.int64)
        counts = self._bounds[places] - skipped
        ends = np.cumsum(counts)
        drawn, each = evenly_drawn(int(ends[-1]), most)
        lower = np.searchsorted(ends, drawn, side="right")
        upper = (partners + self._bounds[places])[lower] - (ends[lower] - drawn)
        worse, better = self._rows[places[lower]], self._rows[upper]
        weight = each * self._pairs.weight[better] * self._pairs.weight[worse]
        return PairSample(self._pairs.rows[better], self._pairs.rows[worse], weight)

    def _sums(self, values: Floats, worse_sign: float = 1.0) -> Floats:
        from penchant.rankers.solvers._svm_kernels import partner_sums

        return partner_sums(values, self._merges, self._rows, self._bounds, worse_sign)

    def _at_rows(self, values: Floats) -> Floats:
        spread = np.zeros(self._shape)
        spread[self._pairs.rows] = values
        return spread
