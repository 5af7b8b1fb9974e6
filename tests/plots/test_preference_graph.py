"""The picture of pairwise preferences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import preference_graph_chart, save_chart

F = np.array([[0, 0, 2, 1], [8, 0, 8, 8], [6, 0, 0, 1], [7, 0, 7, 0]]) / 8


def rows(chart: Any, layer: int) -> list[dict[str, Any]]:
    drawn = chart.to_dict()["layer"][layer]
    return drawn["data"]["values"]  # type: ignore[no-any-return]


def test_each_preference_above_zero_is_an_arrow(tmp_path: Path) -> None:
    """Nine of twelve, each with its weight; those of the chosen item are marked, and scores stand beside items."""
    chart = preference_graph_chart(F, "abcd", scores=[-2.25, 3, -1.25, 0.5], chosen=1)
    heads, nodes = rows(chart, 1), rows(chart, 4)
    assert sorted(head["weight"] for head in heads) == sorted(F[F > 0].tolist())
    assert sum(head["kind"] == "chosen" for head in heads) == 3
    assert [node["score"] for node in nodes] == ["−2.25", "3", "−1.25", "0.5"]
    assert save_chart(chart, tmp_path / "graph.svg").read_text().startswith("<svg")


def test_an_arrow_ends_at_what_is_worse() -> None:
    """Its head is nearer to the column's item than to the row's, and points to it."""
    chart = preference_graph_chart([[0, 1], [0, 0]], "ab")
    (head,) = rows(chart, 1)
    a, b = (np.array([node["x"], node["y"]]) for node in rows(chart, 4))
    end = np.array([head["x"], head["y"]])
    assert np.linalg.norm(end - b) < 0.3 < np.linalg.norm(end - a)
    pointed = np.radians(head["angle"])
    assert np.array([np.sin(pointed), np.cos(pointed)]) @ (b - end) > 0


def test_names_stand_outside_the_circle() -> None:
    """Whole, farther from the middle than their nodes, and aligned away from them."""
    names = ["gpt-4-turbo-2024", "claude-3-opus", "mistral-large", "tea"]
    chart = preference_graph_chart(F, names)
    nodes = rows(chart, 4)
    texts = [
        layer
        for layer in chart.to_dict()["layer"]
        if layer["encoding"].get("text", {}).get("field") == "name"
    ]
    assert {layer["mark"]["align"] for layer in texts} == {"left", "right"}
    for node, beside in zip(nodes, texts[0]["data"]["values"], strict=True):
        assert node["name"] in names
        assert np.hypot(beside["x"], beside["y"]) > np.hypot(node["x"], node["y"]) + 0.15
        assert beside["side"] == ("left" if beside["x"] > 0 else "right")


def test_many_arrows_have_no_labels() -> None:
    """Where they would cover one another; the tooltip of each tip has its preference in any case."""
    chart = preference_graph_chart(np.ones((6, 6)), "abcdef")
    assert not any(
        layer["encoding"].get("text", {}).get("field") == "weight" for layer in chart.to_dict()["layer"]
    )
    assert rows(chart, 1)[0]["words"] == "a over b: 1"


def test_who_is_gone_has_no_arrows() -> None:
    """And no score, though it is still drawn; a score may then be missing."""
    chart = preference_graph_chart(F, "abcd", scores=[-1.25, np.nan, -0.25, 1.5], chosen=3, gone=[1])
    assert len(rows(chart, 1)) == 6
    assert [node["score"] for node in rows(chart, 4)] == ["−1.25", "", "−0.25", "1.5"]


@pytest.mark.parametrize(
    ("preference", "names", "settings", "said"),
    [
        (np.zeros((9, 9)), "abcdefghi", {}, "preference must be of 1 to 8 items, got 9"),
        (np.zeros((0, 0)), "", {}, "preference must be of 1 to 8 items, got 0"),
        (F, "abc", {}, "names must be 4, one an item, got 3"),
        (-F, "abcd", {}, "preference must be at least 0, got -1"),
        (F, "abcd", {"chosen": 4}, "chosen and gone must be different items from 0 to 3, got 4"),
        (F, "abcd", {"chosen": 1, "gone": [1]}, "chosen and gone must be different items"),
        (F, "abcd", {"scores": [1.0]}, "score"),
        (F, "abcd", {"scores": [1.0, np.inf, 1.0, 1.0]}, "score of row 1 must be a finite number"),
        (F, "abcd", {"scores": [1.0, np.nan, 1.0, 1.0]}, "score of row 1 must be a finite number"),
    ],
)
def test_what_cannot_be_drawn_is_refused(preference: Any, names: str, settings: Any, said: str) -> None:
    """Too many, too few names, preferences below 0, items that are not there, scores that are none."""
    with pytest.raises(InvalidInput, match=said):
        preference_graph_chart(preference, names, **settings)
