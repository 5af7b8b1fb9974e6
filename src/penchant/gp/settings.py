"""Settings of Gaussian processes, checked. A name and a value in; nothing, or a refusal, out."""

from __future__ import annotations

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput

LEAST, MOST = 1e-50, 1e50
"""Of a number whose square and inverse must be numbers too."""


def above_zero(name: str, value: object) -> None:
    """Refuse what is not a finite number above 0."""
    if not isinstance(value, int | float | np.number) or not 0 < value < np.inf:
        raise InvalidInput(f"{name} must be a number above 0, got {shown(value)}: correct the setting")


def of_usual_size(name: str, value: object) -> None:
    """Refuse what is not a number above 0, or so large or small that its square is none."""
    above_zero(name, value)
    if not LEAST <= value <= MOST:  # type: ignore[operator]
        raise InvalidInput(
            f"{name} must be from {LEAST:g} to {MOST:g}, got {shown(value)}: change the unit of the utilities"
        )


def enough_noise(noise: float, log_evidence: float) -> None:
    """Refuse a noise beside which utilities are so large that rounding ate the answers: the evidence is NaN then."""
    if not np.isfinite(log_evidence):
        raise InvalidInput(
            f"noise must be larger beside the scale of the utilities, got {noise:g}, which is lost in rounding: "
            "raise it, or lower the scale or the kernel's variance"
        )


def one_of(name: str, value: object, known: tuple[str | None, ...]) -> None:
    """Refuse what is not among the known words."""
    if value not in known:
        allowed = ", ".join(map(repr, known))
        raise InvalidInput(f"{name} must be one of {allowed}, got {shown(value)}: correct the setting")


def whole(name: str, value: object, least: int = 0) -> None:
    """Refuse what is not a whole number from ``least``."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InvalidInput(f"{name} must be a whole number from {least}, got {shown(value)}: correct it")
