"""One half of alternating least squares. Callers have checked every argument."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled


@compiled
def solve_rows(
    starts: Ints, others: Ints, values: Floats, factors: Floats, ridge: float, into: Floats
) -> None:
    """Write for each row the v that minimises Σ (value − vᵀf)² + ridge·‖v‖² over the factors f of its ``others``."""
    width = factors.shape[1]
    square = np.empty((width, width))
    for row in range(len(starts) - 1):
        for one in range(width):
            into[row, one] = 0.0
            for other in range(one):
                square[one, other] = 0.0
            square[one, one] = ridge
        for place in range(starts[row], starts[row + 1]):
            factor = factors[others[place]]
            for one in range(width):
                into[row, one] += values[place] * factor[one]
                for other in range(one + 1):
                    square[one, other] += factor[one] * factor[other]
        solve(square, into[row])


@compiled
def solve(square: Floats, vector: Floats) -> None:
    """Turn b into A⁻¹b by Cholesky's factor, which replaces the lower half of A; the upper half is not read."""
    n = len(vector)
    for row in range(n):
        for column in range(row + 1):
            rest = square[row, column]
            for past in range(column):
                rest -= square[row, past] * square[column, past]
            square[row, column] = np.sqrt(rest) if row == column else rest / square[column, column]
        for past in range(row):
            vector[row] -= square[row, past] * vector[past]
        vector[row] /= square[row, row]
    for row in range(n - 1, -1, -1):
        for later in range(row + 1, n):
            vector[row] -= square[later, row] * vector[later]
        vector[row] /= square[row, row]
