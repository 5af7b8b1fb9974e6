"""The picture of a setting's values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import save_chart, sweep_chart

RUNS = np.random.default_rng(0).random((3, 5)) + 1.0


def test_points_are_means_and_rules_one_standard_error(tmp_path: Path) -> None:
    """Over runs; a reference is dashed from the first value to the last."""
    chart = sweep_chart([0.1, 1, 10], {"a": RUNS, "b": RUNS[:, 0]}, references={"a": 2.0})
    rule, _, _, dashed = chart.to_dict()["layer"]
    rows = rule.get("data", chart.to_dict().get("data"))["values"]
    error = RUNS.std(axis=1, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose([row["mean"] for row in rows[:3]], RUNS.mean(axis=1))
    np.testing.assert_allclose([row["high"] for row in rows[:3]], RUNS.mean(axis=1) + error)
    assert [(row["x"], row["mean"]) for row in dashed["data"]["values"]] == [(0.1, 2.0), (10.0, 2.0)]
    assert save_chart(chart, tmp_path / "sweep.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("outcomes", "references", "said"),
    [
        ({}, {}, "outcomes must be from 1 to 6, got 0"),
        ({"a": [1.0, 2.0]}, {}, "outcomes of a must be 3 rows of numbers with a mean above 0"),
        ({"a": [1.0, 0.0, 2.0]}, {}, "outcomes of a must be 3 rows of numbers with a mean above 0"),
        ({"a": [1.0, 1.0, 2.0]}, {"b": 1.0}, "references must be named as outcomes, got b"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    outcomes: dict[str, list[float]], references: dict[str, float], said: str
) -> None:
    """Nothing, other lengths, nothing for a log axis, and a reference to nobody."""
    with pytest.raises(InvalidInput, match=said):
        sweep_chart([0.1, 1, 10], outcomes, references=references)


def test_a_linear_axis_need_not_begin_at_zero() -> None:
    """For percents: the scale is no longer logarithmic and fits what is drawn."""
    logs, plain = (
        sweep_chart([0.1, 1, 10], {"a": RUNS}, log=log).to_dict()["layer"][1]["encoding"]["y"]["scale"]
        for log in (True, False)
    )
    assert logs == {"type": "log"}
    assert plain == {"zero": False}
