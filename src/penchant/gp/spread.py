"""How sure utilities are. A kernel and a posterior in; variances at any rows out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from penchant.checks import Floats
from penchant.gp.gaussian import UNEXPLAINED
from penchant.gp.kernels import Kernel
from penchant.schema import require

_MOST_ROWS = 512
_MOST_CELLS = 1 << 23


@dataclass(frozen=True, eq=False)
class Spread:
    """The posterior covariance of a Gaussian process whose answers touch some items only.

    Attributes
    ----------
    kernel : Kernel
    basis : ndarray of shape (rank, n_features)
        The items whose utilities determine those of all others.
    prior_root, posterior_root : ndarray of shape (rank, rank)
        Lower triangles: of K on the basis, and of B = I + LᵀWL.
    """

    kernel: Kernel
    basis: Floats
    prior_root: Floats
    posterior_root: Floats

    def coordinates(self, X: Floats) -> tuple[Floats, Floats]:
        """Return what the basis tells of rows X (k, n_features) a priori, and what the answers leave of it.

        l with k(x) = L l, and root⁻¹ l, (rank, k) each: the variance is k(x, x) − lᵀl + ‖root⁻¹ l‖².
        """
        known = solve_triangular(self.prior_root, self.kernel(self.basis, X), lower=True, check_finite=False)
        left = solve_triangular(self.posterior_root, known, lower=True, check_finite=False)
        return np.asarray(known), np.asarray(left)

    def covariance_parts(self, X: Floats) -> tuple[Floats, Floats]:
        """Return the part of the covariance that no answer touches, (k, k), and a root of the rest, (rank, k)."""
        known, left = self.coordinates(X)
        return self.kernel(X) - known.T @ known, left

    def variance(self, X: Floats) -> Floats:
        """Return the posterior variance at rows X (k, n_features), shape (k,)."""
        found = np.empty(len(X))
        for block in blocks(len(X), len(self.basis)):
            found[block] = _left(self.kernel.diagonal(X[block]), *self.coordinates(X[block]))
        return found

    def difference_variance(self, A: Floats, B: Floats) -> Floats:
        """Return the posterior variance of f(a) − f(b) for rows a, b of A and B (k, n_features), shape (k,)."""
        found = np.empty(len(A))
        for block in blocks(len(A), len(self.basis)):
            a, b = A[block], B[block]
            prior = self.kernel.diagonal(a) + self.kernel.diagonal(b) - 2 * np.diagonal(self.kernel(a, b))
            apart = (one - other for one, other in zip(self.coordinates(a), self.coordinates(b), strict=True))
            found[block] = _left(prior, *apart)
        return found


def check_roots(kernel: Kernel, basis: Floats, prior_root: Floats, posterior_root: Floats) -> None:
    """Refuse saved roots, of shape (rank, rank), that would not give finite variances of at least 0.

    The first must be the triangle of the kernel on the basis, as Cholesky with pivoting leaves it, and the second
    that of a matrix B whose eigenvalues are at least 1.
    """
    from scipy.linalg.lapack import dtrcon

    K = kernel(basis)
    require(np.isfinite(K).all(), "the kernel must be finite between the items")
    largest = float(np.diagonal(K).max(initial=0.0))
    apart = np.abs(prior_root @ prior_root.T - K).max(initial=0.0)
    require(apart <= 1e-6 * largest, "the root of the prior must be that of the kernel")
    for root, least in ((prior_root, 0.5 * np.sqrt(UNEXPLAINED * largest)), (posterior_root, 1 - 1e-6)):
        triangle = not np.triu(root, 1).any() and (np.diagonal(root) >= least).all()
        require(triangle, f"roots must be lower triangles with a diagonal of at least {least:.3g}")
    if len(posterior_root):
        size = np.abs(posterior_root).sum(axis=0).max()
        reciprocal, _ = dtrcon(posterior_root, norm="1", uplo="L")
        inverse = 1 / max(reciprocal * size, np.finfo(float).tiny)
        require(
            inverse <= 10 * np.sqrt(len(posterior_root)),
            "the root of the posterior must have eigenvalues above 1",
        )


def blocks(n_rows: int, n_items: int) -> Iterator[slice]:
    """Return pieces of ``n_rows`` rows whose kernel with ``n_items`` items fits in a little memory."""
    step = max(1, min(_MOST_ROWS, _MOST_CELLS // n_items))
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _left(prior: Floats, known: Floats, left: Floats) -> Floats:
    rest = prior - np.einsum("ij,ij->j", known, known)
    return np.asarray(np.maximum(rest, 0) + np.einsum("ij,ij->j", left, left))
