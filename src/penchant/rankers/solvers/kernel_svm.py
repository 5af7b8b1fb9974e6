"""Minimise RankSVM's objective with a kernel.

A positive semi-definite matrix K of n rows is ΦΦᵀ, and RankSVM with the kernel is linear RankSVM on the rows
of Φ: no matrix over pairs is needed. The learned w = Φᵀβ is written by coefficients β of the rows, so that
scores of new rows need the kernel only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, Ints, numbers
from penchant.errors import InvalidInput
from penchant.rankers.solvers.linear_svm import Solution, minimise
from penchant.rankers.solvers.pair_losses import smooth_loss
from penchant.rankers.solvers.pair_sums import PairSums

KERNELS = ("linear", "rbf", "poly")
MOST_ROWS = 5_000
_BLOCK = 2_000
_NEGLIGIBLE = 1e-6


@dataclass(frozen=True)
class Kernel:
    """κ(a, b) between rows: by name as in scikit-learn, or a callable from two matrices to the matrix of κ."""

    kind: str | Callable[[Any, Any], Any]
    gamma: float
    degree: float
    coef0: float

    def __call__(self, first: Any, second: Any) -> Floats:
        """Return the matrix of κ between the rows of both, shape (n_first, n_second)."""
        from sklearn.metrics.pairwise import pairwise_kernels

        if not second.shape[0]:
            return np.zeros((first.shape[0], 0))
        if callable(self.kind):
            matrix = numbers("kernel", self.kind(first, second))
            expected = (first.shape[0], second.shape[0])
            if matrix.shape != expected:
                raise InvalidInput(
                    f"kernel must return a matrix of shape {expected}, got {matrix.shape}: "
                    "return one row for each row of the first argument, one column for each of the second"
                )
            return matrix
        settings = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        found = pairwise_kernels(first, second, metric=self.kind, filter_params=True, **settings)
        return np.asarray(found, dtype=np.float64)

    def odd(self, first: Any, second: Any) -> Floats:
        """Return ½[κ(u, v) − κ(u, −v)], which changes its sign with either argument."""
        return (self(first, second) - self(first, -second)) / 2


def scaled_gamma(gamma: float | str, X: Any, weight: Floats | None) -> float:
    """Return ``gamma``, or for "scale" one over the number of features times the weighted variance of X."""
    if not isinstance(gamma, str):
        return float(gamma)
    squares = X.multiply(X) if hasattr(X, "multiply") else np.square(X)
    of_row = (np.ravel(part.mean(axis=1)).astype(np.float64) for part in (X, squares))
    mean, mean_square = (float(np.average(part, weights=weight)) for part in of_row)
    variance = mean_square - mean**2
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


def refuse_too_many(count: int, what: str, remedy: str) -> None:
    """Raise where a kernel matrix of ``count`` rows would not fit."""
    if count > MOST_ROWS:
        raise InvalidInput(
            f"a kernel's matrix must have at most {MOST_ROWS:,} rows, one for each of {what}, got {count:,}: {remedy}"
        )


@dataclass(frozen=True, eq=False)
class Factored:
    """A kernel's matrix K = ΦΦᵀ by Cholesky with pivots.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        K.
    features : ndarray of shape (n, rank of K)
        Φ.
    pivots : ndarray of shape (rank of K,)
        Rows of Φ that form a lower triangle.
    """

    matrix: Floats
    features: Floats
    pivots: Ints

    @classmethod
    def of(cls, K: Floats) -> Self:
        """Return K with its factor, or raise if K is no kernel's matrix."""
        from scipy.linalg.lapack import dpstrf

        upper, pivots, rank, _ = dpstrf(K)
        features = np.zeros((len(K), int(rank)))
        features[pivots - 1] = np.triu(upper)[:rank].T
        if np.abs(features @ features.T - K).max() > _NEGLIGIBLE * np.abs(K).max(initial=0.0):
            raise InvalidInput(
                "kernel must be symmetric and positive semi-definite, got a matrix that is not: use another kernel"
            )
        return cls(K, features, pivots[:rank] - 1)

    def expanded(self, coef: Floats) -> Floats:
        """Return β with Φᵀβ = w and zeros off the pivots, shape (n,)."""
        from scipy.linalg import solve_triangular

        row_coef = np.zeros(len(self.features))
        row_coef[self.pivots] = solve_triangular(self.features[self.pivots], coef, trans="T", lower=True)
        return row_coef


def blocks(n_rows: int) -> Iterator[slice]:
    """Walk rows in blocks, so that a kernel's matrix against many rows stays small."""
    return (slice(start, start + _BLOCK) for start in range(0, n_rows, _BLOCK))


def minimise_with_kernel(
    K: Floats, pairs: PairSums, *, loss: str, C: float, tol: float, max_iter: int
) -> Solution:
    """Return coefficients β of the rows of K as ``coef``, with the objective of the scores Kβ.

    The dual variables, summed by row, are such coefficients, zero for rows that are in no pair short of the
    margin. They give w = Φᵀβ only as far as the gradient is 0, and where K is badly scaled a tiny gradient changes
    scores much. Coefficients of the pivots, which give w to rounding, take their place if they miss ``tol``.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
    pairs : PairSums
        Pairs of rows of K.
    loss, C, tol, max_iter
        As in `minimise`.
    """
    factored, exact = Factored.of(K), smooth_loss(loss, pairs, C)
    found = minimise(factored.features, pairs, loss=loss, C=C, tol=tol, max_iter=max_iter)

    def expanded(row_coef: Floats) -> Solution:
        weights = factored.features.T @ row_coef
        objective = float(weights @ weights) / 2 + exact(K @ row_coef).exact
        return replace(found, coef=row_coef, objective=objective)

    sparse = expanded(found.pull)
    if sparse.gap <= tol:
        return sparse
    return min(expanded(factored.expanded(found.coef)), sparse, key=lambda solution: solution.objective)
