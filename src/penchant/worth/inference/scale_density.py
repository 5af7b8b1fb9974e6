"""The posterior density of the logarithm of a scale, from its values on a fixed grid, and quadrature rules for it.

The grid does not depend on where a search for the mode started, and reaches as far as there is mass: the density may be
skewed or flat, since few answers hardly distinguish small scales from one another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats

SPACING = 0.5
"""Between the points of the grid, in units of log scale."""
LOWEST, HIGHEST = -10, 4
"""The ends of the grid, in spacings from the standard deviation of the scale's half-normal prior."""
_NEGLIGIBLE = 8.0
"""The grid ends where the log density is so much below its maximum."""
_DEGENERATE = 1e-6
_FINE = 128
"""The density is integrated over so many points between two of the grid."""

Evaluate = Callable[[float], tuple[float | None, float]]
"""From log scale to the logarithm of the evidence (None where it is not computed) and its derivative."""


@dataclass(frozen=True, eq=False)
class ScaleDensity:
    """A probability density of t = log scale, by its values at many points.

    Attributes
    ----------
    t : array of shape (m,)
        In ascending order.
    mass : array of shape (m,)
        The probability of each; they sum to 1.
    """

    t: Floats
    mass: Floats

    @classmethod
    def of_prior(cls, limit: float) -> ScaleDensity:
        """Return the half-normal prior of the scale, with standard deviation ``limit``."""
        return _interpolated(lambda t: (0.0, 0.0), limit, range(LOWEST, HIGHEST + 1))

    @classmethod
    def from_evidence(cls, evaluate: Evaluate, limit: float, start: float) -> ScaleDensity:
        """Return the posterior density under that prior.

        Parameters
        ----------
        evaluate : callable
            It is called at points of the grid alone, once for each.
        limit : float
        start : float
            The search for the mode begins at the point next to it.
        """
        known: dict[int, tuple[float | None, float]] = {}

        def at(place: int) -> tuple[float | None, float]:
            if place not in known:
                known[place] = evaluate(grid_point(place, limit))
            return known[place]

        mode = climb(lambda t: at(nearest(t, limit))[1] + prior_gradient(t, limit), start, limit)
        places = _with_mass(at, nearest(mode, limit), limit)
        return _interpolated(lambda t: at(nearest(t, limit)), limit, places)

    @property
    def mean(self) -> float:
        """The mean of t."""
        return float(self.mass @ self.t)

    @property
    def sd(self) -> float:
        """The standard deviation of t."""
        return float(np.sqrt(self.mass @ (self.t - self.mean) ** 2))

    def rule(self, count: int) -> tuple[Floats, Floats]:
        """Return the ``count`` points and weights of Gaussian quadrature, shape (count,) each, points ascending.

        They integrate polynomials of t up to the degree 2 · count − 1 exactly, and are fewer for a density at fewer
        points. The points are the eigenvalues of the matrix of the recurrence of orthogonal polynomials (Golub and
        Welsch, 1969), which Lanczos' method finds.
        """
        x = self.t - self.mean
        basis, diagonal, beside = [np.sqrt(self.mass)], list[float](), list[float]()
        while True:
            rest = x * basis[-1]
            diagonal.append(float(rest @ basis[-1]))
            for vector in basis:
                rest = rest - (vector @ rest) * vector
            size = float(np.sqrt(rest @ rest))
            if len(diagonal) == count or size <= _DEGENERATE * self.sd:
                break
            beside.append(size)
            basis.append(rest / size)
        points, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
        return self.mean + points, vectors[0] ** 2


def grid_point(place: int, limit: float) -> float:
    """Return the log scale at a place of the grid."""
    return float(np.log(limit)) + SPACING * place


def nearest(t: float, limit: float) -> int:
    """Return the place of the grid that is next to a log scale."""
    return int(np.clip(round((t - float(np.log(limit))) / SPACING), LOWEST, HIGHEST))


def prior_gradient(t: float, limit: float) -> float:
    """Return the derivative of the prior's log density of t, which is t − e²ᵗ / (2 limit²)."""
    return 1 - float(np.exp(2 * t)) / limit**2


def climb(gradient: Callable[[float], float], start: float, limit: float) -> float:
    """Return the mode of a log density of t with this gradient, linearly interpolated between points of the grid."""
    place = nearest(start, limit)
    slope = gradient(grid_point(place, limit))
    step = 1 if slope > 0 else -1
    while LOWEST <= place + step <= HIGHEST:
        before, slope = slope, gradient(grid_point(place + step, limit))
        if slope * step <= 0:
            return grid_point(place, limit) + step * SPACING * before / (before - slope)
        place += step
    return grid_point(place, limit)


def _with_mass(at: Callable[[int], tuple[float | None, float]], peak: int, limit: float) -> range:
    """Return the places of the grid around a peak where the density is not negligible, and one more on each side."""
    ends, highest = [peak, peak], 0.0
    for side, step in enumerate((-1, 1)):
        height, place = 0.0, peak
        while LOWEST <= place + step <= HIGHEST and height > highest - _NEGLIGIBLE:
            height += _rise(at, place, place + step, limit)
            highest, place = max(highest, height), place + step
        ends[side] = place
    return range(ends[0], ends[1] + 1)


def _rise(at: Callable[[int], tuple[float | None, float]], first: int, second: int, limit: float) -> float:
    """Return the log density at the second of two neighbouring places less that at the first."""
    before, after = grid_point(first, limit), grid_point(second, limit)
    (left, slope_left), (right, slope_right) = at(first), at(second)
    prior = after - before - (np.exp(2 * after) - np.exp(2 * before)) / (2 * limit**2)
    if left is None or right is None:
        return float(prior) + (after - before) * (slope_left + slope_right) / 2
    return float(prior) + right - left


def _interpolated(evaluate: Evaluate, limit: float, places: range) -> ScaleDensity:
    """Return the density whose evidence is cubic between the points of the grid."""
    t = np.array([grid_point(place, limit) for place in places])
    found = [evaluate(point) for point in t]
    slopes = np.array([slope for _, slope in found])
    values = np.array([0.0 if value is None else value for value, _ in found])
    if any(value is None for value, _ in found):
        values[1:] = np.cumsum(np.diff(t) * (slopes[1:] + slopes[:-1]) / 2)
    fine = np.linspace(t[0], t[-1], _FINE * (len(t) - 1) + 1)
    density = _hermite(t, values, slopes, fine) + fine - np.exp(2 * fine) / (2 * limit**2)
    mass = np.exp(density - density.max())
    mass[[0, -1]] /= 2
    kept = mass > 0
    return ScaleDensity(fine[kept], mass[kept] / mass.sum())


def _hermite(t: Floats, values: Floats, slopes: Floats, at: Floats) -> Floats:
    """Return the cubic interpolation of values and slopes at the equidistant points t (Hermite), at other points."""
    cell = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    width = t[1] - t[0]
    x = (at - t[cell]) / width
    low, high = values[cell], values[cell + 1]
    result: Floats = low + (high - low) * x * x * (3 - 2 * x)
    result += width * x * (1 - x) * (slopes[cell] * (1 - x) - slopes[cell + 1] * x)
    return result
