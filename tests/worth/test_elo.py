"""Elo: the worked example of the rating formula, the rule written out, and periods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.saving import to_bytes
from penchant.worth import Elo
from tests.worth.test_glicko import N_ITEMS, games, preferences

TOURNAMENT = {"ann": 1613, "b": 1609, "c": 1477, "d": 1388, "e": 1586, "f": 1720}
ROUNDS = [("b", "ann"), ("ann", "c"), ("ann", "d"), ("ann", "e"), ("f", "ann")]


def expected(rating: float, opponent: float) -> float:
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


def test_the_worked_example_of_a_tournament() -> None:
    """1613 that scores 2½ against 1609, 1477, 1388, 1586 and 1720 (2.88 expected) becomes 1601 with k = 32."""
    tie = [False, True, False, False, False]
    model = Elo(start=TOURNAMENT).fit(Preferences.from_pairs(ROUNDS, tie=tie, period=[1] * 5))
    assert round(model.scores_[model.catalogue_.index("ann")]) == 1601
    wanted = sum(expected(1613, TOURNAMENT[name]) for name in "bcdef")
    assert model.scores_[0] == pytest.approx(1613 + 32 * (2.5 - wanted))


@settings(max_examples=25)
@given(games)
def test_each_game_follows_the_rule(rows: Any) -> None:
    """After each game the first gains k (s − E), the second loses it, by the ratings before the game."""
    rating = [1500.0] * N_ITEMS
    for a, b, tie, weight in rows:
        for _ in range(weight):
            change = 20 * ((0.5 if tie else 1) - expected(rating[a], rating[b]))
            rating[a], rating[b] = rating[a] + change, rating[b] - change
    model = Elo(k=20).fit(preferences(rows))
    np.testing.assert_allclose(model.scores_, rating, rtol=1e-10)
    assert model.scores_.sum() == pytest.approx(1500 * N_ITEMS)


def test_periods_in_pieces_are_periods_at_once() -> None:
    """Games of one period are evaluated with the ratings before it, also when they come one by one."""
    prefs = Preferences.from_pairs([(0, 1), (0, 2), (1, 2), (2, 0)], period=[1, 1, 1, 2])
    model = Elo().fit(prefs)
    first = 1500 + np.array([32.0, 0.0, -32.0])
    change = 32 * (1 - expected(first[2], first[0]))
    np.testing.assert_allclose(model.scores_, first + np.array([-change, 0, change]))
    pieces = Elo().fit(prefs[:0])
    for row in range(len(prefs)):
        pieces.update(prefs[row : row + 1])
    assert to_bytes(pieces) == to_bytes(model)


def test_intervals_hold_the_strengths_of_a_simulation() -> None:
    """The variance is that of ratings around constant strengths: 95 % intervals hold 90 to 99 % of them.

    6 items whose strengths have a standard deviation of 200 play 600 games in each of 20 worlds.
    """
    held = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        true = 200 * rng.normal(size=6)
        first = rng.integers(6, size=600)
        second = (first + rng.integers(1, 6, size=600)) % 6
        won = rng.random(600) < 1 / (1 + 10 ** ((true[second] - true[first]) / 400))
        pairs = np.column_stack([np.where(won, first, second), np.where(won, second, first)])
        model = Elo(deviation=200.0).fit(Preferences.from_pairs(pairs, items=range(6)))
        error = (model.scores_ - model.scores_.mean()) - (true - true.mean())
        held.append(np.abs(error) < 1.96 * model.deviations_)
    assert 0.9 <= np.mean(held) <= 0.99


def test_new_items_begin_where_start_says() -> None:
    """Starting values hold for items that come later too; the others begin at the rating."""
    model = Elo(1000.0, start={"cyd": 1200, "dan": (900, 10)}).fit(Preferences.from_pairs([("ann", "bob")]))
    late = Preferences.from_pairs([("cyd", "dan")], tie=[True], items=["cyd", "dan", "eve"])
    model.update(late)
    assert model.scores_[4] == 1000
    assert model.scores_[2] + model.scores_[3] == pytest.approx(2100)
    assert model.deviations_[3] < 30 < model.deviations_[2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 0}, "k must be a number above 0, got 0: 32 is usual"),
        ({"rating": None}, "rating must be a finite number, got None"),
        ({"start": [1500]}, "start must map ids to ratings, got .*: give for instance"),
        ({"start": {"a": "x"}}, "start of 'a', rating, must be a finite number, got 'x'"),
        ({"start": {"a": (1500, 0)}}, "start of 'a', deviation, must be a number above 0, got 0"),
        ({"start": {"a": (1, 2, 3)}}, "start of 'a' must be a rating, or a list of rating, deviation, got"),
    ],
)
def test_settings_are_rejected(wrong: Any, message: str) -> None:
    """Each setting out of its range is named with its limit."""
    with pytest.raises(InvalidInput, match=message):
        Elo(**wrong).fit(Preferences.from_pairs([("a", "b")]))
