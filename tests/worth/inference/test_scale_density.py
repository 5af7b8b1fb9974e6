"""The density of a scale from its values on a grid: beside fine grids, whatever the start of the search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from penchant.worth.inference.scale_density import (
    HIGHEST,
    LOWEST,
    ScaleDensity,
    climb,
    grid_point,
    nearest,
    prior_gradient,
)

LIMIT = 3.0
curves = st.tuples(st.floats(0, 4), st.floats(-2, 1.5), st.floats(-4, 2))
Curve = tuple[float, float, float]
LogEvidence = Callable[[float], tuple[float, float]]


def evidence_of(curve: Curve) -> LogEvidence:
    """Return log evidence and derivative for 10ᶜ scores with root mean square eˢ, measured with variance eᵛ.

    It is flat where the scale is small beside the errors of measurement.
    """
    count, square, error = 10 ** curve[0], np.exp(2 * curve[1]), np.exp(curve[2])

    def evidence(t: float) -> tuple[float, float]:
        own = np.exp(2 * t)
        total = own + error
        value = -count / 2 * (np.log(total) + (square + error) / total)
        return float(value), float(-count * own / total * (1 - (square + error) / total))

    return evidence


def fine(evidence: LogEvidence) -> tuple[float, float]:
    """Return mean and standard deviation of the density, from many points."""
    t = np.linspace(grid_point(LOWEST, LIMIT), grid_point(HIGHEST, LIMIT), 20001)
    log_density = np.array([evidence(point)[0] for point in t]) + t - np.exp(2 * t) / (2 * LIMIT**2)
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    mean = float(mass @ t)
    return mean, float(np.sqrt(mass @ (t - mean) ** 2))


@settings(max_examples=30)
@given(curve=curves, start=st.floats(-6, 4))
def test_moments_are_those_of_a_fine_grid(curve: Curve, start: float) -> None:
    """Mean and standard deviation agree with those of 20,001 points, for narrow, skewed and flat densities."""
    evidence = evidence_of(curve)
    found = ScaleDensity.from_evidence(evidence, LIMIT, start)
    mean, sd = fine(evidence)
    assert found.mean == pytest.approx(mean, abs=0.02)
    assert found.sd == pytest.approx(sd, rel=0.1, abs=0.01)


@given(curve=curves, starts=st.tuples(st.floats(-6, 4), st.floats(-6, 4)))
def test_the_start_of_the_search_makes_no_difference(curve: Curve, starts: tuple[float, float]) -> None:
    """From any two starts the density is the same but for mass that is negligible."""
    evidence = evidence_of(curve)
    first, second = (ScaleDensity.from_evidence(evidence, LIMIT, start) for start in starts)
    assert first.mean == pytest.approx(second.mean, abs=0.01)
    assert first.sd == pytest.approx(second.sd, rel=0.02, abs=1e-3)


@given(curve=curves, start=st.floats(-6, 4))
def test_gradients_alone_are_integrated(curve: Curve, start: float) -> None:
    """Where the evidence is not known, its gradients give nearly the same density."""
    evidence = evidence_of(curve)
    known = ScaleDensity.from_evidence(evidence, LIMIT, start)
    found = ScaleDensity.from_evidence(lambda t: (None, evidence(t)[1]), LIMIT, start)
    assert found.mean == pytest.approx(known.mean, abs=0.2 + known.sd / 4)
    assert found.sd == pytest.approx(known.sd, rel=0.4, abs=0.02)


@given(curve=curves.filter(lambda curve: curve[0] < 2), count=st.integers(1, 7))
def test_a_rule_integrates_polynomials(curve: Curve, count: int) -> None:
    """Points and weights have the moments of the density up to the degree 2 · count − 1, and weights sum to 1."""
    density = ScaleDensity.from_evidence(evidence_of(curve), LIMIT, 0.0)
    points, weights = density.rule(count)
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(points) > 0).all()
    x, at = (density.t - density.mean) / density.sd, (points - density.mean) / density.sd
    for degree in range(2 * count):
        exact, size = density.mass @ x**degree, density.mass @ np.abs(x) ** degree
        assert weights @ at**degree == pytest.approx(exact, abs=1e-6 * size)


def test_a_density_at_two_points_has_a_rule_of_two() -> None:
    """There are no more points of quadrature than points of the density."""
    points, weights = ScaleDensity(np.array([0.0, 1.0]), np.array([0.25, 0.75])).rule(5)
    assert_allclose(points, [0, 1], atol=1e-12)
    assert_allclose(weights, [0.25, 0.75])


def test_the_prior_is_half_normal() -> None:
    """The square of the scale is expected to be that of the prior's standard deviation."""
    prior = ScaleDensity.of_prior(LIMIT)
    assert prior.mass @ np.exp(2 * prior.t) == pytest.approx(LIMIT**2, rel=0.01)
    points, weights = prior.rule(5)
    assert weights @ np.exp(2 * points) == pytest.approx(LIMIT**2, rel=0.01)
    step = 1e-5
    log_density = [t - np.exp(2 * t) / (2 * LIMIT**2) for t in (0.3 - step, 0.3 + step)]
    assert_allclose(prior_gradient(0.3, LIMIT), np.diff(log_density)[0] / (2 * step), rtol=1e-6)


def test_each_point_is_evaluated_once_and_negligible_ones_are_not() -> None:
    """A narrow density takes few evaluations, none of them twice, all at points of the grid."""
    calls: list[float] = []

    def evaluate(t: float) -> tuple[float, float]:
        calls.append(t)
        return -((t / 0.1) ** 2) / 2, -t / 0.01

    ScaleDensity.from_evidence(evaluate, LIMIT, 0.0)
    assert len(set(calls)) == len(calls) <= 5
    assert_allclose([grid_point(nearest(t, LIMIT), LIMIT) for t in calls], calls)


def test_climbing_ends_at_the_ends_of_the_grid() -> None:
    """A density that rises or falls everywhere has its mode at an end."""
    assert climb(lambda t: 1.0, 0.0, LIMIT) == grid_point(HIGHEST, LIMIT)
    assert climb(lambda t: -1.0, 0.0, LIMIT) == grid_point(LOWEST, LIMIT)


@given(mode=st.floats(-3, 2), starts=st.tuples(st.floats(-6, 4), st.floats(-6, 4)))
def test_the_mode_is_the_same_from_both_sides(mode: float, starts: tuple[float, float]) -> None:
    """A parabola's mode is found exactly, wherever the search starts."""
    for start in starts:
        assert climb(lambda t: mode - t, start, LIMIT) == pytest.approx(mode, abs=1e-9)
