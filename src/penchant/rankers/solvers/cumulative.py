"""Maximise the penalised likelihood of ordered categories by Newton's method.

A row with features x is in category k with probability F(θ_k − wᵀx) − F(θ_{k−1} − wᵀx), θ_{−1} = −∞ and the
last θ = ∞, F being the logistic or the normal distribution function. The logarithm of such a difference is
concave in both ends, so −log likelihood + alpha/2 ‖w‖² has one minimum, which Newton's method finds. With many features
the Hessian is formed and factored at the first step; later ones are solved by conjugate gradients, with that factor as
preconditioner, which needs products with X alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints

_STEPS = 200
_DECREMENT = 1e-12
_ROUNDING = 1e-13
_MANY = 48
"""Features from which on a dozen products with the Hessian cost less than the Hessian."""
_MOST_PRODUCTS = 30
"""Products for one step, after which the Hessian is formed and factored anew."""


@dataclass(frozen=True)
class Derivatives:
    """Derivatives of the log mass of intervals, each of the intervals' shape."""

    lower: Floats
    upper: Floats
    lower_lower: Floats
    upper_upper: Floats
    lower_upper: Floats


@dataclass(frozen=True)
class Link:
    """A distribution, as its mass between two bounds."""

    log_mass: Callable[[Floats, Floats], Floats]
    derivatives: Callable[[Floats, Floats], Derivatives]
    quantile: Callable[[Floats], Floats]


def _logistic_log_mass(lower: Floats, upper: Floats) -> Floats:
    width = np.log(-np.expm1(lower - upper))
    log_mass: Floats = width - np.logaddexp(0.0, -upper) - np.logaddexp(0.0, lower)
    return log_mass


def _logistic_derivatives(lower: Floats, upper: Floats) -> Derivatives:
    from scipy.special import expit

    with np.errstate(over="ignore"):
        odds = 1.0 / np.expm1(upper - lower)
    coupling = odds * (1.0 + odds)
    below, above = expit(lower), expit(-upper)
    return Derivatives(
        lower=-below - odds,
        upper=above + odds,
        lower_lower=-below * (1.0 - below) - coupling,
        upper_upper=-above * (1.0 - above) - coupling,
        lower_upper=coupling,
    )


def _normal_log_mass(lower: Floats, upper: Floats) -> Floats:
    from scipy.special import log_ndtr

    # The half line on which the two tails are small, so that nothing cancels.
    with np.errstate(invalid="ignore"):
        mirrored = lower + upper > 0
    near, far = np.where(mirrored, -lower, upper), np.where(mirrored, -upper, lower)
    log_near = log_ndtr(near)
    log_mass: Floats = log_near + np.log(-np.expm1(log_ndtr(far) - log_near))
    return log_mass


def _normal_derivatives(lower: Floats, upper: Floats) -> Derivatives:
    log_mass = _normal_log_mass(lower, upper)

    def share(bound: Floats) -> tuple[Floats, Floats]:
        """Return the density at a bound over the mass, and that times the bound."""
        density = np.exp(-0.5 * bound**2 - 0.5 * np.log(2 * np.pi) - log_mass)
        return density, np.where(np.isinf(bound), 0.0, bound) * density

    (below, scaled_below), (above, scaled_above) = share(lower), share(upper)
    return Derivatives(
        lower=-below,
        upper=above,
        lower_lower=scaled_below - below**2,
        upper_upper=-scaled_above - above**2,
        lower_upper=below * above,
    )


def _logistic_quantile(share: Floats) -> Floats:
    return np.log(share) - np.log1p(-share)


def _normal_quantile(share: Floats) -> Floats:
    from scipy.special import ndtri

    quantile: Floats = ndtri(share)
    return quantile


LINKS = {
    "logit": Link(_logistic_log_mass, _logistic_derivatives, _logistic_quantile),
    "probit": Link(_normal_log_mass, _normal_derivatives, _normal_quantile),
}


def bounds(cuts: Floats) -> tuple[Floats, Floats]:
    """Return the lower and the upper cut of each category, shapes (n_categories,)."""
    return np.r_[-np.inf, cuts], np.r_[cuts, np.inf]


@dataclass(frozen=True, eq=False)
class Point:
    """Weights w, cuts θ, and the scores Xw of the rows."""

    coef: Floats
    cuts: Floats
    score: Floats


@dataclass(frozen=True, eq=False)
class Cumulative:
    """The penalised likelihood of rows that are sorted by category.

    Parameters
    ----------
    X : array of shape (n, n_features)
    codes : int array of shape (n,)
        Category numbers 0 … n_categories − 1, rising, each at least once.
    weight : array of shape (n,)
        Above 0.
    alpha : float
        The ridge, at least 0.
    link : Link
    """

    X: Floats
    codes: Ints
    weight: Floats
    alpha: float
    link: Link

    def first_cuts(self) -> Floats:
        """Return the best cuts for w = 0, shape (n_categories − 1,)."""
        totals = np.bincount(self.codes, weights=self.weight)
        return self.link.quantile(np.cumsum(totals)[:-1] / totals.sum())

    def loss(self, at: Point) -> float:
        """Return −log likelihood + alpha/2 ‖w‖²; infinite where a category has no room left."""
        if (np.diff(at.cuts) <= 0).any():
            return np.inf
        with np.errstate(divide="ignore"):
            log_mass = self.link.log_mass(*self._interval(at))
        return float(-self.weight @ log_mass + self.alpha / 2 * at.coef @ at.coef)

    def _interval(self, at: Point) -> tuple[Floats, Floats]:
        lower, upper = bounds(at.cuts)
        return lower[self.codes] - at.score, upper[self.codes] - at.score

    def derivatives(self, at: Point) -> Derivatives:
        """Return the derivatives of each row's log probability by the ends of its interval."""
        return self.link.derivatives(*self._interval(at))

    def gradient_and_hessian(self, at: Point) -> tuple[Floats, Floats]:
        """Return gradient and Hessian of the loss in (w, θ), shapes (p,) and (p, p)."""
        derivatives = self.derivatives(at)
        return self.gradient(at, derivatives), self.hessian(derivatives)

    def gradient(self, at: Point, derivatives: Derivatives) -> Floats:
        """Return the gradient of the loss in (w, θ), shape (p,)."""
        by_weights = self.X.T @ (self.weight * (derivatives.lower + derivatives.upper)) + self.alpha * at.coef
        return np.append(by_weights, -self._at_cuts(derivatives.lower, derivatives.upper))

    def hessian(self, derivatives: Derivatives) -> Floats:
        """Return the Hessian of the loss in (w, θ), shape (p, p)."""
        from scipy.linalg.blas import dsyrk

        n_features = self.X.shape[1]
        size = n_features + int(self.codes[-1])
        at_lower = derivatives.lower_lower + derivatives.lower_upper
        at_upper = derivatives.upper_upper + derivatives.lower_upper
        hessian = np.zeros((size, size))
        inside = hessian[n_features:, n_features:]
        np.fill_diagonal(inside, -self._at_cuts(derivatives.lower_lower, derivatives.upper_upper))
        beside = -np.bincount(self.codes, weights=self.weight * derivatives.lower_upper)[1:-1]
        np.fill_diagonal(inside[:, 1:], beside)
        np.fill_diagonal(inside[1:], beside)
        across = self._crossed(at_lower)[1:] + self._crossed(at_upper)[:-1]
        hessian[n_features:, :n_features] = across
        hessian[:n_features, n_features:] = across.T
        # The log probability is concave, so that the curvature of each row is at least 0 but for rounding.
        curvature = np.maximum(-self.weight * (at_lower + at_upper), 0.0)
        rows = self.X * np.sqrt(curvature)[:, None]
        if n_features:
            triangle = dsyrk(1.0, rows.T, lower=1)
            hessian[:n_features, :n_features] = np.tril(triangle) + np.tril(triangle, -1).T
        hessian[np.arange(n_features), np.arange(n_features)] += self.alpha
        return hessian

    def hessian_product(self, derivatives: Derivatives, vector: Floats) -> Floats:
        """Return the product of the Hessian with ``vector``, shape (p,), without forming the Hessian."""
        n_features = self.X.shape[1]
        score = self.X @ vector[:n_features]
        cuts = np.r_[0.0, vector[n_features:], 0.0]  # an infinite end has no derivatives
        lower, upper = cuts[self.codes] - score, cuts[self.codes + 1] - score
        by_lower = derivatives.lower_lower * lower + derivatives.lower_upper * upper
        by_upper = derivatives.lower_upper * lower + derivatives.upper_upper * upper
        by_weights = self.X.T @ (self.weight * (by_lower + by_upper)) + self.alpha * vector[:n_features]
        return np.append(by_weights, -self._at_cuts(by_lower, by_upper))

    def _at_cuts(self, of_lower: Floats, of_upper: Floats) -> Floats:
        """Add up over the rows on both sides of each cut: a cut is the upper bound of one category, then lower."""
        below = np.bincount(self.codes, weights=self.weight * of_upper)[:-1]
        above = np.bincount(self.codes, weights=self.weight * of_lower)[1:]
        return np.asarray(below + above, dtype=np.float64)

    def _crossed(self, values: Floats) -> Floats:
        """Return Σ value · x over each category, shape (n_categories, n_features)."""
        starts = np.flatnonzero(np.diff(self.codes, prepend=-1))
        weighted = self.weight * values
        parts = zip(starts, [*starts[1:], len(self.codes)], strict=True)
        return np.array([weighted[start:stop] @ self.X[start:stop] for start, stop in parts])

    def start(self) -> Point:
        """Return w = 0 with the best cuts for it."""
        return Point(np.zeros(self.X.shape[1]), self.first_cuts(), np.zeros(len(self.X)))

    def minimise(self) -> tuple[Point, int]:
        """Return the weights and cuts, and the number of Newton steps."""
        point = self.start()
        solver = _StepSolver(self)
        steps, decrease = 0, np.inf
        while decrease > _DECREMENT * (1.0 + self.weight.sum()) and steps < _STEPS:
            derivatives = self.derivatives(point)
            gradient = self.gradient(point, derivatives)
            step = solver.step(gradient, derivatives)
            decrease = float(-gradient @ step)
            point = self._searched(point, step, decrease)
            steps += 1
        return point, steps

    def log_likelihood(self, at: Point) -> float:
        """Return the log-likelihood, without the ridge."""
        return self.alpha / 2 * float(at.coef @ at.coef) - self.loss(at)

    def _searched(self, start: Point, step: Floats, decrease: float) -> Point:
        """Go along ``step``, halving the step until the loss has fallen by a share of what its gradient promises."""
        n_features = self.X.shape[1]
        turn = self.X @ step[:n_features]
        loss = self.loss(start)
        share = 1.0
        while share > _ROUNDING:
            reached = Point(
                start.coef + share * step[:n_features],
                start.cuts + share * step[n_features:],
                start.score + share * turn,
            )
            if self.loss(reached) <= loss - 1e-4 * share * decrease + _ROUNDING * abs(loss):
                return reached
            share /= 2
        return start


class _StepSolver:
    """Solve for Newton steps, one after the other.

    With few features each step factors its Hessian. With many, conjugate gradients solve for it, preconditioned by an
    earlier factor, until the residual has fallen far enough for superlinear convergence.

    Parameters
    ----------
    loss : Cumulative
    """

    def __init__(self, loss: Cumulative) -> None:
        self._loss = loss
        self._factor: Any = None
        self._first = 0.0

    def step(self, gradient: Floats, derivatives: Derivatives) -> Floats:
        """Return the step at a point with this gradient and these derivatives, shape (p,)."""
        if self._factor is not None and self._loss.X.shape[1] >= _MANY:
            step = self._by_products(gradient, derivatives)
            if step is not None:
                return step
        self._factor = _factored(self._loss.hessian(derivatives))
        step = self._solve(-gradient)
        self._first = self._first or float(-gradient @ step)
        return step

    def _by_products(self, gradient: Floats, derivatives: Derivatives) -> Floats | None:
        """Return the step by conjugate gradients, or None where the preconditioner is too far from the Hessian."""
        step, residual = np.zeros_like(gradient), -gradient
        way = self._solve(residual)
        square = start = float(residual @ way)
        # Squared norms. The share of the residual that is left falls with the gradient, which keeps convergence
        # superlinear (Dembo, Eisenstat and Steihaug 1982).
        allowed = start * min(0.01, np.sqrt(start / self._first)) if self._first > 0 else 0.0
        for _ in range(_MOST_PRODUCTS):
            product = self._loss.hessian_product(derivatives, way)
            curvature = float(way @ product)
            if not curvature > 0:
                return None
            step = step + square / curvature * way
            residual = residual - square / curvature * product
            solved = self._solve(residual)
            previous, square = square, float(residual @ solved)
            if square <= allowed:
                return step
            way = solved + square / previous * way
        return None

    def _solve(self, vector: Floats) -> Floats:
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve(self._factor, vector, check_finite=False))


def _factored(hessian: Floats) -> Any:
    """Return the Cholesky factor; where rounding spoils the Hessian, a little more is added to its diagonal."""
    from scipy.linalg import LinAlgError, cho_factor

    diagonal = np.diag(hessian).copy()
    extra = 0.0
    while True:
        try:
            np.fill_diagonal(hessian, diagonal * (1.0 + extra))
            return cho_factor(hessian, lower=True)
        except LinAlgError:
            extra = max(10 * extra, _ROUNDING)
