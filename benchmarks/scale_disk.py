"""100,000,000 comparisons of 100,000 items, whose different pairs do not fit into the memory that is given.

It takes about six minutes of CPU and several GB of disk, 1.6 of them for the file, and is asked alone:
``make bench NAME=scale_disk``.
"""

from __future__ import annotations

from benchmarks.case import Case
from benchmarks.out_of_core import MEMORY, ranked

QUESTION = "With how much memory and time are 100,000,000 comparisons counted on disk, fitted and ranked?"

COMPARED, QUICK_COMPARED = (100_000_000, 100_000), (200_000, 2_000)


def cases(quick: bool) -> list[Case]:
    """Return the one row."""
    rows, items = QUICK_COMPARED if quick else COMPARED
    return [ranked(rows, items, MEMORY // 1_000 if quick else MEMORY, 3_600.0)]
