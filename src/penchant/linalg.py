"""Linear algebra of covariances: square roots, normal draws, and large systems by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penchant.checks import Floats

Product = Callable[[Floats], Floats]
"""Multiplies a symmetric matrix with an array of shape (n,) or (n, k)."""


def root_of(matrix: Floats) -> Floats:
    """Return F with F Fᵀ equal to a positive semidefinite ``matrix`` up to rounding, shape (n, rank).

    By Cholesky's method with pivots on the matrix scaled to a diagonal of 1, which stops where nothing but rounding
    is left (Higham 2002, section 10.3).

    Examples
    --------
    >>> root = root_of(np.array([[4.0, -4.0], [-4.0, 4.0]]))
    >>> root.shape, (root @ root.T).tolist()
    ((2, 1), [[4.0, -4.0], [-4.0, 4.0]])
    """
    from scipy.linalg import lapack

    scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    divisor = np.where(scale > 0, scale, 1.0)
    factor, pivots, rank, _ = lapack.dpstrf(matrix / divisor / divisor[:, None], lower=1)
    root = np.zeros((len(matrix), rank))
    root[pivots - 1] = np.tril(factor)[:, :rank]
    root *= scale[:, None]
    return root


def draw_normal(covariance: Floats, n_draws: int, seed: int | np.random.Generator) -> Floats:
    """Draw deviations from the mean of a normal distribution, shape (n_draws, n); the covariance may be singular."""
    rounding = 1e-10 * covariance.diagonal().mean() + np.finfo(np.float64).tiny
    try:
        root: Floats = np.linalg.cholesky(covariance + rounding * np.eye(len(covariance)))
    except np.linalg.LinAlgError:
        root = root_of(covariance)
    noise = np.random.default_rng(seed).standard_normal((n_draws, root.shape[1]))
    deviations: Floats = noise @ root.T
    return deviations


def conjugate_gradients(
    product: Product,
    diagonal: Floats,
    right: Floats,
    *,
    tolerance: float,
    most: int | None = None,
    start: Floats | None = None,
) -> Floats:
    """Solve H x = ``right`` by conjugate gradients with the diagonal of H as preconditioner.

    The columns of ``right`` are solved side by side, each with its own steps, so that H is multiplied with a
    matrix rather than with one vector after another. H may be singular where ``right`` has no part along its
    null space; the solution then has none either, in the metric of the diagonal.

    Parameters
    ----------
    product : callable
        Multiplies H with an array of shape (n,) or (n, k).
    diagonal : array of shape (n,)
        Of H, above 0.
    right : array of shape (n,) or (n, k)
    tolerance : float
        Stop when each residual, measured by the preconditioner, is at most this share of ``right``.
    most : int, optional
        Stop after so many products; without it, after 2 n + 100.
    start : array of the shape of ``right``, optional
        Where to start from; 0 if not given.
    """
    scale = 1 / diagonal if right.ndim == 1 else 1 / diagonal[:, None]
    solution = np.zeros_like(right) if start is None else start.copy()
    residual = right.copy() if start is None else right - product(start)
    direction = scale * residual
    size = np.asarray((residual * direction).sum(axis=0))
    enough = tolerance**2 * (size if start is None else np.asarray((right * scale * right).sum(axis=0)))
    if start is not None and (size <= enough).all():
        return solution
    for _ in range(2 * len(right) + 100 if most is None else most):
        image = product(direction)
        curvature = np.asarray((direction * image).sum(axis=0))
        step = np.divide(size, curvature, out=np.zeros_like(size), where=(curvature > 0) & (size > enough))
        solution += step * direction
        residual -= step * image
        settled = scale * residual
        before, size = size, np.asarray((residual * settled).sum(axis=0))
        if (size <= enough).all():
            break
        direction = settled + np.divide(size, before, out=np.zeros_like(size), where=before > 0) * direction
    return solution
