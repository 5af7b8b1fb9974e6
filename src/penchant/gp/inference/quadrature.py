"""Averages without a formula. A likelihood and normal differences in, slopes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats

if TYPE_CHECKING:
    from penchant.gp.inference.likelihood import Bools, Likelihood, Slopes

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_REACH = 9.0  # the density is followed from its top until it has fallen as a normal one does in this many sd
_KINK = 15.0  # scales around the threshold; beyond, log P is straight or quadratic
_BLOCK = 4096
_MOST_STEPS = 60
_REACH_STEPS = 15


def averaged(likelihood: Likelihood, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Slopes:
    """Return log E[Pᵖᵒʷᵉʳ] for normal differences, and its derivatives by their mean; (m,) each.

    Gauss and Legendre's rule on the pieces into which the threshold and the mode cut the line; right to about
    nine digits. ``bend_slope`` is not told here and is 0.
    """
    from penchant.gp.inference.likelihood import Slopes

    found = np.zeros((4, len(mean)))
    for start in range(0, len(mean), _BLOCK):
        block = slice(start, start + _BLOCK)
        tilted = _Tilted(likelihood, mean[block], variance[block], tie[block], power[block])
        found[:3, block] = _moments(tilted)
    return Slopes(*found)


@dataclass(frozen=True, eq=False)
class _Tilted:
    """Pᵖᵒʷᵉʳ times the normal density, up to a factor: log-concave, and at least as narrow as the normal one."""

    likelihood: Likelihood
    mean: Floats
    variance: Floats
    tie: Bools
    power: Floats

    @property
    def deviation(self) -> Floats:
        return np.sqrt(np.maximum(self.variance, np.finfo(float).tiny))

    def slopes(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """Return power · log P and its derivatives as `Slopes` has them, at points (m,) or (m, k)."""
        shape = point.shape
        copies = point.size // len(self.mean)
        tie, power = np.repeat(self.tie, copies), np.repeat(self.power, copies)
        log, slope, bend, _ = self.likelihood.slopes(point.ravel(), tie)
        return (power * log).reshape(shape), (power * slope).reshape(shape), (power * bend).reshape(shape)

    def mode(self) -> Floats:
        """Return where it is highest, d = mean + variance · power · slope(d), by Newton's steps in a bracket."""
        pull = self.variance * self.slopes(self.mean)[1]
        low, high = self.mean + np.minimum(pull, 0), self.mean + np.maximum(pull, 0)
        at = self.mean
        for _ in range(_MOST_STEPS):
            _, slope, bend = self.slopes(at)
            off = at - self.mean - self.variance * slope
            low, high = np.where(off < 0, at, low), np.where(off > 0, at, high)
            step = off / (1 + self.variance * bend)
            if (np.abs(step) <= 1e-6 * self.deviation / np.sqrt(1 + self.variance * bend)).all():
                break
            moved = at - step
            at = np.where((low < moved) & (moved < high), moved, (low + high) / 2)
        return at

    def reach(self, mode: Floats, side: int) -> Floats:
        """Return how far on one side of the mode it has fallen to nothing, in deviations, shape (m,).

        The fall is convex in the distance: Newton's steps end beyond it or on it, never before.
        """
        lean = side * (mode - self.mean) / self.deviation
        top, _, bend = self.slopes(mode)
        far = _REACH / np.sqrt(1 + self.variance * bend)
        for _ in range(_REACH_STEPS):
            log, slope, _ = self.slopes(mode + side * self.deviation * far)
            fall = far * (lean + far / 2) + top - log
            steepness = lean + far - side * self.deviation * slope
            with np.errstate(divide="ignore", invalid="ignore"):
                far = np.minimum(far - (fall - _REACH**2 / 2) / np.maximum(steepness, 0), _REACH)
        return far


def _moments(tilted: _Tilted) -> tuple[Floats, Floats, Floats]:
    from scipy.special import logsumexp

    mean, deviation = tilted.mean, tilted.deviation
    mode = tilted.mode()
    ends = np.column_stack([-tilted.reach(mode, -1), tilted.reach(mode, 1)])
    kink = tilted.likelihood.threshold + _KINK * tilted.likelihood.scale
    cuts = (np.array([-kink, 0.0, kink]) - mode[:, None]) / deviation[:, None]
    cuts = np.clip(np.column_stack([cuts, np.zeros(len(mode))]), ends[:, :1], ends[:, 1:])
    edges = np.sort(np.column_stack([cuts, ends]), axis=1)
    half = np.diff(edges)[:, :, None] / 2
    steps = (edges[:, :-1, None] + half * (1 + _NODES)).reshape(len(mean), -1)
    size = (half * _WEIGHTS).reshape(len(mean), -1) / np.sqrt(2 * np.pi)
    log, slope, bend = tilted.slopes(mode[:, None] + deviation[:, None] * steps)
    moved = (mode - mean) / deviation
    log -= 0.5 * (steps + moved[:, None]) ** 2
    total = np.asarray(logsumexp(log, b=size, axis=1))
    share = size * np.exp(log - total[:, None])
    # Two ways to the same: through the slopes, and through the moments, which cancel where the other does not.
    first = (share * slope).sum(axis=1)
    second = (share * bend).sum(axis=1) - (share * (slope - first[:, None]) ** 2).sum(axis=1)
    centre = (share * steps).sum(axis=1)
    spread = (share * (steps - centre[:, None]) ** 2).sum(axis=1)
    narrow = spread < 0.5
    first[narrow] = ((centre + moved) / deviation)[narrow]
    second[narrow] = ((1 - spread) / deviation**2)[narrow]
    return total, first, second
