"""Follow the weights of a learner: how steady each is, and how far their direction has turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, degrees, isnan, nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from penchant.checks import Floats, shown
from penchant.coactive._kernels import norm
from penchant.coactive.learner import FINITE
from penchant.errors import InvalidInput
from penchant.schema import Array, Number, Schema, Texts, Whole, require

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 6


@dataclass(frozen=True, eq=False, repr=False)
class WeightReport:
    """The weights of a learner by the names of their features, with how steady they are.

    Attributes
    ----------
    names : tuple of str
    values : ndarray of shape (n,)
        The weights.
    shares : ndarray of shape (n,)
        The weights divided by their norm: only their direction ranks.
    deviations : ndarray of shape (n,)
        The standard deviation of each share over the rounds so far, in which round t counts t times; NaN before the
        first.
    steadiness : ndarray of shape (n,)
        m² / (m² + s²) with the mean m of the share over the rounds, counted in the same way, and its standard deviation
        s: 1 for a share that never changed, 0 for one that is 0 on average, and NaN where it has always been 0.
    rounds : int
    since : int
        The round with which `angle` compares: the largest of 1, 2, 4, 8, … that is at most half of the rounds; 0 before
        the second.
    angle : float
        The drift: by how many degrees the direction of the weights has turned since that round; NaN where the weights
        were 0 then or are now.

    Examples
    --------
    >>> tracker = WeightTracker()
    >>> for weights in ([1.0, 0.0], [2.0, 0.5]):
    ...     tracker.add(np.array(weights))
    >>> report = tracker.report(["stars", "price"], np.array([2.0, 0.5]))
    >>> report.names, report.values.tolist(), report.rounds
    (('stars', 'price'), [2.0, 0.5], 2)
    """

    __saved__: ClassVar = Schema(
        {
            "names": Texts("n"),
            "values": Array(("n",), largest=FINITE),
            "shares": Array(("n",), largest=1 + 1e-9),
            "deviations": Array(("n",), nan=True),
            "steadiness": Array(("n",), least=0, most=1, nan=True),
            "rounds": Whole(0),
            "since": Whole(0),
            "angle": Number(0, 180, nan=True),
        }
    )

    names: tuple[str, ...]
    values: Floats
    shares: Floats
    deviations: Floats
    steadiness: Floats
    rounds: int
    since: int
    angle: float

    def to_frame(self) -> DataFrame:
        """Return the weights as a table, one row a feature, the largest in size first."""
        from pandas import DataFrame

        columns = {"feature": np.array(self.names, dtype=object), "weight": self.values, "share": self.shares}
        columns |= {"deviation": self.deviations, "steadiness": self.steadiness}
        order = self._order()
        return DataFrame({name: column[order] for name, column in columns.items()})

    def __repr__(self) -> str:
        parts = [f"{self.names[place]} {self.values[place]:+.3g}" for place in self._order()[:_SHOWN]]
        more = ", …" if len(self.names) > _SHOWN else ""
        drift = "" if isnan(self.angle) else f"; {self.angle:.1f}° since round {self.since}"
        return f"WeightReport({', '.join(parts)}{more}; {self.rounds} rounds{drift})"

    def _order(self) -> Any:
        return np.argsort(-np.abs(self.values), kind="stable")

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


class WeightTracker:
    """Follow the direction of a learner's weights, w / ‖w‖, from round to round in memory of a few vectors.

    Features may join: their weight was 0 before.

    Examples
    --------
    >>> tracker = WeightTracker()
    >>> for weights in ([1.0, 0.0], [2.0, 0.5], [3.0, -0.5], [4.0, 0.5]):
    ...     tracker.add(np.array(weights))
    >>> report = tracker.report(["stars", "price"], np.array([4.0, 0.5]))
    >>> report
    WeightReport(stars +4, price +0.5; 4 rounds; 6.9° since round 2)
    >>> report.steadiness.round(2)
    array([1.  , 0.09])
    """

    __saved__: ClassVar = Schema(
        {
            "rounds": Whole(0),
            "mean": Array(("n",), largest=2.0),
            "variance": Array(("n",), least=0.0, most=4.0),
            "marks": Array((2, "n"), largest=1 + 1e-9),
        }
    )

    def __init__(self) -> None:
        self._rounds = 0
        self._mean, self._variance = np.zeros(0), np.zeros(0)
        self._marks = np.zeros((2, 0))  # the direction after the two last of rounds 1, 2, 4, …

    @property
    def rounds(self) -> int:
        """The number of rounds added."""
        return self._rounds

    def add(self, weights: Floats) -> None:
        """Add the weights after a round, shape (n_features,); never fewer than before."""
        direction = _direction(weights)
        self._widen(direction.size)
        self._rounds += 1
        gain = 2.0 / (self._rounds + 1)  # weights 1, 2, …, t have the sum t (t + 1) / 2
        step = direction - self._mean
        self._mean = self._mean + gain * step
        self._variance = (1.0 - gain) * (self._variance + gain * np.square(step))
        if self._rounds & (self._rounds - 1) == 0:
            self._marks = np.stack([self._marks[1], direction])

    def report(self, names: Sequence[str], weights: Floats) -> WeightReport:
        """Return the report on the weights of these names, as they are now."""
        shares = _direction(weights)
        if len(names) != shares.size or shares.size < self._mean.size:
            raise InvalidInput.of(
                "names",
                f"be {max(shares.size, self._mean.size)}, one a weight",
                f"{len(names)} for {shares.size} weights",
                "give all of the learner's",
            )
        grown = self.copy()
        grown._widen(shares.size)
        squares = np.square(grown._mean)
        spread = squares + grown._variance
        steadiness = np.divide(squares, spread, out=np.full(shares.size, nan), where=spread > 0)
        deviations = np.sqrt(grown._variance) if self._rounds else np.full(shares.size, nan)
        since = 1 << (self._rounds.bit_length() - 2) if self._rounds > 1 else 0
        angle = _angle(grown._marks[0], shares) if since else nan
        values = np.array(weights, dtype=np.float64)
        return WeightReport(tuple(names), values, shares, deviations, steadiness, self._rounds, since, angle)

    def copy(self) -> WeightTracker:
        """Return a tracker with the same state, which then goes its own way."""
        other = WeightTracker()  # arrays are replaced and never written to
        other._rounds, other._mean, other._variance = self._rounds, self._mean, self._variance
        other._marks = self._marks
        return other

    def __repr__(self) -> str:
        return f"WeightTracker({self._mean.size} features, {self._rounds} rounds)"

    def _widen(self, n_features: int) -> None:
        missing = n_features - self._mean.size
        if missing < 0:
            raise InvalidInput.of(
                "weights", f"be at least {self._mean.size}", n_features, "give the weights of all features"
            )
        if missing:
            self._mean, self._variance = (
                np.pad(self._mean, (0, missing)),
                np.pad(self._variance, (0, missing)),
            )
            self._marks = np.pad(self._marks, ((0, 0), (0, missing)))

    def __save_state__(self) -> dict[str, Any]:
        return {"rounds": self._rounds, "mean": self._mean, "variance": self._variance, "marks": self._marks}

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        require(state["rounds"] or not state["mean"].any(), "mean must be 0 before the first round")
        tracker = cls()
        tracker._rounds, tracker._marks = int(state["rounds"]), state["marks"]
        tracker._mean, tracker._variance = state["mean"], state["variance"]
        return tracker


def _direction(weights: Floats) -> Floats:
    """Return w / ‖w‖, or 0 where all weights are 0."""
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 1:
        raise InvalidInput.of("weights", "be a vector", shown(weights), "give one weight a feature")
    most = float(np.abs(given).max(initial=0.0))
    if most == 0.0:
        return np.zeros(given.size)
    scaled = given / most  # whose squares can be held
    return np.asarray(scaled / norm(scaled))


def _angle(first: Floats, second: Floats) -> float:
    """Return the angle between two directions in degrees; the arc cosine would lose digits of a small one."""
    if not (first.any() and second.any()):
        return nan
    return degrees(2 * atan2(norm(first - second), norm(first + second)))
