"""Rows of features by their columns' names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.gp import MonotoneGP
from penchant.gp.inference.columns import MAPS, Columns, Lift
from penchant.saving import load, save

FRAME = pd.DataFrame({"range": [1.0, 2.0], "price": [3, 4]})


def test_a_frame_is_read_by_name() -> None:
    """Columns in another order, and more of them, give the same rows."""
    columns = Columns.of(FRAME)
    assert columns.labels == ("range", "price")
    other = FRAME[["price", "range"]].assign(colour=0)
    np.testing.assert_array_equal(columns.rows(other), columns.rows(FRAME))


def test_columns_are_found_by_name_and_by_index() -> None:
    """One or several."""
    columns = Columns.of(FRAME)
    assert columns.places("price").tolist() == [1]
    assert columns.places([0, "price"]).tolist() == [0, 1]
    assert Columns.of(np.ones((2, 3))).places(2).tolist() == [2]
    assert columns.places(()).tolist() == []


def test_names_come_before_indices() -> None:
    """Columns that are called 1 and 0 are meant by these names; an index means nothing among numbered names."""
    swapped = Columns.of(pd.DataFrame(np.ones((2, 2)), columns=[1, 0]))
    assert swapped.places([0]).tolist() == [1]
    with pytest.raises(InvalidInput, match="column must be one of '3', '5', got 0"):
        Columns.of(pd.DataFrame(np.ones((2, 2)), columns=[3, 5])).place(0)


def test_one_row_is_read_by_its_labels() -> None:
    """A Series in another order is the same row; one without the names is rejected; one row meets many."""
    columns = Columns.of(FRAME)
    one = FRAME.iloc[0]
    first, second = columns.sides(one[["price", "range"]], FRAME)
    np.testing.assert_array_equal(first, [[1, 3], [1, 3]])
    np.testing.assert_array_equal(second, FRAME)
    with pytest.raises(InvalidInput, match="X must have the column 'range', got none"):
        columns.sides(pd.Series([1.0, 3.0]), one)
    unnamed, _ = Columns.of(np.ones((2, 2))).sides(one, [1.0, 2.0])
    np.testing.assert_array_equal(unnamed, [[1, 3]])


def test_what_is_not_there_is_refused() -> None:
    """Absent and repeated names, wrong shapes, wrong indices."""
    columns = Columns.of(FRAME)
    for wrong, words in (
        (lambda: columns.rows(FRAME[["range"]]), "X must have the column 'price', got none"),
        (lambda: columns.rows([[1.0]]), "X must have 2 columns, as when fitted"),
        (lambda: columns.place("colour"), "column must be one of 'range', 'price', got 'colour'"),
        (lambda: columns.place(True), "got True"),
        (lambda: Columns.of(np.ones((2, 3))).place(3), "an index from 0 to 2, got 3"),
        (lambda: Columns.of([1.0, 2.0]), "X must have rows and columns"),
        (lambda: Columns.of([[1.0], [1.0, 2.0]]), "X must have rows of one length"),
        (lambda: columns.sides(np.ones((2, 2)), np.ones((3, 2))), "as many rows, or one, got 2 and 3"),
        (lambda: Columns.of(pd.concat([FRAME, FRAME], axis=1)), "columns of X must have different names"),
    ):
        with pytest.raises(InvalidInput, match=words):
            wrong()


KEPT: dict[str, Any] = {"lengthscale": 0.8, "scale": 0.3, "noise": 0.2}


def problem() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"price": np.exp(rng.uniform(0, 3, 25)), "range": rng.uniform(1, 4, 25)})
    rated = X["range"].to_numpy() - np.log(X["price"].to_numpy())
    pairs = np.array([rng.choice(25, 2, replace=False) for _ in range(80)])
    told = rated[pairs] + rng.normal(0, 0.3, pairs.shape)
    return X, np.where(told[:, :1] > told[:, 1:], pairs, pairs[:, ::-1])


@pytest.mark.parametrize("name", sorted(MAPS))
def test_a_lifted_column_is_one_that_was_lifted_by_hand(name: str) -> None:
    """The same utilities, chances, weights and proof; bounds and gradients are those of the column itself."""
    X, pairs = problem()
    by_hand = X.assign(price=MAPS[name].value(X["price"].to_numpy()))
    one = MonotoneGP(increasing="range", decreasing="price", lift={"price": name}, **KEPT).fit_pairs(X, pairs)
    other = MonotoneGP(increasing="range", decreasing="price", **KEPT).fit_pairs(by_hand, pairs)
    np.testing.assert_allclose(one.predict(X), other.predict(by_hand))
    np.testing.assert_allclose(
        one.win_probability(X[:5], X[5:10]), other.win_probability(by_hand[:5], by_hand[5:10])
    )
    assert one.alpha_ == pytest.approx(other.alpha_)
    np.testing.assert_allclose(one.box_[0], [X["price"].min(), X["price"].max()])
    assert f"{name}(price)" in repr(one.certificate_)
    np.testing.assert_allclose(np.sort(one.features_, axis=0), np.sort(X.to_numpy(), axis=0))


def test_gradients_are_those_of_the_column_itself() -> None:
    """Against finite differences, and of the wanted sign everywhere."""
    X, pairs = problem()
    lift = {"price": "log", "range": "square"}
    model = MonotoneGP(increasing="range", decreasing="price", lift=lift, **KEPT).fit_pairs(X, pairs)
    inside = X.to_numpy() * 0.5 + X.to_numpy().mean(axis=0) * 0.5
    step = 1e-5
    found = model.gradient(inside)
    for place in range(2):
        to = np.eye(2)[place] * step
        slope = (model.predict(inside + to) - model.predict(inside - to)) / (2 * step)
        np.testing.assert_allclose(found[:, place], slope, rtol=1e-5, atol=1e-8)
    points = np.random.default_rng(1).uniform(*model.box_.T, size=(5_000, 2))
    assert (model.gradient(points) * [-1, 1] > 0).all()


def test_a_lifted_model_is_saved_and_loaded(tmp_path: Path) -> None:
    """With its maps."""
    X, pairs = problem()
    model = MonotoneGP(decreasing="price", lift={"price": "log"}, **KEPT).fit_pairs(X, pairs)
    save(model, tmp_path / "model.penchant")
    np.testing.assert_array_equal(load(tmp_path / "model.penchant").predict(X), model.predict(X))


@given(st.sampled_from(sorted(MAPS)), st.floats(0.01, 100), st.floats(0.01, 100))
def test_maps_rise_and_are_undone(name: str, first: float, second: float) -> None:
    """Strictly where the numbers differ by more than rounding; slopes are above 0."""
    lift = Lift((name,))
    rows = np.array([[first], [second]])
    np.testing.assert_allclose(lift.inverse(lift(rows)), rows)
    if first < second * (1 - 1e-9):
        assert lift(rows)[0, 0] < lift(rows)[1, 0]
    assert (lift.derivative(rows) > 0).all()


@pytest.mark.parametrize(
    ("lift", "told"),
    [
        ("log", "lift must map columns to log or sqrt or square, got 'log'"),
        ({"price": "exp"}, "lift of 'price' must be one of log, sqrt, square, got 'exp'"),
        ({"colour": "log"}, "column must be one of 'price', 'range', got 'colour'"),
        ({"range": "log"}, "range must be above 0 everywhere in the box to be lifted by log, got 0"),
        ({"range": "sqrt"}, "range must be above 0"),
    ],
)
def test_maps_that_cannot_be_are_refused(lift: Any, told: str) -> None:
    """In words, before anything is fitted."""
    X, pairs = problem()
    X.loc[0, "range"] = 0.0
    with pytest.raises(InvalidInput, match=told):
        MonotoneGP(decreasing="price", lift=lift, **KEPT).fit_pairs(X, pairs)
