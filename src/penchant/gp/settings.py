"""Settings of Gaussian processes, checked. A name and a value in; nothing, or a refusal, out."""

from __future__ import annotations

import numpy as np

from penchant.checks import above_zero, shown
from penchant.errors import InvalidInput

LEAST, MOST = 1e-50, 1e50
"""Of a number whose square and inverse must be numbers too."""


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
