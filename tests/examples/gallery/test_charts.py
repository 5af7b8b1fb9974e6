"""The gallery: every chart is in it, and shows the data that it says it shows."""

from __future__ import annotations

import pytest

from examples.gallery.charts import Entry, entries
from examples.gallery.data import MADE_UP
from penchant import plots
from tests.plots.marks import marks, marks_of


@pytest.fixture(scope="module")
def drawn() -> list[Entry]:
    return list(entries(None, sizes=(5, 70)))


def test_every_chart_is_in_the_gallery(drawn: list[Entry]) -> None:
    """A new chart must be looked at before it is released."""
    assert {entry.name for entry in drawn} == {name for name in plots.__all__ if name.endswith("_chart")} - {
        "save_chart"
    }


def test_every_chart_draws_its_data(drawn: list[Entry]) -> None:
    """Each has a title and marks, and the fields that its marks show are in their rows."""
    for entry in drawn:
        spec = entry.chart.to_dict()
        found = marks_of(spec)
        assert found, entry.name
        assert any(mark.rows for mark in found), entry.name
        assert plots.saving._title(spec) != "Penchant", entry.name


def test_rankings_are_drawn_with_few_and_with_many_items(drawn: list[Entry]) -> None:
    """Dots, intervals and ranges of all of five, and of the first and last of seventy."""
    rankings = [entry.chart for entry in drawn if entry.name == "ranking_chart"]
    for chart, n_items, n_drawn in zip(rankings, (5, 70), (5, 50), strict=True):
        interval, dot, *_ = marks(chart)
        assert (interval.kind, dot.kind) == ("rule", "circle")
        assert len(dot.rows) == n_drawn
        assert all(row["from"] <= row["at"] <= row["to"] for row in dot.rows)
        assert chart.to_dict()["title"]["text"].startswith(f"{n_items} items ranked from ")
        assert len(chart.to_dict()["usermeta"]["table"]) == n_items


def test_what_is_made_up_says_so(drawn: list[Entry]) -> None:
    """Without the data sets all charts of items and documents are marked."""
    assert {entry.source for entry in drawn if entry.name == "ranking_chart"} == {MADE_UP}
    assert {entry.source for entry in drawn} == {MADE_UP, "simulated"}
