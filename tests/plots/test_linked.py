"""The pictures of linked items."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import belief_chart, linked_matrix_chart, save_chart
from penchant.plots.theme import LOSES, PAPER, WINS
from tests.plots.marks import assert_readable, marks

LINKS = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def test_a_belief_is_a_mean_and_95_percent_around_it(tmp_path: Path) -> None:
    """A row an item, 1.96 standard deviations to both sides; draws are lines with shapes of their own."""
    chart = belief_chart("abc", [1.0, 0.0, -1.0], [1.0, 4.0, 0.0], draws=np.zeros((2, 3)))
    _, interval, dot, line, points = marks(chart)
    assert (interval.fields["y"], interval.fields["x"], interval.fields["x2"]) == ("item", "low", "high")
    np.testing.assert_allclose([row["low"] for row in interval.rows], [1 - 1.96, -3.92, -1.0])
    assert (dot.kind, dot.fields["x"]) == ("circle", "mean")
    assert dot.rows[0]["words"] == "1.00, with 95 % between -0.96 and 2.96"
    assert {row["draw"] for row in line.rows} == {"0", "1"}
    assert points.fields["shape"] == "draw"
    assert save_chart(chart, tmp_path / "belief.svg").read_text().startswith("<svg")


def test_a_matrix_has_numbers_and_its_graph_beside_it(tmp_path: Path) -> None:
    """Lines as thick as the links are heavy; marked cells have a frame, both ways round."""
    chart = linked_matrix_chart("abc", np.eye(3), links=LINKS, marked=[(0, 2)])
    graph, cells = chart.to_dict()["hconcat"]
    assert [row["weight"] for row in graph["layer"][0]["data"]["values"]] == [1.0, 0.5]
    rows = cells.get("data", cells["layer"][0].get("data"))["values"]
    assert [row["text"] for row in rows[:3]] == ["1.00", "0.00", "0.00"]
    assert "frames: marked" in chart.to_dict()["title"]["subtitle"]
    assert {row["item"] for row in graph["layer"][2]["data"]["values"]} == {"a", "b", "c"}
    assert [(row["row"], row["column"]) for row in rows if row["marked"]] == [("a", "c"), ("c", "a")]
    assert save_chart(chart, tmp_path / "matrix.svg").read_text().startswith("<svg")


def test_the_colour_of_a_cell_has_the_sign_of_its_value() -> None:
    """0 is paper, whatever the values: above it cells are blue, below it brown; numbers in them can be read."""
    chart = linked_matrix_chart("ab", [[2.0, -0.5], [-0.5, 1.0]])
    cells, numbers = marks(chart)
    scale = chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [-2.0, 0.0, 2.0]
    assert scale["range"] == [LOSES, PAPER, WINS]
    assert numbers.fields["color"] == "ink"
    assert_readable(cells.rows, "value", scale)


def test_without_links_and_with_equal_values_there_is_only_the_map(tmp_path: Path) -> None:
    """Nothing to frame, nothing to spread colours over."""
    chart = linked_matrix_chart("ab", np.zeros((2, 2)))
    assert len(chart.to_dict()["layer"]) == 2
    assert save_chart(chart, tmp_path / "matrix.svg").read_text().startswith("<svg")


def test_what_cannot_be_drawn_is_refused() -> None:
    """Other lengths, too many names, twice the same."""
    with pytest.raises(InvalidInput, match="names, mean and variance must be equally many, got 2, 3 and 3"):
        belief_chart("ab", np.zeros(3), np.ones(3))
    with pytest.raises(InvalidInput, match="draws must have 2 columns, got 3"):
        belief_chart("ab", np.zeros(2), np.ones(2), draws=np.zeros((1, 3)))
    with pytest.raises(InvalidInput, match="matrix and links must have 3 rows"):
        linked_matrix_chart("abc", np.eye(2))
    with pytest.raises(InvalidInput, match="names must be from 1 to 12 and different"):
        linked_matrix_chart("aba", np.eye(3))
