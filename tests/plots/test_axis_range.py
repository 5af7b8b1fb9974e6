"""The range of an axis that one far item cannot stretch."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.plots.axis_range import axis_range


def test_everything_is_shown_where_nothing_is_far() -> None:
    """The axis begins at the lowest end of an interval and ends at the highest."""
    values = np.array([-1.0, 0.0, 0.5, 1.0])
    assert axis_range(values, values - 1, values + 2) == (-2, 3)
    assert axis_range(np.array([4.0])) == (4, 4)


@pytest.mark.parametrize("n", [5, 50, 500])
def test_a_far_item_is_left_outside(n: int) -> None:
    """One score, or one interval, a hundred times as far off as the others."""
    values = np.linspace(-1, 1, n)
    far = values.copy()
    far[0] = -100
    low, high = axis_range(far, far - 0.1, far + 0.1)
    assert (low, high) == pytest.approx((values[1] - 0.1, 1.1))
    wide = np.full(n, 0.1)
    wide[2] = 100
    low, high = axis_range(values, values - wide, values + wide)
    assert (low, high) == pytest.approx((-1.1, 1.1))


def test_equal_values_with_one_that_differs_are_all_shown_or_cut_consistently() -> None:
    """An interquartile range of 0 leaves the others on the axis, and no end is missing."""
    low, high = axis_range(np.array([1.0, 1.0, 1.0, 1.0, 2.0]))
    assert low == 1
    assert high in (1, 2)
