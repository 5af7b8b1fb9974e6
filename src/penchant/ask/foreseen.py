"""Step three, inside: what more answers would settle. Draws of scores in; about how many answers are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats

_TOLD = 2 / np.pi
"""What an answer about two equal items tells about their difference, in units of 1/noise²."""
_SHARE = 0.7
"""Questions go where they help, so that fewer are needed."""
_STUBBORN = 2.5
"""Of a whole order the surer it is, the more answers a step takes: what is left then are pairs about as far apart as
the indifference width, which resist. This and the next as simulations of 10 to 30 items showed."""
_ROUGH = 0.5
"""The sd of the logarithm of the answers that are left around what is foreseen."""
_NINE_TENTHS = 1.645
_FUTURES, _INSIDE = 40, 100
_GROWTH = 1.3
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


@dataclass(frozen=True, eq=False)
class Foreseen:
    """What will be believed later, were all that is known of the items known so much better.

    When what is left of the covariance K is sK, the mean has moved by a draw from N(0, (1 − s)K). So a few futures
    are drawn, and s shrinks until the order that is believed in a future is as sure as it should be there.

    Attributes
    ----------
    mean : array of shape (n,)
        Of items in the believed order, best first.
    deviations : array of shape (draws, n)
        Draws around it.
    top : int or None
    width : float
    noise_sd : float
        Of the answer about two items.
    """

    mean: Floats
    deviations: Floats
    top: int | None
    width: float
    noise_sd: float

    @property
    def probability(self) -> float:
        """The share of draws in which the order is right."""
        return float((worst_miss(self.mean + self.deviations, self.top) <= self.width).mean())

    @property
    def error(self) -> float:
        """The standard error of the probability."""
        draws, probability = len(self.deviations), self.probability
        return float(np.sqrt(max(probability * (1 - probability), 1 / draws) / draws))

    def answers_left(self, level: float) -> tuple[int, int, int]:
        """Return about how many answers settle it: the median of the futures, and where nine tenths of them lie."""
        median, fewest, most = np.log(np.quantile(self._needed(level), [0.5, 0.05, 0.95]))
        rough = _NINE_TENTHS * _ROUGH
        low, high = median - np.hypot(median - fewest, rough), median + np.hypot(most - median, rough)
        answers = np.exp([median, low, high]) * self._answers_so_far()
        return max(int(np.ceil(answers[0])), 1), max(int(answers[1]), 1), max(int(np.ceil(answers[2])), 1)

    def _needed(self, level: float) -> Floats:
        """Return how many times as much as now has to be learned in each future."""
        futures, inside = self.deviations[:_FUTURES], self.deviations[-_INSIDE:]
        needed = np.full(len(futures), _GROWTH**_STEPS)
        open_ = np.arange(len(futures))
        for known in _GROWTH ** np.arange(1, _STEPS):
            left = 1 / known
            sure = [self._sure(np.sqrt(1 - left) * futures[one], np.sqrt(left) * inside) for one in open_]
            done = np.array(sure) >= level
            needed[open_[done]] = known
            open_ = open_[~done]
            if not len(open_):
                break
        return needed - 1

    def _sure(self, moved: Floats, inside: Floats) -> float:
        mean = self.mean + moved
        order = np.argsort(-mean, kind="stable")
        return float((worst_miss((mean + inside)[:, order], self.top) <= self.width).mean())

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
        share = _SHARE * (np.exp(_STUBBORN * self.probability) if self.top is None else 1.0)
        worth = float(share) * float((1 / sd[contested] ** 2).sum() * self.noise_sd**2 / _TOLD / 2)
        return max(worth, float(contested.sum()) / 2)
