"""Weights as counts: a row of weight 3 is three answers, and weights that are not whole are reported as weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints

Count = int | float
"""How many; a float where some weight was not whole, which is then the total weight."""

Counts = Ints | Floats
LARGEST_EXACT = 2.0**53


def as_counts(totals: NDArray[np.float64] | Ints, *, whole: bool = True) -> Counts:
    """Return sums of weights as integers if they are ``whole`` numbers, and as they are if some weight was not.

    Sums beyond 2⁵³, which a float does not hold exactly, stay floats.

    Examples
    --------
    >>> as_counts(np.array([2.0, 5000.0]))
    array([   2, 5000])
    >>> as_counts(np.array([2.0, 0.5]))
    array([2. , 0.5])
    """
    exact = bool((totals == np.rint(totals)).all() and (np.abs(totals) <= LARGEST_EXACT).all())
    if not (whole and exact):
        return totals.astype(np.float64, copy=False)
    return np.rint(totals).astype(np.int64)


def are_whole(weight: Floats | None) -> bool:
    """Whether weights are repetitions: whole numbers, or none given."""
    return weight is None or bool((weight == np.rint(weight)).all())


def shown_count(number: Count) -> str:
    """Return a count as text: 5,000 or 12.5.

    Examples
    --------
    >>> shown_count(5000), shown_count(12.5), shown_count(1e-6)
    ('5,000', '12.5', '1e-06')
    """
    if number == round(number) and isinstance(number, int | np.integer):
        return f"{number:,}"
    if 0 < number < 0.01:
        return f"{number:.2g}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def counted(number: Count, noun: str) -> str:
    """Return a count with what it counts: 1 answer, 5,000 answers, answers of weight 12.5.

    Examples
    --------
    >>> counted(1, "tie"), counted(5000, "tie"), counted(12.5, "tie")
    ('1 tie', '5,000 ties', 'ties of weight 12.5')
    """
    if isinstance(number, float):
        return f"{noun}s of weight {shown_count(number)}"
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
