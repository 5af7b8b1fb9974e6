"""The picture of judges: what is in its data and marks."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import judges_chart, svg_text
from penchant.worth import Judges


def judges(n: int = 3, programs: tuple[str, ...] = ("j1",)) -> Judges:
    ones = np.ones(n)
    return Judges(
        judges=tuple(f"j{k}" for k in range(n)),
        answers=np.full(n, 20),
        reliability=np.linspace(-0.5, 1.2, n),
        reliability_error=0.1 * ones,
        bias=np.zeros(n),
        bias_error=0.2 * ones,
        level=0.95,
        model="",
        programs=programs,
    )


def test_each_judge_has_its_intervals_and_what_was_found() -> None:
    """A row for each judge with both intervals; a finding is brown, a program a square."""
    chart = judges_chart(judges()).to_dict()
    rows = chart["hconcat"][0]["layer"][1]["data"]["values"]
    assert [row["judge"] for row in rows] == ["j0", "j1", "j2"]
    assert rows[0]["reliability_low"] == pytest.approx(-0.5 - 1.96 * 0.1, abs=1e-3)
    assert rows[0]["share_high"] == pytest.approx(1 / (1 + np.exp(-0.392)), abs=1e-3)
    assert [row["doubtful"] for row in rows] == [True, True, False]
    assert [row["kind"] for row in rows] == ["person", "program", "person"]
    assert "squares: programs" in chart["title"]["subtitle"]
    assert chart["title"]["text"] == "3 judges, 60 answers"
    assert "<svg" in svg_text(judges_chart(judges()))


def test_many_judges_are_cut_and_none_is_rejected() -> None:
    """The least reliable are drawn, and the subtitle says so; without judges there is nothing to draw."""
    chart = judges_chart(judges(50, ()), most=10).to_dict()
    assert len(chart["hconcat"][0]["layer"][1]["data"]["values"]) == 10
    assert "the least reliable 10 of 50" in chart["title"]["subtitle"]
    with pytest.raises(InvalidInput, match="judges must be at least one to be drawn"):
        judges_chart(judges(0, ()))
