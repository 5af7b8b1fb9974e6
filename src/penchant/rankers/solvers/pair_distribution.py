"""The distribution D over pairs that boosting reweighs.

After some rounds with scores f the weight of a pair of a better row b and a worse row w is
D(b, w) = weight · exp(f(w) − f(b)) / Σ. Stated pairs are kept one by one. For graded rows the exponential
factorises, so that sums over the levels (rows of one grade in one query) replace the implied pairs, which are
never written out.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.rankers.solvers.levels import Levels, changes
from penchant.rankers.solvers.pair_sums import checked_total

_LARGEST = 300.0
"""Of larger exponents products would overflow, and logarithms are kept instead."""


class PairDistribution(Protocol):
    """Weights of pairs that follow the scores of their rows.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The rows of X that take part in some pair, in the order in which scores are given.
    size : float
        |P|, the number of pairs, or the sum of their weights.
    pull : ndarray of shape (n_rows,)
        Of each row, the weight D of the pairs in which it is better, less that of those in which it is worse.
    """

    rows: Ints
    size: float
    pull: Floats

    def reweigh(self, scores: Floats) -> float:
        """Let D follow ``scores``; return the sum Z of what the weights became before they were normalised."""
        ...

    def wrong(self, ranks: NDArray[np.bool_]) -> float:
        """Return ε⁻, the weight D of the pairs that a base ranker of 0 and 1 puts the wrong way round."""
        ...

    def risk(self, scores: Floats) -> float:
        """Return the share of pairs that ``scores`` do not rank strictly right."""
        ...


class StatedDistribution:
    """D over pairs that were stated one by one.

    Parameters
    ----------
    pairs : int array of shape (m, 2)
        Rows of X, better first.
    weight : ndarray of shape (m,)
        Above 0.
    """

    def __init__(self, pairs: Ints, weight: Floats) -> None:
        self.rows, places = np.unique(pairs, return_inverse=True)
        self._better, self._worse = places.reshape(pairs.shape).T
        self._weight, self._log_weight = weight, np.log(weight)
        self.size = float(weight.sum())
        self._log_loss = float(np.log(checked_total(self.size)))
        self.reweigh(np.zeros(len(self.rows)))

    def reweigh(self, scores: Floats) -> float:
        """Let D follow ``scores``; return Z."""
        margins = scores[self._better] - scores[self._worse]
        share = np.exp(self._log_weight - margins - self._log_loss)
        z = float(share.sum())
        self._log_loss += float(np.log(z))
        self._share = share / z
        self.pull = self._sums(self._better) - self._sums(self._worse)
        return z

    def _sums(self, rows: Ints) -> Floats:
        return np.bincount(rows, weights=self._share, minlength=len(self.rows)).astype(np.float64, copy=False)

    def wrong(self, ranks: NDArray[np.bool_]) -> float:
        """Return ε⁻."""
        return float(self._share[~ranks[self._better] & ranks[self._worse]].sum())

    def risk(self, scores: Floats) -> float:
        """Return the share of pairs that ``scores`` do not rank strictly right."""
        return float(self._weight[scores[self._better] <= scores[self._worse]].sum() / self.size)


class GradedDistribution:
    """D over all pairs of different grades inside a query, each once, in O(n_rows) a round.

    Parameters
    ----------
    grades : ndarray of shape (n,)
        Larger is better.
    queries : int array of shape (n,)
        The query of each row of X.
    weight : ndarray of shape (n,)
        Rows of weight 0 are left out, as are queries in which all grades are then equal.
    """

    def __init__(self, grades: Floats, queries: Ints, weight: Floats) -> None:
        self.rows = _rows_in_pairs(grades, queries, weight)
        grades, queries = grades[self.rows], queries[self.rows]
        self._weight, self._log_weight = weight[self.rows], np.log(weight[self.rows])
        self._levels = Levels.of(grades, queries)
        self._above = self._levels.reversed()
        self.size = float(self._weight @ self._levels.sums_before(self._weight))
        self._log_loss = float(np.log(checked_total(self.size)))
        self.reweigh(np.zeros(len(self.rows)))

    def reweigh(self, scores: Floats) -> float:
        """Let D follow ``scores``; return Z."""
        centred = scores - (scores.min() + scores.max()) / 2
        self._plus, self._minus = self._log_weight + centred, self._log_weight - centred
        self._logs = bool(max(np.abs(self._plus).max(), np.abs(self._minus).max()) > _LARGEST)
        if not self._logs:
            np.exp(self._plus, out=self._plus)
            np.exp(self._minus, out=self._minus)
        won = self._weights(self._levels, self._minus, self._plus)
        lost = self._weights(self._above, self._plus[::-1], self._minus[::-1])[::-1]
        z = float(won.sum())
        self._log_loss += float(np.log(z))
        self.pull = (won - lost) / z
        return z

    def _weights(self, levels: Levels, factor: Floats, others: Floats) -> Floats:
        """Return the weight D of each row's pairs with the rows of earlier levels of its query."""
        if self._logs:
            return np.exp(factor + levels.log_sums_before(others) - self._log_loss)
        return factor * levels.sums_before(others) / float(np.exp(self._log_loss))

    def wrong(self, ranks: NDArray[np.bool_]) -> float:
        """Return ε⁻."""
        preferred = np.where(ranks, self._plus, -np.inf if self._logs else 0.0)
        return float(self._weights(self._levels, self._minus, preferred)[~ranks].sum())

    def risk(self, scores: Floats) -> float:
        """Return the share of pairs that ``scores`` do not rank strictly right."""
        return self._levels.misranked(scores, self._weight) / self.size


def _rows_in_pairs(grades: Floats, queries: Ints, weight: Floats) -> Ints:
    """Return the rows of some pair, by query and then by rising grade."""
    order = np.lexsort((grades, queries))
    order = order[weight[order] > 0]
    starts = np.flatnonzero(changes(queries[order]))
    sizes = np.diff(starts, append=len(order))
    lowest, highest = grades[order[starts]], grades[order[starts + sizes - 1]]
    return order[np.repeat(lowest < highest, sizes)]
