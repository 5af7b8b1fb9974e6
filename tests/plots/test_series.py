"""Series that are told apart by colour and by shape."""

from __future__ import annotations

from penchant.plots import answered_chart, cumulative_chart, regret_chart, sweep_chart
from penchant.plots.series import spaced
from penchant.plots.theme import GROUPS, SHAPES
from tests.plots.marks import marks


def test_a_few_points_of_each_series_carry_its_shape() -> None:
    """Short ones all of them, long ones seven, spread from end to end and beginning at different places."""
    rows = [{"name": name, "at": at} for name in ("a", "b") for at in range(100)]
    chosen = spaced([*rows, *({"name": "c", "at": at} for at in range(3))])
    places = {name: [row["at"] for row in chosen if row["name"] == name] for name in "abc"}
    assert [len(places[name]) for name in "abc"] == [7, 7, 3]
    assert not {*places["a"]} & {*places["b"]}
    assert max(places["a"]) > 80


def test_lines_of_every_chart_have_shapes_as_well_as_colours() -> None:
    """One legend for both, with the same names in the same order."""
    values = {"one": [1.0, 2.0, 3.0], "two": [2.0, 3.0, 4.0]}
    charts = [
        regret_chart(values),
        cumulative_chart(values),
        sweep_chart([1, 2, 3], values),
        answered_chart([1, 2, 3], values),
    ]
    for chart in charts:
        (points,) = (mark for mark in marks(chart) if mark.kind == "point")
        assert points.fields["shape"] == points.fields["color"] == "name"
        layer = next(layer for layer in chart.to_dict()["layer"] if "shape" in layer["encoding"])
        shape, colour = layer["encoding"]["shape"], layer["encoding"]["color"]
        assert shape["scale"]["domain"] == colour["scale"]["domain"] == ["one", "two"]
        assert shape["legend"] == colour["legend"]
        assert (shape["scale"]["range"], colour["scale"]["range"]) == ([*SHAPES[:2]], [*GROUPS[:2]])
