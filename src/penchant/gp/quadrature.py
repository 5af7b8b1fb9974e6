"""Step two, Gaussian processes: averages without a formula. A likelihood and normal differences in, slopes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats

if TYPE_CHECKING:
    from penchant.gp.likelihood import Bools, Likelihood, Slopes

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_REACH = 9.0  # standard deviations around the mode
_KINK = 15.0  # scales around the threshold; beyond, log P is straight or quadratic
_BLOCK = 4096


def averaged(likelihood: Likelihood, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Slopes:
    """Return log E[Pᵖᵒʷᵉʳ] for normal differences, and its derivatives by their mean; (m,) each.

    Gauss and Legendre's rule on the pieces into which the threshold cuts the line; right to about ten digits.
    ``bend_slope`` is not told here and is 0.
    """
    from penchant.gp.likelihood import Slopes

    found = np.zeros((4, len(mean)))
    for start in range(0, len(mean), _BLOCK):
        block = slice(start, start + _BLOCK)
        found[:3, block] = _block(likelihood, mean[block], variance[block], tie[block], power[block])
    return Slopes(*found)


def _block(
    likelihood: Likelihood, mean: Floats, variance: Floats, tie: Bools, power: Floats
) -> tuple[Floats, Floats, Floats]:
    from scipy.special import logsumexp

    deviation = np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    centre = _modes(likelihood, mean, variance, tie, power)
    far = likelihood.threshold + _KINK * likelihood.scale
    cuts = np.clip((np.array([-far, 0.0, far]) - centre[:, None]) / deviation[:, None], -_REACH, _REACH)
    edges = np.pad(cuts, ((0, 0), (1, 1)), constant_values=((0, 0), (-_REACH, _REACH)))
    half = np.diff(edges)[:, :, None] / 2
    steps = (edges[:, :-1, None] + half * (1 + _NODES)).reshape(len(mean), -1)
    size = (half * _WEIGHTS).reshape(len(mean), -1) / np.sqrt(2 * np.pi)
    point = centre[:, None] + deviation[:, None] * steps
    shape = point.shape
    log, slope, bend, _ = (
        part.reshape(shape) * power[:, None]
        for part in likelihood.slopes(point.ravel(), np.repeat(tie, shape[1]))
    )
    log -= 0.5 * (steps + ((centre - mean) / deviation)[:, None]) ** 2
    total = np.asarray(logsumexp(log, b=size, axis=1))
    share = size * np.exp(log - total[:, None])
    first = (share * slope).sum(axis=1)
    second = (share * bend).sum(axis=1) - (share * (slope - first[:, None]) ** 2).sum(axis=1)
    return total, first, second


def _modes(likelihood: Likelihood, mean: Floats, variance: Floats, tie: Bools, power: Floats) -> Floats:
    """Return where Pᵖᵒʷᵉʳ times the normal density is about highest: d = mean + variance · power · slope(d)."""
    pull = variance * power
    end = mean + pull * likelihood.slopes(mean, tie).slope
    low, high = np.minimum(mean, end), np.maximum(mean, end)
    at = mean.copy()
    for _ in range(20):
        _, slope, bend, _ = likelihood.slopes(at, tie)
        at = np.clip(at - (at - mean - pull * slope) / (1 + pull * bend), low, high)
    return at
