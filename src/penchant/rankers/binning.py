"""Features become small integers. Columns of numbers in, thresholds and bin numbers out.

A threshold is the midpoint of two consecutive distinct values, and the bin of a value is the number of
thresholds below it: ``x > thresholds[k]`` is the same as ``bin > k``. With no more distinct values than bins
every midpoint is a threshold and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints

LANES = 8
"""How many columns are stored side by side; a loop over rows then works on as many histograms at once."""


@dataclass(frozen=True, eq=False)
class BinnedFeatures:
    """Features of some rows, as bins.

    Attributes
    ----------
    thresholds : tuple of n_features arrays of shape (n_thresholds,)
        Rising; none for a feature that is constant.
    codes : unsigned array of shape (n_blocks, n_rows, LANES)
        The bin of each row in each feature; feature j stands at ``[j // LANES, :, j % LANES]``. Lanes beyond
        the last feature are 0.
    """

    thresholds: tuple[Floats, ...]
    codes: NDArray[Any]

    @classmethod
    def of(cls, X: Any, rows: Ints, n_bins: int | None) -> BinnedFeatures:
        """Bin ``X[rows]`` into at most ``n_bins`` bins a feature, or one for each distinct value (None).

        Where there are more distinct values than bins, each bin holds about as many rows as any other. X may
        be a CSR matrix, which is never written out as a whole; the bins are.
        """
        n_rows, n_features = len(rows), X.shape[1]
        most_bins = n_rows if n_bins is None else min(n_bins, n_rows)
        shape = (-(-n_features // LANES), n_rows, LANES)
        codes = np.zeros(shape, dtype=np.min_scalar_type(most_bins - 1))
        thresholds = []
        for feature, column in _columns(X, rows):
            order = np.argsort(column)
            ascending = column[order]
            last = _last_of_bins(ascending, n_bins)
            bins = np.repeat(np.arange(len(last) + 1), np.diff(last, prepend=-1, append=n_rows - 1))
            codes[feature // LANES, order, feature % LANES] = bins
            thresholds.append(_middle(ascending[last], ascending[last + 1]))
        return cls(tuple(thresholds), codes)

    @cached_property
    def n_thresholds(self) -> Ints:
        """How many thresholds each feature has, shape (n_features,)."""
        return np.array([len(thresholds) for thresholds in self.thresholds])

    def column(self, feature: int) -> NDArray[Any]:
        """Return the bin of each row in one feature, shape (n_rows,)."""
        column: NDArray[Any] = self.codes[feature // LANES, :, feature % LANES]
        return column


def by_column(X: Any) -> Any:
    """Return X in a form in which `column_of` is fast: a sparse matrix by its columns, any other as it is."""
    return X if isinstance(X, np.ndarray) else X.tocsc()


def column_of(X: Any, feature: int) -> Floats:
    """Return one feature of every row, shape (n_rows,)."""
    column = X[:, feature] if isinstance(X, np.ndarray) else X[:, [feature]].toarray()[:, 0]
    return np.asarray(column, dtype=np.float64)


def _columns(X: Any, rows: Ints) -> Iterator[tuple[int, Floats]]:
    """Yield each feature of ``rows``; an array is read a few at a time, which stand side by side in memory."""
    if not isinstance(X, np.ndarray):
        X = by_column(X[rows])
        yield from ((feature, column_of(X, feature)) for feature in range(X.shape[1]))
        return
    for first in range(0, X.shape[1], LANES):
        block = np.ascontiguousarray(X[:, first : first + LANES].T, dtype=np.float64)
        yield from enumerate(block[:, rows], start=first)


def _last_of_bins(ascending: Floats, n_bins: int | None) -> Ints:
    """Return where each bin but the highest ends among sorted values; equal values are never parted."""
    last = np.flatnonzero(ascending[1:] > ascending[:-1])
    if n_bins is None or len(last) < n_bins:
        return last
    wanted = np.arange(1, n_bins) * (len(ascending) / n_bins) - 1
    chosen: Ints = last[np.unique(np.searchsorted(last, wanted).clip(max=len(last) - 1))]
    return chosen


def _middle(low: Floats, high: Floats) -> Floats:
    """Return the midpoints, or the lower ends where rounding leaves no number strictly below the upper."""
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)
