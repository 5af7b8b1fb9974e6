from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, ndtr

from penchant.gp.inference.likelihood import Logit, Probit, threshold_derivatives

LIKELIHOODS = [Probit(1.3), Probit(1.3, 0.6), Logit(0.8), Logit(0.8, 0.6)]
WIDE = np.linspace(-9, 9, 37)


def plain(likelihood: Any, difference: float, tie: bool) -> float:
    """P(answer), written down as it is defined."""
    below = ndtr if isinstance(likelihood, Probit) else expit
    up = (likelihood.threshold - difference) / likelihood.scale
    down = (-likelihood.threshold - difference) / likelihood.scale
    return float(below(up) - below(down) if tie else 1 - below(up))


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
@pytest.mark.parametrize("tie", [False, True])
def test_slopes_are_those_of_the_chance(likelihood: Any, tie: bool) -> None:
    """log P is the definition's, and each derivative is what central differences of the one before give."""
    if tie and not likelihood.threshold:
        return
    ties = np.full(len(WIDE), tie)
    found = likelihood.derivatives(WIDE, ties)
    expected = [plain(likelihood, difference, tie) for difference in WIDE]
    np.testing.assert_allclose(np.exp(found.log), expected, atol=1e-14)
    up, down = (likelihood.derivatives(WIDE + step, ties) for step in (1e-5, -1e-5))
    np.testing.assert_allclose(found.gradient, (up.log - down.log) / 2e-5, atol=2e-8)
    np.testing.assert_allclose(-found.curvature, (up.gradient - down.gradient) / 2e-5, atol=2e-8)
    np.testing.assert_allclose(found.curvature_gradient, (up.curvature - down.curvature) / 2e-5, atol=2e-8)


def test_nothing_is_lost_far_out() -> None:
    """At z = −100 and beyond, log Φ and its derivatives have the digits of their asymptotic series."""
    z = np.array([-100.0, -1e4, -1e8])
    log, slope, bend, curvature_gradient = Probit(1.0).derivatives(z)
    u = 1 / z**2
    series = -(z**2) / 2 - np.log(-z) - np.log(2 * np.pi) / 2 + np.log1p(-u + 3 * u**2 - 15 * u**3)
    np.testing.assert_allclose(log, series, rtol=1e-14)
    np.testing.assert_allclose(slope, -z / (1 - u + 3 * u**2 - 15 * u**3), rtol=1e-12)
    np.testing.assert_allclose(bend, 1 - u + 6 * u**2, rtol=1e-9)
    np.testing.assert_allclose(curvature_gradient * z**3, 2 - 24 * u, rtol=1e-4)
    assert [float(part[0]) for part in Probit(1.0).derivatives(np.array([1e3]))] == [0, 0, 0, 0]


def test_the_two_ways_to_the_hazard_meet() -> None:
    """Where the series takes over from the closed form, all derivatives go on without a step."""
    before, after = (np.array(Probit(1.0).derivatives(np.array([z]))) for z in (-30 + 1e-9, -30 - 1e-9))
    np.testing.assert_allclose(before, after, rtol=1e-7)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
@pytest.mark.parametrize("power", [1.0, 0.4])
@pytest.mark.parametrize("tie", [False, True])
def test_averages_are_integrals(likelihood: Any, power: float, tie: bool) -> None:
    """log E[P^power] under a normal, and its first two derivatives, match adaptive quadrature to 1e-8."""
    if tie and not likelihood.threshold:
        return
    mean, variance = np.array([-3.0, 0.2, 2.5, 1.0, -8.0]), np.array([0.5, 2.0, 9.0, 1e-6, 30.0])
    found = likelihood.tilted(mean, variance, np.full(5, tie), np.full(5, power))
    for at, (mu, v) in enumerate(zip(mean, variance, strict=True)):
        sd = np.sqrt(v)

        def moment(k: int, mu: float = mu, sd: float = sd) -> float:
            def tilted(t: float) -> float:
                chance = np.exp(
                    power * likelihood.derivatives(np.array([mu + sd * t]), np.array([tie])).log[0]
                )
                return float(t**k * chance * np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi))

            return float(quad(tilted, -12, 12, epsabs=1e-14, epsrel=1e-11, limit=200, points=[0.0])[0])

        z, first, second = moment(0), moment(1), moment(2)
        assert found.log[at] == pytest.approx(np.log(z), abs=1e-8)
        assert found.gradient[at] * sd == pytest.approx(first / z, abs=1e-8)
        assert found.curvature[at] * v == pytest.approx(1 - second / z + (first / z) ** 2, abs=1e-8)


@pytest.mark.parametrize("threshold", [1e-17, 1e-9, 1e-3, 0.3, 1.0, 1.9999, 2.0001, 12.0])
def test_ties_lose_nothing_far_out(threshold: float) -> None:
    """−E[z], 1 − Var[z] and κ₃[z] between the ends, to nine digits of what is left, at up to 1e6 scales."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    for difference in (0.0, 0.3, 7.0, 300.0, 1e3, 1e4, 1e6):
        found = Probit(1.0, threshold).derivatives(np.array([difference]), np.array([True]))
        start, width = difference - threshold, 2 * threshold
        low = max(0.0, -12 - start)
        high = min(width, 12 - start if start < 0 else 120 / (start + np.sqrt(start**2 + 120)))
        behind = low + (high - low) * (1 + nodes) / 2
        part = weights * np.exp(-behind * (start + behind / 2) - min(start, 0) ** 2 / 2)
        total = part.sum()
        mean = (part @ behind) / total
        variance, third = (part @ (behind - mean) ** k / total for k in (2, 3))
        log = np.log(total * (high - low) / 2 / np.sqrt(2 * np.pi)) - max(start, 0) ** 2 / 2
        assert found.log[0] == pytest.approx(log, rel=1e-12, abs=1e-12)
        assert found.gradient[0] == pytest.approx(-(start + mean) if difference else 0, rel=1e-12, abs=1e-12)
        assert 1 - found.curvature[0] == pytest.approx(variance, rel=1e-9, abs=3e-16)
        assert found.curvature_gradient[0] == pytest.approx(third if difference else 0, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
def test_the_chances_of_both_sides_sum_to_one(likelihood: Any) -> None:
    """Somebody who must choose prefers the first or the second; which is an average of the plain chance."""
    mean, variance = np.array([-30.0, -1.0, 0.0, 2.0]), np.array([0.0, 4.0, 1.0, 0.5])
    forth = likelihood.win_probability(mean, variance)
    np.testing.assert_allclose(forth + likelihood.win_probability(-mean, variance), 1, atol=1e-14)
    assert forth[2] == 0.5
    draws = mean[3] + np.sqrt(variance[3]) * np.random.default_rng(0).normal(size=200_000)
    free = type(likelihood)(likelihood.scale)
    assert forth[3] == pytest.approx(np.exp(free.derivatives(draws).log).mean(), abs=2e-3)


@pytest.mark.parametrize("likelihood", [Probit(1.3), Logit(0.8)], ids=repr)
def test_equal_items_tie_as_often_as_asked(likelihood: Any) -> None:
    """The threshold for a share gives that share of ties at a difference of 0."""
    threshold = likelihood.threshold_for(0.3)
    made = type(likelihood)(likelihood.scale, threshold)
    assert np.exp(made.derivatives(np.zeros(1), np.array([True])).log[0]) == pytest.approx(0.3)


def test_the_derivative_by_the_threshold_is_one() -> None:
    """A wider threshold moves a win as a smaller difference would: ∂/∂threshold = −∂/∂d."""
    likelihood = Probit(1.3, 0.6)
    moved = threshold_derivatives(likelihood, lambda other: other.derivatives(WIDE))
    np.testing.assert_allclose(moved.log, -likelihood.derivatives(WIDE).gradient, atol=1e-8)
    np.testing.assert_allclose(moved.gradient, likelihood.derivatives(WIDE).curvature, atol=1e-8)
