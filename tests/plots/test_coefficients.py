"""The picture of weights: the largest, in their order, with their sign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.errors import InvalidInput
from penchant.plots import coefficients_chart, save_chart, weights_chart
from penchant.rankers import OrdinalRegression, PairwiseRanker, RankBoost, RankSVM

X = np.random.default_rng(0).normal(size=(60, 4))
Y = np.round(2 * X[:, 2] - X[:, 0]).clip(-1, 1)


def bars(chart: Any) -> list[tuple[str, float]]:
    return [(bar["feature"], bar["weight"]) for bar in chart.to_dict()["data"]["values"]]


@pytest.mark.parametrize("model", [RankSVM(), OrdinalRegression()])
def test_bars_are_weights_by_falling_size(model: Any) -> None:
    """Each feature's weight with its sign, the largest in size first, by the names of the frame."""
    model.fit(pd.DataFrame(X, columns=list("abcd")), Y)
    order = np.argsort(-np.abs(model.coef_))
    assert bars(coefficients_chart(model)) == [("abcd"[j], pytest.approx(model.coef_[j])) for j in order]
    assert [name for name, _ in bars(coefficients_chart(model))][:2] == ["c", "a"]


def test_boosted_features_are_drawn_by_their_share() -> None:
    """Importances of features that were used, numbered from 1 where they have no names."""
    model = RankBoost(3).fit(X, Y)
    drawn = dict(bars(coefficients_chart(model)))
    used = np.flatnonzero(model.feature_importances_)
    assert drawn == {f"feature {j + 1}": pytest.approx(model.feature_importances_[j]) for j in used}
    assert coefficients_chart(model).to_dict()["encoding"]["x"]["title"] == "share in what was learned"


def test_the_largest_are_drawn_and_that_is_said() -> None:
    """Of four features the largest two, and the subtitle says so; names may be given."""
    chart = coefficients_chart(RankSVM().fit(X, Y), ["w", "x", "y", "z"], most=2)
    assert [name for name, _ in bars(chart)] == ["y", "w"]
    assert "the largest 2 of 4" in chart.to_dict()["title"]["subtitle"]


def test_what_has_no_weights_is_refused() -> None:
    """Kernels, pairs of rows, what is not fitted, wrong names: each in words."""
    for model in (
        RankSVM(kernel="rbf").fit(X, Y),
        PairwiseRanker().fit(X, Y),
        RankSVM(),
        OrdinalRegression(),
    ):
        with pytest.raises(InvalidInput, match="must be fitted and have one weight a feature"):
            coefficients_chart(model)
    fitted = RankSVM().fit(X, Y)
    for names in (["a"], ["a", "a", "b", "c"]):
        with pytest.raises(InvalidInput, match="names must be 4 different ones"):
            coefficients_chart(fitted, names)
    with pytest.raises(InvalidInput, match="most must be a whole number of at least 1"):
        coefficients_chart(fitted, most=0)


def test_it_is_a_picture_even_of_nothing(tmp_path: Path) -> None:
    """All weights 0 leave no bar, and a picture all the same."""
    model = RankSVM().fit(np.ones((3, 2)), [0, 1, 2])
    assert bars(coefficients_chart(model)) == []
    assert save_chart(coefficients_chart(model), tmp_path / "w.png").read_bytes().startswith(b"\x89PNG")


def test_named_weights_are_drawn_alike() -> None:
    """The largest in size first, without those that are 0; the subtitle says when there are more."""
    chart = weights_chart({"a": 0.5, "b": -2.0, "c": 0.0}, most=1)
    assert bars(chart) == [("b", -2.0)]
    assert chart.to_dict()["title"]["subtitle"] == "the largest 1 of 3"
    assert len(bars(weights_chart({"a": 0.5, "b": -2.0, "c": 0.0}))) == 2
