"""The range of an axis that shows the differences of most items, however far off a few of them are."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats

_FAR = 3.0
"""Interquartile ranges beyond the quartiles from where Tukey calls a value far out."""
_WORTH_IT = 2.0
"""How many times longer the whole range must be before anything is cut off."""


def axis_range(
    values: Floats, lower: Floats | None = None, upper: Floats | None = None
) -> tuple[float, float]:
    """Return the ends of an axis for values and their intervals.

    The axis holds everything unless that would make it more than twice as long as what lies within three
    interquartile ranges of the quartiles (Tukey's far-out fences; an interquartile range counts as no shorter than
    the median interval).

    Parameters
    ----------
    values, lower, upper : arrays of shape (n,)

    Examples
    --------
    >>> axis_range(np.array([0.0, 0.5, 1.0, 1.5, 2.0]))
    (0.0, 2.0)
    >>> axis_range(np.array([0.0, 0.5, 1.0, 1.5, 90.0]))
    (0.0, 1.5)
    """
    ends = np.concatenate([part for part in (values, lower, upper) if part is not None])
    least, most = float(ends.min()), float(ends.max())
    first, third = np.quantile(values, [0.25, 0.75])
    width = third - first
    if lower is not None and upper is not None:
        width = max(width, float(np.median(upper - lower)))
    low, high = first - _FAR * width, third + _FAR * width
    inside = ends[(ends >= low) & (ends <= high)]
    near_low, near_high = float(inside.min()), float(inside.max())
    if most - least <= _WORTH_IT * (near_high - near_low):
        return least, most
    return near_low, near_high
