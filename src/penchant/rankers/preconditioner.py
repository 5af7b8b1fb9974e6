"""Precondition conjugate gradients in RankSVM's Newton steps with the Hessian of a sample of pairs.

Badly scaled or correlated features make conjugate gradients slow. The Hessian I + XᵀMX of a few pairs, drawn
evenly from all, is then factored, and its inverse stands in for that of the Hessian: that changes how fast they
come to the step, not the step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.rankers.pair_losses import LossAt

_PAIRS_A_FEATURE = 32  # of a sample that stands for all
_DEAREST = 200  # multiplications for each number in X that a factor may cost
_CHEAP = 1e7  # multiplications that are always worth it
_PATIENCE = 10


class Preconditioner:
    """Multiply by the inverse Hessian of some of the pairs, by 1 before `rebuild`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._factor: tuple[Floats, bool] | None = None

    @property
    def patience(self) -> int | None:
        """The number of products with the Hessian before a new factor pays, None if it never does."""
        cost = _PAIRS_A_FEATURE * self._X.shape[1] ** 3
        if cost <= _CHEAP:
            return 0
        return _PATIENCE if cost <= _DEAREST * self._X.size else None

    def __call__(self, vector: Floats) -> Floats:
        """Return the product with ``vector``, shape (n_features,)."""
        if self._factor is None:
            return vector
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve(self._factor, vector, check_finite=False))

    def rebuild(self, loss: LossAt) -> None:
        """Factor the Hessian of a sample of the pairs at ``loss``."""
        from scipy.linalg import cho_factor, qr

        n_features = self._X.shape[1]
        better, worse, weight = loss.sample(_PAIRS_A_FEATURE * n_features)
        differences = self._X[better] - self._X[worse]
        dense = differences if isinstance(differences, np.ndarray) else differences.toarray()
        rows = np.sqrt(weight)[:, None] * dense
        try:
            self._factor = cho_factor(
                np.eye(n_features) + rows.T @ rows, overwrite_a=True, check_finite=False
            )
        except np.linalg.LinAlgError:  # beside the products the 1 has no digits left; QR forms no products
            triangle = qr(np.vstack([rows, np.eye(n_features)]), mode="r", check_finite=False)[0]
            self._factor = triangle[:n_features], False
