"""Step two, RankSVM: what pairs cost. Scores in; the loss, its slope and its curvature out.

Both losses are weighted means over the pairs, times C, of a function of the margin m = s_better − s_worse:
max(0, 1 − m)², or max(0, 1 − m) smoothed by a quadratic over its last ``width``,

    [max(0, 1 − m)² − max(0, 1 − width − m)²] / (2·width),

which lies below the hinge by at most width / 2 (Nesterov, Smooth minimization of non-smooth functions, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from penchant.checks import Floats
from penchant.rankers.stated_pairs import PairSample, PairSums, Shortfall


class LossAt(Protocol):
    """A loss at one point: its value, and its slope (n_rows,) by the scores."""

    value: float
    slope: Floats

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative times ``direction``, shape (n_rows,)."""
        ...

    def sample(self, most: int) -> PairSample:
        """Return at most ``most`` pairs whose Σ weight · (d_better − d_worse)² is nearly dᵀ curvature(d)."""
        ...


Smooth = TypeVar("Smooth", bound=LossAt)
SmoothOut = TypeVar("SmoothOut", bound=LossAt, covariant=True)


class Loss(Protocol[SmoothOut]):
    """A function of the scores."""

    def __call__(self, scores: Floats) -> SmoothOut:
        """Return the loss at ``scores``, shape (n_rows,)."""
        ...


@dataclass(frozen=True)
class SquaredHinge:
    """C/|P| · Σ w·max(0, 1 − m)²."""

    pairs: PairSums
    C: float

    def __call__(self, scores: Floats) -> SquaredHingeAt:
        """Return the loss at ``scores``, shape (n_rows,)."""
        return SquaredHingeAt(self.C / self.pairs.total, self.pairs.short_of(1.0, scores))


class SquaredHingeAt:
    """The squared hinge at one point."""

    def __init__(self, scale: float, short: Shortfall) -> None:
        self._scale, self._short = scale, short
        self.value = scale * short.squared
        self.slope = 2 * scale * short.slope

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative times ``direction``, shape (n_rows,)."""
        return 2 * self._scale * self._short.curvature(direction)

    def sample(self, most: int) -> PairSample:
        """Return at most ``most`` pairs that stand for the curvature."""
        better, worse, weight = self._short.sample(most)
        return PairSample(better, worse, 2 * self._scale * weight)


@dataclass(frozen=True)
class SmoothedHinge:
    """C/|P| · Σ w·h(m), where h is the hinge smoothed over ``width``."""

    pairs: PairSums
    C: float
    width: float

    def __call__(self, scores: Floats) -> SmoothedHingeAt:
        """Return the loss at ``scores``, shape (n_rows,)."""
        short = self.pairs.short_of(1.0, scores), self.pairs.short_of(1.0 - self.width, scores)
        return SmoothedHingeAt(self.C / self.pairs.total, self.width, *short)


class SmoothedHingeAt:
    """The smoothed hinge at one point.

    Attributes
    ----------
    hinge : float
        The hinge itself, not smoothed.
    dual : float
        The sum of the dual variables C/|P| · w·min(1, max(0, 1 − m) / width): with them, the dual objective
        is ``dual − ‖Xᵀ slope‖² / 2``, a lower bound on the least objective of the hinge.
    """

    def __init__(self, scale: float, width: float, short: Shortfall, far: Shortfall) -> None:
        self._scale, self._short, self._far = scale / width, short, far
        self.value = self._scale * (short.squared - far.squared) / 2
        self.slope = self._scale * (short.slope - far.slope)
        self.hinge = scale * short.linear
        self.dual = self._scale * (short.linear - far.linear)

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative times ``direction``, shape (n_rows,)."""
        return self._scale * (self._short.curvature(direction) - self._far.curvature(direction))

    def sample(self, most: int) -> PairSample:
        """Return at most ``most`` pairs that stand for the curvature."""
        better, worse, weight = self._short.sample(most, without=self._far)
        return PairSample(better, worse, self._scale * weight)
