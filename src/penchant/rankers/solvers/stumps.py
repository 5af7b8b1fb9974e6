"""Find the best decision stump of boosting on binned features.

A stump is h(x) = 1[x > θ] in one feature (sign +1) or its complement 1[x ≤ θ] (sign −1). Written by rows,
ε⁺ − ε⁻ = Σ D(b, w) (h(b) − h(w)) over pairs of a better b and a worse w is Σ pull · h, where the pull on a
row is the weight of the pairs in which it is better less that of those in which it is worse. So one histogram
of the pull per feature gives all its stumps.

A threshold is the midpoint of two consecutive distinct values, and the bin of a value is the number of
thresholds below it: ``x > thresholds[k]`` is the same as ``bin > k``. With no more distinct values than bins
every midpoint is a threshold and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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
        for feature, column in feature_columns(X, rows):
            order = np.argsort(column)
            ascending = column[order]
            last = _last_of_bins(ascending, n_bins)
            bins = np.repeat(np.arange(len(last) + 1), np.diff(last, prepend=-1, append=n_rows - 1))
            codes[feature // LANES, order, feature % LANES] = bins
            thresholds.append(midpoints(ascending[last], ascending[last + 1]))
        return cls(tuple(thresholds), codes)

    @classmethod
    def at(cls, X: Any, rows: Ints, thresholds: tuple[Floats, ...]) -> BinnedFeatures:
        """Bin ``X[rows]`` at thresholds that are given."""
        most_bins = max(map(len, thresholds)) + 1
        shape = (-(-len(thresholds) // LANES), len(rows), LANES)
        codes = np.zeros(shape, dtype=np.min_scalar_type(most_bins - 1))
        for feature, column in feature_columns(X, rows):
            codes[feature // LANES, :, feature % LANES] = np.searchsorted(thresholds[feature], column)
        return cls(thresholds, codes)

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


def feature_columns(X: Any, rows: Ints) -> Iterator[tuple[int, Floats]]:
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


def midpoints(low: Floats, high: Floats) -> Floats:
    """Return the midpoints, or the lower ends where rounding leaves no number strictly below the upper."""
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


ROUNDING = 1e-12
"""Leads that differ by less are tied, and a lead of no more is none, so that rounding never decides."""

_COMPILED_FROM = 500_000
"""Binned values from which on Numba is worth loading."""


Stump = tuple[int, float, int, float]
"""feature, threshold, sign, alpha"""


class Split(NamedTuple):
    """A stump in terms of bins; ``lead`` is its ε⁺ − ε⁻."""

    feature: int
    cut: int
    sign: int
    lead: float

    def ranks(self, features: BinnedFeatures) -> NDArray[np.bool_]:
        """Return h of each row, shape (n_rows,)."""
        above: NDArray[np.bool_] = features.column(self.feature) > self.cut
        return above if self.sign > 0 else ~above


def votes(X: Any, stump: Stump) -> Floats:
    """Return α · h of each row of X, an array or a matrix `by_column`, shape (n_rows,)."""
    feature, threshold, sign, alpha = stump
    above = column_of(X, feature) > threshold
    return np.where(above == (sign > 0), alpha, 0.0)


def best_split(features: BinnedFeatures, pull: Floats) -> Split | None:
    """Return the stump with the largest ε⁺ − ε⁻, or None where none is above 0.

    Ties go to the lowest feature, then to the lowest threshold, then to sign +1.

    Parameters
    ----------
    features : BinnedFeatures of n_rows
    pull : ndarray of shape (n_rows,)
        Sums to 0, so that a stump and its complement have opposite leads.
    """
    return _chosen(_peaks(features, pull), lambda feature: _sums_up_to(features, feature, pull))


def best_of_sums(sums: Floats, n_thresholds: Ints) -> Split | None:
    """Return the same stump as `best_split`, from the sum of the pull in each bin of each feature.

    Parameters
    ----------
    sums : ndarray of shape (n_features, n_bins)
        As `feature_sums` returns it, perhaps added up over several sets of rows with the same thresholds.
    n_thresholds : ndarray of shape (n_features,)
    """
    below = np.cumsum(sums, axis=1)
    below[np.arange(sums.shape[1]) >= n_thresholds[:, None]] = 0.0
    return _chosen(np.abs(below).max(axis=1), lambda feature: below[feature, : n_thresholds[feature]])


def _chosen(peaks: Floats, sums_up_to: Callable[[int], Floats]) -> Split | None:
    """Return the first stump of the first feature that is best; ``peaks`` has the largest lead in each feature."""
    if peaks.max() <= ROUNDING:
        return None
    enough = peaks.max() - ROUNDING
    feature = int(np.argmax(peaks >= enough))
    below = sums_up_to(feature)
    cut = int(np.argmax(np.abs(below) >= enough))
    return Split(feature, cut, 1 if below[cut] < 0 else -1, float(abs(below[cut])))


def feature_sums(features: BinnedFeatures, pull: Floats) -> Floats:
    """Return Σ pull over the rows in each bin of each feature, shape (n_features, n_bins)."""
    if features.codes.size >= _COMPILED_FROM:
        from penchant.rankers.solvers._boost_kernels import bin_sums

        return bin_sums(features.codes, features.n_thresholds, pull)
    n_bins = int(features.n_thresholds.max()) + 1
    columns = (features.column(feature) for feature in range(len(features.thresholds)))
    return np.array([np.bincount(column, weights=pull, minlength=n_bins) for column in columns])


def _peaks(features: BinnedFeatures, pull: Floats) -> Floats:
    """Return the largest lead of the stumps of each feature, shape (n_features,)."""
    if features.codes.size >= _COMPILED_FROM:
        from penchant.rankers.solvers._boost_kernels import feature_peaks

        return feature_peaks(features.codes, features.n_thresholds, pull)
    sums = (_sums_up_to(features, feature, pull) for feature in range(len(features.thresholds)))
    return np.array([np.abs(below).max(initial=0.0) for below in sums])


def _sums_up_to(features: BinnedFeatures, feature: int, pull: Floats) -> Floats:
    """Return Σ pull over the rows at or below each threshold of a feature, shape (n_thresholds,)."""
    n_thresholds = len(features.thresholds[feature])
    sums = np.bincount(features.column(feature), weights=pull, minlength=n_thresholds + 1)
    return np.cumsum(sums, dtype=np.float64)[:n_thresholds]
