"""Evaluate RankSVM's losses, their gradient and curvature, and their part of the duality gap.

Both losses are weighted means over the pairs, times C, of a function of the margin m = s_better − s_worse:
max(0, 1 − m)², or max(0, 1 − m) smoothed by a quadratic over its last ``width``,

    [max(0, 1 − m)² − max(0, 1 − width − m)²] / (2·width),

which lies below the hinge by at most width / 2 (Nesterov, Smooth minimization of non-smooth functions, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeVar

import numpy as np

from penchant.checks import Floats
from penchant.rankers.solvers.pair_sums import PairSample, PairSums, Shortfall

_NARROWEST = 1e-7  # differences of squares over a smaller width would lose too many digits


class LossAt(Protocol):
    """A loss at one point, smoothed where it has kinks.

    Attributes
    ----------
    value : float
        The smooth loss.
    gradient : ndarray of shape (n_rows,)
        Its derivative by the scores. The derivatives by the margins, α, are feasible for the dual of the loss
        itself; ``gradient`` is minus their sum over the pairs that a row is the better one of, plus that over the
        pairs that it is the worse one of.
    exact : float
        The loss itself, not smoothed.
    smoothing_gap : float
        Σ loss(m) + loss*(−α) + α·m over the pairs, with loss* the convex conjugate of the loss itself: what
        smoothing adds to the duality gap, at least 0.
    """

    value: float
    gradient: Floats
    exact: float
    smoothing_gap: float

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
    """C/|P| · Σ w·max(0, 1 − m)², multiplied by ``share`` of at most 1."""

    pairs: PairSums
    C: float
    share: float = 1.0

    def __call__(self, scores: Floats) -> SquaredHingeAt:
        """Return the loss at ``scores``, shape (n_rows,)."""
        return SquaredHingeAt(self.C / self.pairs.total, self.share, self.pairs.short_of(1.0, scores))

    def stiffer(self, ratio: float) -> Self | None:
        """Return the loss of a share 1/``ratio`` times as large but at most 1, or None if it is 1."""
        return None if self.share == 1 else replace(self, share=min(1.0, self.share / ratio))


class SquaredHingeAt:
    """The squared hinge at one point, multiplied by ``share``."""

    def __init__(self, scale: float, share: float, short: Shortfall) -> None:
        self._scale, self._short = scale * share, short
        self.exact = scale * short.squared
        self.value = share * self.exact
        self.gradient = 2 * self._scale * short.gradient
        self.smoothing_gap = (1 - share) ** 2 * self.exact

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

    def stiffer(self, ratio: float) -> Self | None:
        """Return the loss of a width ``ratio`` times as large, or None if rounding forbids a smaller one."""
        return None if self.width <= _NARROWEST else replace(self, width=self.width * ratio)


class SmoothedHingeAt:
    """The smoothed hinge at one point.

    The dual variables of the hinge are α = C/|P| · w·min(1, z / width) with z = max(0, 1 − m), and its conjugate
    is −α for 0 ≤ α ≤ C/|P| · w. A pair adds C/|P| · w·z·(1 − z / width) to the gap if z is below the width.
    """

    def __init__(self, scale: float, width: float, short: Shortfall, far: Shortfall) -> None:
        self._scale, self._short, self._far = scale / width, short, far
        self.value = self._scale * (short.squared - far.squared) / 2
        self.gradient = self._scale * (short.gradient - far.gradient)
        self.exact = scale * short.linear
        within = short.linear + far.linear - (short.squared - far.squared) / width
        rounding = 4 * np.finfo(np.float64).eps * (short.squared + far.squared) / width
        self.smoothing_gap = scale * (max(0.0, within) + float(rounding))

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative times ``direction``, shape (n_rows,)."""
        return self._scale * (self._short.curvature(direction) - self._far.curvature(direction))

    def sample(self, most: int) -> PairSample:
        """Return at most ``most`` pairs that stand for the curvature."""
        better, worse, weight = self._short.sample(most, without=self._far)
        return PairSample(better, worse, self._scale * weight)


class SmoothLoss(Loss[LossAt], Protocol):
    """A loss that is smooth, at or below the loss itself."""

    def stiffer(self, ratio: float) -> Self | None:
        """Return the loss with a curvature 1/``ratio`` times as large, nearer to the loss itself, if there is one."""
        ...


def smooth_loss(loss: str, pairs: PairSums, C: float, softness: float = 1.0) -> SmoothLoss:
    """Return the loss of that name, with curvature divided by ``softness`` of at least 1."""
    return SmoothedHinge(pairs, C, softness) if loss == "hinge" else SquaredHinge(pairs, C, 1 / softness)
