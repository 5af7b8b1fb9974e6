"""Glickman's second ratings, whose volatility says how fast a strength changes."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Any, ClassVar

import numpy as np

from penchant.checks import Floats, Ints, check_number
from penchant.schema import Array, Number
from penchant.worth.rated import SPREAD, Lesson, Player, Q, RatedWorth, glicko_lesson, rated_schema

_CLOSE = 1e-6  # of the logarithm of a squared volatility, as in step 5 of the paper


class Glicko2(RatedWorth):
    """Ratings with a standard deviation and a volatility, updated period by period (Glickman 2012).

    Beside a rating and its deviation, as in `Glicko`, each item has a volatility: how much its strength is expected to
    change from one period to the next. Results that were not expected raise it, steady ones lower it.

    Where the preferences have a column ``period``, its values are the rating periods; Glickman recommends ten to
    fifteen games an item in each. The deviation of an item that does not play grows by its volatility, up to
    ``deviation``. Without periods each game is a period of the two who play it, in the order of the rows: **order
    matters**. Ties, weights, rankings and the bar are as in `Glicko`.

    Parameters
    ----------
    rating : float
        The rating of an item before its first game.
    deviation : float
        The standard deviation of that rating; above 0.
    volatility : float
        The volatility before the first game, in units of 400/ln 10 = 173.7 rating points; above 0.
    tau : float
        How much volatilities may change; Glickman recommends 0.3 to 1.2, less where upsets are common.
    start : mapping of ids, optional
        Other starting values: of each item the rating, or a list of rating, deviation and volatility.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        The ratings. A difference of 400 is odds of ten to one between items that are known exactly.
    variances_, volatilities_ : arrays of shape (n_items,)
        The squared deviations, and the volatilities.
    opening_ : array of shape (3, n_items)
        Ratings, squared deviations and volatilities before the last period (without periods: after all games).
    lessons_ : array of shape (2, n_items)
        The sums over the games of the last period so far: information, and points above expectation.
    period_ : int or None
        The last period so far.

    References
    ----------
    Glickman, "Example of the Glicko-2 system", 2012, whose steps 3 to 8 are followed.

    Examples
    --------
    >>> from penchant import Preferences
    >>> games = Preferences.from_pairs([("ann", "bob"), ("cyd", "ann"), ("dan", "ann")], period=[1, 1, 1])
    >>> begun = {"ann": [1500, 200], "bob": [1400, 30], "cyd": [1550, 100], "dan": [1700, 300]}
    >>> model = Glicko2(start=begun).fit(games)
    >>> [float(x[0].round(5)) for x in (model.scores_, model.deviations_, model.volatilities_)]
    [1464.05067, 151.51652, 0.06]
    """

    parts = ("rating", "deviation", "volatility")

    __saved__: ClassVar = rated_schema(
        3,
        {"volatility": Number(above=0), "tau": Number(above=0)},
        {"volatilities_": Array(("n_items",), above=0)},
    )

    volatilities_: Floats

    def __init__(
        self,
        rating: float = 1500.0,
        *,
        deviation: float = 350.0,
        volatility: float = 0.06,
        tau: float = 0.5,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        self.rating = rating
        self.deviation = deviation
        self.volatility = volatility
        self.tau = tau
        self.start = start

    def _check_settings(self) -> None:
        super()._check_settings()
        check_number("volatility", self.volatility, above=0, most=10, remedy="0.06 is usual")
        check_number("tau", self.tau, above=0, most=10, remedy="0.3 to 1.2 are usual")

    def _beginner(self, values: tuple[float, ...]) -> Player:
        usual = float(self.rating), float(self.deviation), float(self.volatility)
        rating, deviation, volatility = (*values, *usual[len(values) :])
        return rating, deviation**2, volatility

    def _lesson(self, player: Player, opponent: Player, score: float) -> Lesson:
        return glicko_lesson(player[0], opponent[0], opponent[1], score)

    def _after(self, player: Player, information: float, gain: float) -> Player:
        rating, variance, volatility = player
        # The paper's φ², v and Δ, which are in units of 1/Q.
        if information:
            v = Q**2 / information
            volatility = new_volatility(volatility, variance * Q**2, v, v * gain / Q, self.tau)
        after = 1 / (1 / (variance + (volatility / Q) ** 2) + information)
        return rating + after * gain, after, volatility

    def _rested(self, player: Player, periods: int, played: bool) -> Player:
        # Where it played, the growth of that period is in step 6 already.
        rating, variance, volatility = player
        grown = variance + (periods - played) * (volatility / Q) ** 2
        return rating, max(variance, min(grown, self.deviation**2)), volatility

    def _publish(self, standing: Floats) -> None:
        super()._publish(standing)
        self.volatilities_ = standing[2]

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        from scipy.special import expit

        both = self.variances_[first] + self.variances_[second]
        return expit(Q / np.sqrt(1 + SPREAD * both) * (self.scores_[first] - self.scores_[second]))


def new_volatility(volatility: float, spread: float, v: float, delta: float, tau: float) -> float:
    """Return the volatility after a period, by the Illinois algorithm of step 5.

    Parameters
    ----------
    volatility : float
        σ, before the period.
    spread : float
        φ², the squared deviation before the period.
    v, delta : float
        The variance of the rating by the games alone, and the improvement that they suggest.
    tau : float

    Examples
    --------
    >>> round(new_volatility(0.06, 1.1513**2, 1.7785, -0.4834, 0.5), 5)
    0.06
    """
    before = log(volatility**2)

    def slope(x: float) -> float:
        total = spread + v + exp(x)
        return exp(x) * (delta**2 - total) / (2 * total**2) - (x - before) / tau**2

    start = before
    if delta**2 > spread + v:
        end = log(delta**2 - spread - v)
    else:
        steps = 1
        while slope(start - steps * tau) < 0:
            steps += 1
        end = start - steps * tau
    at_start, at_end = slope(start), slope(end)
    while abs(end - start) > _CLOSE:
        middle = start + (start - end) * at_start / (at_end - at_start)
        at_middle = slope(middle)
        if at_middle * at_end <= 0:
            start, at_start = end, at_end
        else:
            at_start /= 2
        end, at_end = middle, at_middle
    return exp(start / 2)
