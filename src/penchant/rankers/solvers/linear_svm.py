"""Minimise ½‖w‖² + C/|P| Σ loss to a duality gap.

Newton descents lower a smooth loss below the loss itself: the plain hinge is smoothed over a width that shrinks
from stage to stage; the squared hinge is taken as it is. Where the features are so large beside 1/C that few
digits are left, either begins with less curvature. The derivatives of the smooth loss are feasible for the dual of the
loss itself, so that the gap between the objective and the dual objective bounds how far the objective is above
its minimum. The descent ends when that gap is small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.rankers.solvers.newton import Point, Preconditioner, descend, precise, start
from penchant.rankers.solvers.pair_losses import LossAt, SmoothLoss, smooth_loss
from penchant.rankers.solvers.pair_sums import PairSums

LEAST_GAP = 1e-6
_STIFFEST = 1e9  # the relative gap at w = 0 above which the first loss has less curvature
_ROUGHLY = 0.1  # a stage ends at this relative accuracy, or where smoothing adds more to the gap
_STIFFER = 0.2, 0.5  # bounds of the ratio of two stages' curvatures


@dataclass(frozen=True, eq=False)
class Solution:
    """What a descent found.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    pull : ndarray of shape (n_rows,)
        −∂loss/∂scores, the dual variables of the pairs summed by row; where the gap is 0, w = Xᵀ pull.
    objective, bound : float
        The objective at ``coef``, and a lower bound on the least objective, from the dual.
    n_iter : int
        The number of Newton steps.
    """

    coef: Floats
    pull: Floats
    objective: float
    bound: float
    n_iter: int

    @property
    def gap(self) -> float:
        """How far the objective is above its minimum at most, relative to the objective."""
        return max(0.0, self.objective - self.bound) / self.objective


def minimise(X: Any, pairs: PairSums, *, loss: str, C: float, tol: float, max_iter: int) -> Solution:
    """Return weights of an objective within ``tol`` of the least, or as near as steps and rounding allow.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    pairs : PairSums
        Pairs of rows of X.
    loss : {"squared_hinge", "hinge"}
    tol : float
        The duality gap to reach, relative to the objective.
    max_iter : int
    """
    smooth = smooth_loss(loss, pairs, C)
    point, n_iter = start(X, smooth), 0
    if (softness := point.excess / point.objective / _STIFFEST) > 1:
        smooth = smooth_loss(loss, pairs, C, softness)
        point = start(X, smooth)

    def allowed(point: Point[LossAt]) -> float:
        smoothing = point.loss.smoothing_gap
        return max(min(smoothing, _ROUGHLY * point.smooth_objective), tol * point.objective - smoothing)

    preconditioner = Preconditioner(X)
    while True:
        point, steps = descend(X, smooth, point, preconditioner, allowed=allowed, max_iter=max_iter - n_iter)
        n_iter += steps
        found = _solution(point, smooth, tol, n_iter)
        if found.gap > tol and n_iter < max_iter and (stiffer := _stiffer(smooth, point, tol)):
            smooth = stiffer
            point = Point.at(X, point.coef, point.scores, smooth(point.scores))
            continue
        point = precise(X, point.coef, smooth)
        found = _solution(point, smooth, tol, n_iter)
        if found.gap <= tol or n_iter == max_iter or steps == 0:
            return found


def _stiffer(smooth: SmoothLoss, point: Point[LossAt], tol: float) -> SmoothLoss | None:
    """Return a loss of more curvature if smoothing stands in the way of ``tol``, and rounding does not."""
    goal, smoothing = tol * point.objective / 2, point.loss.smoothing_gap
    return smooth.stiffer(float(np.clip(goal / smoothing, *_STIFFER))) if smoothing > goal else None


def _solution(point: Point[LossAt], smooth: SmoothLoss, tol: float, n_iter: int) -> Solution:
    """Return the point, or w / (1 − tol/4) if its objective is lower.

    The longer w has no loss where all pairs fall short by at most tol/4, and ½‖w‖² grows by tol/2 of it. Where
    the pairs can be separated and C is large, that ends the descent long before the loss itself is as low.
    """
    norm, bound = float(point.coef @ point.coef) / 2, point.objective - point.gap
    here = Solution(point.coef, -point.loss.gradient, point.objective, bound, n_iter)
    if bound > norm * (1 + tol):
        return here
    longer = 1 / (1 - min(tol, 1.0) / 4)
    objective = longer**2 * norm + smooth(longer * point.scores).exact
    if objective >= here.objective:
        return here
    return replace(here, coef=longer * point.coef, objective=objective)
