"""The picture of two rankings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.orders import kendall_distance
from penchant.plots import crossings_chart, save_chart
from tests.plots.marks import marks

rankings = st.permutations(range(1, 7))


def crossings(chart: Any) -> list[dict[str, Any]]:
    return next(mark.rows for mark in marks(chart) if "pair" in (mark.rows or [{}])[0])


def test_the_lectures_pairs_cross(tmp_path: Path) -> None:
    """A with B, E and C, and B with E."""
    chart = crossings_chart([1, 2, 4, 5, 3], [4, 2, 3, 5, 1], "ABCDE")
    assert {crossing["pair"] for crossing in crossings(chart)} == {"A, B", "A, E", "A, C", "B, E"}
    assert save_chart(chart, tmp_path / "crossings.svg").read_text().startswith("<svg")


def test_long_names_stand_outside_and_label_no_crossing() -> None:
    """Whole names at both ends of the lines, ranks inside the nodes; a crossing names its pair in the tooltip."""
    names = ["gpt-4-turbo-2024", "claude-3-opus", "tea"]
    chart = crossings_chart([1, 2, 3], [2, 1, 3], names)
    texts = [mark for mark in marks(chart) if mark.kind == "text"]
    assert [mark.fields["text"] for mark in texts[:3]] == ["y", "item", "item"]
    assert {row["item"] for row in texts[1].rows} == {*names}
    aligned = [layer["mark"]["align"] for layer in chart.to_dict()["layer"] if "align" in layer["mark"]]
    assert aligned == ["right", "left"]
    (crossing,) = crossings(chart)
    assert crossing["pair"] == ""
    assert crossing["words"] == "gpt-4-turbo-2024 and claude-3-opus stand the other way round"


@settings(max_examples=10)  # Altair checks each chart against its schema
@given(rankings, rankings)
def test_there_are_as_many_crossings_as_inverted_pairs(left: list[int], right: list[int]) -> None:
    """Kendall's distance, and each lies between the two sides."""
    distance = kendall_distance(left, right)
    if not distance:
        return
    found = crossings(crossings_chart(left, right, "abcdef"))
    assert len(found) == distance
    assert all(0 < crossing["x"] < 1 for crossing in found)


@pytest.mark.parametrize(
    ("left", "right", "items", "said"),
    [
        ([1, 2], [1, 2], "a", "items must be from 1 to 12 and as many as ranks"),
        ([], [], "", "items must be from 1 to 12 and as many as ranks"),
        (range(1, 14), range(1, 14), "abcdefghijklm", "items must be from 1 to 12"),
        ([1, 1], [1, 2], "ab", "left rank"),
        ([1, 2], [1, 2, 3], "ab", "right rank"),
    ],
)
def test_what_cannot_be_drawn_is_refused(left: Any, right: Any, items: str, said: str) -> None:
    """Too many items, other lengths, ranks that are none."""
    with pytest.raises(InvalidInput, match=said):
        crossings_chart(left, right, items)
