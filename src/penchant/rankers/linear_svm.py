"""Step two, RankSVM: features and pairs in, the weights of least ½‖w‖² + C/|P| Σ loss out.

The squared hinge is one Newton descent. The plain hinge is smoothed over a width that shrinks from stage to
stage, each a few Newton steps; its smoothed loss names dual variables of the hinge itself, so that the
distance from the least objective is bounded and known, and the descent ends when that gap is small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.rankers.newton import Point, descend, start
from penchant.rankers.pair_losses import SmoothedHinge, SmoothedHingeAt, SquaredHinge
from penchant.rankers.stated_pairs import PairSums

LEAST_GAP = 1e-6
_NARROWER = 0.2
_NARROWEST = 1e-7  # differences of squares over a smaller width would lose too many digits


@dataclass(frozen=True, eq=False)
class Solution:
    """What a descent found.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    pull : ndarray of shape (n_rows,)
        −∂loss/∂scores, which at the least objective gives w = Xᵀ pull.
    objective : float
    n_iter : int
        The number of Newton steps.
    converged : bool
    """

    coef: Floats
    pull: Floats
    objective: float
    n_iter: int
    converged: bool


def minimise(X: Any, pairs: PairSums, *, loss: str, C: float, tol: float, max_iter: int) -> Solution:
    """Return the weights of least objective.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    pairs : PairSums
        Pairs of rows of X.
    loss : {"squared_hinge", "hinge"}
    tol : float
        For the squared hinge, the norm of the gradient relative to that at w = 0; for the hinge, the duality
        gap relative to the objective.
    max_iter : int
    """
    solve = minimise_hinge if loss == "hinge" else minimise_squared_hinge
    return solve(X, pairs, C, tol=tol, max_iter=max_iter)


def minimise_squared_hinge(X: Any, pairs: PairSums, C: float, *, tol: float, max_iter: int) -> Solution:
    """Return the weights of least ½‖w‖² + C/|P| Σ max(0, 1 − m)²."""
    loss = SquaredHinge(pairs, C)
    point = start(X, loss)
    size = tol * float(np.linalg.norm(point.gradient))
    point, n_iter = descend(X, loss, point, size=size, max_iter=max_iter)
    converged = n_iter < max_iter or float(np.linalg.norm(point.gradient)) <= size
    return Solution(point.coef, -point.loss.slope, point.objective, n_iter, converged)


def minimise_hinge(X: Any, pairs: PairSums, C: float, *, tol: float, max_iter: int) -> Solution:
    """Return weights whose ½‖w‖² + C/|P| Σ max(0, 1 − m) is within ``tol`` of the least, relatively."""
    width, n_iter = 1.0, 0
    loss = SmoothedHinge(pairs, C, width)
    point = start(X, loss)
    while not (done := _gap(point) <= tol * _objective(point)) and n_iter < max_iter and width > _NARROWEST:
        # The objective is 1-strongly convex: a stage ends within ‖gradient‖²/2 = C·width/20 of its least.
        size = np.sqrt(0.1 * C * width)
        point, steps = descend(X, loss, point, size=size, max_iter=max_iter - n_iter)
        n_iter += steps
        if _gap(point) > tol * _objective(point):
            width *= _NARROWER
            loss = SmoothedHinge(pairs, C, width)
            point = Point.at(X, point.coef, point.scores, loss(point.scores))
    return Solution(point.coef, -point.loss.slope, _objective(point), n_iter, done)


def _objective(point: Point[SmoothedHingeAt]) -> float:
    return float(point.coef @ point.coef) / 2 + point.loss.hinge


def _gap(point: Point[SmoothedHingeAt]) -> float:
    """Return the objective of the hinge less that of its dual at the variables which the smoothed loss names."""
    dual_weights = point.gradient - point.coef
    return _objective(point) - (point.loss.dual - float(dual_weights @ dual_weights) / 2)
