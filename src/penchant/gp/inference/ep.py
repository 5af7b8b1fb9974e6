"""Expectation propagation for comparisons: the normal posterior of the utilities of items.

Each different answer is replaced by a site exp(ν d − ½ τ d²) of the difference d of its two utilities, such that the
posterior has the moments that the answer itself would give it. All sites are updated from one posterior at a time, so
that a sweep costs one factorisation, whatever the number of answers. An answer that was given c times is c equal
sites; a part of an answer (a weight below 1) is one site for that power of its likelihood.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.gp.inference.gaussian import Posterior
from penchant.gp.inference.laplace import LaplaceMode, Problem
from penchant.gp.inference.likelihood import Derivatives, Likelihood, threshold_derivatives

MOST_SWEEPS = 200
TOLERANCE = 1e-7
_LEAST_SHARE = 1e-12
"""The share of a variance that is at least left when a site is taken out of the posterior, or put in."""
_MEMORY = 4
_NEAR = 0.3
"""The change of the sites below which the iteration is taken as nearly linear."""
_LEAST_STEP = 0.05


@dataclass(frozen=True, eq=False)
class Sites:
    """The sites of the answers, each for one count: precision τ and precision times mean ν, (m,) each."""

    tau: Floats
    nu: Floats

    @property
    def flat(self) -> Floats:
        """Both, one after the other, (2 m,)."""
        return np.concatenate([self.tau, self.nu])

    @classmethod
    def at_mode(cls, mode: LaplaceMode) -> Sites:
        """Return the sites of Laplace's approximation, a good start."""
        pairs, at_mode = mode.posterior.pairs, mode.derivatives
        _, power = _copies(pairs.count)
        nu = at_mode.gradient + at_mode.curvature * pairs.differences(mode.utility)
        return cls(power * at_mode.curvature, power * nu)

    @classmethod
    def matching(cls, mean: Floats, variance: Floats, tilted: Derivatives) -> Sites:
        """Return the sites that, times the cavity N(``mean``, ``variance``), have the moments of ``tilted``."""
        shrink = np.maximum(1 - variance * tilted.curvature, _LEAST_SHARE)
        return cls(tilted.curvature / shrink, (tilted.gradient + mean * tilted.curvature) / shrink)

    def log_mean(self, mean: Floats, variance: Floats) -> Floats:
        """Return log E[exp(ν d − ½ τ d²)] for d ~ N(``mean``, ``variance``), (m,)."""
        tau, nu = self.tau, self.nu
        wide = 1 + tau * variance
        return np.asarray(
            (nu**2 * variance + 2 * nu * mean - tau * mean**2) / (2 * wide) - 0.5 * np.log(wide)
        )

    def distance(self, other: Sites, variance: Floats) -> float:
        """Return the largest difference to ``other`` sites, in standard deviations of the cavities."""
        tau = np.abs(other.tau - self.tau) * variance
        nu = np.abs(other.nu - self.nu) * np.sqrt(variance)
        return float(max(tau.max(initial=0.0), nu.max(initial=0.0)))


@dataclass(frozen=True, eq=False)
class EPPosterior:
    """The normal posterior that expectation propagation ends with.

    Attributes
    ----------
    utility : ndarray of shape (n,)
        Its mean.
    alpha : ndarray of shape (n,)
        K⁻¹(f − m); the mean at x is m(x) + k(x)ᵀ alpha.
    posterior : Posterior
        With the precisions of the sites.
    sites : Sites
    cavity_mean, cavity_variance : ndarray of shape (m,)
        Of the difference of each answer, without one site of it.
    log_evidence : float
        Its approximation of log P(answers).
    """

    utility: Floats
    alpha: Floats
    posterior: Posterior
    sites: Sites
    cavity_mean: Floats
    cavity_variance: Floats
    log_evidence: float

    def covariance_gradient(self) -> Floats:
        """Return the derivative of the log evidence by K, symmetric, shape (n, n).

        At the fixed point the evidence does not depend on the sites, which count as given.
        """
        gradient = np.outer(self.alpha, self.alpha) - self.posterior.explained()
        return np.asarray(0.5 * gradient)

    def threshold_gradient(self, likelihood: Likelihood) -> float:
        """Return the derivative of the log evidence by the likelihood's threshold."""
        pairs, (copies, power) = self.posterior.pairs, _copies(self.posterior.pairs.count)
        by_threshold = threshold_derivatives(
            likelihood,
            lambda moved: moved.tilted(self.cavity_mean, self.cavity_variance, pairs.tie, power),
        )
        return float(copies @ by_threshold.log)


def propagate(
    problem: Problem, *, start: Sites | None = None, tolerance: float = TOLERANCE, quiet: bool = False
) -> EPPosterior:
    """Return the posterior at the fixed point of the sites.

    Parameters
    ----------
    problem : Problem
    start : Sites, optional
        None: sites of precision 0.
    tolerance : float
        The largest change of a site, in standard deviations of its difference, at which it ends.
    quiet : bool
        Do not warn when the sweeps run out.
    """
    count = len(problem.pairs.count)
    sites = start or Sites(np.zeros(count), np.zeros(count))
    mixing = AndersonMixing()
    for _ in range(MOST_SWEEPS):
        posterior, updated, change = _sweep(problem, sites)
        if change <= tolerance:
            return posterior
        mixed = Sites(*np.split(mixing.next(sites.flat, updated.flat, change), 2))
        sites = mixed if (mixed.tau >= 0).all() else updated
    if not quiet:
        warnings.warn(
            f"expectation propagation stopped after {MOST_SWEEPS} sweeps while sites still changed by "
            f'{change:.1g}: raise the noise, or use inference="laplace"',
            PenchantWarning,
            stacklevel=2,
        )
    return posterior


def _sweep(problem: Problem, sites: Sites) -> tuple[EPPosterior, Sites, float]:
    """Return the posterior with these sites, the sites that match its cavities, and the distance to them."""
    pairs, prior_mean = problem.pairs, problem.prior_mean
    copies, power = _copies(pairs.count)
    posterior = Posterior(problem.factor, pairs, copies * sites.tau)
    site_sum = pairs.spread(copies * sites.nu)  # Σ ν (e_better − e_worse)
    shift = site_sum - posterior.W @ prior_mean
    utility = prior_mean + posterior.covariance_times(shift)
    variance = posterior.difference_variances()
    left = np.maximum(1 - sites.tau * variance, _LEAST_SHARE)
    cavity_variance = variance / left
    cavity_mean = (pairs.differences(utility) - sites.nu * variance) / left
    tilted = problem.likelihood.tilted(cavity_mean, cavity_variance, pairs.tie, power)
    updated = Sites.matching(cavity_mean, cavity_variance, tilted)
    log_evidence = (
        float(copies @ (tilted.log - sites.log_mean(cavity_mean, cavity_variance)))
        - 0.5 * posterior.log_determinant
        + float((site_sum + shift) @ prior_mean) / 2
        + float(shift @ (utility - prior_mean)) / 2
    )
    alpha = site_sum - posterior.W @ utility
    result = EPPosterior(utility, alpha, posterior, sites, cavity_mean, cavity_variance, log_evidence)
    return result, updated, sites.distance(updated, cavity_variance)


def _copies(count: Floats) -> tuple[Floats, Floats]:
    """Return the number of equal sites of an answer, and the power of its likelihood that each stands for."""
    return np.maximum(count, 1), np.minimum(count, 1)


class AndersonMixing:
    """Anderson's acceleration of a fixed-point iteration x ← g(x) from its last few steps.

    Far from the fixed point it takes a part of the step to g(x): a smaller one after a step that led away, a larger
    one after a step that led closer.
    """

    def __init__(self) -> None:
        self.points: list[Floats] = []
        self.moves: list[Floats] = []
        self.last = np.inf
        self.part = 1.0

    def next(self, x: Floats, image: Floats, change: float) -> Floats:
        """Return the next point.

        Parameters
        ----------
        x, image : ndarray of shape (k,)
            The point and g(x).
        change : float
            The distance between them, in units in which 1 is large.
        """
        worse, self.last = change > self.last, change
        self.part = max(_LEAST_STEP, self.part / 2) if worse else min(1.0, 1.2 * self.part)
        if worse:
            self.points, self.moves = [], []
        move = image - x
        self.points = [*self.points, x][-_MEMORY - 1 :]
        self.moves = [*self.moves, move][-_MEMORY - 1 :]
        ahead = x + self.part * move
        if change > _NEAR or len(self.points) == 1:
            return ahead
        turns = np.diff(self.moves, axis=0)
        share, *_ = np.linalg.lstsq(turns.T, move, rcond=1e-8)
        return np.asarray(ahead - share @ (np.diff(self.points, axis=0) + self.part * turns))
