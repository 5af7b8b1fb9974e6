"""Checks of settings: numbers, names, and the hyperparameters of kernels with their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, above_zero, shown
from penchant.errors import InvalidInput

LEAST, MOST = 1e-50, 1e50
"""Bounds of a number whose square and inverse must be finite."""


def of_usual_size(name: str, value: object) -> None:
    """Reject what is not a number above 0, or so large or small that its square or inverse overflows."""
    above_zero(name, value)
    if not LEAST <= value <= MOST:  # type: ignore[operator]
        raise InvalidInput(
            f"{name} must be from {LEAST:g} to {MOST:g}, got {shown(value)}: change the unit of the utilities"
        )


def enough_noise(noise: float, log_evidence: float) -> None:
    """Reject a noise that is lost in rounding beside the utilities, where the log evidence is NaN."""
    if not np.isfinite(log_evidence):
        raise InvalidInput(
            f"noise must be larger beside the scale of the utilities, got {noise:g}, which is lost in rounding: "
            "raise it, or lower the scale or the kernel's variance"
        )


Scale = float | tuple[float, ...]
Bounds = tuple[float, float] | tuple[tuple[float, float], ...] | None


def scale_of(name: str, value: Any, *, single: bool = False) -> Scale:
    """Return one number above 0, or several as a tuple, checked."""
    several = not single and isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    numbers = list(value) if several else [value]
    for number in numbers:
        if not isinstance(number, int | float | np.number) or not 0 < number < np.inf:
            raise InvalidInput(f"{name} must be above 0, got {shown(number)}: correct it")
    if not numbers:
        raise InvalidInput(f"{name} must be a number or one a feature, got {shown(value)}: correct it")
    return tuple(map(float, numbers)) if several else float(numbers[0])


def check_features(name: str, scale: Scale, X: Floats) -> None:
    """Reject several numbers unless there is one for each column of X (n, d)."""
    if not isinstance(scale, float) and len(scale) != X.shape[1]:
        raise InvalidInput(
            f"{name} must be one number or one for each of {X.shape[1]} features, "
            f"got {len(scale)}: give as many as there are features"
        )


def check_bounds(name: str, bounds: Bounds, scale: Scale) -> None:
    """Reject what is not a pair (least, most) above 0, or one for each number of ``scale``; None has no bounds."""
    if bounds is None:
        return
    pairs = _array(bounds)
    if pairs.shape[-1:] != (2,) or pairs.ndim > 2 or not (pairs[..., 0] > 0).all():
        raise InvalidInput(f"{name} must be a pair of numbers above 0, got {shown(bounds)}: correct it")
    if not ((pairs[..., 0] <= pairs[..., 1]) & (pairs[..., 1] < np.inf)).all():
        raise InvalidInput(f"{name} must be (least, most), got {shown(bounds)}: correct it")
    if pairs.ndim == 2 and len(pairs) not in (1, np.size(scale)):
        raise InvalidInput(
            f"{name} must be one pair or one for each of {np.size(scale)} numbers, got {len(pairs)}: correct them"
        )


def _array(bounds: ArrayLike) -> Floats:
    try:
        return np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def log_bounds(bounds: Bounds, value: Scale) -> Floats:
    """Return a row (least, most) in logarithms for each number of ``value``."""
    if bounds is None:
        return np.asarray(np.log(np.column_stack([np.atleast_1d(value)] * 2)))
    return np.asarray(np.broadcast_to(np.log(bounds), (np.size(value), 2)))
