"""Step two, inside: what is believed before the first answer. A precision and features in; their pull out."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats


class Prior:
    """Worth is normal around 0, or around what features foretell: worth = X β + residual.

    The residual has precision p, each entry of β has precision f, so that worth itself has the precision
    matrix Q = p I − p² X A Xᵀ with A = (f I + p Xᵀ X)⁻¹, which is never written out for many items.

    Parameters
    ----------
    precision : float
        p; 0 is no prior at all.
    n_items : int
    features : array of shape (n_items, n_features), optional
        X, its columns with mean 0.
    feature_precision : float
        f.
    """

    def __init__(
        self,
        precision: float,
        n_items: int,
        features: Floats | None = None,
        feature_precision: float = 1.0,
    ) -> None:
        self.precision = precision
        self.features = np.empty((n_items, 0)) if features is None else features
        self.feature_precision = feature_precision
        inner = precision * self.features.T @ self.features
        self.inner = np.linalg.inv(inner + feature_precision * np.eye(len(inner)))
        weights = self.features @ self.inner
        self.diagonal = precision - precision**2 * (weights * self.features).sum(axis=1)

    def product(self, values: Floats) -> Floats:
        """Multiply Q with an array of shape (n_items,) or (n_items, k)."""
        result: Floats = self.precision * values
        if self.features.shape[1]:
            result -= self.precision * (self.features @ self.coefficients(values))
        return result

    def coefficients(self, worth: Floats) -> Floats:
        """Return the mean of β given worth, p A Xᵀ worth, shape (n_features,) or (n_features, k)."""
        result: Floats = self.precision * (self.inner @ (self.features.T @ worth))
        return result

    def matrix(self) -> Floats:
        """Return Q, shape (n_items, n_items)."""
        return self.product(np.eye(len(self.features)))

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, Q), shape (n_items,)."""
        if not self.precision:
            return np.zeros(len(self.features))
        worth = rng.standard_normal(len(self.features)) / np.sqrt(self.precision)
        beta = rng.standard_normal(self.features.shape[1]) / np.sqrt(self.feature_precision)
        return self.product(worth + self.features @ beta)
