"""Lines of equal height lie where the surface has that height."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.plots.contours import contour_segments


@given(level=st.floats(-1.2, 1.2), seed=st.integers(0, 1000))
def test_the_ends_have_the_height(level: float, seed: int) -> None:
    """On a plane each end of each segment lies at the level, inside the grid; elsewhere there is none."""
    slope = np.random.default_rng(seed).normal(size=2)
    x, y = np.linspace(-1, 1, 7), np.linspace(0, 3, 5)
    heights = slope[0] * x[:, None] + slope[1] * y
    pieces = contour_segments(x, y, heights, level)
    ends = pieces.reshape(-1, 2)
    np.testing.assert_allclose(ends @ slope, level, atol=1e-9)
    assert bool(len(pieces)) == bool(heights.min() <= level < heights.max())
    assert ((ends >= [-1, 0]) & (ends <= [1, 3])).all()


def test_a_hill_has_a_closed_line() -> None:
    """The line around a round hill has its circumference."""
    ticks = np.linspace(-2, 2, 81)
    heights = -(ticks[:, None] ** 2) - ticks**2
    pieces = contour_segments(ticks, ticks, heights, -1.0)
    length = np.hypot(*(pieces[:, :2] - pieces[:, 2:]).T).sum()
    assert abs(length - 2 * np.pi) < 0.02
