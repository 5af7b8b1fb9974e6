"""Likelihoods of comparisons: log P of an answer given the difference of two utilities, and its derivatives.

An answer says that a row beats another, or that the two tie: a tie is the answer when the perceived difference is
within ±threshold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats
from penchant.gp.inference.quadrature import tilted_moments

Bools = NDArray[np.bool_]

LINKS = ("probit", "logit")
_ROOT_2 = np.sqrt(2.0)
_LOG_ROOT_2_PI = 0.5 * np.log(2 * np.pi)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FALL = 40.0  # e⁻⁴⁰ of a density is negligible
_NARROW = 4.0  # up to this width the nodes suffice; beyond, the closed forms keep their digits
_KINK = 15.0  # scales around the threshold; beyond, log P is linear or quadratic


class Derivatives(NamedTuple):
    """The logarithm of a likelihood at some differences, and its derivatives by them, each of shape (m,).

    ``curvature`` is minus the second derivative, which is never below 0, and ``curvature_gradient`` the derivative of
    ``curvature``.
    """

    log: Floats
    gradient: Floats
    curvature: Floats
    curvature_gradient: Floats


@dataclass(frozen=True)
class Likelihood(ABC):
    """The probability of an answer given the difference of two utilities.

    Parameters
    ----------
    scale : float
        The scale of the noise of a difference.
    threshold : float, default 0.0
        How far two perceived utilities may differ and still be called equal.
    """

    scale: float
    threshold: float = 0.0

    def derivatives(self, difference: Floats, tie: Bools | None = None) -> Derivatives:
        """Return log P of the answers and its derivatives.

        Parameters
        ----------
        difference : ndarray of shape (m,)
            Utility of the better row less that of the worse.
        tie : bool ndarray of shape (m,), optional
            Where the answer is a tie instead; None: nowhere.
        """
        if tie is None or not tie.any():
            return self._of_win(difference, self.scale)
        return self._of_answers(difference, np.full(len(difference), self.scale), tie)

    def _of_answers(self, difference: Floats, scale: Floats, tie: Bools) -> Derivatives:
        if not tie.any():
            return self._of_win(difference, scale)
        parts = np.array(self._of_win(difference, scale))
        parts[:, tie] = self._of_tie(difference[tie], scale[tie])
        return Derivatives(*parts)

    def tilted(self, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Derivatives:
        """Return log Z with Z = E[Pᵖᵒʷᵉʳ] for normal differences, and its derivatives by their mean; (m,) each.

        The tilted distribution, Pᵖᵒʷᵉʳ times the normal density, has the mean m + v·gradient and the variance
        v − v²·curvature, where m and v are ``mean`` and ``variance``: the step of expectation propagation for one
        comparison. ``curvature_gradient`` is not computed and is 0.
        """
        kink = self.threshold + _KINK * self.scale
        log, gradient, curvature = tilted_moments(self.derivatives, kink, mean, variance, tie, power)
        return Derivatives(log, gradient, curvature, np.zeros(len(mean)))

    @abstractmethod
    def threshold_for(self, share: float) -> float:
        """Return the threshold at which two equal items tie with this probability, from 0 to below 1."""

    @abstractmethod
    def win_probability(self, mean: Floats, variance: Floats) -> Floats:
        """Return P(the first wins, given that one of them does) for normal differences, shape (m,)."""

    @abstractmethod
    def _of_win(self, difference: Floats, scale: Floats | float) -> Derivatives: ...

    @abstractmethod
    def _of_tie(self, difference: Floats, scale: Floats | float) -> Derivatives: ...


class Probit(Likelihood):
    """P(a beats b) = Φ((f_a − f_b − threshold) / scale); scale is √2·noise, noise being a rating's sd."""

    def tilted(self, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Derivatives:
        """Return log E[Pᵖᵒʷᵉʳ] and its derivatives: for a power of 1 those of the same function with a wider scale."""
        moments = self._of_answers(mean, np.sqrt(self.scale**2 + variance), tie)
        part = np.flatnonzero(power != 1)
        if part.size:
            exact = super().tilted(mean[part], variance[part], tie[part], power[part])
            for all_values, values in zip(moments, exact, strict=True):
                all_values[part] = values
        return moments

    def threshold_for(self, share: float) -> float:
        """Return the threshold at which two equal items tie with this probability."""
        from scipy.special import ndtri

        return self.scale * float(ndtri((1 + share) / 2))

    def win_probability(self, mean: Floats, variance: Floats) -> Floats:
        """Return Φ(mean / √(scale² + variance)), shape (m,)."""
        from scipy.special import ndtr

        return np.asarray(ndtr(mean / np.sqrt(self.scale**2 + variance)))

    def _of_win(self, difference: Floats, scale: Floats | float) -> Derivatives:
        from scipy.special import log_ndtr

        z = (difference - self.threshold) / scale
        hazard, curvature, curvature_gradient = _hazard(z)
        return Derivatives(
            np.asarray(log_ndtr(z)), hazard / scale, curvature / scale**2, curvature_gradient / scale**3
        )

    def _of_tie(self, difference: Floats, scale: Floats | float) -> Derivatives:
        """Return the derivatives of log P(a < z < a + width), a = (|d| − threshold)/scale, width = 2·threshold/scale.

        With the cumulants of the normal z between these ends they are −E[z], 1 − Var[z] and κ₃[z].
        """
        width = np.full(len(difference), 2 * self.threshold / scale)
        log, mean, variance, third = _truncated((np.abs(difference) - self.threshold) / scale, width)
        side = np.sign(difference)
        return Derivatives(
            log, -side * mean / scale, np.maximum(1 - variance, 0) / scale**2, side * third / scale**3
        )


class Logit(Likelihood):
    """P(a beats b) = 1 / (1 + exp(−(f_a − f_b − threshold) / scale))."""

    def threshold_for(self, share: float) -> float:
        """Return the threshold at which two equal items tie with this probability."""
        return self.scale * float(np.log1p(share) - np.log1p(-share))

    def win_probability(self, mean: Floats, variance: Floats) -> Floats:
        """Return P(the first wins, given that one of them does), by quadrature, shape (m,)."""
        no_tie, ones = np.zeros(len(mean), dtype=bool), np.ones(len(mean))
        without_ties = Logit(self.scale)
        win, loss = (np.exp(without_ties.tilted(side * mean, variance, no_tie, ones).log) for side in (1, -1))
        return np.asarray(win / (win + loss))

    def _of_win(self, difference: Floats, scale: Floats | float) -> Derivatives:
        from scipy.special import expit, log_expit

        x = (difference - self.threshold) / scale
        win, loss = expit(x), expit(-x)
        curvature = win * loss
        return Derivatives(
            np.asarray(log_expit(x)), loss / scale, curvature / scale**2, curvature * (loss - win) / scale**3
        )

    def _of_tie(self, difference: Floats, scale: Floats | float) -> Derivatives:
        # σ(u) − σ(l) = (1 − e^(l−u)) σ(u) σ(−l) for u, l = (±threshold − d)/scale: a product of two wins.
        up, down = (self._of_win(side * difference + 2 * self.threshold, scale) for side in (1, -1))
        return Derivatives(
            np.log(-np.expm1(-2 * self.threshold / scale)) + up.log + down.log,
            up.gradient - down.gradient,
            up.curvature + down.curvature,
            up.curvature_gradient - down.curvature_gradient,
        )


def threshold_derivatives(
    likelihood: Likelihood, derivatives: Callable[[Likelihood], Derivatives]
) -> Derivatives:
    """Return the derivative by the threshold of what ``derivatives`` returns for a likelihood, by differences."""
    step = 1e-5 * likelihood.threshold
    up, down = (
        derivatives(replace(likelihood, threshold=likelihood.threshold + move)) for move in (step, -step)
    )
    return Derivatives(*((above - below) / (2 * step) for above, below in zip(up, down, strict=True)))


def likelihood_of(link: str, noise: float) -> Likelihood:
    """Return the likelihood of a name in `LINKS`, without a threshold, for the noise of one rating."""
    return Probit(float(_ROOT_2 * noise)) if link == "probit" else Logit(float(noise))


def _hazard(z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return φ(z)/Φ(z), minus its derivative, and the derivative of that, accurate in both tails."""
    from scipy.special import erfcx

    hazard = np.sqrt(2 / np.pi) / erfcx(-z / _ROOT_2)
    curvature = hazard * (hazard + z)
    curvature_gradient = hazard - curvature * (2 * hazard + z)
    far = z < -30
    if far.any():  # hazard + z cancels: the asymptotic series of both
        u = 1 / np.square(z[far])
        curvature[far] = 1 - u * (1 - u * (6 - u * (50 - u * (518 - u * 6354))))
        curvature_gradient[far] = u / z[far] * (2 - u * (24 - u * (300 - u * (4144 - u * 63540))))
    return hazard, curvature, curvature_gradient


def _truncated(start: Floats, width: Floats) -> Floats:
    """Return log P(start < z < start + width) for a standard normal z, and its first three cumulants there, (4, m).

    ``start`` is at least −width/2.
    """
    reach = _reach(start)
    narrow = np.minimum(width, reach) <= _NARROW
    cumulants = np.empty((4, len(start)))
    cumulants[:, narrow] = _truncated_narrowly(start[narrow], np.minimum(width, reach)[narrow])
    cumulants[:, ~narrow] = _truncated_widely(start[~narrow], (start + width)[~narrow])
    return cumulants


def _reach(start: Floats) -> Floats:
    """Return how far behind ``start`` the normal density is negligible beside its value there, shape (m,)."""
    ahead = np.maximum(start, 0)
    return np.asarray(2 * _FALL / (ahead + np.hypot(ahead, np.sqrt(2 * _FALL))))


def _truncated_narrowly(start: Floats, width: Floats) -> Floats:
    """Sum over Gauss–Legendre nodes; nothing cancels, however far out or narrow."""
    behind = width[:, None] / 2 * (1 + _NODES)
    part = np.exp(-behind * (start[:, None] + behind / 2)) * _WEIGHTS
    total = part.sum(axis=1)
    part /= total[:, None]
    mean = (part * behind).sum(axis=1)
    apart = behind - mean[:, None]
    log = np.log(total) + np.log(width / 2) - start**2 / 2 - _LOG_ROOT_2_PI
    return np.array([log, start + mean, (part * apart**2).sum(axis=1), (part * apart**3).sum(axis=1)])


def _truncated_widely(start: Floats, end: Floats) -> Floats:
    """Return the same by the closed forms."""
    from scipy.special import log_ndtr

    near = log_ndtr(-start)
    log = near + np.log(-np.expm1(log_ndtr(-end) - near))
    at_start, at_end = (np.exp(-0.5 * x**2 - _LOG_ROOT_2_PI - log) for x in (start, end))
    mean = at_start - at_end
    second = start * at_start - end * at_end
    third = (1 - start**2) * at_start - (1 - end**2) * at_end
    return np.array([log, mean, 1 + second - mean**2, -third - 3 * mean * second + 2 * mean**3])
