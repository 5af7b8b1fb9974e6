"""The normal prior of scores, with or without features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats


class Prior:
    """A normal prior of worth around 0, or around a linear function of features: worth = X β + residual.

    The residual has precision p, each entry of β has precision f. With X = U S Vᵀ, worth itself then has the
    precision matrix Q = p (I − U G Uᵀ) with G = p S² / (f + p S²), which is never written out for many items.

    Parameters
    ----------
    precision : float
        p; 0 is no prior at all.
    n_items : int
        The bar of both-bad answers included, if there is one.
    features : array of shape (n_items, n_features), optional
        X, its columns with mean 0.
    feature_precision : float
        f.
    tie_precision : float
        Of a normal prior around 0 on the tie parameter; 0 is no prior.
    bar_precision : float, optional
        The precision of the last item, where that is the bar of both-bad answers: the height of the bar does not
        depend on how much items differ. It has no features.
    """

    def __init__(
        self,
        precision: float,
        n_items: int,
        features: Floats | None = None,
        feature_precision: float = 1.0,
        tie_precision: float = 0.0,
        bar_precision: float | None = None,
    ) -> None:
        self.precision, self.tie_precision = precision, tie_precision
        self.features = np.empty((n_items, 0)) if features is None else features
        self.feature_precision = feature_precision
        self._left, self._size, self._right = self.features, np.empty(0), np.empty((0, 0))
        if self.features.shape[1]:
            self._left, self._size, self._right = np.linalg.svd(self.features, full_matrices=False)
        self._feature_information = feature_precision + precision * self._size**2
        self._gain: Floats = precision * self._size**2 / self._feature_information
        self.n_real = n_items if bar_precision is None else n_items - 1
        self.own = np.full(n_items, float(precision))
        if bar_precision is not None:
            self.own[-1] = bar_precision
        self.diagonal: Floats = self.own - precision * (self._left**2 @ self._gain)
        self.trace = float(self.diagonal[: self.n_real].sum())  # of Q, the bar left out
        if precision:
            share = feature_precision / self._feature_information
            self.log_determinant = float(np.log(self.own).sum() + np.log(share).sum())  # of Q

    def pair_variance(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> Floats:
        """Return the variance of the difference of the worths of each pair, shape (n_pairs,)."""
        apart = self.features[first] - self.features[second]
        own = 1 / self.own
        variance: Floats = own[first] + own[second] + (apart**2).sum(axis=1) / self.feature_precision
        return variance

    def product(self, values: Floats) -> Floats:
        """Multiply Q with an array of shape (n_items,) or (n_items, k)."""
        own = self.own if values.ndim == 1 else self.own[:, None]
        result: Floats = own * values
        if self.features.shape[1]:
            result -= self.explained(values)
        return result

    def explained(self, values: Floats) -> Floats:
        """Multiply with p U G Uᵀ, by which features reduce the precision."""
        product: Floats = self._left @ ((self.precision * self._gain * self._left).T @ values)
        return product

    @property
    def weights(self) -> Floats:
        """The matrix that maps worth to the mean of β given worth, shape (n_features, n_items)."""
        weights: Floats = (
            self._right.T * (self.precision * self._size / self._feature_information)
        ) @ self._left.T
        return weights

    def variance_given_worth(self, rows: Floats) -> Floats:
        """Return the variance of xᵀβ given worth, xᵀ (f I + p XᵀX)⁻¹ x, for each row x, shape (len(rows),).

        It is a sum of squares along and across the features; the inverse of the matrix loses digits where features are
        large.
        """
        along = rows @ self._right.T
        across = rows - along @ self._right
        variance: Floats = (along**2 / self._feature_information).sum(axis=1) + (across**2).sum(
            axis=1
        ) / self.feature_precision
        return variance

    def coefficients(self, worth: Floats) -> Floats:
        """Return the mean of β given worth, shape (n_features,) or (n_features, k)."""
        result: Floats = self.weights @ worth
        return result

    def matrix(self) -> Floats:
        """Return Q, shape (n_items, n_items)."""
        if not self.features.shape[1]:
            return np.diag(self.own)
        return self.product(np.eye(len(self.features)))

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, Q), shape (n_items,)."""
        if not self.precision:
            return np.zeros(len(self.features))
        noise: Floats = np.sqrt(self.own) * rng.standard_normal(len(self.features))
        if self.features.shape[1]:
            part = 1 - np.sqrt(self.feature_precision / self._feature_information)
            noise -= self._left @ (part * (self._left.T @ noise))
        return noise
