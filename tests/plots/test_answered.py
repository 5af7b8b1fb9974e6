"""The pictures of what answers bring."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import answered_boxes_chart, answered_chart, save_chart

RUNS = np.random.default_rng(0).random((9, 3))


def test_lines_are_means_and_bands_one_standard_error(tmp_path: Path) -> None:
    """Over runs, after each number of answers."""
    chart = answered_chart([0, 10, 20], {"a": RUNS, "b": RUNS[:1]}, y="MAP")
    told = chart.to_dict()
    rows = told.get("data", told["layer"][0].get("data"))["values"]
    np.testing.assert_allclose([row["mean"] for row in rows[:3]], RUNS.mean(axis=0))
    error = RUNS.std(axis=0, ddof=1) / 3
    np.testing.assert_allclose([row["high"] for row in rows[:3]], RUNS.mean(axis=0) + error)
    assert [row["error"] for row in rows[3:]] == [0.0, 0.0, 0.0]
    assert save_chart(chart, tmp_path / "lines.svg").read_text().startswith("<svg")


def test_a_log_axis_leaves_out_what_is_not_above_0() -> None:
    """A band that reaches 0 ends above it."""
    chart = answered_chart([0, 10], {"a": [[0.0, 0.1], [0.0, 9.0]]}, log=True).to_dict()
    rows = chart.get("data", chart["layer"][0].get("data"))["values"]
    assert [row["at"] for row in rows] == [10.0]
    assert rows[0]["low"] > 0


def test_boxes_are_quartiles(tmp_path: Path) -> None:
    """Whiskers end within 1.5 boxes; what lies beyond is a point."""
    values = np.append(np.arange(9.0), 100.0)[:, None]
    chart = answered_boxes_chart([50], {"a": values})
    rule, *_, points = chart.to_dict()["hconcat"][0]["layer"]
    first, middle, third = np.quantile(values, [0.25, 0.5, 0.75])
    [box] = rule["data"]["values"]
    assert (box["first"], box["middle"], box["third"]) == (first, middle, third)
    assert (box["low"], box["high"]) == (0.0, 8.0)
    assert [row["value"] for row in points["data"]["values"]] == [100.0]
    assert save_chart(chart, tmp_path / "boxes.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "names must be from 1 to 6, got 0"),
        ({"a": [1.0, 2.0]}, "a must have one column for each of 3 numbers of answers"),
        ({"a": np.empty((0, 3))}, "a must have one column for each of 3 numbers of answers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given: dict[str, object], said: str) -> None:
    """Nothing, other lengths, no runs."""
    with pytest.raises(InvalidInput, match=said):
        answered_chart([0, 10, 20], given)  # type: ignore[arg-type]


def test_a_row_of_boxes_has_three_panels_at_most() -> None:
    """More cannot be read side by side."""
    with pytest.raises(InvalidInput, match="names must be from 1 to 3, got 4"):
        answered_boxes_chart([1, 2, 3], dict.fromkeys("abcd", RUNS))
