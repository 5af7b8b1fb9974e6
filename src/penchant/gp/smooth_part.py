"""Step two, MonotoneGP: what a linear utility leaves out. Rows in; a smooth part, its slope and its spread out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from penchant.checks import Floats
from penchant.gp.kernels import SquaredExponential
from penchant.gp.laplace import LaplaceMode


@dataclass(frozen=True, eq=False)
class SmoothPart:
    """The posterior of f − f_lin, a Gaussian process with a squared exponential kernel, and the spread of f.

    β̂ is estimated too: its spread is that of universal kriging, with a weak prior that makes it finite.

    Attributes
    ----------
    kernel : SquaredExponential
    items : ndarray of shape (n, n_features)
        The different rows that were compared.
    dual : ndarray of shape (n,)
        K⁻¹(f_MAP − f_lin).
    basis : ndarray of shape (rank, n_features)
        The items whose utilities determine those of all others.
    prior_root, posterior_root : ndarray of shape (rank, rank)
        Lower triangles: of K on the basis, and of B = I + LᵀWL.
    trend : ndarray of shape (n, n_features)
        (K + W⁻¹)⁻¹X: what the comparisons tell of the linear part.
    coef_covariance : ndarray of shape (n_features, n_features)
        The spread of β̂.
    """

    kernel: SquaredExponential
    items: Floats
    dual: Floats
    basis: Floats
    prior_root: Floats
    posterior_root: Floats
    trend: Floats
    coef_covariance: Floats

    @classmethod
    def at(cls, mode: LaplaceMode, kernel: SquaredExponential, items: Floats, coef_sd: Floats) -> SmoothPart:
        """Return the part around the most likely utilities of ``items``; ``coef_sd`` is β's in the weak prior."""
        posterior, factor = mode.posterior, mode.posterior.factor
        pulled = posterior.W @ items
        trend = pulled - posterior.W @ posterior.covariance_times(pulled)
        return cls(
            kernel=kernel,
            items=items,
            dual=mode.alpha,
            basis=items[factor.pivots],
            prior_root=factor.triangle,
            posterior_root=posterior.root,
            trend=trend,
            coef_covariance=np.linalg.inv(items.T @ trend + np.diag(coef_sd**-2.0)),
        )

    def value(self, X: Floats) -> Floats:
        """Return f_MAP − f_lin at the rows of X (k, n_features), shape (k,)."""
        return self.kernel(X, self.items) @ self.dual

    def gradient(self, X: Floats) -> Floats:
        """Return its gradient, shape (k, n_features)."""
        return self.kernel.input_gradient(X, self.items, self.dual)

    def variance(self, X: Floats) -> Floats:
        """Return the posterior variance of f at the rows of X, shape (k,).

        The level of a utility is arbitrary: that of the linear part is 0 in the middle of the items.
        """
        known, left = self._halves(X)
        smooth = self.kernel.variance - np.sum(known**2, axis=0) + np.sum(left**2, axis=0)
        total: Floats = np.maximum(smooth, 0.0) + self._coef_variance(self._open_trend(X))
        return total

    def difference_variance(self, A: Floats, B: Floats) -> Floats:
        """Return the posterior variance of f(a) − f(b) for rows a, b of A and B (k, n_features), shape (k,)."""
        (known_a, left_a), (known_b, left_b) = self._halves(A), self._halves(B)
        apart = np.sum(((A - B) / self.kernel.lengthscale) ** 2, axis=1)
        prior = -2 * self.kernel.variance * np.expm1(-apart / 2)
        smooth = prior - np.sum((known_a - known_b) ** 2, axis=0) + np.sum((left_a - left_b) ** 2, axis=0)
        total: Floats = np.maximum(smooth, 0.0) + self._coef_variance(
            self._open_trend(A) - self._open_trend(B)
        )
        return total

    def _halves(self, X: Floats) -> tuple[Floats, Floats]:
        """Return what the basis knows of X a priori, and what of that the answers leave open, (rank, k) each."""
        known = np.asarray(solve_triangular(self.prior_root, self.kernel(self.basis, X), lower=True))
        return known, np.asarray(solve_triangular(self.posterior_root, known, lower=True))

    def _open_trend(self, X: Floats) -> Floats:
        """Return what of the linear features the smooth part does not take over, shape (k, n_features)."""
        return np.asarray(X - self.items.mean(axis=0) - self.kernel(X, self.items) @ self.trend)

    def _coef_variance(self, trend: Floats) -> Floats:
        return np.asarray(np.einsum("ij,jk,ik->i", trend, self.coef_covariance, trend))
