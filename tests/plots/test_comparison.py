"""The picture of methods on sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import comparison_chart, save_chart

RUNS = np.array([0.1, 0.2, 0.6])


def test_points_are_means_and_rules_one_standard_error(tmp_path: Path) -> None:
    """Over runs; one run alone has none."""
    chart = comparison_chart({"set": {"a": RUNS, "b": [0.5]}}, x="NDCG")
    told = chart.to_dict()
    a, b = told.get("data", told["layer"][0].get("data"))["values"]
    error = RUNS.std(ddof=1) / np.sqrt(3)
    assert (a["low"], a["mean"], a["high"]) == pytest.approx((0.3 - error, 0.3, 0.3 + error))
    assert (b["low"], b["mean"], b["high"]) == (0.5, 0.5, 0.5)
    assert save_chart(chart, tmp_path / "comparison.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ({}, "outcomes must be of 1 to 6 methods, got 0"),
        ({"set": {str(k): [1.0] for k in range(7)}}, "outcomes must be of 1 to 6 methods, got 7"),
        ({"set": {"a": []}}, "outcomes of a on set must be at least 1, got 0"),
        ({"set": {"a": [np.nan]}}, "outcome of a on set of row 0 must be a finite number"),
    ],
)
def test_what_cannot_be_drawn_is_refused(outcomes: dict[str, dict[str, list[float]]], said: str) -> None:
    """Nothing, too much, no runs, no numbers."""
    with pytest.raises(InvalidInput, match=said):
        comparison_chart(outcomes)
