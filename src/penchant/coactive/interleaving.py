"""Say which of two orders people prefer, from clicks on their team drafts, with an interval that holds at any time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log, nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, check_level, shown, whole
from penchant.errors import InvalidInput, UnknownItem
from penchant.schema import Number, Row, Schema, Whole

if TYPE_CHECKING:
    from pandas import DataFrame

_STEPS = 28
_TILTS: Floats = np.concatenate([sign * 8.0 * 2.0 ** (-np.arange(_STEPS) / 2) for sign in (1.0, -1.0)])
"""The λ of `log_evidence`, each with the same weight; from about 1 to 10⁷ rounds one of them is near the best."""


@dataclass(frozen=True, repr=False)
class Interleaving:
    """How often the first of two interleaved orders got more clicks than the second. Build one with `of`.

    Attributes
    ----------
    wins, losses, ties : int
        Rounds in which the first order got more clicks, fewer, and as many; rounds without a click are ties.
    share : float
        wins / (wins + losses); NaN before the first round that is decided.
    interval : (float, float)
        For the mean of the probabilities with which the first order won each of the decided rounds so far, given all
        that was before. Where orders, people and contexts change, those change too; where the two orders are equally
        good, it is 1/2.
    level : float
        The probability that the interval holds in all rounds together, so that it may be looked at after each, and
        looking may stop when it excludes 1/2.

    Examples
    --------
    >>> Interleaving.of(wins=60, losses=20, ties=5)
    Interleaving(60 won, 20 lost, 5 ties: share 0.75, 95 % interval 0.56 to 0.89)
    """

    __saved__: ClassVar = Schema(
        {
            "wins": Whole(0),
            "losses": Whole(0),
            "ties": Whole(0),
            "share": Number(0, 1, nan=True),
            "interval": Row((Number(0, 1), Number(0, 1))),
            "level": Number(above=0, below=1),
        }
    )

    wins: int
    losses: int
    ties: int
    share: float
    interval: tuple[float, float]
    level: float

    @classmethod
    def of(cls, wins: int, losses: int, ties: int = 0, *, level: float = 0.95) -> Self:
        """Return the result of so many rounds."""
        interval = share_interval(wins, losses, level=level)
        share = wins / (wins + losses) if wins + losses else nan
        return cls(int(wins), int(losses), whole("ties", ties, 0), share, interval, float(level))

    @property
    def winner(self) -> int:
        """1 where the interval lies above 1/2, −1 where it lies below, 0 where it is undecided."""
        return int(self.interval[0] > 0.5) - int(self.interval[1] < 0.5)

    def to_frame(self) -> DataFrame:
        """Return the result as a table of one row."""
        from pandas import DataFrame

        low, high = self.interval
        row = {"wins": self.wins, "losses": self.losses, "ties": self.ties, "share": self.share}
        return DataFrame([row | {"low": low, "high": high, "level": self.level}])

    def __repr__(self) -> str:
        low, high = self.interval
        share = f"share {self.share:.2f}, " if self.wins + self.losses else ""
        return (
            f"Interleaving({self.wins} won, {self.losses} lost, {self.ties} ties: {share}"
            f"{100 * self.level:g} % interval {low:.2f} to {high:.2f})"
        )

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


def draft_winner(teams: ArrayLike, clicked: Iterable[int]) -> int:
    """Return which order won a round: 1 the first, −1 the second, 0 neither.

    The winner is the order that added more of the clicked items; a second click on an item counts nothing.

    Parameters
    ----------
    teams : array-like of shape (n,)
        For each item the order that added it, 0 or 1, as `penchant.orders.team_draft` returns it.
    clicked : iterable of int
        Items.

    Examples
    --------
    >>> draft_winner([0, 1, 0, 1], clicked=[2, 0, 1, 2])
    1
    """
    team = np.asarray(teams)
    if team.ndim != 1 or not np.isin(team, (0, 1)).all():
        raise InvalidInput.of(
            "teams", "be 0 or 1 for each item", shown(teams), "give what team_draft returned"
        )
    items: Ints = np.array(sorted({whole("clicked", item, 0) for item in clicked}), dtype=np.int64)
    if items.size and items[-1] >= team.size:
        raise UnknownItem.of(
            "clicked", f"be items from 0 to {team.size - 1}", items[-1], "give presented items"
        )
    return int(np.sign(np.sum(1 - 2 * team[items].astype(np.int64))))


def share_interval(wins: int, losses: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return an interval for the mean win probability of the rounds so far that holds at any time.

    It holds all shares for which `log_evidence` is below log(1 / (1 − level)). Its logarithm is convex in the share and
    at most 0 at the observed one, so that this is an interval around it.

    Examples
    --------
    >>> tuple(round(end, 2) for end in share_interval(20, 0))
    (0.76, 1.0)
    """
    check_level(level)
    n = whole("wins", wins, 0) + whole("losses", losses, 0)
    if not n:
        return 0.0, 1.0
    limit = -log(1 - level)
    return _end(wins, n, limit, 0.0), _end(wins, n, limit, 1.0)


def log_evidence(wins: ArrayLike, n: ArrayLike, share: ArrayLike) -> Floats:
    """Return the logarithm of the evidence against a mean win probability of ``share`` in ``n`` decided rounds.

    The evidence is the mean over λ of exp(λ·wins − n·log(1 − share + share·exp(λ))). Where round i is won with
    probability pᵢ given the past, exp(λ·wins − Σ log(1 − pᵢ + pᵢ·exp(λ))) is a martingale that starts at 1; its
    exponent is at least the one above with the mean of the pᵢ as the share, since log(1 − p + p·exp(λ)) is concave in
    p (Jensen). So the evidence against the true mean ever reaches 1/α with a probability of at most α (Ville).

    References
    ----------
    Howard, Ramdas, McAuliffe and Sekhon, Time-uniform, nonparametric, nonasymptotic confidence sequences, Annals of
    Statistics 2021.
    """
    wins, n, share = (np.asarray(given, dtype=np.float64)[..., None] for given in (wins, n, share))
    exponents = _TILTS * wins - n * np.log1p(share * np.expm1(_TILTS))
    most = exponents.max(axis=-1)
    return np.asarray(most + np.log(np.mean(np.exp(exponents - most[..., None]), axis=-1)))


def _end(wins: int, n: int, limit: float, end: float) -> float:
    """Return the end of the interval between the observed share and ``end`` by bisection, from outside."""
    inside, outside = wins / n, end
    if inside == end or log_evidence(wins, n, end) < limit:
        return end
    for _ in range(60):
        middle = (inside + outside) / 2
        if log_evidence(wins, n, middle) < limit:
            inside = middle
        else:
            outside = middle
    return float(outside)
