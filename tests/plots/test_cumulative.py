"""The picture of how values spread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import cumulative_chart, save_chart


def test_a_line_rises_to_one_and_steps_at_zero(tmp_path: Path) -> None:
    """Each point is the share of values that are at most x; what is exactly 0 counts at 0 and not before."""
    values = np.array([-1.0, 0.0, 0.0, 2.0])
    chart = cumulative_chart({"a": values})
    rows = chart.to_dict()["layer"][1]["data"]["values"]
    assert all(row["share"] == np.mean(values <= row["x"]) for row in rows)
    before, at = (next(row["share"] for row in rows if row["x"] == x) for x in (-1e-9, 0.0))
    assert (before, at) == (0.25, 0.75)
    assert save_chart(chart, tmp_path / "cumulative.svg").read_text().startswith("<svg")


def test_nothing_cannot_be_drawn() -> None:
    """No groups, and a group without values."""
    with pytest.raises(InvalidInput, match="values must be of 1 to 6 groups, got 0"):
        cumulative_chart({})
    with pytest.raises(InvalidInput, match="values of a must hold at least 1, got none"):
        cumulative_chart({"a": []})
