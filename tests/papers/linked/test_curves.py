"""Curves of players by the number of questions, and the statistics over runs."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.linked.curves import Curves, bootstrapped, compared, hundreds, reached, tidy
from penchant.papers.linked.players import PLAYERS, follow
from penchant.papers.linked.sets import Items, collection
from penchant.papers.run import Run

PAIR = {name: PLAYERS[name] for name in ("Glicko", "random pairs")}


@pytest.fixture(scope="module")
def queries() -> tuple[Items, ...]:
    return collection("letor2-ohsumed", Run(size="quick")).queries[:2]


def test_a_run_over_queries_is_the_mean_of_its_repetitions(queries: tuple[Items, ...]) -> None:
    """Each query and repetition has a seed of its own; seconds are those of all tasks."""
    curves = Curves.of_queries(PAIR, queries, 2, 20, Run(seed=3))
    assert curves.asked.tolist() == [0, 10, 20]
    alone = [
        follow(PAIR, queries[1], questions=20, every=10, seed=(3, 1, repetition))["Glicko"].precision[:, 0]
        for repetition in range(2)
    ]
    np.testing.assert_allclose(curves.precision["Glicko"][1], np.mean(alone, axis=0))
    assert curves.ends()["MAP at the end, Glicko"].value == pytest.approx(
        curves.precision["Glicko"][:, -1].mean()
    )
    assert curves.total["Glicko"] == pytest.approx(2 * curves.seconds["Glicko"][:, -1].sum())
    for name in PAIR:
        assert (curves.learning[name] <= curves.seconds[name]).all()


def test_repetitions_are_kept_beside_their_means() -> None:
    """For the spread of runs on the same items."""
    items = collection("letor2-ohsumed", Run(size="quick")).queries[:2]
    curves = Curves.of_queries({"Glicko": PAIR["Glicko"]}, items, 3, 10, Run(seed=3))
    assert curves.repeated["Glicko"].shape == (2, 3, 2)
    assert curves.repeated["Glicko"].mean(axis=1) == pytest.approx(curves.precision["Glicko"])


def test_timed_curves_are_those_without_a_warm_up(queries: tuple[Items, ...]) -> None:
    """Two questions before the clock starts leave no trace."""
    cold, warm = (
        Curves.of_queries(PAIR, queries, 1, 10, Run(), warm_up=warm_up).precision for warm_up in (False, True)
    )
    for name in PAIR:
        np.testing.assert_array_equal(cold[name], warm[name])


def test_boxes_are_at_six_points_after_the_start() -> None:
    """Of the players that are named."""
    values = np.arange(31.0).reshape(1, 31)
    curves = Curves({"a": values, "b": values}, {}, {}, {}, np.arange(0, 301, 10), {})
    asked, boxes = curves.boxes(["a"])
    assert asked.tolist() == [50, 100, 150, 200, 250, 300]
    assert boxes["a"].tolist() == [[5, 10, 15, 20, 25, 30]]
    assert [(questions, found.tolist()) for questions, found in curves.at("b")] == [
        (100, [10]),
        (200, [20]),
        (300, [30]),
    ]


def test_tests_are_made_at_multiples_of_100() -> None:
    """And at the end where fewer were asked."""
    assert hundreds(np.arange(0, 301, 10)).tolist() == [10, 20, 30]
    assert hundreds(np.arange(0, 41, 10)).tolist() == [4]


def test_a_clear_lead_is_significant_and_no_lead_is_not() -> None:
    """By the two tests of the paper and by the paired one, which sees more."""
    values = np.random.default_rng(0).random(50)
    ahead = compared(values + 1.0 + 0.1 * values[::-1], values)
    assert ahead["lead"] == pytest.approx(1.0 + 0.1 * values.mean())
    assert max(value for name, value in ahead.items() if name.startswith("p,")) < 1e-10
    small = compared(values + 0.01 + 0.001 * values[::-1], values)
    assert small["p, paired t-test"] < 1e-10
    assert min(small["p, rank-sum"], small["p, t-test"]) > 0.5


def test_equal_runs_are_not_told_apart() -> None:
    """The paired test has nothing to say and does not warn."""
    same = compared(np.full(5, 0.5), np.full(5, 0.5))
    assert same["lead"] == 0.0
    assert same["p, rank-sum"] == 1.0
    assert np.isnan(same["p, paired t-test"])


def test_a_frame_has_a_row_for_each_name_run_and_number() -> None:
    """In their order, all quantities beside one another."""
    tables = {"x": {"a": np.array([[1.0, 2.0], [3.0, 4.0]])}, "y": {"a": np.array([[5.0, 6.0], [7.0, 8.0]])}}
    frame = tidy(tables, np.array([0, 10]), run="query")
    assert frame.columns.tolist() == ["name", "query", "questions", "x", "y"]
    assert frame.iloc[2].tolist() == ["a", 1, 0, 3.0, 7.0]


def test_a_curve_is_ahead_by_the_questions_it_saves() -> None:
    """The share of the points at which it has what the other has at last; never is infinity."""
    slow = np.linspace(0, 1, 11)
    assert reached(np.minimum(2 * slow, 1.0), slow) == 0.5
    assert reached(slow / 2, slow) == np.inf


def test_the_bootstrap_estimates_a_standard_error() -> None:
    """That of a mean of 400 values is about 1/20; what is infinite somewhere has none."""
    values = np.random.default_rng(0).standard_normal(400)
    found = bootstrapped(lambda rows: float(values[rows].mean()), 400, 0)
    assert found.value == pytest.approx(values.mean())
    assert 0.035 < found.error < 0.065
    assert np.isnan(bootstrapped(lambda rows: np.inf, 4, 0).error)
