"""Minimise ½‖w‖² + loss(Xw) for a smooth convex loss by preconditioned truncated Newton steps.

Truncated Newton (Lin, Weng and Keerthi, Trust region Newton method for logistic regression, 2008, with a line
search instead of the region): each step solves with the Hessian I + XᵀMX by conjugate gradients, which need
products with X and M only. The search along a step moves scores and never touches X.

Badly scaled or correlated features make conjugate gradients slow. The Hessian of a few pairs, drawn evenly from
all, is then factored and used as preconditioner, which changes the number of iterations and not the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self

import numpy as np

from penchant.checks import Floats
from penchant.progress import converging
from penchant.rankers.solvers.pair_losses import Loss, LossAt, Smooth

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


_MOST_PRODUCTS = 200
_SEARCHES = 60
_BLOCK = 10_000
_FLATTER = 0.5
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Point(Generic[Smooth]):
    """Where a descent stands: w (n_features,), Xw (n_rows,), the loss and the gradient of the objective."""

    coef: Floats
    scores: Floats
    loss: Smooth
    gradient: Floats

    @classmethod
    def at(cls, X: Any, coef: Floats, scores: Floats, loss: Smooth) -> Self:
        """Return the point with the gradient w + Xᵀ times that of the loss."""
        return cls(coef, scores, loss, coef + back(X, loss.gradient))

    @property
    def smooth_objective(self) -> float:
        """½‖w‖² + the smooth loss at Xw, which a descent lowers."""
        return float(self.coef @ self.coef) / 2 + self.loss.value

    @property
    def objective(self) -> float:
        """½‖w‖² + the loss itself at Xw."""
        return float(self.coef @ self.coef) / 2 + self.loss.exact

    @property
    def excess(self) -> float:
        """½‖gradient‖², an upper bound on the smooth objective less its minimum: it is 1-strongly convex."""
        return float(self.gradient @ self.gradient) / 2

    @property
    def gap(self) -> float:
        """The objective less that of the dual at the derivatives of the smooth loss: ½‖w − Xᵀα‖² + Σ Fenchel gaps.

        The dual objective of any feasible point is at most the least objective, so that the gap is an upper
        bound on how far the objective is above its minimum.
        """
        return self.excess + self.loss.smoothing_gap


def times(X: Any, vector: Floats) -> Floats:
    """Return Xv in double precision, computed in that of X, shape (n_rows,)."""
    return np.asarray(X @ vector.astype(X.dtype, copy=False), dtype=np.float64)


def back(X: Any, vector: Floats) -> Floats:
    """Return Xᵀu in double precision, computed in that of X, shape (n_features,)."""
    return np.asarray(X.T @ vector.astype(X.dtype, copy=False), dtype=np.float64)


def precise(X: Any, coef: Floats, loss: Loss[Smooth]) -> Point[Smooth]:
    """Return the point at ``coef`` by products in double precision, without the rounding of earlier steps."""
    scores = precise_times(X, coef)
    found = loss(scores)
    return Point(coef, scores, found, coef + precise_back(X, found.gradient))


def precise_times(X: Any, vector: Floats) -> Floats:
    """Return Xv, computed in double precision whatever that of X, shape (n_rows,)."""
    if X.dtype == np.float64:
        return times(X, vector)
    return np.concatenate([X[part].astype(np.float64) @ vector for part in _parts(X)])


def precise_back(X: Any, vector: Floats) -> Floats:
    """Return Xᵀu, computed in double precision whatever that of X, shape (n_features,)."""
    if X.dtype == np.float64:
        return back(X, vector)
    products = (X[part].astype(np.float64).T @ vector[part] for part in _parts(X))
    return sum(products, np.zeros(X.shape[1]))


def _parts(X: Any) -> list[slice]:
    return [slice(first, first + _BLOCK) for first in range(0, X.shape[0], _BLOCK)]


def start(X: Any, loss: Loss[Smooth]) -> Point[Smooth]:
    """Return the point w = 0."""
    scores = np.zeros(X.shape[0])
    return Point.at(X, np.zeros(X.shape[1]), scores, loss(scores))


def descend(
    X: Any,
    loss: Loss[Smooth],
    point: Point[Smooth],
    preconditioner: Preconditioner,
    *,
    allowed: Callable[[Point[Smooth]], float],
    max_iter: int,
) -> tuple[Point[Smooth], int]:
    """Take Newton steps from ``point`` until its excess is at most ``allowed`` there.

    Returns
    -------
    point : Point
    n_iter : int
        The number of steps taken. The excess may be larger after ``max_iter``, and after fewer where rounding
        hides whether a step would lower the objective.
    """
    largest, first = float(np.linalg.norm(point.gradient)), point.excess
    for n_iter in range(max_iter):
        norm, most = float(np.linalg.norm(point.gradient)), allowed(point)
        converging(point.excess, first, most)
        if point.excess <= most:
            return point, n_iter
        size = max(np.sqrt(most / 2), norm * min(0.1, np.sqrt(norm / largest)))
        found = _search(X, loss, point, *newton_step(X, point, size, preconditioner))
        if found is None:
            return point, n_iter
        point = found
    return point, max_iter


def newton_step(
    X: Any, point: Point[Smooth], size: float, preconditioner: Preconditioner
) -> tuple[Floats, Floats]:
    """Solve with the Hessian for the step p until the residual is at most ``size``, or products run out.

    Returns
    -------
    step, step_scores
        p (n_features,) and Xp (n_rows,).
    """
    patience = preconditioner.patience
    if patience is not None:
        if patience > 0:
            step, step_scores, solved = _conjugate_gradients(X, point, size, preconditioner, patience)
            if solved:
                return step, step_scores
        preconditioner.rebuild(point.loss)
    return _conjugate_gradients(X, point, size, preconditioner, _MOST_PRODUCTS)[:2]


def _conjugate_gradients(
    X: Any, point: Point[Smooth], size: float, preconditioner: Preconditioner, n_products: int
) -> tuple[Floats, Floats, bool]:
    """Return p, Xp and whether the residual came to at most ``size`` in that many products."""
    step, step_scores = np.zeros_like(point.coef), np.zeros_like(point.scores)
    residual = -point.gradient
    way = preconditioner(residual)
    square = float(residual @ way)
    for _ in range(n_products):
        way_scores = times(X, way)
        product = way + back(X, point.loss.curvature(way_scores))
        length = square / float(way @ product)
        step = step + length * way
        step_scores += length * way_scores
        residual = residual - length * product
        if residual @ residual <= size**2:
            return step, step_scores, True
        solved = preconditioner(residual)
        previous, square = square, float(residual @ solved)
        way = solved + (square / previous) * way
    return step, step_scores, False


def _search(
    X: Any, loss: Loss[Smooth], point: Point[Smooth], step: Floats, step_scores: Floats
) -> Point[Smooth] | None:
    """Return a point along ``step`` where the objective is lower and at most half as steep as here.

    The slope along the step rises with the length, since the objective is convex: its zero is bracketed,
    beginning with Newton's own length 1, and found by the Illinois variant of the secant method, with
    bisections between since the slope may curved by many orders of magnitude.
    """
    here = float(point.gradient @ step)
    low, high = (0.0, here), (np.inf, np.inf)
    length = 1.0
    for n_tried in range(_SEARCHES):
        coef, scores = point.coef + length * step, point.scores + length * step_scores
        found = loss(scores)
        steepness = float(coef @ step) + float(found.gradient @ step_scores)
        value = float(coef @ coef) / 2 + found.value
        lower = value <= point.smooth_objective + _ROUNDING * abs(point.smooth_objective)
        if lower and abs(steepness) <= _FLATTER * abs(here):
            return Point.at(X, coef, scores, found)
        if steepness < 0 and lower:
            low, high = (length, steepness), (high[0], high[1] / 2)
        else:
            low, high = (low[0], low[1] / 2), (length, abs(steepness))
        length = _next_length(low, high, bisect=n_tried % 3 == 2)
    return None


def _next_length(low: tuple[float, float], high: tuple[float, float], *, bisect: bool) -> float:
    """Return the length to try between two of them, each given with the slope along the step there."""
    if np.isinf(high[0]):
        return 2 * low[0]
    if bisect:  # by orders of magnitude, if there are some between
        return float(np.sqrt(low[0] * high[0])) if 0 < 10 * low[0] < high[0] else (low[0] + high[0]) / 2
    return low[0] - low[1] * (high[0] - low[0]) / (high[1] - low[1])
