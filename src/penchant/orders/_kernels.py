"""Count the inversions of a long sequence."""

from __future__ import annotations

import numpy as np

from penchant.checks import Ints
from penchant.compiled import compiled


@compiled
def count_inversions(sequence: Ints) -> int:
    """Count the pairs of places whose earlier entry is larger, by merging runs of doubling length."""
    n = sequence.size
    runs, merged = sequence.copy(), np.empty_like(sequence)
    inversions = 0
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            left, right = start, middle
            for place in range(start, end):
                if right == end or (left < middle and runs[left] <= runs[right]):
                    merged[place] = runs[left]
                    left += 1
                else:
                    merged[place] = runs[right]
                    right += 1
                    inversions += middle - left
        runs, merged = merged, runs
        width *= 2
    return inversions
