"""Newton's step and the covariance for a Hessian in which judges are coupled through worth alone.

The judges are eliminated block by block. With C the block of the common parameters (worth, log ν), D = L Lᵀ the 2 × 2
blocks of the judges and B the block between the two, everything is written in z = Lᵀ(v, w), in which D is the identity
and the coupling is G = B L⁻ᵀ. The judges' mean reliability is fixed (weighted by their answers): only the z orthogonal
to one direction are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats
from penchant.worth.inference.posterior import inverse_root

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_DENSE = 0.05


@dataclass(frozen=True, eq=False)
class Arrowhead:
    """Gradient and Hessian of a function in which judges are coupled through worth alone.

    Parameters
    ----------
    common : array of shape (n_common,)
        The gradient in worth and log ν.
    judges : array of shape (2, n_judges)
        The gradient in v and w.
    pivots : array of shape (3, n_judges)
        l11, l21, l22 of the Cholesky factor of each judge's Hessian.
    coupling : sparse array of shape (n_common, 2 n_judges)
        G, for all v first and then for all w.
    curvature : array of shape (n_common, n_common)
        The Hessian in worth and log ν, given the judges.
    shares : array of shape (n_judges,)
        The weights with which v must sum to 0.
    """

    common: Floats
    judges: Floats
    pivots: Floats
    coupling: csr_array
    curvature: Floats
    shares: Floats

    @cached_property
    def largest_gradient(self) -> float:
        """The largest absolute entry of the gradient, projected on the steps that keep mean reliability."""
        return float(max(np.abs(self.common).max(), np.abs(self._projected_judges).max(initial=0.0)))

    @cached_property
    def _projected_judges(self) -> Floats:
        shares = self.shares
        along = self.judges[0] @ shares / (shares @ shares) if shares.size else 0.0
        return np.stack([self.judges[0] - along * shares, self.judges[1]])

    @cached_property
    def marginal(self) -> Floats:
        """The Hessian in worth and log ν with the judges eliminated, shape (n_common, n_common)."""
        shift = self.coupling @ self._fixed
        matrix: Floats = self.curvature - _squared(self.coupling) + np.outer(shift, shift)
        return matrix

    @cached_property
    def is_minimum(self) -> bool:
        """Whether the Hessian is positive semidefinite, up to rounding."""
        diagonal = np.diag(self.marginal)
        if self._factor(0.0) is not None or not (diagonal > 0).all():
            return bool((diagonal > 0).all())
        scale = np.sqrt(diagonal)
        least = float(np.linalg.eigvalsh(self.marginal / scale / scale[:, None])[0])
        return least > -len(scale) * float(np.finfo(float).eps)

    def _factor(self, lift: float) -> Floats | None:
        try:
            return np.linalg.cholesky(self.marginal + lift * np.eye(len(self.common))).astype(np.float64)
        except np.linalg.LinAlgError:
            return None

    def step(self) -> tuple[Floats, Floats]:
        """Return a descent step in the common parameters and in the judges: Newton's where the Hessian is positive.

        Elsewhere a multiple of the identity is added until it is (Levenberg).
        """
        from scipy.linalg import cho_solve

        lift, least = 0.0, 1e-3 * float(np.trace(self.curvature)) / len(self.curvature)
        while (factor := self._factor(lift)) is None:
            lift = max(4 * lift, least)
        gradient = self._projected(_forward(self.pivots, self.judges))
        common = -cho_solve((factor, True), self.common - self.coupling @ gradient)
        judges = -self._projected(gradient + self.coupling.T @ common)
        return common, _backward(self.pivots, judges)

    def along(self, common: Floats, judges: Floats) -> float:
        """Return the derivative along a step."""
        return float(self.common @ common + (self.judges * judges).sum())

    def information(self, floor: float) -> Floats:
        """Return `marginal`, or at a saddle the same with at least the curvature ``floor`` in each direction.

        Judges who contradict one another evenly make a saddle: along its negative directions the answers hold no
        information, and only the curvature of the prior, ``floor``, is left.
        """
        if self._factor(0.0) is not None:
            return self.marginal
        values, vectors = np.linalg.eigh(self.marginal)
        matrix: Floats = (vectors * np.maximum(values, floor)) @ vectors.T
        return matrix

    def common_draws(self, floor: float, n_draws: int, seed: int) -> Floats:
        """Return draws of the common parameters less their mode, shape (n_draws, n_common), in pairs of x and −x."""
        root = inverse_root(self.information(floor), None, floor)
        half = np.random.default_rng(seed).standard_normal((n_draws // 2, root.shape[1])) @ root.T
        return np.concatenate([half, -half])

    @cached_property
    def _fixed(self) -> Floats:
        """The unit vector of z along which mean reliability changes, shape (2 n_judges,)."""
        direction = _forward(self.pivots, np.stack([self.shares, np.zeros_like(self.shares)]))
        return direction / np.linalg.norm(direction) if direction.size else direction

    def _projected(self, z: Floats) -> Floats:
        return z - self._fixed * (self._fixed @ z)


def _squared(matrix: csr_array) -> Floats:
    """Return matrix · matrixᵀ as a dense array, by a dense product where that is faster."""
    if matrix.nnz <= _DENSE * matrix.shape[0] * matrix.shape[1]:
        matrix = matrix @ matrix.T
        return matrix.toarray().astype(np.float64, copy=False)
    dense: Floats = matrix.toarray()
    return dense @ dense.T


def _forward(pivots: Floats, judges: Floats) -> Floats:
    """Return L⁻¹ times the v and w of each judge, shape (2 n_judges, …)."""
    first = judges[0] / pivots[0]
    return np.concatenate([first, (judges[1] - pivots[1] * first) / pivots[2]])


def _backward(pivots: Floats, z: Floats) -> Floats:
    """Return L⁻ᵀ z as v and w of each judge, shape (2, n_judges)."""
    first, second = z.reshape(2, -1)
    w = second / pivots[2]
    return np.stack([(first - pivots[1] * w) / pivots[0], w])
