"""The posterior of the residual of a linear utility: its mean, gradient and variance at rows of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.laplace import LaplaceMode
from penchant.gp.inference.predictive import PosteriorCovariance, check_roots
from penchant.gp.kernels import SquaredExponential
from penchant.linalg import draw_normal
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
    """The posterior of f − f_lin, a Gaussian process with a squared exponential kernel, and the variance of f.

    β̂ is estimated too: its covariance is that of universal kriging, with a weak prior that makes it finite.

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
        (K + W⁻¹)⁻¹X, with X centred at the mean of the items.
    coef_covariance : ndarray of shape (n_features, n_features)
        The covariance of β̂.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import MonotoneGP
    >>> X = np.array([[0.0, 0.2], [0.4, 0.9], [1.0, 0.4], [0.6, 0.1]])
    >>> model = MonotoneGP(increasing=[0]).fit_pairs(X, [(2, 0), (1, 0), (0, 1), (2, 3), (3, 2)])
    >>> isinstance(model.smooth_, SmoothPart), model.smooth_.items.shape
    (True, (4, 2))
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
        """Return the part around the posterior mode of ``items``; ``coef_sd`` is the sd of β in the weak prior."""
        posterior, factor = mode.posterior, mode.posterior.factor
        centred = items - items.mean(axis=0)  # W depends on differences only, but large values lose digits
        weighted = posterior.W @ centred
        trend = weighted - posterior.W @ posterior.covariance_times(weighted)
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

        The level of a utility is arbitrary: that of the linear part is 0 at the mean of the items.
        """
        return self._residual.variance(X) + self._coef_variance(self._unexplained_trend(X))

    def covariance(self, X: Floats) -> Floats:
        """Return the posterior covariance of f at the rows of X, shape (k, k)."""
        trend = self._unexplained_trend(X)
        return self._residual.matrix(X) + trend @ self.coef_covariance @ trend.T

    def difference_variance(self, A: Floats, B: Floats) -> Floats:
        """Return the posterior variance of f(a) − f(b) for rows a, b of A and B (k, n_features), shape (k,)."""
        trend = self._unexplained_trend(A) - self._unexplained_trend(B)
        return self._residual.difference_variance(A, B) + self._coef_variance(trend)

    @property
    def _residual(self) -> PosteriorCovariance:
        return PosteriorCovariance(self.kernel, self.basis, self.prior_root, self.posterior_root)

    def _unexplained_trend(self, X: Floats) -> Floats:
        """Return the part of the linear features that the smooth part does not explain, shape (k, n_features)."""
        return np.asarray(X - self.items.mean(axis=0) - self.kernel(X, self.items) @ self.trend)

    def _coef_variance(self, trend: Floats) -> Floats:
        return np.asarray(np.einsum("ij,jk,ik->i", trend, self.coef_covariance, trend))


@dataclass(frozen=True, eq=False)
class BlendedUtility:
    """The utility α f_lin + (1 − α) f_MAP, with the uncertainty of f around it.

    Second moments are those of f, under the posterior, around the utility: the posterior covariance, that of β̂
    included, plus the product of what the blend moved.

    Attributes
    ----------
    smooth : SmoothPart
    beta : ndarray of shape (n_features,)
    alpha : float
    """

    smooth: SmoothPart
    beta: Floats
    alpha: float

    def most_probable(self) -> BlendedUtility:
        """Return itself, which is no mixture."""
        return self

    def mean(self, rows: Floats) -> Floats:
        """Return the utilities of ``rows`` (k, n_features), shape (k,)."""
        return self._mean_and_move(rows)[0]

    def mean_variance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the utilities of ``rows`` (k, n_features) and their variances, shape (k,) each."""
        mean, move = self._mean_and_move(rows)
        return mean, self.smooth.variance(rows) + move**2

    def mean_covariance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the utilities of ``rows`` (k, n_features), (k,), and their covariance, (k, k)."""
        mean, move = self._mean_and_move(rows)
        return mean, self.smooth.covariance(rows) + np.outer(move, move)

    def difference(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Return the differences of the utilities of rows (k, n_features), and their variances, shape (k,) each."""
        smooth = self.smooth.value(first) - self.smooth.value(second)
        mean = (first - second) @ self.beta + (1 - self.alpha) * smooth
        return mean, self.smooth.difference_variance(first, second) + (self.alpha * smooth) ** 2

    def gradient(self, rows: Floats) -> Floats:
        """Return the gradient of the utility at ``rows``, shape (k, n_features)."""
        return np.asarray(self.beta + (1 - self.alpha) * self.smooth.gradient(rows))

    def sample(self, rows: Floats, n_draws: int, seed: int | None) -> Floats:
        """Draw utilities of ``rows`` (k, n_features) jointly, shape (n_draws, k)."""
        mean, covariance = self.mean_covariance(rows)
        return mean + draw_normal(covariance, n_draws, 0 if seed is None else seed)

    def _mean_and_move(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the utilities of ``rows``, and by how much they differ from f_MAP, (k,) each."""
        smooth = self.smooth.value(rows)
        return np.asarray(rows @ self.beta + (1 - self.alpha) * smooth), self.alpha * smooth
