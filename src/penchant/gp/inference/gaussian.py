"""The posterior of a normal prior and of normal observations of differences of two items.

With the prior covariance K = LLᵀ and the precision W = Σ w (e_a − e_b)(e_a − e_b)ᵀ of the answers, the posterior
covariance is L B⁻¹ Lᵀ with B = I + LᵀWL. Neither K nor W is ever inverted. L comes from Cholesky with
pivoting, which stops where no variance is left: a smooth kernel on many items has a thin L, and a
singular K needs no jitter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpstrf
from scipy.sparse import csr_array

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import PairCounts

UNEXPLAINED = 1e-10
"""The part of the largest prior variance that the factor of a covariance may leave out."""
_BLOCK = 1 << 18


@dataclass(frozen=True, eq=False)
class Factor:
    """K = LLᵀ up to a small part.

    Attributes
    ----------
    L : ndarray of shape (n, rank)
        Rows in the order of K's.
    pivots : int ndarray of shape (rank,)
        The items whose rows of L form a lower triangle.
    """

    L: Floats
    pivots: Ints

    @classmethod
    def of(cls, K: Floats, *, unexplained: float = UNEXPLAINED) -> Factor:
        """Return the factor of a covariance K (n, n)."""
        largest = float(np.diagonal(K).max(initial=0.0))
        packed, order, rank, _ = dpstrf(K, tol=unexplained * largest, lower=1)
        order = order.astype(np.int64) - 1
        L = np.empty((len(K), rank))
        L[order] = np.tril(packed[:, :rank])
        return cls(L, order[:rank])

    @cached_property
    def triangle(self) -> Floats:
        """The rows of the pivots: a lower triangle, shape (rank, rank)."""
        return self.L[self.pivots]

    def coordinates(self, cross: Floats) -> Floats:
        """Return l with L l = k for columns k of a covariance with the pivots; (rank, k) to (rank, k)."""
        return np.asarray(solve_triangular(self.triangle, cross, lower=True, check_finite=False))


class Posterior:
    """The posterior covariance of utilities: that of the prior, K, updated by precisions of pairwise differences.

    Parameters
    ----------
    factor : Factor
        Of K (n, n).
    pairs : PairCounts
        On the n items.
    precision : ndarray of shape (m,)
        At least 0: of the difference of the two utilities of each answer, all its counts together.
    """

    def __init__(self, factor: Factor, pairs: PairCounts, precision: Floats) -> None:
        self.factor = factor
        self.pairs = pairs
        self.W: csr_array = pairs.precision(precision)
        self.WL: Floats = np.asarray(self.W @ factor.L)
        B = factor.L.T @ self.WL
        B[np.diag_indices_from(B)] += 1.0
        # All eigenvalues of B are at least 1, the prior's part. Rounding moves them by up to
        # eps·trace(B). Where that is 1, whether a root is found, and which, is up to the processor.
        rounding = float(np.finfo(np.float64).eps * np.trace(B))
        self.root, failed = dpotrf(B, lower=1, clean=1, overwrite_a=1)
        self.sound = failed == 0 and rounding < 1

    def solve(self, values: Floats) -> Floats:
        """Return B⁻¹ times ``values`` (rank,) or (rank, k)."""
        half = solve_triangular(self.root, values, lower=True, check_finite=False)
        return np.asarray(solve_triangular(self.root, half, lower=True, trans=1, check_finite=False))

    @property
    def log_determinant(self) -> float:
        """The logarithm of |B|; NaN where rounding may be as large as the smallest eigenvalue of B."""
        return float("nan") if not self.sound else 2 * float(np.log(np.diagonal(self.root)).sum())

    def covariance_times(self, values: Floats) -> Floats:
        """Return the posterior covariance times ``values`` (n,)."""
        return np.asarray(self.factor.L @ self.solve(self.factor.L.T @ values))

    @cached_property
    def halves(self) -> Floats:
        """H with HᵀH the posterior covariance, transposed: shape (n, rank)."""
        L = self.factor.L
        return np.ascontiguousarray(solve_triangular(self.root, L.T, lower=True, check_finite=False).T)

    def difference_variances(self) -> Floats:
        """Return the posterior variance of each pair's difference, shape (m,)."""
        better, worse = self.pairs.better, self.pairs.worse
        variances = np.empty(len(better))
        step = max(1, _BLOCK // max(1, self.halves.shape[1]))
        for start in range(0, len(better), step):
            block = slice(start, start + step)
            apart = self.halves[better[block]] - self.halves[worse[block]]
            variances[block] = np.einsum("ij,ij->i", apart, apart)
        return variances

    def explained(self) -> Floats:
        """Return R = (K + W⁻¹)⁻¹ = W − W Σ W, shape (n, n): the posterior covariance is K − K R K."""
        half = solve_triangular(self.root, self.WL.T, lower=True, check_finite=False)
        R: Floats = half.T @ half
        np.negative(R, out=R)
        rows = np.repeat(np.arange(len(R)), np.diff(self.W.indptr))
        R[rows, self.W.indices] += self.W.data
        return R
