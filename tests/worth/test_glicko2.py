"""Glicko-2: Glickman's worked example, his steps written out, and players who rest."""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import brentq

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.worth import Glicko2
from penchant.worth.glicko2 import new_volatility
from tests.worth.test_glicko import N_ITEMS, games, preferences

UNIT = 400 / log(10)


def one_period(players: dict[int, tuple[float, ...]], rows: Any, tau: float) -> dict[int, tuple[float, ...]]:
    """Steps 2 to 8 of the paper, on its own scale, for all who play."""
    after = dict(players)
    for i, (rating, deviation, volatility) in players.items():
        played = [(a, b, tie, weight) for a, b, tie, weight in rows if i in (a, b)]
        if not played:
            continue
        mu, phi = (rating - 1500) / UNIT, deviation / UNIT
        inverse, points = 0.0, 0.0
        for a, b, tie, weight in played:
            other = players[b if i == a else a]
            g = 1 / sqrt(1 + 3 * (other[1] / UNIT) ** 2 / pi**2)
            e = 1 / (1 + exp(-g * (mu - (other[0] - 1500) / UNIT)))
            inverse += weight * g**2 * e * (1 - e)
            points += weight * g * ((0.5 if tie else float(i == a)) - e)
        v = 1 / inverse
        delta, start = v * points, log(volatility**2)

        def f(x: float, v: float = v, delta: float = delta, phi: float = phi, start: float = start) -> float:
            top = exp(x) * (delta**2 - phi**2 - v - exp(x))
            return top / (2 * (phi**2 + v + exp(x)) ** 2) - (x - start) / tau**2

        volatility = exp(brentq(f, start - 40, start + 40, xtol=1e-12) / 2)
        phi = 1 / sqrt(1 / (phi**2 + volatility**2) + 1 / v)
        after[i] = (1500 + UNIT * (mu + phi**2 * points), UNIT * phi, volatility)
    return after


def test_glickmans_worked_example() -> None:
    """1500 (200) that beats 1400 (30) and loses to 1550 (100) and 1700 (300): 1464.06, 151.52 and 0.05999.

    The paper rounds what it carries from step to step, hence the last digit of the rating.
    """
    start = {"0": [1500, 200, 0.06], "1": [1400, 30], "2": [1550, 100], "3": [1700, 300]}
    model = Glicko2(start=start).fit(Preferences.from_pairs([(0, 1), (2, 0), (3, 0)], period=[1, 1, 1]))
    assert model.scores_[0] == pytest.approx(1464.06, abs=0.01)
    assert model.deviations_[0] == pytest.approx(151.52, abs=0.005)
    assert model.volatilities_[0] == pytest.approx(0.05999, abs=0.00001)


@settings(max_examples=25)
@given(games)
def test_games_follow_the_steps(rows: Any) -> None:
    """In one period, and one game after the other, everything is as in the paper's steps."""
    begun = dict.fromkeys(range(N_ITEMS), (1500.0, 350.0, 0.06))
    together = Glicko2(tau=0.8).fit(preferences(rows, period=np.ones(len(rows), dtype=np.int64)))
    wanted = one_period(begun, rows, 0.8)
    players = begun
    for a, b, tie, weight in rows:
        for _ in range(weight):
            players = one_period(players, [(a, b, tie, 1)], 0.8)
    for model, expected in ((together, wanted), (Glicko2(tau=0.8).fit(preferences(rows)), players)):
        found = np.column_stack([model.scores_, model.deviations_, model.volatilities_])
        np.testing.assert_allclose(found, [expected[i] for i in range(N_ITEMS)], rtol=2e-6)


def test_who_rests_becomes_less_certain_up_to_the_start() -> None:
    """Each period without a game adds the squared volatility; one with games does so within its update."""
    model = Glicko2().fit(Preferences.from_pairs([(0, 1), (0, 2), (1, 2)], period=[1, 1, 1]))
    before, volatility = model.variances_.copy(), model.volatilities_ * UNIT
    model.update(Preferences.from_pairs([(1, 2)], period=[2], items=range(3)))
    assert model.variances_[0] == pytest.approx(before[0])
    model.update(Preferences.from_pairs([(1, 2)], period=[5], items=range(3)))
    assert model.variances_[0] == pytest.approx(before[0] + 3 * volatility[0] ** 2)
    model.update(Preferences.from_pairs([(1, 2)], period=[10**6], items=range(3)))
    assert model.deviations_[0] == 350


def test_upsets_raise_the_volatility() -> None:
    """Results that nobody expected raise the volatility, expected ones lower it."""
    strong = {"a": [2000, 50], "b": [1200, 50]}
    games = Preferences.from_pairs([("b", "a")] * 5, period=[1] * 5)
    assert (Glicko2(start=strong).fit(games).volatilities_ > 0.06).all()
    games = Preferences.from_pairs([("a", "b")] * 5, period=[1] * 5)
    assert (Glicko2(start=strong).fit(games).volatilities_ < 0.06).all()
    assert new_volatility(0.06, 0.1, 0.2, 5.0, 0.5) > 0.06


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"tau": 0}, "tau must be a number"), ({"volatility": -1}, "volatility must be a number")],
)
def test_settings_are_rejected(wrong: Any, message: str) -> None:
    """Each setting out of its range is named with its limit."""
    with pytest.raises(InvalidInput, match=message):
        Glicko2(**wrong).fit(Preferences.from_pairs([("a", "b")]))
