"""The metrics by their short names."""

from __future__ import annotations

import pytest

from penchant import metrics
from penchant.errors import InvalidInput
from penchant.metrics import evaluate
from penchant.metrics.by_query import METRICS

GRADES, SCORES, QID = [2, 0, 1, 0, 1, 0], [3, 1, 2, 2, 1, 3], ["x", "x", "x", "y", "y", "y"]


def test_each_name_is_its_metric() -> None:
    """The figures of `evaluate` are those of the functions."""
    found = evaluate(GRADES, SCORES, qid=QID, k=2, metrics=list(METRICS))
    functions = {
        "P@2": metrics.precision,
        "recall@2": metrics.recall,
        "RR@2": metrics.reciprocal_rank,
        "ERR@2": metrics.expected_reciprocal_rank,
        "NDCG@2": metrics.ndcg,
    }
    for title, function in functions.items():
        assert found[title].mean == pytest.approx(function(GRADES, SCORES, qid=QID, k=2))
    assert [figure.metric for figure in found.figures][:3] == ["NDCG@2", "MAP", "tau"]


def test_weights_of_queries_enter_mean_and_error() -> None:
    """Equal weights change nothing; a query of weight 0 is left out and counted."""
    plain = evaluate(GRADES, SCORES, qid=QID)
    same = evaluate(GRADES, SCORES, qid=QID, sample_weight=[2.0] * 6)
    assert same["MAP"].mean == pytest.approx(plain["MAP"].mean)
    assert same["MAP"].standard_error == pytest.approx(plain["MAP"].standard_error)
    one = evaluate(GRADES, SCORES, qid=QID, sample_weight=[0, 0, 0, 1, 1, 1])
    assert (one["MAP"].queries, one["MAP"].skipped) == (1, 1)
    assert one["MAP"].mean == pytest.approx(evaluate(GRADES[3:], SCORES[3:])["MAP"].mean)


def test_an_unknown_name_is_rejected() -> None:
    """The message lists the names; one name alone needs no list."""
    with pytest.raises(
        InvalidInput, match="metrics must be one of ndcg, map, tau, precision, recall, rr, err"
    ):
        evaluate(GRADES, SCORES, metrics=["auc"])
    assert len(evaluate(GRADES, SCORES, metrics="map").figures) == 1
