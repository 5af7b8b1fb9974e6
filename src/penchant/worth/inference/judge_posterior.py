"""The posterior of each judge's reliability and bias, over what is known about how much judges differ.

At a given worth of the items, the posterior of a judge under normal priors of given standard deviations is normal to
second order, since the log likelihood is concave in both. Those of several standard deviations are mixed by the weights
of the latter, and those of several draws of worth in equal parts: at its most probable value alone, worth agrees too
well with the very answers that judges are measured by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.worth.inference.crowd_likelihood import Crowd, Point, log_total

_STEPS = 30
_TIGHT = 1e-8


@dataclass(frozen=True, eq=False)
class JudgeMoments:
    """Means and covariances of reliability and bias, in that order.

    Attributes
    ----------
    mean : array of shape (2, n_judges)
    covariance : array of shape (3, n_judges)
        The variance of the reliability, the covariance of the two, and the variance of the bias.
    """

    mean: Floats
    covariance: Floats


def judge_moments(crowd: Crowd, point: Point, spreads: Floats) -> JudgeMoments:
    """Return the moments of each judge's posterior, averaged over standard deviations.

    Parameters
    ----------
    crowd : Crowd
    point : Point
        Of which the worth of the items and log ν are taken to be known.
    spreads : array of shape (3, n_points)
        A standard deviation of reliabilities, one of biases, and how much the two weigh; weights have the sum 1.
    """
    answers = _Answers.of(crowd, point)
    mean, square = np.zeros((2, crowd.n_judges)), np.zeros((3, crowd.n_judges))
    start = np.stack([np.ones(crowd.n_judges), np.zeros(crowd.n_judges)])
    for reliability_sd, bias_sd, weight in spreads.T.tolist():
        found = _with_mean_one(_normal(answers, start, reliability_sd, bias_sd), crowd.shares)
        mean += weight * found.mean
        square += weight * (found.covariance + _products(found.mean))
        start = found.mean
    return JudgeMoments(mean, _covariance(square, mean))


def mixed(parts: list[JudgeMoments]) -> JudgeMoments:
    """Return the moments of a mixture in equal parts."""
    mean = np.mean([part.mean for part in parts], axis=0)
    square = np.mean([part.covariance + _products(part.mean) for part in parts], axis=0)
    return JudgeMoments(mean, _covariance(square, mean))


def _covariance(square: Floats, mean: Floats) -> Floats:
    """Return the covariance of second moments; variances that rounding makes negative are 0."""
    covariance = square - _products(mean)
    covariance[[0, 2]] = np.maximum(covariance[[0, 2]], 0.0)
    return covariance


@dataclass(frozen=True, eq=False)
class _Answers:
    """The cells of named judges: their number, s_low − s_high, side, margin and weight."""

    judge: Ints
    n_judges: int
    distance: Floats
    side: Floats
    margin: Floats
    weight: Floats
    log_tie: float

    @classmethod
    def of(cls, crowd: Crowd, point: Point) -> _Answers:
        named = np.flatnonzero(crowd.judge >= 0)
        return cls(
            crowd.judge[named],
            crowd.n_judges,
            crowd.distance(point)[named],
            crowd.side[named],
            crowd.margin[named],
            crowd.weight[named],
            crowd.log_tie(point),
        )

    def summed(self, values: Floats) -> Floats:
        """Return the sum of a value of each cell over the cells of each judge."""
        return np.asarray(np.bincount(self.judge, values, self.n_judges), dtype=np.float64)

    def odds(self, place: Floats) -> Floats:
        """Return the log odds of each cell where judges have these reliabilities and biases, shape (2, n_judges)."""
        reliability, bias = place[:, self.judge]
        return np.asarray(reliability * self.distance + bias * self.side)

    def log_likelihood(self, place: Floats) -> Floats:
        """Return that of each judge's answers."""
        odds = self.odds(place)
        return self.summed(self.margin * odds / 2 - self.weight * log_total(odds, self.log_tie))

    def derivatives(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the log likelihood and the negative Hessian, shapes (2, n) and (3, n)."""
        odds = self.odds(place)
        total = log_total(odds, self.log_tie)
        won, lost = np.exp(odds / 2 - total), np.exp(-odds / 2 - total)
        pull = (self.margin - self.weight * (won - lost)) / 2
        curvature = self.weight * (won + lost - (won - lost) ** 2) / 4
        parts = (self.distance, self.side)
        gradient = np.stack([self.summed(pull * part) for part in parts])
        pairs = ((0, 0), (0, 1), (1, 1))
        return gradient, np.stack([self.summed(curvature * parts[a] * parts[b]) for a, b in pairs])


def _normal(answers: _Answers, start: Floats, reliability_sd: float, bias_sd: float) -> JudgeMoments:
    """Return the mode of each judge's posterior, by Newton's method, and the inverse of the curvature there."""
    # In units of the prior's standard deviations, so that those may be 0.
    unit = np.array([[reliability_sd], [bias_sd]])
    centre = np.array([[1.0], [0.0]])
    z = np.divide(start - centre, unit, out=np.zeros_like(start), where=unit > 0)
    value = answers.log_likelihood(centre + unit * z) - (z**2).sum(axis=0) / 2
    for _ in range(_STEPS):
        gradient, information = answers.derivatives(centre + unit * z)
        gradient = unit * gradient - z
        covariance = _inverse(_scaled(information, unit))
        step = np.stack(
            [
                covariance[0] * gradient[0] + covariance[1] * gradient[1],
                covariance[1] * gradient[0] + covariance[2] * gradient[1],
            ]
        )
        if np.abs(step).max(initial=0.0) < _TIGHT:
            break
        z, value = _uphill(answers, z, step, value, centre, unit)
    else:
        _, information = answers.derivatives(centre + unit * z)
        covariance = _inverse(_scaled(information, unit))
    a, b = unit[:, 0]
    return JudgeMoments(centre + unit * z, covariance * np.array([[a * a], [a * b], [b * b]]))


def _scaled(information: Floats, unit: Floats) -> Floats:
    """Return the precision in units of the prior's standard deviations, the prior's own 1 added."""
    a, b = unit[:, 0]
    scaled: Floats = information * np.array([[a * a], [a * b], [b * b]]) + np.array([[1.0], [0.0], [1.0]])
    return scaled


def _uphill(
    answers: _Answers, z: Floats, step: Floats, value: Floats, centre: Floats, unit: Floats
) -> tuple[Floats, Floats]:
    """Take the step of each judge, halved until the log posterior does not fall."""
    length = np.ones(z.shape[1])
    for _ in range(_STEPS):
        onward = z + length * step
        reached = answers.log_likelihood(centre + unit * onward) - (onward**2).sum(axis=0) / 2
        worse = reached < value - 1e-12 * (1 + np.abs(value))
        if not worse.any():
            return onward, reached
        length[worse] /= 2
    return np.where(worse, z, onward), np.where(worse, value, reached)


def _inverse(matrix: Floats) -> Floats:
    """Return the inverses of symmetric 2 × 2 matrices as their entries 11, 12 and 22, shape (3, n)."""
    determinant = matrix[0] * matrix[2] - matrix[1] ** 2
    inverse: Floats = np.stack([matrix[2], -matrix[1], matrix[0]]) / determinant
    return inverse


def _products(mean: Floats) -> Floats:
    return np.stack([mean[0] ** 2, mean[0] * mean[1], mean[1] ** 2])


def _with_mean_one(found: JudgeMoments, shares: Floats) -> JudgeMoments:
    """Return the moments given that the mean reliability, weighted by answers, is 1."""
    variance = float(shares**2 @ found.covariance[0])
    if not variance > 0:
        return found
    pull = shares * found.covariance[:2]  # the covariance of each judge's two parameters with the mean
    surplus = float(shares @ found.mean[0]) - 1
    mean = found.mean - pull * (surplus / variance)
    lost = np.stack([pull[0] ** 2, pull[0] * pull[1], pull[1] ** 2]) / variance
    return JudgeMoments(mean, found.covariance - lost)
