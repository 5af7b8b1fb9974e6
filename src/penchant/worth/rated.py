"""Ratings that are updated game by game, or period by period: what `Elo`, `Glicko` and `Glicko2` share.

A single interpreted loop processes any number of games: a compiled one may differ in the last bit, and the state would
then depend on how many games came at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import log, pi, sqrt, tanh
from typing import Any, ClassVar, Self

import numpy as np

from penchant.belief import LOGISTIC_NOISE
from penchant.checks import Floats, Ints, check_number, shown
from penchant.errors import InvalidInput
from penchant.preferences import Preferences
from penchant.preferences.rows import Comparisons
from penchant.schema import Array, Kind, Maybe, Number, Plain, Schema, Whole, require
from penchant.worth.worth_model import WorthModel, spread

Q = log(10) / 400
SPREAD = 3 * Q**2 / pi**2

Player = tuple[float, ...]
"""The rating of a player, its variance, and what else a model keeps."""
Lesson = tuple[float, float]
"""What games tell about a rating: their information, and points above expectation."""
Game = tuple[int, int, float, int]
"""Two players, the score of the first (1, or ½ for a tie), and how often that happened."""

MOST_GAMES = 100_000_000
"""The most games, which are processed one by one in some minutes."""


class RatedWorth(WorthModel):
    """Ratings after games in their order; a model says what a game tells and how a rating follows from it.

    Attributes
    ----------
    scores_, variances_ : arrays of shape (n_items,)
        The ratings and their variances.
    opening_ : array of shape (n_parts, n_items)
        What is kept of each player, as it was before the last period (without periods: after all games).
    lessons_ : array of shape (2, n_items)
        The sums over the games of the last period so far: information, and points above expectation.
    period_ : int or None
        The last period so far.
    """

    order_matters = True
    noise_ = LOGISTIC_NOISE / Q
    parts: ClassVar[tuple[str, ...]] = ("rating", "deviation")
    """What a starting value may hold of a player, in this order."""

    rating: float
    deviation: float
    start: Mapping[str, Any] | None
    variances_: Floats
    opening_: Floats
    lessons_: Floats
    period_: int | None

    def update(self, preferences: Preferences) -> Self:
        """Process more games, after those already processed. New items begin at their starting values."""
        self._check(preferences)
        if hasattr(self, "scores_") and preferences.period is not None and self.period_ is not None:
            _check_periods_ascend(np.append(self.period_, preferences.period), first_row=-1)
        return super().update(preferences)

    # -- what a model writes -------------------------------------------------------------------------------

    @abstractmethod
    def _beginner(self, values: tuple[float, ...]) -> Player:
        """Return a player before the first game, of whom the first few of ``parts`` are given."""

    @abstractmethod
    def _lesson(self, player: Player, opponent: Player, score: float) -> Lesson:
        """Return what one game tells about the rating of ``player``."""

    @abstractmethod
    def _after(self, player: Player, information: float, gain: float) -> Player:
        """Return a player after games that tell so much."""

    def _rested(self, player: Player, periods: int, played: bool) -> Player:
        """Return a player ``periods`` later, who ``played`` in the first of them or not."""
        return player

    def _publish(self, standing: Floats) -> None:
        """Set what was learned to the players as they stand, shape (n_parts, n_items)."""
        self.scores_, self.variances_ = standing[0], standing[1]

    # -- games ---------------------------------------------------------------------------------------------

    def _check(self, preferences: Preferences) -> None:
        super()._check(preferences)
        if preferences.weight is not None:
            _check_weights(preferences.weight, type(self).__name__)
        if preferences.period is not None:
            _check_periods_ascend(preferences.period)

    def _start(self, n_items: int) -> None:
        self._check_settings()
        self.period_ = None
        self.opening_ = np.full((len(self._beginner(())), n_items), np.nan)
        self.lessons_ = np.zeros((2, n_items))

    def _check_settings(self) -> None:
        check_number("rating", self.rating, remedy="1500 is usual")
        check_number("deviation", self.deviation, above=0, remedy="350 is usual")
        check_start(self.start, self.parts)

    def _rearrange(self, moved: Ints, n_items: int) -> None:
        opening = np.full((len(self.opening_), n_items), np.nan)
        opening[:, moved] = self.opening_
        self.opening_ = opening
        self.lessons_ = np.stack([spread(lesson, moved, n_items) for lesson in self.lessons_])

    def _begin_new(self) -> None:
        """Give those who have just come their starting values."""
        given, ids = check_start(self.start, self.parts), self.catalogue_.ids
        for item in np.flatnonzero(np.isnan(self.opening_[0])).tolist():
            self.opening_[:, item] = self._beginner(given.get(ids[item], ()))

    def _learn(self, preferences: Preferences) -> None:
        self._begin_new()
        for block in preferences.pair_blocks():
            if block.period is None:
                self._play_in_turn(block)
            else:
                self._play_periods(block, block.period)
        self._publish(self._standing())

    def _play_in_turn(self, games: Comparisons) -> None:
        self.opening_, self.lessons_ = self._standing(), np.zeros_like(self.lessons_)
        players = _players(self.opening_)
        lesson, after = self._lesson, self._after
        for first, second, score, times in _scored(games):
            for _ in range(times):
                winner, loser = players[first], players[second]
                players[first] = after(winner, *lesson(winner, loser, score))
                players[second] = after(loser, *lesson(loser, winner, 1 - score))
        self.opening_ = _table(players)

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
        played: list[bool] = np.any(self.lessons_ != 0, axis=0).tolist()
        self.opening_ = self._standing()
        if passed:
            rested = zip(_players(self.opening_), played, strict=True)
            self.opening_ = _table([self._rested(player, passed, took_part) for player, took_part in rested])
        self.lessons_ = np.zeros_like(self.lessons_)
        self.period_ = period

    def _add_up(self, games: Iterable[Game]) -> None:
        """Add what ``games`` of the open period teach, one after the other, so that chunks change nothing."""
        players = _players(self.opening_)
        information, gain = self.lessons_.tolist()
        for first, second, score, times in games:
            by_first = self._lesson(players[first], players[second], score)
            by_second = self._lesson(players[second], players[first], 1 - score)
            for _ in range(times):
                for player, (precision, points) in ((first, by_first), (second, by_second)):
                    information[player] += precision
                    gain[player] += points
        self.lessons_ = np.array([information, gain])

    def _standing(self) -> Floats:
        """Return the players after all games so far, shape (n_parts, n_items)."""
        players = _players(self.opening_)
        information, gain = self.lessons_.tolist()
        for item in np.flatnonzero(self.lessons_.any(axis=0)).tolist():
            players[item] = self._after(players[item], information[item], gain[item])
        return _table(players)

    def _variance(self) -> Floats:
        return self.variances_

    @property
    def deviations_(self) -> Floats:
        """The standard deviation of each rating, shape (n_items,)."""
        return np.sqrt(self._fitted().variances_)


def rated_schema(
    n_parts: int, settings: Mapping[str, Kind], learned: Mapping[str, Kind] | None = None, **schema: Any
) -> Schema:
    """Return the schema of a model of ratings that keeps ``n_parts`` numbers of each player."""
    return WorthModel.__saved__.extended(
        {"rating": Number(), "deviation": Number(above=0), **settings},
        {
            "variances_": Array(("n_items",), above=0),
            "opening_": Array((n_parts, "n_items")),
            "lessons_": Array((2, "n_items")),
            "period_": Maybe(Whole(-(2**63))),
            **(learned or {}),
        },
        added={"start": Plain()},
        rules=(_check_sums, *schema.pop("rules", ())),
    )


def _check_sums(state: Mapping[str, Any]) -> None:
    require((state["opening_"][1:] > 0).all(), "opening_ must have variances above 0")
    require((state["lessons_"][0] >= 0).all(), "lessons_ must hold information of at least 0")


def check_start(start: object, parts: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """Return the starting values that are given, of each player one or more of ``parts``."""
    if start is None:
        return {}
    if not isinstance(start, Mapping):
        raise InvalidInput.of("start", "map ids to ratings", shown(start), 'give for instance {"ann": 1613}')
    found = {}
    for name, given in start.items():
        values = tuple(given) if isinstance(given, list | tuple) else (given,)
        if not 0 < len(values) <= len(parts):
            limit = f"be a rating, or a list of {', '.join(parts)}"
            raise InvalidInput.of(f"start of {shown(name)}", limit, shown(given), "correct it")
        called = [f"start of {shown(name)}, {part}," for part in parts]
        bounds = [None, *(0 for _ in parts[1:])]
        found[str(name)] = tuple(
            check_number(what, value, above=bound, remedy="correct it")
            for what, value, bound in zip(called, values, bounds, strict=False)
        )
    return found


def expected_score(difference: float) -> float:
    """Return 1 / (1 + 10^(−difference/400)), written as a hyperbolic tangent, which cannot overflow."""
    return 0.5 + 0.5 * tanh(0.5 * Q * difference)


def glicko_lesson(rating: float, other: float, other_variance: float, score: float) -> Lesson:
    """Return the information 1/d² of a game about the rating, and its points above expectation q g (s − E).

    The expected score is E = 1 / (1 + 10^(−g (r − r_j)/400)).
    """
    g = 1 / sqrt(1 + SPREAD * other_variance)
    expected = expected_score(g * (rating - other))
    return (Q * g) ** 2 * expected * (1 - expected), Q * g * (score - expected)


def glicko_moved(rating: float, variance: float, information: float, gain: float) -> tuple[float, float]:
    """Return rating and squared deviation after games of that information and gain."""
    after = 1 / (1 / variance + information)
    return rating + after * gain, after


def _players(table: Floats) -> list[Player]:
    return list(zip(*table.tolist(), strict=True))


def _table(players: list[Player]) -> Floats:
    return np.array(players, dtype=np.float64).T.copy()


def _scored(games: Comparisons) -> Iterable[Game]:
    score = np.where(games.tie, 0.5, 1.0)
    columns = games.better, games.worse, score, games.weight.astype(np.int64)
    return zip(*(column.tolist() for column in columns), strict=True)


def _check_weights(weight: Floats, model: str) -> None:
    parts = np.flatnonzero(weight != np.floor(weight))
    if parts.size:
        raise InvalidInput(
            f"weight of row {parts[0]} must be a whole number for {model}, which repeats the game so often, "
            f"got {weight[parts[0]]:g}: round it, or use BradleyTerry"
        )
    if weight.sum() > MOST_GAMES:
        raise InvalidInput(
            f"weights must add up to at most {MOST_GAMES:,} games for {model}, which plays each of them, got "
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
