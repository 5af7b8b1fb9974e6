"""A ranking as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.plots import ranking_chart
from penchant.ranking import Ranking


def described(ranking: Ranking, **options: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the chart as Vega-Lite and the rows that it draws."""
    chart = ranking_chart(ranking, **options).to_dict()
    return chart, next(iter(chart["datasets"].values()))


def test_all_items_are_drawn_best_on_top() -> None:
    """A circle and a bar for each item, in order of rank, with the level told."""
    ranking = Ranking.from_scores("abc", [1, 3, 2], variance=[1, 1, 1], level=0.9, model="Test()")
    chart, rows = described(ranking)
    assert [row["label"] for row in rows] == ["1  b", "2  c", "3  a"]
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["rule", "circle"]
    assert chart["title"]["text"] == "Test()"
    assert chart["title"]["subtitle"].startswith("bars: 90 % intervals")


def test_groups_have_colours() -> None:
    """Items of one group share a shade, and the next group has another."""
    ranking = Ranking.from_scores("abc", [1, 1, 9], variance=[0.01] * 3)
    _, rows = described(ranking)
    assert [row["shade"] for row in rows] == [0, 1, 1]


def test_scores_alone_are_circles_alone() -> None:
    """What is not known is neither drawn nor told."""
    chart, rows = described(Ranking.from_scores("ab", [1, 2]))
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["circle"]
    assert set(rows[0]) == {"rank", "item", "score", "label"}
    assert chart["title"]["subtitle"] == ""


@pytest.mark.parametrize(("n", "most", "told"), [(60, 50, True), (50, 50, False), (3, 2, True)])
def test_a_long_ranking_is_cut_and_says_so(n: int, most: int, told: bool) -> None:
    """The best are drawn; the subtitle says of how many."""
    chart, rows = described(Ranking.from_scores([str(i) for i in range(n)], -np.arange(n)), most=most)
    assert len(rows) == min(n, most)
    assert (f"the best {most} of {n}" in chart["title"]["subtitle"]) == told


def test_the_bar_of_both_bad_answers_is_a_dashed_line() -> None:
    """It stands in a band that is its whole interval, cut off only where the axis ends, and the subtitle names it."""
    ranking = Ranking.from_scores("ab", [-1, 1], variance=[0.01] * 2, bar=2.0, bar_interval=(0.04, 3.96))
    chart = ranking_chart(ranking).to_dict()
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["rect", "rule", "rule", "circle"]
    (band,) = (rows[0] for rows in chart["datasets"].values() if "bar" in rows[0])
    assert band["bar"] == 2.0
    assert [band["from"], band["to"]] == pytest.approx([2 - 1.96, 2 + 1.96], abs=0.01)
    assert chart["layer"][0]["mark"]["clip"] is True
    assert chart["title"]["subtitle"].endswith("; dashed: bar of both-bad answers")
    bare = ranking_chart(Ranking.from_scores("ab", [-1, 1], bar=0.0)).to_dict()
    assert [layer["mark"]["type"] for layer in bare["layer"]] == ["rule", "circle"]


def test_a_far_bar_does_not_squeeze_the_items() -> None:
    """Farther off than the items' range, the bar is told and not drawn."""
    ranking = Ranking.from_scores("ab", [-1, 1], bar=-40.0)
    chart = ranking_chart(ranking).to_dict()
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["circle"]
    assert chart["title"]["subtitle"] == "bar of both-bad answers: -40.00, off to the left"


def test_the_ranking_is_not_touched() -> None:
    """Drawing leaves the frame of the ranking as it was."""
    ranking = Ranking.from_scores("ab", [1, 2], variance=[1, 1])
    before = ranking.to_frame()
    ranking_chart(ranking)
    assert ranking.to_frame().equals(before)
