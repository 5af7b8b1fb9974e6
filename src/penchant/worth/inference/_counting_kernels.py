"""Compiled counting of comparisons by pair; `pairs` calls it."""

from __future__ import annotations

from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled


@compiled
def sorted_by_pair(better: Any, worse: Any, outcome: Any, n_items: int) -> tuple[Ints, Any]:
    """Return where the comparisons of each lower item end, and 4·higher + outcome of all, sorted by lower and higher.

    Each item is a bucket: comparisons are put into those of their higher items, and from there, in order, into those of
    their lower ones.
    """
    n_rows = len(better)
    lower_place, higher_place = np.zeros(n_items + 1, dtype=np.int64), np.zeros(n_items + 1, dtype=np.int64)
    for row in range(n_rows):
        lower_place[min(better[row], worse[row]) + 1] += 1
        higher_place[max(better[row], worse[row]) + 1] += 1
    for item in range(n_items):
        lower_place[item + 1] += lower_place[item]
        higher_place[item + 1] += higher_place[item]
    by_higher = np.empty(n_rows, dtype=better.dtype)
    for row in range(n_rows):
        higher = max(better[row], worse[row])
        by_higher[higher_place[higher]] = 4 * min(better[row], worse[row]) + outcome[row]
        higher_place[higher] += 1
    by_lower = np.empty(n_rows, dtype=better.dtype)
    begin = 0
    for higher in range(n_items):
        for place in range(begin, higher_place[higher]):
            lower = by_higher[place] >> 2
            by_lower[lower_place[lower]] = 4 * higher + (by_higher[place] & 3)
            lower_place[lower] += 1
        begin = higher_place[higher]
    return lower_place, by_lower


@compiled
def number_of_pairs(ends: Ints, codes: Any) -> int:
    """Return how many different pairs there are among what `sorted_by_pair` returned."""
    n_pairs, begin = 0, 0
    for end in ends:
        for place in range(begin, end):
            if place == begin or codes[place] >> 2 != codes[place - 1] >> 2:
                n_pairs += 1
        begin = end
    return n_pairs


@compiled
def count_into(ends: Ints, codes: Any, pairs: Any, totals: Floats) -> None:
    """Write the pairs, shape (2, n_pairs), and how often each of their outcomes is there, shape (3, n_pairs)."""
    pair, begin = -1, 0
    for lower in range(len(ends) - 1):
        for place in range(begin, ends[lower]):
            if place == begin or codes[place] >> 2 != codes[place - 1] >> 2:
                pair += 1
                pairs[0, pair], pairs[1, pair] = lower, codes[place] >> 2
            totals[codes[place] & 3, pair] += 1
        begin = ends[lower]
