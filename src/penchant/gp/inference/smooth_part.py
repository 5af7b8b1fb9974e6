"""What a linear utility leaves out. Rows in; a smooth part, its slope and its spread out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.laplace import LaplaceMode
from penchant.gp.inference.predictive import Spread, check_roots
from penchant.gp.kernels import SquaredExponential
from penchant.schema import Array, Instance, Schema, require


def _check_parts(state: Mapping[str, Any]) -> None:
    check_roots(*(state[name] for name in ("kernel", "basis", "prior_root", "posterior_root")))
    covariance = state["coef_covariance"]
    symmetric = np.allclose(
        covariance, covariance.T, rtol=1e-6, atol=1e-12 * np.abs(covariance).max(initial=0.0)
    )
    require(symmetric and len(state["items"]), "coef_covariance must be symmetric")
    least = np.linalg.eigvalsh(covariance)[0]
    require(least >= -1e-9 * np.abs(covariance).max(), "coef_covariance must not have a negative variance")


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
        (K + W⁻¹)⁻¹X, with X from the middle of the items on: what the comparisons tell of the linear part.
    coef_covariance : ndarray of shape (n_features, n_features)
        The spread of β̂.
    """

    __saved__: ClassVar = Schema(
        {
            "kernel": Instance(SquaredExponential),
            "items": Array(("n", "d")),
            "dual": Array(("n",)),
            "basis": Array(("rank", "d")),
            "prior_root": Array(("rank", "rank")),
            "posterior_root": Array(("rank", "rank")),
            "trend": Array(("n", "d")),
            "coef_covariance": Array(("d", "d")),
        },
        rules=(_check_parts,),
    )

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
        centred = items - items.mean(axis=0)  # W sees differences only, but rounds what it sees
        pulled = posterior.W @ centred
        trend = pulled - posterior.W @ posterior.covariance_times(pulled)
        return cls(
            kernel=kernel,
            items=items,
            dual=mode.alpha,
            basis=items[factor.pivots],
            prior_root=factor.triangle,
            posterior_root=posterior.root,
            trend=trend,
            coef_covariance=np.linalg.inv(centred.T @ trend + np.diag(coef_sd**-2.0)),
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
        return self._spread.variance(X) + self._coef_variance(self._open_trend(X))

    def difference_variance(self, A: Floats, B: Floats) -> Floats:
        """Return the posterior variance of f(a) − f(b) for rows a, b of A and B (k, n_features), shape (k,)."""
        trend = self._open_trend(A) - self._open_trend(B)
        return self._spread.difference_variance(A, B) + self._coef_variance(trend)

    @property
    def _spread(self) -> Spread:
        return Spread(self.kernel, self.basis, self.prior_root, self.posterior_root)

    def _open_trend(self, X: Floats) -> Floats:
        """Return what of the linear features the smooth part does not take over, shape (k, n_features)."""
        return np.asarray(X - self.items.mean(axis=0) - self.kernel(X, self.items) @ self.trend)

    def _coef_variance(self, trend: Floats) -> Floats:
        return np.asarray(np.einsum("ij,jk,ik->i", trend, self.coef_covariance, trend))
