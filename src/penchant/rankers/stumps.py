"""The base rankers of boosting. Binned features and the pull on each row in, the best stump out.

A stump is h(x) = 1[x > θ] in one feature (sign +1) or its complement 1[x ≤ θ] (sign −1). Written by rows,
ε⁺ − ε⁻ = Σ D(b, w) (h(b) − h(w)) over pairs of a better b and a worse w is Σ pull · h, where the pull on a
row is the weight of the pairs in which it is better less that of those in which it is worse. So one histogram
of the pull a feature shows all its stumps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats
from penchant.rankers.binning import BinnedFeatures, column_of

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
    peaks = _peaks(features, pull)
    if peaks.max() <= ROUNDING:
        return None
    enough = peaks.max() - ROUNDING
    feature = int(np.argmax(peaks >= enough))
    below = _sums_up_to(features, feature, pull)
    cut = int(np.argmax(np.abs(below) >= enough))
    return Split(feature, cut, 1 if below[cut] < 0 else -1, float(abs(below[cut])))


def _peaks(features: BinnedFeatures, pull: Floats) -> Floats:
    """Return the largest lead of the stumps of each feature, shape (n_features,)."""
    if features.codes.size >= _COMPILED_FROM:
        from penchant.rankers._boost_kernels import feature_peaks

        return feature_peaks(features.codes, features.n_thresholds, pull)
    sums = (_sums_up_to(features, feature, pull) for feature in range(len(features.thresholds)))
    return np.array([np.abs(below).max(initial=0.0) for below in sums])


def _sums_up_to(features: BinnedFeatures, feature: int, pull: Floats) -> Floats:
    """Return Σ pull over the rows at or below each threshold of a feature, shape (n_thresholds,)."""
    n_thresholds = len(features.thresholds[feature])
    sums = np.bincount(features.column(feature), weights=pull, minlength=n_thresholds + 1)
    return np.cumsum(sums, dtype=np.float64)[:n_thresholds]
