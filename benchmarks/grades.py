"""Grades that imply billions of pairs, none of which is written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "What do the pairs implied by 100,000 items with five grades cost, beside writing them down?"


def cases(quick: bool) -> list[Case]:
    """Return the count by formula at full size; beside all pairs written down at a size that fits."""
    large, small = (10_000, 300) if quick else (100_000, 3_000)
    sizes = f"{large:,} items", f"{small:,} items"
    gigabytes = 0.4 * large**2 * 16 / 1e9  # two in five ordered pairs are strict, of two integers each
    return [
        Case(what=sizes[0], prepare=lambda: penchant(large), answer=count),
        Case(who="NumPy, all pairs", what=sizes[0], cannot=f"would need {gigabytes:.1f} GB"),
        Case(what=sizes[1], prepare=lambda: penchant(small), answer=count),
        Case(who="NumPy, all pairs", what=sizes[1], prepare=lambda: expanded(small), answer=count),
    ]


def grades(n: int) -> Any:
    """Return ``n`` random grades from 0 to 4."""
    import numpy as np

    return np.random.default_rng(0).integers(0, 5, n)


def penchant(n: int) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant import Preferences

    graded = grades(n)
    return lambda: Preferences.from_grades(graded).n_pairs


def expanded(n: int) -> Callable[[], object]:
    """Prepare the row that writes every pair down."""
    import numpy as np

    graded = grades(n)
    return lambda: len(np.argwhere(graded[:, None] > graded[None, :]))


def count(result: Any) -> Answer:
    """Tell the number of implied pairs."""
    return {"pairs": int(result)}
