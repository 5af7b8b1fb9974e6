"""The maximum-likelihood linear utility with sign constraints on its weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.likelihood import Probit

LEAST_WEIGHT = 1e-6
"""The least contribution of a constrained feature over its whole range, in units of the noise of a comparison."""
PRIOR_SD = 5.0
"""The prior sd of a feature's contribution, in the same units, where the likelihood has no maximum."""

_UNIT = Probit(1.0)  # the noise of a comparison, √2·noise, is the unit until the weights are divided
_MOST_STEPS = 100
_MOST_HALVINGS = 40
_LARGE = 5.0  # fitted differences beyond this many units are checked for separability


@dataclass(frozen=True, eq=False)
class LinearUtility:
    """Weights β̂ of a linear utility, divided so that their sizes sum to one.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    noise : float
        The sd of the rating noise that goes with the divided weights: (1/√2) / Σ|β̂| of the undivided ones.
    separable : bool
        Whether some direction agrees with all comparisons, so that a prior had to bound the weights.
    """

    coef: Floats
    noise: float
    separable: bool


def linear_utility(differences: Floats, weight: Floats, direction: Ints, width: Floats) -> LinearUtility:
    """Return the weights that make the comparisons most likely, with the signs that ``direction`` asks for.

    Minimises −Σ w log Φ(βᵀ(x_better − x_worse)), the noise being absorbed in β ("Maximum Likelihood Estimate
    of Utilities"). The problem is convex. Where the minimum is at infinity, a normal prior bounds it.

    Parameters
    ----------
    differences : ndarray of shape (m, n_features)
        Better less worse.
    weight : ndarray of shape (m,)
    direction : ndarray of shape (n_features,)
        1 where the weight must be at least `LEAST_WEIGHT`, −1 where minus it must, 0 where it is free.
    width : ndarray of shape (n_features,)
        The range of each feature, the unit of `LEAST_WEIGHT` and of the prior.

    Examples
    --------
    >>> apart = np.array([[0.5, 0.1], [0.2, -0.5], [-0.3, 0.3]])
    >>> line = linear_utility(apart, np.ones(3), np.array([1, 1]), np.ones(2))
    >>> line.coef.round(3), round(line.noise, 3), line.separable
    (array([0.826, 0.174]), 0.364, False)
    """
    shares = differences / width
    beta = _minimised(shares, weight, direction, 0.0)
    far = np.abs(shares @ beta).max() > _LARGE
    separable = bool(far and separates(shares, direction))
    if separable:
        beta = _minimised(shares, weight, direction, 1 / PRIOR_SD**2)
    beta = beta / width
    size = np.abs(beta).sum()
    if size == 0:  # all weights are 0: any factor will do
        return LinearUtility(beta, np.sqrt(0.5), separable)
    return LinearUtility(beta / size, float(np.sqrt(0.5) / size), separable)


def separates(differences: Floats, direction: Ints) -> bool:
    """Whether some weights with the right signs agree with all comparisons, and strictly with at least one.

    The likelihood then increases without limit as such weights grow.
    """
    from scipy.optimize import linprog

    signs = [(0.0 if sign > 0 else -1.0, 0.0 if sign < 0 else 1.0) for sign in direction]
    unit = differences / np.abs(differences).max()
    solution = linprog(-unit.sum(axis=0), A_ub=-unit, b_ub=np.zeros(len(unit)), bounds=signs, method="highs")
    return solution.fun is not None and solution.fun < -1e-6


@dataclass(frozen=True, eq=False)
class _Loss:
    """−Σ w log Φ(β·difference) + prior/2 ‖β‖², as a function of β."""

    differences: Floats
    weight: Floats
    prior: float

    def value(self, beta: Floats) -> float:
        log = _UNIT.derivatives(self.differences @ beta).log
        return -float(self.weight @ log) + self.prior / 2 * float(beta @ beta)

    def derivatives(self, beta: Floats) -> tuple[Floats, Floats]:
        """Return the gradient (d,) and the Hessian (d, d)."""
        at = _UNIT.derivatives(self.differences @ beta)
        gradient = self.prior * beta - (self.weight * at.gradient) @ self.differences
        curvature = (self.differences.T * (self.weight * at.curvature)) @ self.differences
        return gradient, curvature + self.prior * np.eye(len(beta))

    def descended(self, beta: Floats, step: Floats, floor: Floats, gradient: Floats) -> Floats | None:
        """Return the first of β + t·step, t = 1, ½, ¼, …, cut at ``floor``, that lowers the loss enough, or None."""
        here = self.value(beta)
        for halvings in range(_MOST_HALVINGS):
            tried: Floats = np.maximum(beta + step / 2**halvings, floor)
            if self.value(tried) < here + 1e-4 * float(gradient @ (tried - beta)):
                return tried
        return None


def _minimised(differences: Floats, weight: Floats, direction: Ints, prior: float) -> Floats:
    """Return the minimum by Newton's method with steps projected on the bounds (Bertsekas 1982)."""
    bound = direction != 0
    floor = np.where(bound, LEAST_WEIGHT, -np.inf)
    side = np.where(bound, direction, 1)
    loss = _Loss(differences * side, weight, prior)  # now all bounds are from below
    beta = np.where(bound, LEAST_WEIGHT, 0.0)
    small = 1e-12 * float(weight @ np.abs(differences).sum(axis=1))
    for _ in range(_MOST_STEPS):
        gradient, curvature = loss.derivatives(beta)
        free = (beta > floor) | (gradient <= 0)
        if np.abs(gradient[free]).max(initial=0) <= small:
            break
        step = np.zeros(len(beta))
        step[free] = np.linalg.lstsq(curvature[np.ix_(free, free)], -gradient[free], rcond=1e-12)[0]
        lower = loss.descended(beta, step, floor, gradient)
        if lower is None:  # no descent above rounding
            break
        beta = lower
    return beta * side
