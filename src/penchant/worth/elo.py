"""Elo's ratings, updated game by game in the order of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from penchant.checks import Ints, check_number
from penchant.schema import Number
from penchant.worth.rated import Lesson, Player, Q, RatedWorth, expected_score, rated_schema


class Elo(RatedWorth):
    """Elo's ratings: after each game, k times the points above expectation are added (Elo 1978).

    An item of rating r is expected to score E = 1 / (1 + 10^(−(r − r_j)/400)) points against one of rating r_j, a win
    being 1 point, a tie ½ and a loss 0. The games are processed one at a time in the order of the rows, with the
    ratings before each game. **Order matters**, and a rating follows the last games more than the first: where the
    order of the answers means nothing, use `BradleyTerry`.

    Where the preferences have a column ``period``, all games of a period are evaluated with the ratings before it, as
    in a tournament, also when they come in several updates. A whole weight repeats the game; any other is an error. A
    ranking plays the games that it implies. The bar of both-bad answers is a player like any other.

    Elo's rule has no errors. The intervals here are those of its ratings around strengths that do not change: a game
    moves the variance V of a rating to (1 − k q w)² V + k² w, with w = E (1 − E) and q = ln 10 / 400, which tends to
    k / (2 q) however many games there are (sd 53 for k = 32). They take the ratings of opponents as exact.
    `penchant.worth.bootstrap` gives intervals that rest on the games alone.

    Parameters
    ----------
    rating : float
        The rating of an item before its first game.
    k : float
        The most points that one game can change; above 0. 32 is usual, 10 to 40 in chess, 4 for votes on models.
    deviation : float
        The standard deviation of strengths around the first rating, for the intervals alone; above 0.
    start : mapping of ids, optional
        Other starting values: of each item the rating, or a pair of rating and deviation.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        The ratings. A difference of 400 is odds of ten to one.
    variances_ : array of shape (n_items,)
        The variance of each rating.
    opening_ : array of shape (2, n_items)
        Ratings and variances before the last period (without periods: after all games).
    lessons_ : array of shape (2, n_items)
        The sums over the games of the last period so far: E (1 − E), and points above expectation.
    period_ : int or None
        The last period so far.

    References
    ----------
    Elo, "The rating of chessplayers, past and present", 1978.

    Examples
    --------
    >>> from penchant import Preferences
    >>> model = Elo(start={"ann": 1613, "bob": 1388}).fit(Preferences.from_pairs([("ann", "bob"), ("bob", "ann")]))
    >>> model.scores_.round(1).tolist()
    [1594.3, 1406.7]
    >>> round(model.win_probability("ann", "bob"), 2)
    0.75
    """

    __saved__: ClassVar = rated_schema(2, {"k": Number(above=0)})

    def __init__(
        self,
        rating: float = 1500.0,
        *,
        k: float = 32.0,
        deviation: float = 350.0,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        self.rating = rating
        self.k = k
        self.deviation = deviation
        self.start = start

    def _check_settings(self) -> None:
        super()._check_settings()
        check_number("k", self.k, above=0, remedy="32 is usual")

    def _beginner(self, values: tuple[float, ...]) -> Player:
        rating, deviation = (*values, *(float(self.rating), float(self.deviation))[len(values) :])
        return rating, deviation**2

    def _lesson(self, player: Player, opponent: Player, score: float) -> Lesson:
        expected = expected_score(player[0] - opponent[0])
        return expected * (1 - expected), score - expected

    def _after(self, player: Player, information: float, gain: float) -> Player:
        rating, variance = player
        kept = (1 - self.k * Q * information) ** 2 * variance
        return rating + self.k * gain, kept + self.k**2 * information

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        from scipy.special import expit

        return expit(Q * (self.scores_[first] - self.scores_[second]))
