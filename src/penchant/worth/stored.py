"""Step two, inside: what a saved model may hold. A value from a file in; whether it is what it must be out."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_array(value: Any, kind: Any, shape: tuple[int | None, ...]) -> bool:
    """Say whether ``value`` is a finite array of this kind and shape; None in a shape is any length."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == kind
        and value.ndim == len(shape)
        and all(length in (None, size) for length, size in zip(shape, value.shape, strict=True))
        and bool(np.isfinite(value).all())
    )


def are_counts(value: Any, length: int) -> bool:
    """Say whether ``value`` is an array of so many counts, whole or not, none of them below 0."""
    fits = is_array(value, np.int64, (length,)) or is_array(value, np.float64, (length,))
    return fits and bool((value >= 0).all())
