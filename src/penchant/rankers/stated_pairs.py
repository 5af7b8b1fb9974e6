"""The pairs themselves. Scores and a margin in, how far the pairs fall short of it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from penchant.checks import Floats, Ints


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
    slope : ndarray of shape (n_rows,)
        The derivative of ``squared / 2`` by the scores.
    """

    linear: float
    squared: float
    slope: Floats

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
        self.total = float(weight.sum())

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
        self.slope = -self._spread(weighted)

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
