"""Moments of tilted distributions, a power of a likelihood times a normal density, by Gauss–Legendre quadrature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats

LogLikelihood = Callable[[Floats, NDArray[np.bool_]], tuple[Floats, Floats, Floats, Floats]]
"""From differences and where the answer is a tie to log P, its gradient, minus its second derivative and another."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_REACH = 9.0  # the density is followed from its mode until it has fallen as a normal one does in this many sd
_BLOCK = 4096
_MOST_STEPS = 60
_REACH_STEPS = 15


def tilted_moments(
    log_likelihood: LogLikelihood,
    kink: float,
    mean: Floats,
    variance: Floats,
    tie: NDArray[np.bool_],
    power: Floats,
) -> Floats:
    """Return log E[Pᵖᵒʷᵉʳ] for normal differences, its gradient by their mean and its curvature, shape (3, m).

    The rule is applied on the pieces into which ±``kink``, 0 and the mode cut the line; it is right to about nine
    digits.

    Parameters
    ----------
    log_likelihood : callable
    kink : float
        Beyond ±kink the log likelihood is linear or quadratic.
    mean, variance : ndarray of shape (m,)
        Of the differences.
    tie : bool ndarray of shape (m,)
    power : ndarray of shape (m,)
    """
    moments = np.empty((3, len(mean)))
    for start in range(0, len(mean), _BLOCK):
        block = slice(start, start + _BLOCK)
        tilted = _Tilted(log_likelihood, mean[block], variance[block], tie[block], power[block])
        moments[:, block] = _moments(tilted, kink)
    return moments


@dataclass(frozen=True, eq=False)
class _Tilted:
    """Pᵖᵒʷᵉʳ times the normal density, up to a factor: log-concave, and at least as narrow as the normal one."""

    log_likelihood: LogLikelihood
    mean: Floats
    variance: Floats
    tie: NDArray[np.bool_]
    power: Floats

    @property
    def deviation(self) -> Floats:
        return np.sqrt(np.maximum(self.variance, np.finfo(float).tiny))

    def derivatives(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """Return power · log P, its gradient and minus its second derivative, at points (m,) or (m, k)."""
        shape = point.shape
        copies = point.size // len(self.mean)
        tie, power = np.repeat(self.tie, copies), np.repeat(self.power, copies)
        log, gradient, curvature, _ = self.log_likelihood(point.ravel(), tie)
        return (
            (power * log).reshape(shape),
            (power * gradient).reshape(shape),
            (power * curvature).reshape(shape),
        )

    def mode(self) -> Floats:
        """Return where it is highest, d = mean + variance · power · gradient(d), by Newton's method in a bracket."""
        shift = self.variance * self.derivatives(self.mean)[1]
        low, high = self.mean + np.minimum(shift, 0), self.mean + np.maximum(shift, 0)
        at = self.mean
        for _ in range(_MOST_STEPS):
            _, gradient, curvature = self.derivatives(at)
            residual = at - self.mean - self.variance * gradient
            low, high = np.where(residual < 0, at, low), np.where(residual > 0, at, high)
            step = residual / (1 + self.variance * curvature)
            if (np.abs(step) <= 1e-6 * self.deviation / np.sqrt(1 + self.variance * curvature)).all():
                break
            moved = at - step
            at = np.where((low < moved) & (moved < high), moved, (low + high) / 2)
        return at

    def reach(self, mode: Floats, side: int) -> Floats:
        """Return how far on one side of the mode the density vanishes, in standard deviations, shape (m,).

        The fall of the log density is convex in the distance: Newton's steps end beyond the root or on it.
        """
        lean = side * (mode - self.mean) / self.deviation
        top, _, curvature = self.derivatives(mode)
        far = _REACH / np.sqrt(1 + self.variance * curvature)
        for _ in range(_REACH_STEPS):
            log, gradient, _ = self.derivatives(mode + side * self.deviation * far)
            fall = far * (lean + far / 2) + top - log
            steepness = lean + far - side * self.deviation * gradient
            with np.errstate(divide="ignore", invalid="ignore"):
                far = np.minimum(far - (fall - _REACH**2 / 2) / np.maximum(steepness, 0), _REACH)
        return far


def _moments(tilted: _Tilted, kink: float) -> tuple[Floats, Floats, Floats]:
    from scipy.special import logsumexp

    mean, deviation = tilted.mean, tilted.deviation
    mode = tilted.mode()
    ends = np.column_stack([-tilted.reach(mode, -1), tilted.reach(mode, 1)])
    cuts = (np.array([-kink, 0.0, kink]) - mode[:, None]) / deviation[:, None]
    cuts = np.clip(np.column_stack([cuts, np.zeros(len(mode))]), ends[:, :1], ends[:, 1:])
    edges = np.sort(np.column_stack([cuts, ends]), axis=1)
    half = np.diff(edges)[:, :, None] / 2
    steps = (edges[:, :-1, None] + half * (1 + _NODES)).reshape(len(mean), -1)
    size = (half * _WEIGHTS).reshape(len(mean), -1) / np.sqrt(2 * np.pi)
    log, gradient, curvature = tilted.derivatives(mode[:, None] + deviation[:, None] * steps)
    moved = (mode - mean) / deviation
    log -= 0.5 * (steps + moved[:, None]) ** 2
    total = np.asarray(logsumexp(log, b=size, axis=1))
    share = size * np.exp(log - total[:, None])
    # Two formulas for the same: by the derivatives, and by the moments, which cancel where the former do not.
    first = (share * gradient).sum(axis=1)
    second = (share * curvature).sum(axis=1) - (share * (gradient - first[:, None]) ** 2).sum(axis=1)
    centre = (share * steps).sum(axis=1)
    spread = (share * (steps - centre[:, None]) ** 2).sum(axis=1)
    narrow = spread < 0.5
    first[narrow] = ((centre + moved) / deviation)[narrow]
    second[narrow] = ((1 - spread) / deviation**2)[narrow]
    return total, first, second
