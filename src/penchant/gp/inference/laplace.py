"""Laplace's approximation: the posterior mode of the utilities of items, by Newton's method.

The utilities are f = m + L v with v standard normal a priori, and Newton's steps are taken in v. The objective
½‖v‖² − log P(answers | m + L v) is convex, and its curvature is B = I + LᵀWL (Rasmussen and Williams, section 3.4,
with a W that is not diagonal).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.gaussian import Factor, Posterior
from penchant.gp.inference.likelihood import Derivatives, Likelihood, threshold_derivatives

MOST_STEPS, LEAST_GAIN = 100, 1e-7


@dataclass(frozen=True, eq=False)
class LaplaceMode:
    """The posterior mode of the utilities, and the normal distribution around it.

    Attributes
    ----------
    utility : ndarray of shape (n,)
        f, the mode.
    alpha : ndarray of shape (n,)
        K⁻¹(f − m), which is the gradient of log P(answers | f) at the mode; the mean at x is m(x) + k(x)ᵀ alpha.
    whitened : ndarray of shape (rank,)
        v with f = m + L v.
    posterior : Posterior
        With the curvature at the mode.
    derivatives : Derivatives
        Of the log likelihood of one answer of each kind at the mode.
    log_likelihood : float
        log P(answers | f).
    log_evidence : float
        Laplace's approximation of log P(answers).
    """

    utility: Floats
    alpha: Floats
    whitened: Floats
    posterior: Posterior
    derivatives: Derivatives
    log_likelihood: float
    log_evidence: float

    @cached_property
    def _determinant_gradient(self) -> Floats:
        """The derivative of −½ log |B| by the utilities, through the curvature there, (n,)."""
        pairs = self.posterior.pairs
        by_difference = (
            pairs.count * self.derivatives.curvature_gradient * self.posterior.difference_variances()
        )
        return pairs.spread(-0.5 * by_difference)

    def mean_gradient(self) -> Floats:
        """Return the derivative of the log evidence by the prior mean, shape (n,): the mode moves with it too."""
        moved = self._determinant_gradient - self.posterior.W @ self.posterior.covariance_times(
            self._determinant_gradient
        )
        return np.asarray(self.alpha + moved)

    def covariance_gradient(self) -> Floats:
        """Return the derivative of the log evidence by K, symmetric, shape (n, n): Σ of it ∘ ∂K/∂θ is that by θ.

        Rasmussen and Williams, section 5.5.1: the mode moves with K, and the curvature with the mode.
        """
        through_mode = np.outer(self.mean_gradient() - self.alpha, self.alpha)
        gradient = np.outer(self.alpha, self.alpha) - self.posterior.explained()
        return np.asarray(0.5 * (gradient + through_mode + through_mode.T))

    def threshold_gradient(self, likelihood: Likelihood) -> float:
        """Return the derivative of the log evidence by the likelihood's threshold."""
        pairs = self.posterior.pairs
        log, gradient, curvature, _ = threshold_derivatives(
            likelihood, lambda moved: moved.derivatives(pairs.differences(self.utility), pairs.tie)
        )
        explicit = pairs.count @ (log - 0.5 * curvature * self.posterior.difference_variances())
        through_mode = self._determinant_gradient @ self.posterior.covariance_times(
            pairs.spread(pairs.count * gradient)
        )
        return float(explicit + through_mode)


class _Point(NamedTuple):
    """A value of v, with the objective and the derivatives of the log likelihood there."""

    whitened: Floats
    objective: float
    derivatives: Derivatives


@dataclass(frozen=True, eq=False)
class Problem:
    """A normal prior of the utilities of n items, and answers about pairs of them.

    Attributes
    ----------
    factor : Factor
        Of the prior covariance (n, n).
    pairs : PairCounts
    likelihood : Likelihood
    prior_mean : ndarray of shape (n,)
        m.
    """

    factor: Factor
    pairs: PairCounts
    likelihood: Likelihood
    prior_mean: Floats

    def at(self, v: Floats) -> _Point:
        """Return the objective ½‖v‖² − log P(answers | m + L v) at v (rank,)."""
        difference = self.pairs.differences(self.prior_mean + self.factor.L @ v)
        at = self.likelihood.derivatives(difference, self.pairs.tie)
        return _Point(v, 0.5 * float(v @ v) - float(self.pairs.count @ at.log), at)

    def posterior(self, point: _Point) -> Posterior:
        """Return the normal distribution with the curvature at a point."""
        return Posterior(self.factor, self.pairs, self.pairs.count * point.derivatives.curvature)

    def descended(self, point: _Point, step: Floats) -> _Point:
        """Take the step, or the largest 2⁻ᵏ of it that does not lower the log posterior."""
        slack = 1e-12 * (1 + abs(point.objective))
        part = 1.0
        while (to := self.at(point.whitened + part * step)).objective > point.objective + slack:
            part /= 2
            if part < 1e-8:
                return point
        return to

    def mode(self, point: _Point) -> LaplaceMode:
        """Return Laplace's approximation at the last point."""
        v, objective, at_mode = point
        posterior = self.posterior(point)
        return LaplaceMode(
            utility=self.prior_mean + self.factor.L @ v,
            alpha=self.pairs.spread(self.pairs.count * at_mode.gradient),
            whitened=v,
            posterior=posterior,
            derivatives=at_mode,
            log_likelihood=float(self.pairs.count @ at_mode.log),
            log_evidence=-objective - 0.5 * posterior.log_determinant,
        )


def maximise(problem: Problem, *, start: Floats | None = None, quiet: bool = False) -> LaplaceMode:
    """Return the posterior mode by Newton's steps, from the utilities ``start`` (n,) or else from the prior mean.

    The last step is the first that is expected to gain less than `LEAST_GAIN` of the objective. When the steps run
    out before, a warning is issued unless ``quiet``.
    """
    factor, pairs = problem.factor, problem.pairs
    v = np.zeros(factor.L.shape[1])
    if start is not None:
        v = factor.coordinates((start - problem.prior_mean)[factor.pivots])
    point = problem.at(v)
    for _ in range(MOST_STEPS):
        descent = factor.L.T @ pairs.spread(pairs.count * point.derivatives.gradient) - point.whitened
        step = problem.posterior(point).solve(descent)
        point = problem.descended(point, step)
        if float(descent @ step) <= 2 * LEAST_GAIN:
            break
    else:
        if not quiet:
            warnings.warn(
                f"Newton's method stopped after {MOST_STEPS} steps before it reached the most likely utilities: "
                "raise the noise, or lower the kernel's variance",
                PenchantWarning,
                stacklevel=2,
            )
    return problem.mode(point)
