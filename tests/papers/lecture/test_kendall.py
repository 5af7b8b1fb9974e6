"""The lecture's two rankings."""

from __future__ import annotations

from penchant.papers.lecture.kendall import CLAIMS
from tests.papers.running import result_of


def test_the_lectures_count_is_found() -> None:
    """Four inverted pairs, and each claim holds; the other distances are those of the definitions by hand."""
    steps: list[tuple[int, int]] = []
    result = result_of("3.kendall", progress=lambda *at: steps.append(at))
    assert set(result.verdicts.values()) == {"holds"}
    assert len(result.verdicts) == len(CLAIMS)
    numbers = {name: number.value for name, number in result.numbers.items()}
    # A is 3 places off, E 2 and C 1; two stand before E
    assert numbers["Spearman's footrule"] == 3 + 2 + 1
    assert numbers["position error"] == 2
    assert steps == [(1, 1)]


def test_what_is_drawn_is_told() -> None:
    """A row an object, a picture, and a table with the means over all 120 rankings."""
    result = result_of("3.kendall")
    assert result.frame["true rank"].tolist() == [4, 2, 3, 5, 1]
    assert set(result.charts) == {"inverted pairs"}
    means = result.tables["distances"].set_index("distance")["mean of all rankings"]
    assert means["Kendall's distance"] == 5  # half of ten pairs
    assert means["position error"] == 2
