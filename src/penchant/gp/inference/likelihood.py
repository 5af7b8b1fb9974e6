"""How utilities become answers. Differences of utilities in, slopes out.

An answer says that a row beats another, or that they tie. It depends on the difference d of the two
utilities alone; a tie is the answer when the perceived difference is within ±threshold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats

Bools = NDArray[np.bool_]

_ROOT_2 = np.sqrt(2.0)
_LOG_ROOT_2_PI = 0.5 * np.log(2 * np.pi)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FALL = 40.0  # e⁻⁴⁰ of a density is next to nothing
_NARROW = 4.0  # up to this width the nodes suffice; beyond, the closed forms keep their digits


class Slopes(NamedTuple):
    """The logarithm of a likelihood at some differences, and its derivatives by them, each of shape (m,).

    ``bend`` is minus the second derivative, which is never below 0, and ``bend_slope`` the derivative of
    ``bend``.
    """

    log: Floats
    slope: Floats
    bend: Floats
    bend_slope: Floats


@dataclass(frozen=True)
class Likelihood(ABC):
    """The chance of an answer given the difference of two utilities.

    Parameters
    ----------
    scale : float
        The spread of the noise of a difference.
    threshold : float, default 0.0
        How far two perceived utilities may differ and still be called equal.
    """

    scale: float
    threshold: float = 0.0

    def slopes(self, difference: Floats, tie: Bools | None = None) -> Slopes:
        """Return log P of the answers and its derivatives.

        Parameters
        ----------
        difference : ndarray of shape (m,)
            Utility of the better row less that of the worse.
        tie : bool ndarray of shape (m,), optional
            Where the answer is a tie instead; None: nowhere.
        """
        if tie is None or not tie.any():
            return self._won(difference, self.scale)
        return self._answered(difference, np.full(len(difference), self.scale), tie)

    def _answered(self, difference: Floats, scale: Floats, tie: Bools) -> Slopes:
        if not tie.any():
            return self._won(difference, scale)
        found = np.array(self._won(difference, scale))
        found[:, tie] = self._tied(difference[tie], scale[tie])
        return Slopes(*found)

    @abstractmethod
    def averaged(self, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Slopes:
        """Return log E[Pᵖᵒʷᵉʳ] for normal differences, and its derivatives by their mean; (m,) each.

        ``bend_slope`` is not told here and is 0.
        """

    @abstractmethod
    def threshold_for(self, share: float) -> float:
        """Return the threshold at which two equal items tie with this chance, from 0 to below 1."""

    @abstractmethod
    def chance(self, mean: Floats, variance: Floats) -> Floats:
        """Return the chance that the first is perceived the better for normal differences, shape (m,)."""

    @abstractmethod
    def _won(self, difference: Floats, scale: Floats | float) -> Slopes: ...

    @abstractmethod
    def _tied(self, difference: Floats, scale: Floats | float) -> Slopes: ...


class Probit(Likelihood):
    """P(a beats b) = Φ((f_a − f_b − threshold) / scale); scale is √2·noise, noise being a rating's sd."""

    def averaged(self, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Slopes:
        """Return log E[Pᵖᵒʷᵉʳ]: for a power of 1 the same function with a wider scale."""
        found = self._answered(mean, np.sqrt(self.scale**2 + variance), tie)
        part = np.flatnonzero(power != 1)
        if part.size:
            from penchant.gp.inference.quadrature import averaged

            for whole, exact in zip(
                found, averaged(self, mean[part], variance[part], tie[part], power[part]), strict=True
            ):
                whole[part] = exact
        return found

    def threshold_for(self, share: float) -> float:
        """Return the threshold at which two equal items tie with this chance."""
        from scipy.special import ndtri

        return self.scale * float(ndtri((1 + share) / 2))

    def chance(self, mean: Floats, variance: Floats) -> Floats:
        """Return the chance that the first is perceived the better, Φ(mean / √(scale² + variance))."""
        from scipy.special import ndtr

        return np.asarray(ndtr(mean / np.sqrt(self.scale**2 + variance)))

    def _won(self, difference: Floats, scale: Floats | float) -> Slopes:
        from scipy.special import log_ndtr

        z = (difference - self.threshold) / scale
        hazard, bend, bend_slope = _hazard(z)
        return Slopes(np.asarray(log_ndtr(z)), hazard / scale, bend / scale**2, bend_slope / scale**3)

    def _tied(self, difference: Floats, scale: Floats | float) -> Slopes:
        """Return the slopes of log P(a < z < a + width), a = (|d| − threshold)/scale, width = 2·threshold/scale.

        With the cumulants of the normal z between these ends they are −E[z], 1 − Var[z] and κ₃[z].
        """
        width = np.full(len(difference), 2 * self.threshold / scale)
        log, mean, variance, third = _between((np.abs(difference) - self.threshold) / scale, width)
        side = np.sign(difference)
        return Slopes(
            log, -side * mean / scale, np.maximum(1 - variance, 0) / scale**2, side * third / scale**3
        )


class Logit(Likelihood):
    """P(a beats b) = 1 / (1 + exp(−(f_a − f_b − threshold) / scale))."""

    def averaged(self, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Slopes:
        """Return log E[Pᵖᵒʷᵉʳ], by quadrature."""
        from penchant.gp.inference.quadrature import averaged

        return averaged(self, mean, variance, tie, power)

    def threshold_for(self, share: float) -> float:
        """Return the threshold at which two equal items tie with this chance."""
        return self.scale * float(np.log1p(share) - np.log1p(-share))

    def chance(self, mean: Floats, variance: Floats) -> Floats:
        """Return the chance that the first is perceived the better, by quadrature."""
        from penchant.gp.inference.quadrature import averaged

        none = np.zeros(len(mean), dtype=bool)
        win, loss = (
            np.exp(averaged(Logit(self.scale), side * mean, variance, none, np.ones(len(mean))).log)
            for side in (1, -1)
        )
        return np.asarray(win / (win + loss))

    def _won(self, difference: Floats, scale: Floats | float) -> Slopes:
        from scipy.special import expit, log_expit

        x = (difference - self.threshold) / scale
        won, lost = expit(x), expit(-x)
        bend = won * lost
        return Slopes(np.asarray(log_expit(x)), lost / scale, bend / scale**2, bend * (lost - won) / scale**3)

    def _tied(self, difference: Floats, scale: Floats | float) -> Slopes:
        # σ(u) − σ(l) = (1 − e^(l−u)) σ(u) σ(−l) for u, l = (±threshold − d)/scale: two wins, so to speak.
        up, down = (self._won(side * difference + 2 * self.threshold, scale) for side in (1, -1))
        log = np.log(-np.expm1(-2 * self.threshold / scale)) + up.log + down.log
        return Slopes(log, up.slope - down.slope, up.bend + down.bend, up.bend_slope - down.bend_slope)


def by_threshold(likelihood: Likelihood, slopes: Callable[[Likelihood], Slopes]) -> Slopes:
    """Return the derivative by the threshold of the slopes that ``slopes`` takes of a likelihood."""
    step = 1e-5 * likelihood.threshold
    up, down = (slopes(replace(likelihood, threshold=likelihood.threshold + move)) for move in (step, -step))
    return Slopes(*((above - below) / (2 * step) for above, below in zip(up, down, strict=True)))


LINKS = ("probit", "logit")


def likelihood_of(link: str, noise: float) -> Likelihood:
    """Return the likelihood of a name in `LINKS`, without a threshold, for the noise of one rating."""
    return Probit(float(_ROOT_2 * noise)) if link == "probit" else Logit(float(noise))


def _hazard(z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return φ(z)/Φ(z), minus its derivative, and the derivative of that, right to the last digits in both tails."""
    from scipy.special import erfcx

    hazard = np.sqrt(2 / np.pi) / erfcx(-z / _ROOT_2)
    bend = hazard * (hazard + z)
    bend_slope = hazard - bend * (2 * hazard + z)
    far = z < -30
    if far.any():  # hazard + z cancels: its asymptotic series, minus derived
        u = 1 / np.square(z[far])
        bend[far] = 1 - u * (1 - u * (6 - u * (50 - u * (518 - u * 6354))))
        bend_slope[far] = u / z[far] * (2 - u * (24 - u * (300 - u * (4144 - u * 63540))))
    return hazard, bend, bend_slope


def _between(start: Floats, width: Floats) -> Floats:
    """Return log P(start < z < start + width) for a standard normal z, and its first three cumulants there, (4, m).

    ``start`` is at least −width/2.
    """
    reach = _reach(start)
    narrow = np.minimum(width, reach) <= _NARROW
    found = np.empty((4, len(start)))
    found[:, narrow] = _narrow(start[narrow], np.minimum(width, reach)[narrow])
    found[:, ~narrow] = _wide(start[~narrow], (start + width)[~narrow])
    return found


def _reach(start: Floats) -> Floats:
    """Return how far behind ``start`` the normal density is next to nothing of what it is there, shape (m,)."""
    ahead = np.maximum(start, 0)
    return np.asarray(2 * _FALL / (ahead + np.hypot(ahead, np.sqrt(2 * _FALL))))


def _narrow(start: Floats, width: Floats) -> Floats:
    """Sum over Gauss and Legendre's nodes; nothing cancels, however far out or narrow."""
    behind = width[:, None] / 2 * (1 + _NODES)
    part = np.exp(-behind * (start[:, None] + behind / 2)) * _WEIGHTS
    total = part.sum(axis=1)
    part /= total[:, None]
    mean = (part * behind).sum(axis=1)
    apart = behind - mean[:, None]
    log = np.log(total) + np.log(width / 2) - start**2 / 2 - _LOG_ROOT_2_PI
    return np.array([log, start + mean, (part * apart**2).sum(axis=1), (part * apart**3).sum(axis=1)])


def _wide(start: Floats, end: Floats) -> Floats:
    """Take the closed forms."""
    from scipy.special import log_ndtr

    near = log_ndtr(-start)
    log = near + np.log(-np.expm1(log_ndtr(-end) - near))
    at_start, at_end = (np.exp(-0.5 * x**2 - _LOG_ROOT_2_PI - log) for x in (start, end))
    mean = at_start - at_end
    second = start * at_start - end * at_end
    third = (1 - start**2) * at_start - (1 - end**2) * at_end
    return np.array([log, mean, 1 + second - mean**2, -third - 3 * mean * second + 2 * mean**3])
