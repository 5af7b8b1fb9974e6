from __future__ import annotations

import numpy as np

from penchant.gp.fixed_point import Mixing


def sweeps(matrix: np.ndarray, *, mixed: bool) -> int:
    """How many steps x ← A x + 1 takes to its fixed point."""
    x, mixing = np.zeros(len(matrix)), Mixing()
    for step in range(2_000):
        image = matrix @ x + 0.1
        change = float(np.abs(image - x).max())
        if change < 1e-10:
            np.testing.assert_allclose(x, np.linalg.solve(np.eye(len(matrix)) - matrix, np.full(len(x), 0.1)))
            return step
        x = mixing.next(x, image, change) if mixed else image
    return 2_000


def test_slow_and_swinging_iterations_end_sooner() -> None:
    """Where plain iteration takes hundreds of steps, or swings for ever, mixing takes a few dozen at most."""
    for slowest in (0.97, -0.97, -1.02):
        matrix = np.diag([slowest, 0.5, -0.3, 0.1])
        assert sweeps(matrix, mixed=False) > 500
        assert sweeps(matrix, mixed=True) < 30
