"""Moments of tilted distributions match adaptive quadrature."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import IntegrationWarning, quad
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_ndtr

from penchant.gp.inference.likelihood import Logit, Probit


def tilted_moments(likelihood: Any, mean: float, variance: float, tie: bool, power: float) -> Any:
    """log E[P^power] under a normal, and its first two derivatives, by adaptive quadrature around the top."""

    def log(x: float) -> float:
        return float(power * log_plain(likelihood, x, tie) - (x - mean) ** 2 / (2 * variance))

    sd = np.sqrt(variance)
    ends = mean - 1.01 * abs(mean) - 12 * sd - 50, mean + 1.01 * abs(mean) + 12 * sd + 50
    top = minimize_scalar(lambda x: -log(x), bounds=ends, method="bounded", options={"xatol": 1e-7}).x
    steps = sd * np.array([-12.0, *-np.geomspace(6, 1e-4, 12), 0.0, *np.geomspace(1e-4, 6, 12), 12.0])

    def moment(k: int, centre: float) -> float:
        def height(x: float) -> float:
            return float((x - centre) ** k * np.exp(log(x) - log(top)))

        options: Any = {"epsabs": 0, "epsrel": 1e-12, "limit": 50}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IntegrationWarning)  # pieces where there is nothing
            return sum(quad(height, a, b, **options)[0] for a, b in pairwise(top + np.unique(steps)))

    total = moment(0, top)
    centre = top + moment(1, top) / total
    spread = moment(2, centre) / total
    return (
        log(top) + np.log(total / np.sqrt(2 * np.pi * variance)),
        (centre - mean) / variance,
        (1 - spread / variance) / variance,
    )


def log_plain(likelihood: Any, difference: float, tie: bool) -> float:
    """log P(answer) as it is defined, with the digits of the nearer tail."""
    below: Any = log_ndtr if isinstance(likelihood, Probit) else log_expit
    if not tie:
        return float(below((difference - likelihood.threshold) / likelihood.scale))
    near, far = (
        below((side * likelihood.threshold - abs(difference)) / likelihood.scale) for side in (1, -1)
    )
    return float(near + np.log1p(-np.exp(far - near)))


@pytest.mark.parametrize("likelihood", [Probit(1.3, 0.6), Logit(0.8, 0.6)], ids=repr)
@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("power", [0.1, 3.0, 40.0, 1000.0])
def test_averages_of_any_power_are_integrals(likelihood: Any, tie: bool, power: float) -> None:
    """An answer with a weight far from 1: slope and bend match adaptive quadrature to 1e-7 of a deviation."""
    for mean, variance in ((-12.0, 1.0), (-3.0, 60.0), (0.0, 0.3), (0.5, 900.0), (9.0, 4.0)):
        one = np.array([mean]), np.array([variance]), np.array([tie]), np.array([power])
        found = likelihood.tilted(*one)
        log, slope, bend = tilted_moments(likelihood, mean, variance, tie, power)
        assert found.log[0] == pytest.approx(log, rel=1e-9, abs=1e-7)
        assert found.gradient[0] * np.sqrt(variance) == pytest.approx(
            slope * np.sqrt(variance), rel=1e-7, abs=1e-7
        )
        assert found.curvature[0] * variance == pytest.approx(bend * variance, abs=1e-7)


@pytest.mark.parametrize(("mean", "power"), [(-2e4, 0.5), (-3e3, 7.0), (-500.0, 1e4)])
def test_averages_hold_in_the_tail(mean: float, power: float) -> None:
    """Far out on the losing side log Φ is nearly a parabola: the bend is power/(1 + power·variance), nearly."""
    one = np.array([mean]), np.array([900.0]), np.array([False]), np.array([power])
    log, slope, bend = tilted_moments(Probit(1.0), mean, 900.0, False, power)
    found = Probit(1.0).tilted(*one)
    assert found.log[0] == pytest.approx(log, rel=1e-9)
    assert found.gradient[0] == pytest.approx(slope, rel=1e-7)
    assert found.curvature[0] * 900 == pytest.approx(bend * 900, abs=1e-7)


@given(
    mean=st.floats(-50, 50),
    variance=st.floats(0, 1e4),
    power=st.floats(0.01, 1000),
    tie=st.booleans(),
)
def test_averages_stay_in_their_limits(mean: float, variance: float, power: float, tie: bool) -> None:
    """However far and wide: log E ≤ 0, and a bend between 0 and 1/variance, as log-concavity demands."""
    for likelihood in (Probit(1.4, 0.5), Logit(1.0, 0.5)):
        log, slope, bend, _ = likelihood.tilted(
            np.array([mean]), np.array([variance]), np.array([tie]), np.array([power])
        )
        assert np.isfinite([log[0], slope[0], bend[0]]).all()
        assert log[0] <= 1e-12
        assert bend[0] >= -1e-9
        assert bend[0] * variance <= 1 + 1e-9
