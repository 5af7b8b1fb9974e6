"""Sums over the pairs that grades imply, in O(n log n) and without writing a pair out.

Rows stand sorted by query and grade. Inside a query, runs of equal grade are sorted by score and merged two
by two, as in merge sort: each pair of rows of different grades meets in exactly one merge, with the better
row in the upper half. Since both halves are sorted by score, the pairs of a row whose margin falls short are a
prefix or suffix of the other half, and one number, its bound, remembers them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.compiled import compiled

Rows = NDArray[np.int32]
_SHORT = 32


@compiled
def merge_table(runs: Ints, first_runs: Ints) -> Ints:
    """Return the merges of all queries as rows (low, middle, high), each after those that it builds on.

    Parameters
    ----------
    runs : ndarray of shape (n_runs + 1,)
        Where each run of equal grade begins, and the end.
    first_runs : ndarray of shape (n_queries + 1,)
        The first run of each query, and n_runs.
    """
    merges = np.empty((len(runs) - len(first_runs), 3), dtype=np.int64)
    edges = np.empty(len(runs), dtype=np.int64)
    found = 0
    for query in range(len(first_runs) - 1):
        count = first_runs[query + 1] - first_runs[query]
        for run in range(count + 1):
            edges[run] = runs[first_runs[query] + run]
        while count > 1:
            for half in range(count // 2):
                merges[found, 0] = edges[2 * half]
                merges[found, 1] = edges[2 * half + 1]
                merges[found, 2] = edges[2 * half + 2]
                edges[half] = edges[2 * half]
                found += 1
            if count % 2:
                edges[count // 2] = edges[count - 1]
            edges[(count + 1) // 2] = edges[count]
            count = (count + 1) // 2
    return merges


@compiled
def find_bounds(
    scores: Floats, margin: float, runs: Ints, merges: Ints, order: Rows, rows: Rows, bounds: Rows
) -> None:
    """Fill ``rows`` and ``bounds``: merge by merge the rows of each half by rising score, and their bounds.

    The bound of a lower row is how many upper rows, from the lowest score on, lead it by less than
    ``margin``; the bound of an upper row is how many lower rows it leads by at least that. ``order`` holds the
    rows run by run in any order, and comes back sorted, which makes the next call faster.
    """
    for run in range(len(runs) - 1):
        _sort_run(scores, order, runs[run], runs[run + 1])
    merged = order.copy()
    place = 0
    for merge in range(len(merges)):
        low, middle, high = merges[merge]
        lower, upper = merged[low:middle], merged[middle:high]
        rows[place : place + high - low] = merged[low:high]
        reached = 0
        for k in range(len(lower)):
            while reached < len(upper) and scores[upper[reached]] - scores[lower[k]] < margin:
                reached += 1
            bounds[place + k] = reached
        place += len(lower)
        reached = 0
        for k in range(len(upper)):
            while reached < len(lower) and scores[upper[k]] - scores[lower[reached]] >= margin:
                reached += 1
            bounds[place + k] = reached
        place += len(upper)
        _merge(scores, merged, rows[place - (high - low) : place], low, middle, high)


@compiled
def _sort_run(scores: Floats, order: Rows, start: int, stop: int) -> None:
    for low in range(start, stop, _SHORT):
        _insert(scores, order, low, min(low + _SHORT, stop))
    width = _SHORT
    while width < stop - start:
        for low in range(start, stop - width, 2 * width):
            high = min(low + 2 * width, stop)
            _merge(scores, order, order[low:high].copy(), low, low + width, high)
        width *= 2


@compiled
def _insert(scores: Floats, order: Rows, start: int, stop: int) -> None:
    for k in range(start + 1, stop):
        row = order[k]
        hole = k
        while hole > start and scores[order[hole - 1]] > scores[row]:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = row


@compiled
def _merge(scores: Floats, merged: Rows, halves: Rows, low: int, middle: int, high: int) -> None:
    """Write both sorted halves into ``merged[low:high]`` by rising score."""
    size = middle - low
    left, right = 0, size
    for place in range(low, high):
        if right == len(halves) or (left < size and scores[halves[left]] <= scores[halves[right]]):
            merged[place] = halves[left]
            left += 1
        else:
            merged[place] = halves[right]
            right += 1


@compiled
def partner_sums(values: Floats, merges: Ints, rows: Rows, bounds: Rows, worse_sign: float) -> Floats:
    """Return for each row the sum of ``values`` over its partners in pairs that fall short.

    Sums over better partners, which a row has as the worse one, are multiplied by ``worse_sign``.
    """
    sums = np.zeros(len(values))
    prefix = np.zeros(len(values) + 1)
    place = 0
    for merge in range(len(merges)):
        low, middle, high = merges[merge]
        n_lower, n_upper = middle - low, high - middle
        upper = place + n_lower
        for k in range(n_lower):
            prefix[k + 1] = prefix[k] + values[rows[place + k]]
        for k in range(n_upper):
            sums[rows[upper + k]] += prefix[n_lower] - prefix[bounds[upper + k]]
        for k in range(n_upper):
            prefix[k + 1] = prefix[k] + values[rows[upper + k]]
        for k in range(n_lower):
            sums[rows[place + k]] += worse_sign * prefix[bounds[place + k]]
        place = upper + n_upper
    return sums
