"""Compiled loops of the second-order learner; callers have checked every argument."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats
from penchant.compiled import compiled


@compiled
def symmetric_product(matrix: Floats, vector: Floats) -> Floats:
    """Return the product of a symmetric matrix and a vector, row after row whatever the number of threads."""
    product = np.zeros(vector.size)
    for row in range(vector.size):
        factor = vector[row]
        if factor != 0.0:
            for column in range(vector.size):
                product[column] += factor * matrix[row, column]
    return product


@compiled
def subtract_square(matrix: Floats, vector: Floats) -> None:
    """Subtract v vᵀ from a matrix in place; a symmetric one stays so to the last bit."""
    for row in range(vector.size):
        factor = vector[row]
        if factor != 0.0:
            for column in range(vector.size):
                matrix[row, column] -= factor * vector[column]
