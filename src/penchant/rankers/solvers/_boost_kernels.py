"""Compiled loops of boosting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.compiled import compiled
from penchant.rankers.solvers.stumps import LANES


@compiled
def feature_peaks(codes: NDArray[Any], n_thresholds: Ints, pull: Floats) -> Floats:
    """Return for each feature the largest |Σ pull| over the rows below a threshold, shape (n_features,)."""
    n_blocks, n_rows, lanes = codes.shape
    if lanes != LANES:  # fixed when this was compiled, so that the inner loop is unrolled
        raise ValueError("features stand in blocks of another width")
    peaks = np.zeros(len(n_thresholds))
    for block in range(n_blocks):
        sums = np.zeros((LANES, n_thresholds.max() + 1))
        for row in range(n_rows):
            for lane in range(LANES):
                sums[lane, codes[block, row, lane]] += pull[row]
        for feature in range(block * LANES, min((block + 1) * LANES, len(peaks))):
            running = 0.0
            for code in range(n_thresholds[feature]):
                running += sums[feature - block * LANES, code]
                peaks[feature] = max(peaks[feature], abs(running))
    return peaks


@compiled
def bin_sums(codes: NDArray[Any], n_thresholds: Ints, pull: Floats) -> Floats:
    """Return for each feature Σ pull over the rows in each bin, shape (n_features, n_bins)."""
    n_blocks, n_rows, lanes = codes.shape
    if lanes != LANES:
        raise ValueError("features stand in blocks of another width")
    sums = np.zeros((n_blocks * LANES, n_thresholds.max() + 1))
    for block in range(n_blocks):
        first = block * LANES
        for row in range(n_rows):
            for lane in range(LANES):
                sums[first + lane, codes[block, row, lane]] += pull[row]
    return sums[: len(n_thresholds)].copy()


@compiled
def sums_before(values: Floats, level_starts: Ints, query_starts: Ints) -> Floats:
    """Return for each row the sum of values over the rows of earlier levels of its query, shape (n_rows,)."""
    before = np.empty_like(values)
    for query in range(len(query_starts) - 1):
        running = 0.0
        for level in range(query_starts[query], query_starts[query + 1]):
            ahead = running
            for row in range(level_starts[level], level_starts[level + 1]):
                before[row] = ahead
                running += values[row]
    return before


@compiled
def log_sums_before(values: Floats, level_starts: Ints, query_starts: Ints) -> Floats:
    """Return for each row log Σ exp(value) over the rows of earlier levels of its query, shape (n_rows,)."""
    before = np.empty_like(values)
    for query in range(len(query_starts) - 1):
        running = -np.inf
        for level in range(query_starts[query], query_starts[query + 1]):
            first, last = level_starts[level], level_starts[level + 1]
            before[first:last] = running
            if level + 1 == query_starts[query + 1]:
                break
            top = running
            for row in range(first, last):
                top = max(top, values[row])
            if top > -np.inf:
                total = np.exp(running - top)
                for row in range(first, last):
                    total += np.exp(values[row] - top)
                running = top + np.log(total)
    return before
