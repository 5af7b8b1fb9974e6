"""Convex losses of the utility that a worse object costs.

A loss c is convex and does not rise; its argument θ = U(x, y) − U(x, y*) is never above 0, and never below
−2M where no utility is larger than M in absolute value. ``slope`` (G) and ``strength`` (λ) hold on that
range: −G ≤ c′(θ) ≤ 0, and c is λ-strongly convex (Definition 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, check_number, numbers
from penchant.schema import Number, Schema


class Loss(Protocol):
    """What a convex regret, its bound and `SecondOrderPerceptron.for_loss` ask of a loss.

    Examples
    --------
    >>> loss = SquaredLoss(largest=50.0)
    >>> loss.value([-1.0, 2.0]), loss.slope
    (array([1., 4.]), 200.0)
    """

    @property
    def slope(self) -> float:
        """G, the steepest descent."""

    @property
    def strength(self) -> float:
        """λ of strong convexity, 0 where there is none."""

    def value(self, theta: ArrayLike) -> Floats:
        """Return c(θ), of the shape of ``theta``."""

    def derivative(self, theta: ArrayLike) -> Floats:
        """Return c′(θ), of the shape of ``theta``."""


@dataclass(frozen=True)
class LinearLoss:
    """The loss c(θ) = −θ, whose convex regret is the utility regret of eq. 4.

    Examples
    --------
    >>> LinearLoss().value([-2.0, 0.0])
    array([ 2., -0.])
    """

    __saved__: ClassVar = Schema({})

    @property
    def slope(self) -> float:
        """G = 1."""
        return 1.0

    @property
    def strength(self) -> float:
        """0: a line is not strongly convex."""
        return 0.0

    def value(self, theta: ArrayLike) -> Floats:
        """Return −θ."""
        return -numbers("theta", theta)

    def derivative(self, theta: ArrayLike) -> Floats:
        """Return −1 for each θ."""
        return np.full_like(numbers("theta", theta), -1.0)


@dataclass(frozen=True)
class _ShiftedSquare:
    """The loss c(θ) = (θ − sM)², of which a subclass says s."""

    __saved__: ClassVar = Schema({"largest": Number(above=0)})
    _shift: ClassVar[float]

    largest: float

    def __post_init__(self) -> None:
        check_number("largest", self.largest, above=0, remedy="give the largest absolute utility")

    @property
    def slope(self) -> float:
        """G = 2(2 + s)M, reached at θ = −2M."""
        return 2.0 * (2.0 + self._shift) * self.largest

    @property
    def strength(self) -> float:
        """λ = 2."""
        return 2.0

    def value(self, theta: ArrayLike) -> Floats:
        """Return (θ − sM)²."""
        return np.asarray((numbers("theta", theta) - self._shift * self.largest) ** 2)

    def derivative(self, theta: ArrayLike) -> Floats:
        """Return 2(θ − sM)."""
        return np.asarray(2.0 * (numbers("theta", theta) - self._shift * self.largest))


class QuadraticLoss(_ShiftedSquare):
    """The loss c(θ) = (θ − M)² of section 6.4, steepest where the worst object stands for the best; G = 6M.

    Parameters
    ----------
    largest : float
        M, no utility's absolute value is larger: R·‖w*‖.

    Examples
    --------
    >>> loss = QuadraticLoss(largest=2.0)
    >>> loss.slope, loss.strength
    (12.0, 2.0)
    >>> loss.value([-1.0, 0.0]), loss.derivative([-1.0, 0.0])
    (array([9., 4.]), array([-6., -4.]))
    """

    _shift = 1.0


class SquaredLoss(_ShiftedSquare):
    """The loss c(θ) = θ², under which small regrets cost next to nothing; G = 4M. Parameters as of `QuadraticLoss`.

    Examples
    --------
    >>> loss = SquaredLoss(largest=50.0)
    >>> loss.slope, loss.strength, loss.value(-100.0)
    (200.0, 2.0, array(10000.))
    """

    _shift = 0.0
