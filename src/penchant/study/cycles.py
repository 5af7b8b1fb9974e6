"""Count triples of items that run in a circle, and how many of them noise alone would explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints
from penchant.counts import are_whole
from penchant.preferences.graph import count_circular_triads, weight_matrix
from penchant.study.columns import AnswerColumns
from penchant.worth import BradleyTerry

DRAWS = 40
"""How many sets of answers are simulated: their spread is then known within about a tenth."""
MOST_ITEMS = 600
"""Up to so many items, triples are counted by products of dense matrices, which take a hundredth of a second each."""
MOST_STEPS = 10_000_000
"""More items are counted by sparse products where these take no more steps (the sum of the squared numbers of
opponents), and otherwise only the `MOST_ITEMS` that have the most opponents."""


@dataclass(frozen=True)
class CircularTriples:
    """Circular triples by majority: those observed, those that noise explains, and how unlikely more of them are.

    Attributes
    ----------
    circular, triples : int
        Triples of items that run in a circle, of all whose three pairs have a majority.
    items : int
        Of how many items.
    expected, upper : float
        How many circular ones noise explains on average, and at most with probability 1 − ``alpha``.
    alpha : float
    """

    circular: int
    triples: int
    items: int
    expected: float
    upper: float
    alpha: float


def circular_triples(columns: AnswerColumns, alpha: float) -> CircularTriples:
    """Compare the number of circular triples with that of simulated answers that follow one order.

    Simulated answers are about the same pairs, each as often, with worth drawn from the posterior of the Bradley–Terry
    model: a posterior predictive check. Square roots of counts, whose variance hardly depends on their mean, are
    compared by the quantile of Student's t. Of many items with many opponents, those with the most are counted.
    """
    from scipy.stats import t

    n_items = len(columns.items)
    first, second, won, lost = _totals(columns)
    kept = _countable(first, second, n_items)
    rows = kept[first] & kept[second]
    first, second, won, lost = first[rows], second[rows], won[rows], lost[rows]
    graph = _Graph.of(first, second, kept)
    circular, triples = graph.circular(won - lost), graph.triples(won - lost)
    if not triples:
        return CircularTriples(0, 0, int(kept.sum()), 0.0, 0.0, alpha)
    worth = BradleyTerry().update(columns.preferences()).sample(DRAWS, 0)
    rng, total = np.random.default_rng(0), won + lost
    chances = 1 / (1 + np.exp(worth[:, second] - worth[:, first]))
    drawn = np.array([graph.circular(2 * rng.binomial(total, chance) - total) for chance in chances])
    roots = np.sqrt(drawn)
    margin = float(t.ppf(1 - alpha, DRAWS - 1) * roots.std(ddof=1) * np.sqrt(1 + 1 / DRAWS))
    upper = (
        float(roots.mean()) + max(margin, 0.5)
    ) ** 2  # half a root is about one triple where there are few
    return CircularTriples(circular, triples, int(kept.sum()), float(drawn.mean()), upper, alpha)


def _totals(columns: AnswerColumns) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the pairs with decided answers, lower row first, and how often each of the two was preferred.

    A weight counts repetitions where all weights are whole numbers; otherwise each row counts once.
    """
    pairs, place = np.unique(columns.pair[columns.decided], return_inverse=True)
    first, second = np.divmod(pairs, len(columns.items))
    left_is_first = columns.left[columns.decided] == first[place]
    first_won = (columns.choice[columns.decided] == 0) == left_is_first
    weight = columns.weight[columns.decided]
    times = weight.astype(np.int64) if are_whole(weight) else np.ones(len(weight), dtype=np.int64)
    won, lost = (
        np.bincount(place[rows], times[rows], len(pairs)).astype(np.int64) for rows in (first_won, ~first_won)
    )
    return first, second, won, lost


def _countable(first: Ints, second: Ints, n_items: int) -> NDArray[np.bool_]:
    """Return which items take part in the count, shape (n_items,)."""
    kept = np.ones(n_items, dtype=np.bool_)
    opponents = np.bincount(first, minlength=n_items) + np.bincount(second, minlength=n_items)
    if n_items > MOST_ITEMS and (opponents.astype(np.float64) ** 2).sum() > MOST_STEPS:
        kept[np.argsort(-opponents, kind="stable")[MOST_ITEMS:]] = False
    return kept


@dataclass(frozen=True, eq=False)
class _Graph:
    """Pairs of items, numbered anew, whose majorities are counted again and again."""

    first: Ints
    second: Ints
    n_items: int

    @classmethod
    def of(cls, first: Ints, second: Ints, kept: NDArray[np.bool_]) -> _Graph:
        number = np.cumsum(kept) - 1
        return cls(number[first], number[second], int(kept.sum()))

    def circular(self, lead: Ints) -> int:
        """Return the number of circular triples where the first of a pair is ahead by ``lead`` answers."""
        first_ahead, even = lead > 0, lead == 0
        better = np.where(first_ahead, self.first, self.second)[~even]
        worse = np.where(first_ahead, self.second, self.first)[~even]
        if self.n_items > MOST_ITEMS:
            return count_circular_triads(weight_matrix(better, worse, np.ones(len(better)), self.n_items))
        beats = self._matrix(better, worse)
        return round(float(np.einsum("ij,ji->", beats @ beats, beats, dtype=np.float64)) / 3)

    def triples(self, lead: Ints) -> int:
        """Return the number of triples whose three pairs all have a majority."""
        decided = lead != 0
        low, high = self.first[decided], self.second[decided]
        if self.n_items > MOST_ITEMS:
            ahead = weight_matrix(low, high, np.ones(len(low)), self.n_items)
            return int((ahead @ ahead).multiply(ahead).sum())
        matrix = self._matrix(low, high)
        return round(float(np.einsum("ij,ij->", matrix @ matrix, matrix, dtype=np.float64)))

    def _matrix(self, row: Ints, column: Ints) -> NDArray[np.float32]:
        """Return a matrix of ones and zeros; counts up to 2²⁴ are exact in products of such matrices."""
        matrix = np.zeros((self.n_items, self.n_items), dtype=np.float32)
        matrix[row, column] = 1
        return matrix
