"""The usual figures at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import Figure, evaluate, mean_average_precision, ndcg

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 4)), min_size=2, max_size=40)


@given(rows)
def test_means_are_those_of_the_metrics_and_errors_those_of_a_plain_loop(
    told: list[tuple[int, int, int]],
) -> None:
    """NDCG and MAP are those of the metrics themselves; queries without a value are left out and counted."""
    grades, scores, qid = map(list, zip(*told, strict=True))
    if max(grades) == 0 or all(len({g for g, _, q in told if q == query}) < 2 for query in set(qid)):
        return
    found = evaluate(grades, scores, qid=qid)
    mean, skipped = ndcg(grades, scores, qid=qid, k=10, return_skipped=True)
    assert (found["NDCG@10"].mean, found["NDCG@10"].skipped) == (pytest.approx(mean), skipped)
    assert found["MAP"].mean == pytest.approx(mean_average_precision(grades, scores, qid=qid))
    assert found["MAP"].queries + found["MAP"].skipped == len(set(qid))
    values = []
    for query in set(qid):
        part = [(g, s) for g, s, q in told if q == query]
        if any(g for g, _ in part):
            values.append(ndcg([g for g, _ in part], [s for _, s in part], k=10))
    if len(values) > 1:
        assert found["NDCG@10"].standard_error == pytest.approx(np.std(values, ddof=1) / np.sqrt(len(values)))


def test_constant_scores_are_worth_a_random_order() -> None:
    """A query of equal scores counts: NDCG and MAP as of a random order, tau as 0, whatever the row order."""
    second = 1 / np.log2(3)  # the discount of the second position; the mean grades are 1 and 1/2
    expected = ((1 + second + 0.5) / (2 + second) + (1 + second) / 2) / 2
    for grades in ([2, 1, 0, 1, 0], [0, 1, 2, 0, 1]):
        found = evaluate(grades, [0] * 5, qid=["a"] * 3 + ["b"] * 2)
        assert found["NDCG@10"].mean == pytest.approx(expected)
        assert found["MAP"].mean == pytest.approx(((1 + 5 / 6 + 7 / 12) / 3 + 3 / 4) / 2)
        assert (found["tau"].mean, found["tau"].queries) == (0.0, 2)
    assert evaluate([2, 1, 0], [0, 0, 0], ties="order")["MAP"].mean == 1.0


def test_silence_in_one_query_does_not_raise_tau() -> None:
    """Scores that order one query and say nothing in the other have half the tau."""
    found = evaluate([1, 0, 1, 0], [2, 1, 0, 0], qid=["a", "a", "b", "b"])
    assert (found["tau"].mean, found["tau"].skipped) == (0.5, 0)


def test_a_gain_past_the_floats_is_an_error_not_a_skipped_query() -> None:
    """A grade that cannot be summed is named, and does not pass for a query without relevant rows."""
    with pytest.raises(InvalidInput, match="gain of row 2 must be at most"):
        evaluate([1, 0, 1e300, 0], [1, 0, 1, 0], qid=["a", "a", "b", "b"])


def test_an_unknown_metric_is_named() -> None:
    """Asking for a figure that was not measured says which were."""
    with pytest.raises(InvalidInput, match=r"metric must be one of NDCG@10, MAP, tau, got 'ndcg'"):
        evaluate([1, 0], [1, 0])["ndcg"]


def test_it_reads_well_and_becomes_a_frame() -> None:
    """One line a metric, and one row."""
    found = evaluate([1, 0, 0, 0], [2, 1, 1, 2], qid=["a", "a", "b", "b"])
    assert repr(found).splitlines()[1] == "MAP       1.0000  (1 query, 1 without one)"
    assert repr(Figure("tau", np.nan, np.nan, 0, 2)) == "tau       –  (0 queries, 2 without one)"
    assert found.to_frame()["metric"].tolist() == ["NDCG@10", "MAP", "tau"]


@pytest.mark.parametrize(
    ("grades", "k", "words"),
    [([-1, 1], 10, "at least 0"), ([0, 0], 10, "at least one query"), ([0, 1], 0, "k must be")],
)
def test_what_cannot_be_evaluated_is_refused(grades: list[int], k: int, words: str) -> None:
    """Negative grades, no query with a value, and a cut at 0 are named."""
    with pytest.raises(InvalidInput, match=words):
        evaluate(grades, [1, 2], k=k)
