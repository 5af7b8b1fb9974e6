"""Rows fall into queries by label, whatever the labels are and wherever the rows stand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from penchant.errors import InvalidInput
from penchant.metrics import mean_average_precision, ndcg, pair_accuracy
from tests.metrics.rows import Rows, graded_rows

GRADES, SCORES = [2, 0, 1, 0, 1], [0.1, 0.9, 0.5, 0.4, 0.3]


@pytest.mark.parametrize(
    "qid",
    [
        [5, 5, 9, 9, 5],
        np.array([5, 5, 9, 9, 5], dtype=np.uint8),
        np.array([0.5, 0.5, -1.0, -1.0, 0.5]),
        np.array([True, True, False, False, True]),
        ["q1", "q1", "q2", "q2", "q1"],
        np.array(["q1", "q1", "q2", "q2", "q1"]),
        [1, 1, "1", "1", 1],
        [("a", 1), ("a", 1), ("b", 1), ("b", 1), ("a", 1)],
        pd.Series(["q1", "q1", "q2", "q2", "q1"], index=[4, 3, 2, 1, 0]),
        pd.Series([5, 5, 9, 9, 5], dtype="Int64"),
        pd.Categorical(["x", "x", "y", "y", "x"]),
    ],
)
def test_only_which_labels_are_equal_matters(qid: object) -> None:
    """Integers, strings, tuples and frames' columns give the same NDCG when they group the same rows."""
    expected = (ndcg([2, 0, 1], [0.1, 0.9, 0.3]) + ndcg([1, 0], [0.5, 0.4])) / 2
    assert ndcg(GRADES, SCORES, qid=qid) == pytest.approx(expected, abs=1e-15)


@given(graded_rows())
def test_queries_may_stand_in_any_order(rows: Rows) -> None:
    """Moving whole queries about, each with its rows in their order, changes no metric."""
    if not any(rows.grades):
        return
    moved = sorted(range(len(rows.qid)), key=lambda i: str(rows.qid[i]))
    grades, scores = np.array(rows.grades)[moved], np.array(rows.scores)[moved]
    qid = [rows.qid[i] for i in moved]
    assert ndcg(grades, scores, qid=qid) == pytest.approx(ndcg(rows.grades, rows.scores, qid=rows.qid))
    assert mean_average_precision(grades, scores, qid=qid) == pytest.approx(
        mean_average_precision(rows.grades, rows.scores, qid=rows.qid)
    )


def test_inputs_stay_untouched() -> None:
    """No metric writes into the arrays that it is given."""
    grades, scores, qid = np.array(GRADES, dtype=float), np.array(SCORES), np.array([1, 1, 2, 2, 1])
    for array in (grades, scores, qid):
        array.setflags(write=False)
    ndcg(grades, scores, qid=qid, k=2)
    mean_average_precision(grades, scores, qid=qid)
    pair_accuracy(grades, scores, qid=qid)


@pytest.mark.parametrize(
    ("qid", "words"),
    [
        ([1, 1, 2, 2], "qid must have 5 entries, one a row, got 4"),
        (np.ones(4, dtype=int), "qid must have 5 entries"),
        (np.ones((5, 1), dtype=int), "qid must be one-dimensional, got shape"),
        ([1, 1, None, 2, 2], "qid of row 2 must be a label, got None: remove the row"),
        (np.array([1, 1, 2, np.nan, 2]), "qid of row 3 must be a label, got nan"),
        (pd.Series(["a", "b", pd.NA, "a", "b"], dtype=object), "qid of row 2 must be a label, got <NA>"),
        ([[1], [1], [2], [2], [2]], "qid must be hashable labels"),
        (5, "qid must be one label a row, got 5"),
    ],
)
def test_bad_labels_are_refused(qid: object, words: str) -> None:
    """Missing, unhashable, nested or too few labels are rejected with a message, by every metric with queries."""
    for metric in (ndcg, mean_average_precision, pair_accuracy):
        with pytest.raises(InvalidInput, match=words):
            metric(GRADES, SCORES, qid=qid)


@pytest.mark.parametrize(
    ("grades", "scores", "words"),
    [
        ([], [], "grades must have at least one row"),
        ([1, 0], [1.0], "score must have 2 entries"),
        ([1, float("nan")], [1.0, 2.0], "grade of row 1 must be a finite number"),
        ([1, 0], [float("inf"), 2.0], "score of row 0 must be a finite number"),
        ([[1, 0]], [[1.0, 2.0]], "grade must be one-dimensional"),
        (["good", "bad"], [1.0, 2.0], "grade must be numbers"),
    ],
)
def test_bad_rows_are_refused(grades: object, scores: object, words: str) -> None:
    """Empty, unequal, nested and non-finite grades or scores are rejected with a message, by every metric."""
    for metric in (ndcg, pair_accuracy, lambda g, s: mean_average_precision(g, s, qid=None)):
        with pytest.raises(InvalidInput, match=words):
            metric(grades, scores)
