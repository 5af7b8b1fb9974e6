"""Glickman's ratings, updated game by game in the order of the rows.

A single interpreted loop processes any number of games: a compiled one may differ in the last bit, and the state would
then depend on how many games came at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import log, pi, sqrt, tanh
from typing import Any, ClassVar, Self

import numpy as np

from penchant.belief import LOGISTIC_NOISE
from penchant.checks import Floats, Ints, check_number
from penchant.errors import InvalidInput
from penchant.preferences import Preferences
from penchant.preferences.rows import Comparisons
from penchant.schema import Array, Maybe, Number, Whole, require
from penchant.worth.worth_model import WorthModel, spread

Q = log(10) / 400
SPREAD = 3 * Q**2 / pi**2

Game = tuple[int, int, float, int]
"""Two players, the score of the first (1, or ½ for a tie), and how often that happened."""


def _check_periods(state: Mapping[str, Any]) -> None:
    require(state["least_deviation"] <= state["deviation"], "least_deviation must not be above deviation")
    require((state["opening_"][1] > 0).all(), "opening_ must have variances above 0")
    require((state["lessons_"][0] >= 0).all(), "lessons_ must hold information of at least 0")


MOST_GAMES = 100_000_000
"""The most games, which are processed one by one in some minutes."""


class Glicko(WorthModel):
    """Ratings that are updated after each game, each with a standard deviation (Glickman 1999).

    The games are processed one at a time in the order of the rows, both players being rated by their ratings before
    the game. **Order matters**: the same answers in another order give other ratings, since each game is evaluated
    once, with the ratings before it. Where the order of the answers means
    nothing, use `BradleyTerry`.

    Where the preferences have a column ``period``, its values are Glickman's rating periods: all games of a
    period are evaluated with the ratings before it, also when they come in several updates.

    A tie is half a point for each, which is the published rule and no model of how likely ties are. A whole
    weight repeats the game; any other is an error. A ranking plays the games that it implies, its best item
    first; those games are not independent, so the deviations of rankings are too small (`PlackettLuce` takes
    rankings as they are). The bar of both-bad answers is a player like any other.

    Parameters
    ----------
    rating : float
        The rating of an item before its first game.
    deviation : float
        The standard deviation of that rating; above 0.
    least_deviation : float
        No deviation falls below it, so that every rating can still change. 0, the default, lets them fall as far as
        the games justify; Glickman suggests 30 for players whose strength changes.
    growth : float
        Glickman's c: from each period to the next, c² is added to the squared deviation, up to ``deviation``.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        The ratings. A difference of 400 is odds of ten to one between items that are known exactly.
    variances_ : array of shape (n_items,)
        The squared deviations.
    opening_ : array of shape (2, n_items)
        Ratings and squared deviations before the last period (without periods: after all games).
    lessons_ : array of shape (2, n_items)
        The sums over the games of the last period so far: information, and points above expectation.
    period_ : int or None
        The last period so far.

    Examples
    --------
    >>> from penchant import Preferences
    >>> model = Glicko().fit(Preferences.from_pairs([("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")]))
    >>> model.rank().items
    ('ann', 'bob', 'cyd')
    >>> model.scores_.round().tolist(), model.deviations_.round().tolist()
    ([1750.0, 1480.0, 1244.0], [256.0, 247.0, 245.0])
    """

    order_matters = True

    __saved__: ClassVar = WorthModel.__saved__.extended(
        {
            "rating": Number(),
            "deviation": Number(above=0),
            "least_deviation": Number(0),
            "growth": Number(0),
        },
        {
            "variances_": Array(("n_items",), above=0),
            "opening_": Array((2, "n_items")),
            "lessons_": Array((2, "n_items")),
            "period_": Maybe(Whole(-(2**63))),
        },
        rules=(_check_periods,),
    )

    noise_ = LOGISTIC_NOISE / Q
    variances_: Floats
    opening_: Floats
    lessons_: Floats
    period_: int | None

    def __init__(
        self,
        rating: float = 1500.0,
        *,
        deviation: float = 350.0,
        least_deviation: float = 0.0,
        growth: float = 0.0,
    ) -> None:
        self.rating = rating
        self.deviation = deviation
        self.least_deviation = least_deviation
        self.growth = growth

    @property
    def deviations_(self) -> Floats:
        """The standard deviation of each rating, shape (n_items,)."""
        return np.sqrt(self._fitted().variances_)

    def _variance(self) -> Floats:
        return self.variances_

    def update(self, preferences: Preferences) -> Self:
        """Process more games, after those already processed. New items start at ``rating`` and ``deviation``."""
        self._check(preferences)
        if hasattr(self, "scores_") and preferences.period is not None and self.period_ is not None:
            _check_periods_ascend(np.append(self.period_, preferences.period), first_row=-1)
        return super().update(preferences)

    def _check(self, preferences: Preferences) -> None:
        super()._check(preferences)
        if preferences.weight is not None:
            _check_weights(preferences.weight)
        if preferences.period is not None:
            _check_periods_ascend(preferences.period)

    def _start(self, n_items: int) -> None:
        self._check_settings()
        self.period_ = None
        self.opening_ = self._beginners(n_items)
        self.lessons_ = np.zeros((2, n_items))

    def _rearrange(self, moved: Ints, n_items: int) -> None:
        opening = self._beginners(n_items)
        opening[:, moved] = self.opening_
        self.opening_ = opening
        self.lessons_ = np.stack([spread(lesson, moved, n_items) for lesson in self.lessons_])

    def _beginners(self, n_items: int) -> Floats:
        return np.repeat([[float(self.rating)], [float(self.deviation) ** 2]], n_items, axis=1)

    def _learn(self, preferences: Preferences) -> None:
        for block in preferences.pair_blocks():
            if block.period is None:
                self._play_in_turn(block)
            else:
                self._play_periods(block, block.period)
        self.scores_, self.variances_ = self._standing()

    def _play_in_turn(self, games: Comparisons) -> None:
        self.opening_, self.lessons_ = self._standing(), np.zeros_like(self.opening_)
        rating, variance = self.opening_.tolist()
        least = self.least_deviation**2
        for first, second, score, times in _scored(games):
            for _ in range(times):
                by_first = lesson(rating[first], rating[second], variance[second], score)
                by_second = lesson(rating[second], rating[first], variance[first], 1 - score)
                rating[first], variance[first] = moved(rating[first], variance[first], *by_first, least)
                rating[second], variance[second] = moved(rating[second], variance[second], *by_second, least)
        self.opening_ = np.array([rating, variance])

    def _play_periods(self, games: Comparisons, period: Ints) -> None:
        bounds = [0, *(np.flatnonzero(np.diff(period)) + 1), len(period)]
        scored = list(_scored(games))
        for start, stop in pairwise(bounds):
            self._open(int(period[start]))
            self._add_up(scored[start:stop])

    def _open(self, period: int) -> None:
        """Begin ``period``, unless it is the current one."""
        if period == self.period_:
            return
        passed = 0 if self.period_ is None else period - self.period_
        rating, variance = self._standing()
        grown = np.minimum(variance + passed * self.growth**2, self.deviation**2)
        self.opening_ = np.stack([rating, grown])
        self.lessons_ = np.zeros_like(self.opening_)
        self.period_ = period

    def _add_up(self, games: Iterable[Game]) -> None:
        """Add what ``games`` of the open period teach, one after the other, so that chunks change nothing."""
        rating, variance = self.opening_.tolist()
        information, gain = self.lessons_.tolist()
        for first, second, score, times in games:
            by_first = lesson(rating[first], rating[second], variance[second], score)
            by_second = lesson(rating[second], rating[first], variance[first], 1 - score)
            for _ in range(times):
                for player, (precision, points) in ((first, by_first), (second, by_second)):
                    information[player] += precision
                    gain[player] += points
        self.lessons_ = np.array([information, gain])

    def _standing(self) -> Floats:
        """Return ratings and squared deviations after all games so far, shape (2, n_items)."""
        rating, variance = self.opening_.tolist()
        information, gain = self.lessons_.tolist()
        least = self.least_deviation**2
        for item in np.flatnonzero(self.lessons_.any(axis=0)).tolist():
            change = information[item], gain[item]
            rating[item], variance[item] = moved(rating[item], variance[item], *change, least)
        return np.array([rating, variance])

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        from scipy.special import expit

        both = self.variances_[first] + self.variances_[second]
        return expit(Q / np.sqrt(1 + SPREAD * both) * (self.scores_[first] - self.scores_[second]))

    def _check_settings(self) -> None:
        check_number("rating", self.rating, remedy="1500 is usual")
        check_number("deviation", self.deviation, above=0, remedy="350 is usual")
        check_number(
            "least_deviation", self.least_deviation, least=0, most=self.deviation, remedy="30 is usual"
        )
        check_number("growth", self.growth, least=0, remedy="0 is no growth")


def lesson(rating: float, other: float, other_variance: float, score: float) -> tuple[float, float]:
    """Return the information 1/d² of a game about the rating, and its points above expectation q g (s − E).

    The expected score E = 1 / (1 + 10^(−g (r − r_j)/400)) is written as a hyperbolic tangent, which cannot
    overflow.
    """
    g = 1 / sqrt(1 + SPREAD * other_variance)
    expected = 0.5 + 0.5 * tanh(0.5 * Q * g * (rating - other))
    return (Q * g) ** 2 * expected * (1 - expected), Q * g * (score - expected)


def moved(
    rating: float, variance: float, information: float, gain: float, least: float
) -> tuple[float, float]:
    """Return rating and squared deviation, at least ``least``, after games of that information and gain."""
    after = 1 / (1 / variance + information)
    return rating + after * gain, max(after, least)


def _scored(games: Comparisons) -> Iterable[Game]:
    score = np.where(games.tie, 0.5, 1.0)
    columns = games.better, games.worse, score, games.weight.astype(np.int64)
    return zip(*(column.tolist() for column in columns), strict=True)


def _check_weights(weight: Floats) -> None:
    parts = np.flatnonzero(weight != np.floor(weight))
    if parts.size:
        raise InvalidInput(
            f"weight of row {parts[0]} must be a whole number for Glicko, which repeats the game so often, "
            f"got {weight[parts[0]]:g}: round it, or use BradleyTerry"
        )
    if weight.sum() > MOST_GAMES:
        raise InvalidInput(
            f"weights must add up to at most {MOST_GAMES:,} games for Glicko, which plays each of them, got "
            f"{weight.sum():,.0f}: use BradleyTerry"
        )


def _check_periods_ascend(period: Ints, first_row: int = 0) -> None:
    back = np.flatnonzero(np.diff(period) < 0)
    if back.size:
        here = back[0] + 1
        raise InvalidInput(
            f"period of row {here + first_row} must be at least {period[here - 1]}, the one before, "
            f"got {period[here]}: sort the rows by period"
        )
