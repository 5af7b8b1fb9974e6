"""Large symmetric systems without their matrix. A product and right-hand sides in; solutions out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penchant.checks import Floats

Product = Callable[[Floats], Floats]


def solve(
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
        bend = np.asarray((direction * image).sum(axis=0))
        step = np.divide(size, bend, out=np.zeros_like(size), where=(bend > 0) & (size > enough))
        solution += step * direction
        residual -= step * image
        settled = scale * residual
        before, size = size, np.asarray((residual * settled).sum(axis=0))
        if (size <= enough).all():
            break
        direction = settled + np.divide(size, before, out=np.zeros_like(size), where=before > 0) * direction
    return solution
