"""Columns lifted by strictly rising maps: the same as lifting them by hand, in the features' own units."""

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
from penchant.gp.lifts import MAPS, Lift
from penchant.saving import load, save

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
    np.testing.assert_allclose(lift.undone(lift(rows)), rows)
    if first < second * (1 - 1e-9):
        assert lift(rows)[0, 0] < lift(rows)[1, 0]
    assert (lift.slopes(rows) > 0).all()


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
