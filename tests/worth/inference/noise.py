"""The exact covariance of noise that is linear in the standard normal numbers that it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class _UnitVector:
    """A generator whose numbers are all 0 but the one at ``place``, which is 1."""

    def __init__(self, place: int) -> None:
        self.place, self.drawn = place, 0

    def standard_normal(self, size: Any = None) -> Any:
        values = np.zeros(1 if size is None else size)
        if 0 <= self.place - self.drawn < values.size:
            values.flat[self.place - self.drawn] = 1.0
        self.drawn += values.size
        return float(values[0]) if size is None else values


def covariance_of(noise: Callable[[Any], Any]) -> Any:
    """Return the covariance of ``noise(rng)``, column by column of the linear map that it applies."""
    counter = _UnitVector(-1)
    size = len(noise(counter))
    columns = [noise(_UnitVector(place)) for place in range(counter.drawn)]
    return sum((np.outer(column, column) for column in columns), np.zeros((size, size)))
