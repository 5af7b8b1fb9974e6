"""Step two, RankSVM with a kernel: the matrix of a kernel in, features that have it as inner products out.

A positive semi-definite matrix K of n rows is ΦΦᵀ, and RankSVM with the kernel is linear RankSVM on the rows
of Φ: no matrix over pairs is needed, and the dual variables of the rows are −∂loss/∂scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, numbers
from penchant.errors import InvalidInput

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
    """Refuse a kernel matrix of ``count`` rows that would not fit."""
    if count > MOST_ROWS:
        raise InvalidInput(
            f"a kernel's matrix must have at most {MOST_ROWS:,} rows, one for each of {what}, got {count:,}: {remedy}"
        )


def factor(K: Floats) -> Floats:
    """Return Φ with ΦΦᵀ = K, shape (n, rank of K), by Cholesky with pivots."""
    from scipy.linalg.lapack import dpstrf

    upper, pivots, rank, _ = dpstrf(K)
    features = np.zeros((len(K), int(rank)))
    features[pivots - 1] = np.triu(upper)[:rank].T
    if np.abs(features @ features.T - K).max() > _NEGLIGIBLE * np.abs(K).max(initial=0.0):
        raise InvalidInput(
            "kernel must be symmetric and positive semi-definite, got a matrix that is not: use another kernel"
        )
    return features


def blocks(n_rows: int) -> Iterator[slice]:
    """Walk rows in blocks, so that a kernel's matrix against many rows stays small."""
    return (slice(start, start + _BLOCK) for start in range(0, n_rows, _BLOCK))
