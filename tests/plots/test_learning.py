"""The picture of a learning curve: its lines are those of the curve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.plots import learning_curve_chart, save_chart
from penchant.rankers import LearningCurve


def curve(along: str = "rounds", error: float = 0.02) -> LearningCurve:
    at = np.array([1, 5, 9])
    mean, errors = np.array([0.5, 0.7, 0.75]), np.full(3, error)
    return LearningCurve("RankBoost()", along, 7, at, mean, errors, mean + 0.1, errors, 12)


def test_lines_and_bands_are_those_of_the_curve() -> None:
    """Each point has its mean and one standard error to either side; the axes say what they are."""
    spec = learning_curve_chart(curve()).to_dict()
    points = spec["data"]["values"]
    unseen = [point for point in points if point["line"] == "unseen queries"]
    assert [(point["at"], point["score"]) for point in unseen] == [(1, 0.5), (5, 0.7), (9, 0.75)]
    assert [point["high"] - point["low"] for point in points] == pytest.approx([0.04] * 6)
    assert spec["layer"][1]["encoding"]["y"]["title"] == "NDCG@7"
    assert spec["layer"][0]["encoding"]["x"]["title"] == "rounds"
    assert "12 unseen queries" in spec["title"]["subtitle"]


def test_the_title_asks_what_the_curve_answers() -> None:
    """Rounds or data."""
    asked = {
        along: learning_curve_chart(curve(along)).to_dict()["title"]["text"] for along in ("rounds", "x")
    }
    assert asked == {"rounds": "Does another round still help?", "x": "Does more data still help?"}


def test_one_query_has_no_band(tmp_path: Path) -> None:
    """A mean over one query has no standard error: it is drawn without one."""
    drawn = learning_curve_chart(curve(error=float("nan")))
    points = drawn.to_dict()["data"]["values"]
    assert all(point["low"] == point["score"] == point["high"] and "error" not in point for point in points)
    assert save_chart(drawn, tmp_path / "curve.svg").read_text().startswith("<svg")
