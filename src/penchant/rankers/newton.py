"""Step two, RankSVM: the least of ½‖w‖² + loss(Xw). Features and a convex loss in, weights out.

Truncated Newton (Lin, Weng and Keerthi, Trust region Newton method for logistic regression, 2008, with a line
search instead of the region): each step solves with the Hessian I + XᵀMX by conjugate gradients, which need
products with X and M only. The search along a step moves scores and never touches X.

Badly scaled or correlated features would make conjugate gradients slow. So the Hessian of a few pairs, drawn
evenly from all, is factored at each step and its inverse put before theirs: that changes how fast they come to
the step, not the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self

import numpy as np

from penchant.checks import Floats
from penchant.rankers.pair_losses import Loss, LossAt, Smooth

_MOST_PRODUCTS = 200
_PAIRS_A_FEATURE = 32  # of a sample that stands for all
_DEAREST = 50  # multiplications for each number in X that such a sample may cost; they need X only once
_SEARCHES = 30
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
        """Return the point with the gradient w + Xᵀ slope."""
        return cls(coef, scores, loss, coef + back(X, loss.slope))

    @property
    def objective(self) -> float:
        """½‖w‖² + loss(Xw)."""
        return float(self.coef @ self.coef) / 2 + self.loss.value


def times(X: Any, vector: Floats) -> Floats:
    """Return Xv in double precision, computed in that of X, shape (n_rows,)."""
    return np.asarray(X @ vector.astype(X.dtype, copy=False), dtype=np.float64)


def back(X: Any, vector: Floats) -> Floats:
    """Return Xᵀu in double precision, computed in that of X, shape (n_features,)."""
    return np.asarray(X.T @ vector.astype(X.dtype, copy=False), dtype=np.float64)


def start(X: Any, loss: Loss[Smooth]) -> Point[Smooth]:
    """Return the point w = 0."""
    scores = np.zeros(X.shape[0])
    return Point.at(X, np.zeros(X.shape[1]), scores, loss(scores))


def descend(
    X: Any, loss: Loss[Smooth], point: Point[Smooth], *, size: float, max_iter: int
) -> tuple[Point[Smooth], int]:
    """Take Newton steps from ``point`` until the gradient's norm is at most ``size``.

    Returns
    -------
    point : Point
    n_iter : int
        The number of steps taken; ``max_iter`` may mean that the gradient is still larger.
    """
    largest = float(np.linalg.norm(point.gradient))
    for n_iter in range(max_iter):
        norm = float(np.linalg.norm(point.gradient))
        if norm <= size:
            return point, n_iter
        step, step_scores = newton_step(X, point, max(0.5 * size, norm * min(0.1, np.sqrt(norm / largest))))
        found = _search(X, loss, point, step, step_scores)
        if found is None:  # the objective is flat to the last digit
            return point, n_iter
        point = found
    return point, max_iter


def newton_step(X: Any, point: Point[Smooth], size: float) -> tuple[Floats, Floats]:
    """Solve with the Hessian for the step p by conjugate gradients until the residual is at most ``size``.

    Returns
    -------
    step, step_scores
        p (n_features,) and Xp (n_rows,).
    """
    step, step_scores = np.zeros_like(point.coef), np.zeros_like(point.scores)
    roughly_solved = _rough_solver(X, point.loss)
    residual = -point.gradient
    way = roughly_solved(residual)
    square = float(residual @ way)
    for _ in range(_MOST_PRODUCTS):
        way_scores = times(X, way)
        product = way + back(X, point.loss.curvature(way_scores))
        length = square / float(way @ product)
        step = step + length * way
        step_scores += length * way_scores
        residual = residual - length * product
        if np.linalg.norm(residual) <= size:
            break
        solved = roughly_solved(residual)
        previous, square = square, float(residual @ solved)
        way = solved + (square / previous) * way
    return step, step_scores


def _rough_solver(X: Any, loss: LossAt) -> Callable[[Floats], Floats]:
    """Return what solves with I + XᵀMX nearly, by some of the pairs of M; with I where those cost too much."""
    n_features = X.shape[1]
    n_pairs = _PAIRS_A_FEATURE * n_features
    if n_pairs * n_features**2 > _DEAREST * X.size:
        return lambda vector: vector
    from scipy.linalg import cho_factor, cho_solve

    better, worse, weight = loss.sample(n_pairs)
    differences = X[better] - X[worse]
    dense = differences if isinstance(differences, np.ndarray) else differences.toarray()
    rows = np.sqrt(weight)[:, None] * dense
    factor = cho_factor(np.eye(n_features) + rows.T @ rows, overwrite_a=True, check_finite=False)
    return lambda vector: np.asarray(cho_solve(factor, vector, check_finite=False))


def _search(
    X: Any, loss: Loss[Smooth], point: Point[Smooth], step: Floats, step_scores: Floats
) -> Point[Smooth] | None:
    """Return a point along ``step`` where the objective is lower and at most half as steep as here.

    The slope along the step rises with the length, since the objective is convex: its zero is bracketed,
    beginning with Newton's own length 1.
    """
    here = float(point.gradient @ step)
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(_SEARCHES):
        coef, scores = point.coef + length * step, point.scores + length * step_scores
        found = loss(scores)
        steepness = float(coef @ step) + float(found.slope @ step_scores)
        value = float(coef @ coef) / 2 + found.value
        lower = value <= point.objective + _ROUNDING * abs(point.objective)
        if lower and abs(steepness) <= _FLATTER * abs(here):
            return Point.at(X, coef, scores, found)
        if steepness < 0 and lower:
            low = length
        else:
            high = length
        length = 2 * length if np.isinf(high) else (low + high) / 2
    return None
