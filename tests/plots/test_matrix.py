"""The matrix of who beats whom: what is drawn, and that it is the model's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.plots import save_chart, win_matrix_chart
from penchant.plots.contrast import ink_on, shade
from penchant.worth import WinRate
from tests.plots.marks import assert_readable


def model_of(n_items: int) -> WinRate:
    """A model of items 0, 1, 2 … of which each lost to all before it."""
    pairs = [(i, j) for j in range(n_items) for i in range(j)]
    return WinRate().fit(
        Preferences.from_pairs(np.array(pairs, dtype=int).reshape(-1, 2), items=range(n_items))
    )


def drawn(chart: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The cells of a chart, and the whole of it as Vega-Lite sees it."""
    spec = chart.to_dict()
    return spec["data"]["values"], spec


def test_cells_are_the_models_probabilities() -> None:
    """Each cell off the diagonal is P(row preferred to column), rows and columns in the order of scores."""
    model = WinRate().fit(
        Preferences.from_pairs([("b", "a"), ("b", "c"), ("c", "a"), ("c", "a"), ("a", "c")])
    )
    cells, spec = drawn(win_matrix_chart(model))
    assert {(cell["a"], cell["b"]) for cell in cells} == {(a, b) for a in "abc" for b in "abc" if a != b}
    for cell in cells:
        assert cell["probability"] == pytest.approx(model.win_probability(cell["a"], cell["b"]))
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["1  b", "2  c", "3  a"]
    assert {cell["column"] for cell in cells if cell["b"] == "c"} == {2}


def test_colours_are_centred_at_one_half() -> None:
    """The middle of the colours is ½, whatever the probabilities are."""
    _, spec = drawn(win_matrix_chart(model_of(3)))
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 0.5, 1]


def test_numbers_can_be_read_in_every_cell() -> None:
    """Their contrast with the ground is at least 4.5 to 1 at every probability, and tooltips are sentences."""
    cells, spec = drawn(win_matrix_chart(model_of(3)))
    assert cells[0]["words"] == f"0 is preferred to 1 with {100 * cells[0]['probability']:.1f} %"
    scale = spec["layer"][0]["encoding"]["color"]["scale"]
    assert_readable(cells, "probability", scale)
    shares = [
        {"share": k / 200, "ink": ink_on(shade(k / 200, [0, 0.5, 1], scale["range"]))} for k in range(201)
    ]
    assert_readable(shares, "share", scale)


@pytest.mark.parametrize(("n_items", "layers"), [(12, 2), (13, 1)])
def test_numbers_stand_in_the_cells_while_there_is_room(n_items: int, layers: int) -> None:
    """Up to twelve items the cells are numbered."""
    assert len(drawn(win_matrix_chart(model_of(n_items)))[1]["layer"]) == layers


def test_the_best_are_drawn_and_that_is_said() -> None:
    """Of 30 items the best 20 are drawn, and the subtitle says so."""
    cells, spec = drawn(win_matrix_chart(model_of(30)))
    assert {cell["a"] for cell in cells} == {str(item) for item in range(20)}
    assert "the best 20 of 30" in spec["title"]["subtitle"]


def test_items_may_be_chosen() -> None:
    """Chosen items are drawn in the order of their scores, however they are given."""
    _, spec = drawn(win_matrix_chart(model_of(9), items=["7", "2", "5"]))
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["1  2", "2  5", "3  7"]


def test_the_bar_is_not_an_item() -> None:
    """The bar of both-bad answers has no row."""
    model = WinRate().fit(Preferences.from_answers(["a", "b"], ["b", "c"], ["left", "both_bad"]))
    cells, _ = drawn(win_matrix_chart(model))
    assert {cell["a"] for cell in cells} == {"a", "b", "c"}


def test_it_refuses_what_cannot_be_drawn() -> None:
    """Unknown and repeated items, none at all, and more than can be told apart are rejected with a message."""
    model = model_of(3)
    with pytest.raises(UnknownItem, match="nobody"):
        win_matrix_chart(model, items=["nobody"])
    for items in ([], ["1", "1"]):
        with pytest.raises(InvalidInput, match="items must be different"):
            win_matrix_chart(model, items=items)
    for most in (0, 61):
        with pytest.raises(InvalidInput, match="most must be from 1 to 60"):
            win_matrix_chart(model, most=most)


@pytest.mark.parametrize("n_items", [1, 2, 70])
def test_any_number_of_items_is_a_picture(n_items: int, tmp_path: Path) -> None:
    """One item alone and more than fit are drawn all the same."""
    picture = save_chart(win_matrix_chart(model_of(n_items), most=60), tmp_path / "matrix.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
