"""Boards, trajectories and adjusted rankings as pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from penchant.plots import adjusted_chart, boards_chart, effects_chart, svg_text
from penchant.plots.drawable import drawable
from penchant.worth import BradleyTerry, rank_by, rank_over
from tests.worth.row_reference import votes
from tests.worth.test_board_fits import WORTH
from tests.worth.test_board_fits import votes as plain_votes


def data(chart: Any) -> list[dict[str, Any]]:
    sets = chart["datasets"].values()
    return max(sets, key=len)  # type: ignore[no-any-return]


def test_each_item_has_a_mark_on_each_board_and_what_differs_a_ring() -> None:
    """Boards differ in colour and in shape; the axis names the unit."""
    prefs = plain_votes(WORTH, 900, 0) + plain_votes(WORTH + np.array([0, 0, 0, 0, 2.0]), 900, 1)
    chart = boards_chart(rank_by(prefs, ["prose"] * 900 + ["code"] * 900)).to_dict()
    assert len(data(chart)) == 10
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["rule", "point", "point"]
    assert chart["layer"][1]["encoding"]["x"]["title"] == "score (log odds)"
    assert chart["layer"][1]["encoding"]["shape"]["scale"]["domain"] == ["code", "prose"]
    rings = [row for row in data(chart) if row["differs"] == "yes"]
    assert {row["item"] for row in rings} >= {"4"}
    assert chart["title"]["text"] == "5 items on 2 boards"
    assert drawable(chart)


def test_over_time_each_item_is_a_line_and_the_best_have_bands() -> None:
    """Periods are in their order; beyond the first six, items are one colour."""
    worth = np.linspace(1, -1, 8)
    boards = rank_over(plain_votes(worth, 1200, 2), np.repeat([1, 2, 3], 400))
    chart = boards_chart(boards).to_dict()
    assert {row["board"] for row in data(chart)} == {"1", "2", "3"}
    assert {row["line"] for row in data(chart)} >= {"others"}
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["area", "line"]
    assert chart["layer"][1]["encoding"]["x"]["sort"] == ["1", "2", "3"]
    assert boards_chart(boards, most=3).to_dict()["title"]["text"] == "the best 3 of 8 items on 3 periods"


def test_many_boards_can_be_told_apart() -> None:
    """Each has a colour and shape of its own; of more than 24 boards the largest are drawn, of fewer items."""
    worth = np.linspace(1, -1, 12)
    labels = [*range(30)] * 40
    boards = rank_by(plain_votes(worth, 1200, 2), labels, model=BradleyTerry(prior=1.0))
    chart = boards_chart(boards).to_dict()
    assert chart["title"]["text"] == "the best 6 of 12 items on the largest 24 of 30 boards"
    marks = next(layer for layer in chart["layer"] if "shape" in layer["encoding"])["encoding"]
    seen = zip(marks["color"]["scale"]["range"], marks["shape"]["scale"]["range"], strict=True)
    assert len(set(seen)) == 24
    assert {row["board"] for row in data(chart)} == set(boards.names[:24])


def test_effects_of_each_board_stand_below_the_boards() -> None:
    """One row of marks a board, in their order, for each effect; items keep one legend of colours and dashes."""
    prefs = votes(400)
    fit: dict[str, Any] = {"covariates": ("length", "lists"), "side": True}
    chart = boards_chart(rank_by(prefs, ["x", "y"] * 200, **fit)).to_dict()
    top, bottom = chart["vconcat"]
    assert top["title"]["text"] == "5 items on 2 boards"
    assert bottom["title"]["text"] == "Effects of covariates on each board"
    assert bottom["spec"]["layer"][0]["encoding"]["y"]["sort"] == ["all", "x", "y"]
    rows = next(rows for rows in chart["datasets"].values() if "per_sd" in rows[0])
    assert len(rows) == 9
    assert all(row["lower"] < row["per_sd"] < row["upper"] for row in rows)
    over = boards_chart(rank_over(prefs, np.repeat([1, 2], 200), **fit)).to_dict()
    assert over["resolve"]["scale"]["strokeDash"] == "independent"
    assert drawable(chart)
    assert drawable(over)


def test_an_adjusted_ranking_stands_above_the_effects() -> None:
    """Hollow marks are scores without adjustment; effects are those of one standard deviation."""
    prefs = votes(400)
    plain = BradleyTerry().fit(prefs).rank()
    model = BradleyTerry().fit(prefs, covariates=("length", "lists"), side=True)
    chart = adjusted_chart(model.rank(), model.effects_, plain).to_dict()
    top, bottom = chart["vconcat"]
    assert top["title"]["text"] == "5 items, adjusted for length, lists and side"
    some = adjusted_chart(model.rank(), model.effects_, most=3).to_dict()["vconcat"][0]
    assert some["title"]["text"] == "the best 3 of 5 items, adjusted for length, lists and side"
    assert [layer["mark"]["type"] for layer in top["layer"]] == ["rule", "circle", "point"]
    assert "hollow: without adjustment" in top["title"]["subtitle"][0]
    rows = next(rows for rows in chart["datasets"].values() if "per_sd" in rows[0])
    np.testing.assert_allclose(
        [row["per_sd"] for row in rows], model.effects_.estimate * model.effects_.spread
    )
    assert [layer["mark"]["type"] for layer in bottom["layer"]] == ["rule", "rule", "point"]
    assert len(effects_chart(model.effects_).to_dict()["layer"]) == 3


def test_numbers_on_the_axis_of_effects_stand_apart() -> None:
    """No label touches the next one: where they would, every second one is not drawn."""
    answers = votes(400, effects=(0.6, 0.5))
    effects = BradleyTerry().fit(answers, covariates=("length", "lists"), side=True).effects_
    for size in (1.0, 0.8, 0.2):
        drawn = svg_text(effects_chart(replace(effects, spread=effects.spread * size)))
        axis = drawn.partition("role-axis-label")[2].partition("</g>")[0]
        labels = re.findall(r'anchor="(\w+)" transform="translate\(([\d.]+),[^>]*opacity="1">([\d.]+)<', axis)
        width = 6.7 * max(len(text) for *_, text in labels)  # of digits of 12 pixels
        middles = [
            float(x) + {"start": 0.5, "middle": 0, "end": -0.5}[anchor] * width for anchor, x, _ in labels
        ]
        assert len(middles) > 3
        assert np.diff(middles).min() > width
