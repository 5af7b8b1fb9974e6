"""Measures on folds, and the estimates, tables and charts made from them."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.lecture.outcomes import Outcomes, by_folds
from penchant.papers.lecture.sets import Rows, fold
from penchant.papers.run import Run

OUTCOMES = Outcomes.of(
    [
        ("x", 0, {"a": {"m": 1.0}, "b": {"m": 0.0}}),
        ("x", 1, {"a": {"m": 3.0}, "b": {"m": 1.0}}),
        ("y", 0, {"a": {"m": 5.0}, "b": {"m": 5.0}}),
        ("y", 1, {"a": {"m": 5.0}, "b": {"m": 5.0}}),
    ]
)


def test_means_are_over_sets_and_errors_over_folds() -> None:
    """In each fold the sets are averaged first."""
    assert OUTCOMES.folds("a", "m", ["x", "y"]).tolist() == [3.0, 4.0]
    mean = OUTCOMES.mean("a", "m", "x", "y")
    assert (mean.value, mean.error) == (3.5, 0.5)


def test_a_lead_is_taken_fold_by_fold() -> None:
    """Its error is that of the differences."""
    lead = OUTCOMES.lead("a", "b", "m", "x")
    assert (lead.value, lead.error) == (1.5, pytest.approx(np.std([1, 2], ddof=1) / np.sqrt(2)))


def test_tables_tell_mean_and_error() -> None:
    """A row for each set and method, or a column a method and a last row with the mean."""
    assert OUTCOMES.table(["m"])["m"].tolist()[:2] == ["2.000 ± 1.000", "0.500 ± 0.500"]
    wide = OUTCOMES.wide("m", ["x", "y"], "mean")
    assert wide["set"].tolist() == ["x", "y", "mean"]
    assert wide["a"].tolist()[-1] == "3.500 ± 0.500"


def test_the_picture_leaves_out_the_named_methods() -> None:
    """A point for each set and method that is left."""
    chart = OUTCOMES.chart("m", "title", without=["b"]).to_dict()
    rows = chart.get("data", chart["layer"][0].get("data"))["values"]
    assert [(row["set"], row["name"], row["mean"]) for row in rows] == [("x", "a", 2.0), ("y", "a", 5.0)]


def largest(train: Rows, test: Rows) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """The largest targets, the mean of the features, and a second of CPU time."""
    measured = {"train": float(train.target.max()), "test": float(test.target.max())}
    return {"a": measured | {"mean": float(train.X.mean())}}, {"a": 1.0}


def test_each_fold_is_measured_once_on_scaled_features() -> None:
    """Training and test rows are those of the fold; the CPU seconds of all folds are added up."""
    sets = {"x": Rows(np.arange(12.0).reshape(6, 2), np.arange(6))}
    outcomes, seconds = by_folds(largest, sets, 3, None, Run(seed=0))
    folds = [fold(6, number, 3, 0) for number in range(3)]
    assert outcomes.frame["train"].tolist() == [train.max() for train, _ in folds]
    assert outcomes.frame["test"].tolist() == [test.max() for _, test in folds]
    np.testing.assert_allclose(outcomes.frame["mean"], 0, atol=1e-12)
    assert seconds == {"a": 3.0}
    few, _ = by_folds(largest, sets, 2, 4, Run(seed=0))
    assert len(few.frame) == 2
    assert max(few.frame["train"].max(), few.frame["test"].max()) <= 5
