"""Glicko: Glickman's formulas, his worked example, and a state that is a fold of the games."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput
from penchant.saving import from_bytes, to_bytes
from penchant.worth import Glicko
from tests.saving.files import unchecked_bytes

N_ITEMS = 4
Q = log(10) / 400

games = st.lists(
    st.tuples(st.integers(0, N_ITEMS - 1), st.integers(1, N_ITEMS - 1), st.booleans(), st.integers(1, 3)),
    max_size=12,
).map(lambda rows: [(a, (a + step) % N_ITEMS, tie, weight) for a, step, tie, weight in rows])


def preferences(rows: Any, **columns: Any) -> Preferences:
    pairs = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    tie, weight = [row[2] for row in rows], [float(row[3]) for row in rows]
    return Preferences.from_pairs(pairs, tie=tie, weight=weight, items=range(N_ITEMS), **columns)


def g(deviation: float) -> float:
    return 1 / sqrt(1 + 3 * Q**2 * deviation**2 / pi**2)


def one_period(players: dict[int, tuple[float, float]], rows: Any) -> dict[int, tuple[float, float]]:
    """Glickman's step 2, written from his paper: everyone is judged by what was believed before."""
    after = dict(players)
    for i, (rating, deviation) in players.items():
        inverse_d2, points = 0.0, 0.0
        for a, b, tie, weight in rows:
            if i not in (a, b):
                continue
            j = b if i == a else a
            score = 0.5 if tie else float(i == a)
            expected = 1 / (1 + 10 ** (-g(players[j][1]) * (rating - players[j][0]) / 400))
            inverse_d2 += weight * Q**2 * g(players[j][1]) ** 2 * expected * (1 - expected)
            points += weight * g(players[j][1]) * (score - expected)
        precision = 1 / deviation**2 + inverse_d2
        after[i] = (rating + Q / precision * points, sqrt(1 / precision))
    return after


def agrees(model: Glicko, players: dict[int, tuple[float, float]]) -> None:
    np.testing.assert_allclose(model.scores_, [players[i][0] for i in range(N_ITEMS)], rtol=1e-10)
    np.testing.assert_allclose(model.deviations_, [players[i][1] for i in range(N_ITEMS)], rtol=1e-10)


@given(games)
def test_each_game_follows_the_formulas(rows: Any) -> None:
    """Without periods, each game (and each repetition by weight) is a period of its own."""
    players = dict.fromkeys(range(N_ITEMS), (1500.0, 350.0))
    for a, b, tie, weight in rows:
        for _ in range(weight):
            players = one_period(players, [(a, b, tie, 1)])
    agrees(Glicko().fit(preferences(rows)), players)


@given(games, st.data())
def test_periods_follow_the_formulas_whatever_the_chunks(rows: Any, data: Any) -> None:
    """Games of one period count together, also in several updates, to the last bit."""
    period = np.sort(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    players = dict.fromkeys(range(N_ITEMS), (1500.0, 350.0))
    for each in np.unique(period):
        played = [row for row, when in zip(rows, period, strict=True) if when == each]
        players = one_period(players, played)
    prefs = preferences(rows, period=period.astype(np.int64))
    model = Glicko().fit(prefs)
    agrees(model, players)
    pieces = Glicko().fit(prefs[:0])
    for row in range(len(prefs)):
        pieces.update(prefs[row : row + 1])
    assert to_bytes(pieces) == to_bytes(model)


def test_glickmans_worked_example() -> None:
    """1500 with deviation 200 that beats 1400 (30) and loses to 1550 (100) and 1700 (300) becomes 1464, 151.4."""
    model = Glicko().fit(Preferences.from_pairs([(0, 1), (2, 0), (3, 0)], period=[1, 1, 1])[:0])
    model.opening_ = np.array([[1500.0, 1400.0, 1550.0, 1700.0], np.array([200.0, 30.0, 100.0, 300.0]) ** 2])
    model.update(Preferences.from_pairs([(0, 1), (2, 0), (3, 0)], period=[1, 1, 1]))
    assert model.scores_[0] == pytest.approx(1464, abs=0.5)
    assert model.deviations_[0] == pytest.approx(151.4, abs=0.05)


def test_deviations_grow_from_period_to_period_up_to_the_first() -> None:
    """After t periods c² t is added, no matter who played, and never more than at the start."""
    model = Glicko(growth=50.0).fit(Preferences.from_pairs([(0, 1), (0, 2)], period=[1, 1]))
    before = model.deviations_
    model.update(Preferences.from_pairs([(1, 2)], period=[3], items=range(3)))
    assert model.deviations_[0] == pytest.approx(min(sqrt(before[0] ** 2 + 2 * 50**2), 350))
    model.update(Preferences.from_pairs([(1, 2)], period=[1000], items=range(3)))
    assert model.deviations_[0] == 350


def test_no_deviation_falls_below_the_least() -> None:
    """With least_deviation 100 a thousand games leave 100, and without it far less."""
    prefs = Preferences.from_pairs([(0, 1), (1, 0)] * 500)
    assert Glicko(least_deviation=100.0).fit(prefs).deviations_.tolist() == [100.0, 100.0]
    assert (Glicko().fit(prefs).deviations_ < 30).all()


def test_win_probability_takes_both_deviations_into_account() -> None:
    """P = 1 / (1 + 10^(−g(√(RD_a² + RD_b²)) (r_a − r_b)/400)): nearer to ½ the less is known."""
    model = Glicko().fit(Preferences.from_pairs([("a", "b"), ("a", "b"), ("b", "c")]))
    both = sqrt(model.variance(0) + model.variance(1))
    expected = 1 / (1 + 10 ** (-g(both) * (model.scores_[0] - model.scores_[1]) / 400))
    assert model.win_probability("a", "b") == pytest.approx(expected, rel=1e-12)
    surer = Glicko(deviation=50.0).fit(Preferences.from_pairs([("a", "b")] * 60))
    assert surer.win_probability("a", "b") > model.win_probability("a", "b")


def test_a_tie_is_half_a_point() -> None:
    """Equals that tie stay where they are and are surer; a tie with a weaker one costs points."""
    model = Glicko().fit(Preferences.from_pairs([("a", "b")], tie=[True]))
    assert model.scores_.tolist() == [1500.0, 1500.0]
    assert (model.deviations_ < 350).all()
    model = Glicko().fit(Preferences.from_pairs([("a", "b")] * 3 + [("a", "b")], tie=[False] * 3 + [True]))
    before = Glicko().fit(Preferences.from_pairs([("a", "b")] * 3))
    assert model.scores_[0] < before.scores_[0]


def test_a_ranking_plays_the_games_it_implies_best_first() -> None:
    """a, b, c is a against b, a against c, b against c."""
    ranked = Glicko().fit(Preferences.from_rankings([["a", "b", "c"]]))
    played = Glicko().fit(Preferences.from_pairs([("a", "b"), ("a", "c"), ("b", "c")]))
    assert ranked.scores_.tolist() == played.scores_.tolist()


def test_both_bad_lose_to_the_bar_which_is_no_item_of_the_ranking() -> None:
    """The bar rises when both are bad, and the ranking says where it is."""
    prefs = Preferences.from_answers(["a", "a"], ["b", "b"], ["left", "both_bad"])
    model = Glicko().fit(prefs)
    assert model.catalogue_.ids[-1] == "(bar)"
    assert model.rank().bar == model.scores_[-1] > 1500
    assert sorted(model.rank().items) == ["a", "b"]


def test_new_items_start_as_all_others_did() -> None:
    """An item that comes later starts at the first rating, and the bar keeps its rating in its new place."""
    model = Glicko().fit(Preferences.from_answers(["a"], ["b"], ["both_bad"]))
    bar = model.scores_[-1]
    model.update(Preferences.from_pairs([("c", "d")], items=["c", "d", "e"]))
    assert model.catalogue_.ids == ("a", "b", "c", "d", "e", "(bar)")
    assert model.scores_[-1] == bar
    assert (model.scores_[4], model.deviations_[4]) == (1500.0, 350.0)


def test_far_ratings_do_not_overflow() -> None:
    """A rating a million points away is beaten without a number overflowing."""
    model = Glicko(deviation=1e7).fit(Preferences.from_pairs([(0, 1), (1, 2), (2, 0), (0, 1)] * 20))
    assert np.isfinite(model.scores_).all()
    assert 0 <= model.win_probability(0, 1) <= 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rating": float("nan")}, "rating must be a finite number, got nan"),
        ({"deviation": 0.0}, "deviation must be a number above 0"),
        ({"deviation": float("inf")}, "deviation must be a number above 0"),
        ({"least_deviation": 400.0}, "least_deviation must be a number from 0 to 350, got 400"),
        ({"growth": -1.0}, "growth must be a number of at least 0"),
    ],
)
def test_settings_are_rejected(settings: Any, message: str) -> None:
    """Each setting out of its range is named with its limit."""
    with pytest.raises(InvalidInput, match=message):
        Glicko(**settings).fit(Preferences.from_pairs([(0, 1)]))


def test_parts_of_games_and_periods_that_go_back_are_refused() -> None:
    """The row, the limit and what to do are named, and the model stays as it was."""
    model = Glicko().fit(Preferences.from_pairs([(0, 1)], period=[5]))
    before = to_bytes(model)
    with pytest.raises(InvalidInput, match=r"weight of row 1 must be a whole number .*, got 0.5: round it"):
        model.update(Preferences.from_pairs([(0, 1), (1, 0)], weight=[1, 0.5]))
    with pytest.raises(InvalidInput, match=r"period of row 1 must be at least 7, .* got 6: sort the rows"):
        model.update(Preferences.from_pairs([(0, 1), (1, 0)], period=[7, 6]))
    with pytest.raises(InvalidInput, match=r"period of row 0 must be at least 5, .* got 4: sort the rows"):
        model.update(Preferences.from_pairs([(0, 1)], period=[4]))
    assert to_bytes(model) == before
    assert Glicko().fit(Preferences.from_pairs([(0, 1)], period=[4])).period_ == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opening_", np.zeros((2, 2))),
        ("opening_", np.ones((2, 3))),
        ("lessons_", np.full((2, 2), np.nan)),
        ("lessons_", -np.ones((2, 2))),
        ("scores_", np.ones(3)),
        ("variances_", np.zeros(2)),
        ("period_", 1.5),
        ("_counts", -np.ones(2)),
        ("catalogue_", 2),
    ],
)
def test_a_damaged_state_is_refused(name: str, value: object) -> None:
    """What does not fit together is not loaded."""
    model = Glicko().fit(Preferences.from_pairs([(0, 1)]))
    setattr(model, name, value)
    with pytest.raises(CannotLoad, match="Glicko rejects its state"):
        from_bytes(unchecked_bytes(model))


def test_an_unfitted_model_and_its_settings_survive_saving() -> None:
    """Settings come back as they were."""
    assert from_bytes(to_bytes(Glicko(growth=3.0))).get_params() == Glicko(growth=3.0).get_params()


def test_ratings_find_the_true_order() -> None:
    """8 players 150 points apart are ordered rightly after 2,000 games, but for neighbours."""
    rng = np.random.default_rng(0)
    true = 150.0 * np.arange(8)[::-1]
    first = rng.integers(8, size=2000)
    second = (first + rng.integers(1, 8, size=2000)) % 8
    wins = rng.random(2000) < 1 / (1 + 10 ** ((true[second] - true[first]) / 400))
    pairs = np.column_stack([np.where(wins, first, second), np.where(wins, second, first)])
    model = Glicko().fit(Preferences.from_pairs(pairs))
    errors = (model.scores_ - model.scores_.mean()) - (true - true.mean())
    assert np.abs(errors).max() < 4 * model.deviations_.max()
    assert (np.diff(model.scores_) < 0).all()


def test_too_many_repeated_games_are_rejected() -> None:
    """A weight of 10¹⁹ would be played for ever: the limit and another model are named."""
    huge = Preferences.from_pairs([("a", "b")], weight=[9999999999999999999])
    with pytest.raises(InvalidInput, match=r"at most 100,000,000 games for Glicko.*: use BradleyTerry"):
        Glicko().fit(huge)
