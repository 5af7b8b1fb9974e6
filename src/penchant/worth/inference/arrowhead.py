"""Newton's step and the covariance where judges hang on worth but not on one another.

The gradient and the parts of the Hessian in; steps and variances with the judges eliminated out. With C the
block of what is common (worth, log ν), D = L Lᵀ the 2 × 2 blocks of the judges and B what couples the two,
everything is written in z = Lᵀ(v, w), in which D is the identity and the coupling is G = B L⁻ᵀ. The judges'
mean reliability is fixed (weighted by their answers): only the z orthogonal to one direction are free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats
from penchant.linalg import inverse_root

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_DENSE = 0.05
_JUDGES_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class Arrowhead:
    """Gradient and Hessian of something in which judges depend on one another through worth alone.

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
        The v whose sum with these weights is 0 are those allowed.
    """

    common: Floats
    judges: Floats
    pivots: Floats
    coupling: csr_array
    curvature: Floats
    shares: Floats

    @cached_property
    def steepness(self) -> float:
        """The largest entry of the gradient along what may change."""
        return float(max(np.abs(self.common).max(), np.abs(self._allowed_judges).max(initial=0.0)))

    @cached_property
    def _allowed_judges(self) -> Floats:
        shares = self.shares
        slant = self.judges[0] @ shares / (shares @ shares) if shares.size else 0.0
        return np.stack([self.judges[0] - slant * shares, self.judges[1]])

    @cached_property
    def marginal(self) -> Floats:
        """The Hessian in worth and log ν with the judges eliminated, shape (n_common, n_common)."""
        shift = self.coupling @ self._barred
        matrix: Floats = self.curvature - _squared(self.coupling) + np.outer(shift, shift)
        return matrix

    @cached_property
    def is_minimum(self) -> bool:
        """Whether the Hessian bends upwards in each direction, rounding apart."""
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
        """Return Newton's step in what is common and in the judges, which leads downwards from anywhere.

        Where the Hessian bends down it is lifted until it does not (Levenberg).
        """
        from scipy.linalg import cho_solve

        lift, least = 0.0, 1e-3 * float(np.trace(self.curvature)) / len(self.curvature)
        while (factor := self._factor(lift)) is None:
            lift = max(4 * lift, least)
        gradient = self._allowed(_forward(self.pivots, self.judges))
        common = -cho_solve((factor, True), self.common - self.coupling @ gradient)
        judges = -self._allowed(gradient + self.coupling.T @ common)
        return common, _backward(self.pivots, judges)

    def along(self, common: Floats, judges: Floats) -> float:
        """Return the gradient in the direction of a step."""
        return float(self.common @ common + (self.judges * judges).sum())

    def information(self, floor: float) -> Floats:
        """Return `marginal`, or at a saddle the same with at least the curvature ``floor`` in each direction.

        Judges who contradict one another evenly make a saddle: the answers say nothing along its way down,
        and only the prior, whose curvature is ``floor``, is left.
        """
        if self._factor(0.0) is not None:
            return self.marginal
        values, vectors = np.linalg.eigh(self.marginal)
        matrix: Floats = (vectors * np.maximum(values, floor)) @ vectors.T
        return matrix

    def judge_variance(self, floor: float) -> Floats:
        """Return the variances of v and w, what is common not being known either, shape (2, n_judges).

        At a saddle, where the Hessian says little, they are no more than the 1 that they are before any answer.
        """
        root = inverse_root(self.information(floor), None, floor)
        n_judges, coupling, shift = self.shares.size, self.coupling.tocsc(), self.coupling @ self._barred
        variance = np.empty((2, n_judges))
        for judges in _slices(n_judges):
            in_v, in_w = (
                coupling[:, :n_judges][:, judges].toarray(),
                coupling[:, n_judges:][:, judges].toarray(),
            )
            for part, (first, second) in enumerate(_units(self.pivots[:, judges])):
                barred = self._barred[:n_judges][judges] * first + self._barred[n_judges:][judges] * second
                seen = root.T @ (in_v * first + in_w * second - np.outer(shift, barred))
                variance[part, judges] = first**2 + second**2 - barred**2 + (seen**2).sum(axis=0)
        return np.clip(variance, 0.0, np.inf if self.is_minimum else 1.0)

    @cached_property
    def _barred(self) -> Floats:
        """The unit vector of z in which mean reliability would change, shape (2 n_judges,)."""
        direction = _forward(self.pivots, np.stack([self.shares, np.zeros_like(self.shares)]))
        return direction / np.linalg.norm(direction) if direction.size else direction

    def _allowed(self, z: Floats) -> Floats:
        return z - self._barred * (self._barred @ z)


def _squared(matrix: csr_array) -> Floats:
    """Return matrix · matrixᵀ, written out; dense from where that is faster."""
    if matrix.nnz <= _DENSE * matrix.shape[0] * matrix.shape[1]:
        matrix = matrix @ matrix.T
        return matrix.toarray().astype(np.float64, copy=False)
    dense: Floats = matrix.toarray()
    return dense @ dense.T


def _forward(pivots: Floats, judges: Floats) -> Floats:
    """Return L⁻¹ times what is given for each judge's v and w, shape (2 n_judges, …)."""
    first = judges[0] / pivots[0]
    return np.concatenate([first, (judges[1] - pivots[1] * first) / pivots[2]])


def _backward(pivots: Floats, z: Floats) -> Floats:
    """Return L⁻ᵀ z as v and w of each judge, shape (2, n_judges)."""
    first, second = z.reshape(2, -1)
    w = second / pivots[2]
    return np.stack([(first - pivots[1] * w) / pivots[0], w])


def _units(pivots: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return L⁻¹ of each judge's unit vectors (1, 0) and (0, 1)."""
    ones, zeros = np.ones_like(pivots[0]), np.zeros_like(pivots[0])
    first, second = (
        _forward(pivots, np.stack(unit)).reshape(2, -1) for unit in ((ones, zeros), (zeros, ones))
    )
    return (first[0], first[1]), (second[0], second[1])


def _slices(size: int) -> Iterator[slice]:
    return (slice(start, start + _JUDGES_AT_ONCE) for start in range(0, size, _JUDGES_AT_ONCE))
