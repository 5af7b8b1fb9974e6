"""Estimate the number of answers until a goal is reached, from draws of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from penchant.checks import Floats

_INFORMATION = 2 / np.pi
"""The information of an answer about the difference of two equal items, in units of 1/noise²."""
_SHARES = {"order": 0.7, "exact": 0.7, "top": 0.7}
"""The share of the answers that suffices because questions are chosen where they inform most."""
_EXACT_GROWTH = 2.5
"""For the goal "exact", answers grow by exp of this times the value: the last pairs in doubt differ by about the
indifference width and take many answers. Both this and the next were fitted to simulations of 10 to 30 items."""
_LOG_SD = 0.48
"""The sd of the logarithm of the remaining answers around the estimate."""
_NINE_TENTHS = 1.645
_FUTURES, _INSIDE = 40, 100
_GROWTH = 1.3
_PAIRS, _AT_ONCE = 5_000, 2_000_000
_STEPS = 30


def worst_miss(scores: Floats, top: int | None = None) -> Floats:
    """Return the largest difference of a pair in the wrong order of each row; 0 or less where all are right.

    Parameters
    ----------
    scores : array of shape (draws, n)
        Columns in the order of the means, best first.
    top : int, optional
        Compare only the first ``top`` columns with the others.

    Examples
    --------
    >>> worst_miss(np.array([[3.0, 1.0, 2.0, 0.0]])).tolist(), worst_miss(np.array([[3.0, 1.0, 2.0]]), 1).tolist()
    ([1.0], [-1.0])
    """
    if top is not None:
        across: Floats = scores[:, top:].max(axis=1) - scores[:, :top].min(axis=1)
        return across
    lowest = np.minimum.accumulate(scores, axis=1)
    worst: Floats = (scores[:, 1:] - lowest[:, :-1]).max(axis=1)
    return worst


def correlations(scores: Floats, width: float, seed: int = 0) -> Floats:
    """Return Kendall's correlation of each row's order with that of the columns, shape (draws,).

    A pair is in the wrong order when the later column leads by more than ``width``. Of many pairs, 5,000 are drawn.

    Examples
    --------
    >>> correlations(np.array([[3.0, 1.0, 2.0], [3.0, 2.0, 1.0]]), 0.0).round(3).tolist()
    [0.333, 1.0]
    """
    n_items = scores.shape[1]
    if n_items * (n_items - 1) // 2 <= _PAIRS:
        first, second = np.triu_indices(n_items, k=1)
    else:
        random = np.random.default_rng(seed)
        first = random.integers(n_items, size=_PAIRS)
        second = (first + random.integers(1, n_items, size=_PAIRS)) % n_items
        first, second = np.minimum(first, second), np.maximum(first, second)
    result = np.empty(len(scores))
    rows = max(_AT_ONCE // len(first), 1)
    for start in range(0, len(scores), rows):
        part = scores[start : start + rows]
        result[start : start + rows] = 1 - 2 * (part[:, second] - part[:, first] > width).mean(axis=1)
    return result


@dataclass(frozen=True, eq=False)
class RemainingAnswers:
    """An estimate of the answers until a goal is reached, by simulating later posteriors.

    When answers have reduced the covariance K to sK, the mean has moved by a draw from N(0, (1 − s)K). A few such
    futures are drawn, and in each s is reduced until the order of the means reaches the goal.

    Attributes
    ----------
    mean : array of shape (n,)
        Of the items in the order of their means, best first.
    deviations : array of shape (draws, n)
        Draws of the scores less the mean.
    goal : {"order", "exact", "top"}
        As in `settled`.
    top : int or None
    width : float
    noise_sd : float
        Of the answer about two items.
    """

    mean: Floats
    deviations: Floats
    goal: str
    top: int | None
    width: float
    noise_sd: float

    @property
    def value(self) -> float:
        """The expected correlation, or the share of draws in which the order is right."""
        return self._now[0]

    @property
    def error(self) -> float:
        """The standard error of the value."""
        return self._now[1]

    @cached_property
    def _now(self) -> tuple[float, float]:
        scores, draws = self.mean + self.deviations, len(self.deviations)
        if self.goal == "order":
            found = correlations(scores, self.width)
            return float(found.mean()), float(np.sqrt(max(found.var(), 1 / draws**2) / draws))
        share = float((worst_miss(scores, self.top) <= self.width).mean())
        return share, float(np.sqrt(max(share * (1 - share), 1 / draws) / draws))

    def answers_left(self, level: float) -> tuple[int, int, int]:
        """Return the estimated number of answers to reach ``level``: the median, and an interval of nine tenths."""
        median, fewest, most = np.log(np.quantile(self._needed(level), [0.5, 0.05, 0.95]))
        error = _NINE_TENTHS * _LOG_SD
        low, high = median - np.hypot(median - fewest, error), median + np.hypot(most - median, error)
        answers = np.exp([median, low, high]) * self._answers_so_far()
        return max(int(np.ceil(answers[0])), 1), max(int(answers[1]), 1), max(int(np.ceil(answers[2])), 1)

    def _needed(self, level: float) -> Floats:
        """Return the additional information that each future needs, in units of the present information."""
        count, inner = (_FUTURES, _INSIDE) if self.goal != "order" else (_FUTURES // 2, _INSIDE // 2)
        futures, inside = self.deviations[:count], self.deviations[-inner:]
        return np.array([self._needed_in(future, inside, level) for future in futures])

    def _needed_in(self, future: Floats, inside: Floats, level: float) -> float:
        """Return the additional information that one future needs, by bisection."""
        low, high = 0, _STEPS
        while high - low > 1:
            middle = (low + high) // 2
            left = _GROWTH**-middle
            reached = self._reached(np.sqrt(1 - left) * future, np.sqrt(left) * inside) >= level
            low, high = (low, middle) if reached else (middle, high)
        return float(_GROWTH**high - 1)

    def _reached(self, moved: Floats, inside: Floats) -> float:
        """Return the value in a future in which the mean has moved."""
        mean = self.mean + moved
        order = np.argsort(-mean, kind="stable")
        scores = (mean + inside)[:, order]
        if self.goal == "order":
            return float(correlations(scores, self.width).mean())
        return float((worst_miss(scores, self.top) <= self.width).mean())

    def _answers_so_far(self) -> float:
        """Return the number of answers that would give the present information about the contested items.

        Those are the items within two deviations of the border of the top, or of a neighbour; an answer about two of
        them has the information 2/π · noise⁻² about their difference, and half of that about each item. It is at least
        half an answer an item, since under a wide prior the present information is nearly 0.
        """
        sd = self.deviations.std(axis=0)
        if self.top is None:
            gap = np.minimum(np.append(-np.diff(self.mean), np.inf), np.append(np.inf, -np.diff(self.mean)))
        else:
            gap = np.abs(self.mean - (self.mean[self.top - 1] + self.mean[self.top]) / 2)
        contested = gap < 2 * sd + self.width
        if not contested.any():
            contested = gap == gap.min()
        share = _SHARES[self.goal] * (np.exp(_EXACT_GROWTH * self.value) if self.goal == "exact" else 1.0)
        worth = float(share) * float((1 / sd[contested] ** 2).sum() * self.noise_sd**2 / _INFORMATION / 2)
        return max(worth, float(contested.sum()) / 2)
