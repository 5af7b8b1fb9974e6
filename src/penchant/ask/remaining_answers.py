"""About how many answers are left until a goal is reached, from draws of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from penchant.checks import Floats

_TOLD = 2 / np.pi
"""What an answer about two equal items tells about their difference, in units of 1/noise²."""
_SHARES = {"order": 0.7, "exact": 0.7, "top": 0.7}
"""Questions go where they help, so that fewer are needed."""
_STUBBORN = 2.5
"""Of an exact order the surer it is, the more answers a step takes: what is left then are pairs about as far apart as
the indifference width, which resist. This and the next as simulations of 10 to 30 items showed."""
_ROUGH = 0.48
"""The sd of the logarithm of the answers that are left around what is foreseen."""
_NINE_TENTHS = 1.645
_FUTURES, _INSIDE = 40, 100
_GROWTH = 1.3
_PAIRS, _AT_ONCE = 5_000, 2_000_000
_STEPS = 30


def worst_miss(scores: Floats, top: int | None = None) -> Floats:
    """Return by how much the worst pair of each row is in the wrong order; 0 or less where none is.

    Parameters
    ----------
    scores : array of shape (draws, n)
        Columns in the believed order, best first.
    top : int, optional
        Look only at pairs of the first ``top`` columns with the others.

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
    """What will be believed later, were all that is known of the items known so much better.

    When what is left of the covariance K is sK, the mean has moved by a draw from N(0, (1 − s)K). So a few futures
    are drawn, and s shrinks until the order that is believed in a future is as good as it should be there.

    Attributes
    ----------
    mean : array of shape (n,)
        Of items in the believed order, best first.
    deviations : array of shape (draws, n)
        Draws around it.
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
        """Return about how many answers settle it: the median of the futures, and where nine tenths of them lie."""
        median, fewest, most = np.log(np.quantile(self._needed(level), [0.5, 0.05, 0.95]))
        rough = _NINE_TENTHS * _ROUGH
        low, high = median - np.hypot(median - fewest, rough), median + np.hypot(most - median, rough)
        answers = np.exp([median, low, high]) * self._answers_so_far()
        return max(int(np.ceil(answers[0])), 1), max(int(answers[1]), 1), max(int(np.ceil(answers[2])), 1)

    def _needed(self, level: float) -> Floats:
        """Return how many times as much as now has to be learned in each future."""
        count, inner = (_FUTURES, _INSIDE) if self.goal != "order" else (_FUTURES // 2, _INSIDE // 2)
        futures, inside = self.deviations[:count], self.deviations[-inner:]
        return np.array([self._needed_in(future, inside, level) for future in futures])

    def _needed_in(self, future: Floats, inside: Floats, level: float) -> float:
        """Return how many times as much as now has to be learned in one future, by bisection."""
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
        """Return about how many answers what is known of the contested items is worth.

        Those are the items that lie within two deviations of the border of the top, or of a neighbour; an
        answer about two of them tells 2/π · noise⁻² about their difference, and of each item half of that. It is at
        least one answer an item: where a wide prior is nearly all that is known, little known is not little to ask.
        """
        sd = self.deviations.std(axis=0)
        if self.top is None:
            gap = np.minimum(np.append(-np.diff(self.mean), np.inf), np.append(np.inf, -np.diff(self.mean)))
        else:
            gap = np.abs(self.mean - (self.mean[self.top - 1] + self.mean[self.top]) / 2)
        contested = gap < 2 * sd + self.width
        if not contested.any():
            contested = gap == gap.min()
        share = _SHARES[self.goal] * (np.exp(_STUBBORN * self.value) if self.goal == "exact" else 1.0)
        worth = float(share) * float((1 / sd[contested] ** 2).sum() * self.noise_sd**2 / _TOLD / 2)
        return max(worth, float(contested.sum()) / 2)
