"""Expectation propagation. A covariance and answers in, a Gaussian belief out.

Each different answer is replaced by a site exp(ν d − ½ τ d²) of the difference d of its two utilities, such that
the belief has the moments that the answer itself would give it. All sites are renewed from one posterior at a
time, so that a sweep costs one factorisation, whatever the number of answers. An answer that was given c
times is c equal sites; a part of an answer (a weight below 1) is one site for that power of its likelihood.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.gp.inference.comparisons import PairCounts
from penchant.gp.inference.gaussian import Factor, Posterior
from penchant.gp.inference.laplace import LaplaceMode
from penchant.gp.inference.likelihood import Likelihood, by_threshold

MOST_SWEEPS = 200
TOLERANCE = 1e-7
LEAST_LEFT = 1e-12


@dataclass(frozen=True, eq=False)
class Sites:
    """What each answer is replaced by, one count of it: precision τ and precision times mean ν, (m,) each."""

    tau: Floats
    nu: Floats

    @property
    def flat(self) -> Floats:
        """Both, one after the other, (2 m,)."""
        return np.concatenate([self.tau, self.nu])

    @classmethod
    def at_mode(cls, mode: LaplaceMode) -> Sites:
        """Return the sites of Laplace's approximation, a good start."""
        pairs, slopes = mode.posterior.pairs, mode.slopes
        _, power = _copies(pairs.count)
        lean = slopes.slope + slopes.bend * pairs.differences(mode.utility)
        return cls(power * slopes.bend, power * lean)


@dataclass(frozen=True, eq=False)
class EPBelief:
    """The Gaussian that expectation propagation ends with.

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
        """Return the derivative of the evidence by K, symmetric, shape (n, n).

        Where the sites no longer change the evidence does not depend on them, and they count as given.
        """
        gradient = np.outer(self.alpha, self.alpha)
        gradient -= self.posterior.explained()
        gradient *= 0.5
        return gradient

    def threshold_gradient(self, likelihood: Likelihood) -> float:
        """Return the derivative of the evidence by the likelihood's threshold."""
        pairs, (copies, power) = self.posterior.pairs, _copies(self.posterior.pairs.count)
        found = by_threshold(
            likelihood,
            lambda moved: moved.averaged(self.cavity_mean, self.cavity_variance, pairs.tie, power),
        )
        return float(copies @ found.log)


def propagate(
    factor: Factor,
    pairs: PairCounts,
    likelihood: Likelihood,
    prior_mean: Floats,
    *,
    start: Sites | None = None,
    tolerance: float = TOLERANCE,
    quiet: bool = False,
) -> EPBelief:
    """Return the belief at which the sites no longer change.

    Parameters
    ----------
    factor : Factor
        Of the prior covariance (n, n).
    pairs : PairCounts
    likelihood : Likelihood
    prior_mean : ndarray of shape (n,)
    start : Sites, optional
        Where to begin; None: sites that say nothing.
    tolerance : float
        The largest change of a site, in standard deviations of its difference, at which it ends.
    quiet : bool
        Whether to say nothing when it does not end in time.
    """
    sweep = _Sweep(factor, pairs, likelihood, prior_mean)
    sites = start or Sites(np.zeros(len(pairs.count)), np.zeros(len(pairs.count)))
    mixing = Mixing()
    for _ in range(MOST_SWEEPS):
        belief, renewed, change = sweep.of(sites)
        if change <= tolerance:
            return belief
        mixed = Sites(*np.split(mixing.next(sites.flat, renewed.flat, change), 2))
        sites = mixed if (mixed.tau >= 0).all() else renewed
    if not quiet:
        warnings.warn(
            f"expectation propagation stopped after {MOST_SWEEPS} sweeps while sites still changed by "
            f'{change:.1g}: raise the noise, or use inference="laplace"',
            PenchantWarning,
            stacklevel=2,
        )
    return belief


@dataclass(frozen=True, eq=False)
class _Sweep:
    """One renewal of all sites."""

    factor: Factor
    pairs: PairCounts
    likelihood: Likelihood
    prior_mean: Floats

    def of(self, sites: Sites) -> tuple[EPBelief, Sites, float]:
        """Return the belief with these sites, the sites that it asks for, and how far those are."""
        pairs, (copies, power) = self.pairs, _copies(self.pairs.count)
        posterior = Posterior(self.factor, pairs, copies * sites.tau)
        lean = pairs.spread(copies * sites.nu)  # Σ ν (e_better − e_worse)
        pull = lean - posterior.W @ self.prior_mean
        utility = self.prior_mean + posterior.covariance_times(pull)
        variance = posterior.difference_variances()
        left = np.maximum(1 - sites.tau * variance, LEAST_LEFT)
        cavity_variance = variance / left
        cavity_mean = (pairs.differences(utility) - sites.nu * variance) / left
        log, slope, bend, _ = self.likelihood.averaged(cavity_mean, cavity_variance, pairs.tie, power)
        shrink = np.maximum(1 - cavity_variance * bend, LEAST_LEFT)
        renewed = Sites(bend / shrink, (slope + cavity_mean * bend) / shrink)
        log_evidence = (
            float(copies @ (log - _site_log_mean(sites, cavity_mean, cavity_variance)))
            - 0.5 * posterior.log_determinant
            + float((lean + pull) @ self.prior_mean) / 2
            + float(pull @ (utility - self.prior_mean)) / 2
        )
        belief = EPBelief(
            utility=utility,
            alpha=lean - posterior.W @ utility,
            posterior=posterior,
            sites=sites,
            cavity_mean=cavity_mean,
            cavity_variance=cavity_variance,
            log_evidence=log_evidence,
        )
        return belief, renewed, _change(sites, renewed, cavity_variance)


def _copies(count: Floats) -> tuple[Floats, Floats]:
    """Return how many equal sites an answer is, and the power of its likelihood that each stands for."""
    return np.maximum(count, 1), np.minimum(count, 1)


def _site_log_mean(sites: Sites, mean: Floats, variance: Floats) -> Floats:
    """Return log E[exp(ν d − ½ τ d²)] for normal d."""
    tau, nu = sites.tau, sites.nu
    wide = 1 + tau * variance
    return np.asarray((nu**2 * variance + 2 * nu * mean - tau * mean**2) / (2 * wide) - 0.5 * np.log(wide))


def _change(sites: Sites, renewed: Sites, variance: Floats) -> float:
    tau = np.abs(renewed.tau - sites.tau) * variance
    nu = np.abs(renewed.nu - sites.nu) * np.sqrt(variance)
    return float(max(tau.max(initial=0.0), nu.max(initial=0.0)))


MEMORY = 4
NEAR = 0.3  # the change below which the map is nearly straight
LEAST_PART = 0.05


class Mixing:
    """Anderson's acceleration: the next point is where the last few moves, taken as straight, would stop.

    Far from the fixed point it takes a part of the way to g(x): less after steps that led away, more after
    those that led closer.
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
            How far they are apart, in units in which 1 is much.
        """
        worse, self.last = change > self.last, change
        self.part = max(LEAST_PART, self.part / 2) if worse else min(1.0, 1.2 * self.part)
        if worse:
            self.points, self.moves = [], []
        move = image - x
        self.points = [*self.points, x][-MEMORY - 1 :]
        self.moves = [*self.moves, move][-MEMORY - 1 :]
        ahead = x + self.part * move
        if change > NEAR or len(self.points) == 1:
            return ahead
        turns = np.diff(self.moves, axis=0)
        share, *_ = np.linalg.lstsq(turns.T, move, rcond=1e-8)
        return np.asarray(ahead - share @ (np.diff(self.points, axis=0) + self.part * turns))
