"""Glickman's first ratings, updated game by game in the order of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from penchant.checks import Ints, check_number
from penchant.schema import Number, require
from penchant.worth.rated import (
    SPREAD,
    Lesson,
    Player,
    Q,
    RatedWorth,
    glicko_lesson,
    glicko_moved,
    rated_schema,
)


def _check_deviations(state: Mapping[str, Any]) -> None:
    require(state["least_deviation"] <= state["deviation"], "least_deviation must not be above deviation")


class Glicko(RatedWorth):
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
    start : mapping of ids, optional
        Other starting values: of each item the rating, or a pair of rating and deviation.

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

    __saved__: ClassVar = rated_schema(
        2, {"least_deviation": Number(0), "growth": Number(0)}, rules=(_check_deviations,)
    )

    def __init__(
        self,
        rating: float = 1500.0,
        *,
        deviation: float = 350.0,
        least_deviation: float = 0.0,
        growth: float = 0.0,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        self.rating = rating
        self.deviation = deviation
        self.least_deviation = least_deviation
        self.growth = growth
        self.start = start

    def _check_settings(self) -> None:
        super()._check_settings()
        check_number(
            "least_deviation", self.least_deviation, least=0, most=self.deviation, remedy="30 is usual"
        )
        check_number("growth", self.growth, least=0, remedy="0 is no growth")

    def _beginner(self, values: tuple[float, ...]) -> Player:
        rating, deviation = (*values, *(float(self.rating), float(self.deviation))[len(values) :])
        return rating, deviation**2

    def _lesson(self, player: Player, opponent: Player, score: float) -> Lesson:
        return glicko_lesson(player[0], opponent[0], opponent[1], score)

    def _after(self, player: Player, information: float, gain: float) -> Player:
        rating, variance = glicko_moved(player[0], player[1], information, gain)
        return rating, max(variance, self.least_deviation**2)

    def _rested(self, player: Player, periods: int, played: bool) -> Player:
        rating, variance = player
        return rating, max(variance, min(variance + periods * self.growth**2, self.deviation**2))

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        from scipy.special import expit

        both = self.variances_[first] + self.variances_[second]
        return expit(Q / np.sqrt(1 + SPREAD * both) * (self.scores_[first] - self.scores_[second]))
