"""Beside the data's way: how much a worse object costs. A difference of utilities in, its loss out.

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
    """What a convex regret, its bound and `SecondOrderPerceptron.for_loss` ask of a loss."""

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
class QuadraticLoss:
    """The loss c(θ) = (θ − M)² of section 6.4, steepest where the worst object stands for the best.

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

    __saved__: ClassVar = Schema({"largest": Number(above=0)})

    largest: float

    def __post_init__(self) -> None:
        _refuse_no_utility(self.largest)

    @property
    def slope(self) -> float:
        """G = 6M, reached at θ = −2M."""
        return 6.0 * self.largest

    @property
    def strength(self) -> float:
        """λ = 2."""
        return 2.0

    def value(self, theta: ArrayLike) -> Floats:
        """Return (θ − M)²."""
        return (numbers("theta", theta) - self.largest) ** 2

    def derivative(self, theta: ArrayLike) -> Floats:
        """Return 2(θ − M)."""
        return 2.0 * (numbers("theta", theta) - self.largest)


@dataclass(frozen=True)
class SquaredLoss:
    """The loss c(θ) = θ², under which small regrets cost next to nothing.

    Parameters
    ----------
    largest : float
        M, no utility's absolute value is larger: R·‖w*‖.

    Examples
    --------
    >>> loss = SquaredLoss(largest=50.0)
    >>> loss.slope, loss.strength, loss.value(-100.0)
    (200.0, 2.0, array(10000.))
    """

    __saved__: ClassVar = Schema({"largest": Number(above=0)})

    largest: float

    def __post_init__(self) -> None:
        _refuse_no_utility(self.largest)

    @property
    def slope(self) -> float:
        """G = 4M, reached at θ = −2M."""
        return 4.0 * self.largest

    @property
    def strength(self) -> float:
        """λ = 2."""
        return 2.0

    def value(self, theta: ArrayLike) -> Floats:
        """Return θ²."""
        return np.asarray(numbers("theta", theta) ** 2)

    def derivative(self, theta: ArrayLike) -> Floats:
        """Return 2θ."""
        return np.asarray(2.0 * numbers("theta", theta))


def _refuse_no_utility(largest: float) -> None:
    check_number("largest", largest, above=0, remedy="give the largest absolute utility")
