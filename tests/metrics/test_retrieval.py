"""Precision, recall, reciprocal rank and ERR beside their definitions, over every order that ties allow."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings

from penchant.errors import InvalidInput
from penchant.metrics import expected_reciprocal_rank, precision, recall, reciprocal_rank
from tests.metrics.rows import Rows, by_falling_score, graded_rows, in_every_order


def slow_precision(grades: list[int], k: int) -> float:
    return sum(grade >= 1 for grade in grades[:k]) / k


def slow_recall(grades: list[int], k: int) -> float:
    return sum(grade >= 1 for grade in grades[:k]) / sum(grade >= 1 for grade in grades)


def slow_reciprocal_rank(grades: list[int], k: int) -> float:
    return next((1 / rank for rank, grade in enumerate(grades[:k], 1) if grade >= 1), 0.0)


def slow_err(grades: list[int], k: int, highest: int) -> float:
    """Algorithm 1 of Chapelle et al."""
    p, err = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], 1):
        stops = (2**grade - 1) / 2**highest
        err += p * stops / rank
        p *= 1 - stops
    return err


METRICS = [(precision, slow_precision), (recall, slow_recall), (reciprocal_rank, slow_reciprocal_rank)]


@settings(max_examples=40)
@given(graded_rows(max_size=6))
@pytest.mark.parametrize(("metric", "slow"), METRICS)
def test_ties_are_averaged_over_all_orders(metric: Callable, slow: Callable, rows: Rows) -> None:
    """The mean over queries with a relevant row of the mean over all orders of tied rows."""
    with_some = [query for query in rows.queries() if max(query[0]) >= 1]
    if not with_some:
        return
    for k in (1, 2, 4):
        expected = mean(mean(slow(order, k) for order in in_every_order(*query)) for query in with_some)
        assert metric(rows.grades, rows.scores, qid=rows.qid, k=k) == pytest.approx(expected)
        in_order = mean(slow(by_falling_score(*query), k) for query in with_some)
        assert metric(rows.grades, rows.scores, qid=rows.qid, k=k, ties="order") == pytest.approx(in_order)


@settings(max_examples=40)
@given(graded_rows(max_size=6))
def test_err_is_averaged_over_all_orders(rows: Rows) -> None:
    """Also where k cuts a group of tied rows, with the highest grade given or found."""
    top = max(rows.grades)
    if top < 1:
        return
    with_some = [query for query in rows.queries() if max(query[0]) > 0]
    for k, highest in ((1, None), (3, None), (10, top + 2)):
        scale = highest or top
        expected = mean(
            mean(slow_err(order, k, scale) for order in in_every_order(*query)) for query in with_some
        )
        found = expected_reciprocal_rank(rows.grades, rows.scores, qid=rows.qid, k=k, highest=highest)
        assert found == pytest.approx(expected)


def test_queries_count_by_the_mean_weight_of_their_rows() -> None:
    """Weight 3 is as good as having a query three times, and weight 0 as good as not having it."""
    given = {"qid": [1, 1, 2, 2], "k": 1}
    assert precision([1, 0, 0, 1], [2, 1, 2, 1], sample_weight=[3, 3, 1, 1], **given) == 0.75
    assert reciprocal_rank([1, 0, 0, 1], [2, 1, 2, 1], sample_weight=[0, 0, 2, 2], qid=[1, 1, 2, 2]) == 0.5
    with pytest.raises(InvalidInput, match="sample_weight of row 1 must be at least 0"):
        recall([1, 0], [2, 1], sample_weight=[1, -1])


def test_long_ties_are_fast_and_exact() -> None:
    """All documents of a query tied, which is where a sum over orders would never end."""
    grades = np.zeros(3000, dtype=int)
    grades[:30] = 1
    scores = np.zeros(3000)
    assert precision(grades, scores, k=10) == pytest.approx(0.01)
    assert recall(grades, scores, k=300) == pytest.approx(0.1)
    assert 0.01 < reciprocal_rank(grades, scores) < 0.1
    assert 0 < expected_reciprocal_rank(grades, scores, k=10) < 0.05


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: precision([1], [1], k=0), "k must be"),
        (lambda: recall([0], [1]), "a relevant row"),
        (lambda: expected_reciprocal_rank([-1, 1], [1, 2]), "grade of row 0 must be at least 0"),
        (lambda: expected_reciprocal_rank([3, 1], [1, 2], highest=2), "highest must be at least"),
        (lambda: expected_reciprocal_rank([3000], [1]), "at most 1000"),
    ],
)
def test_wrong_arguments_are_explained(call: Callable, words: str) -> None:
    """The message names what is wrong."""
    with pytest.raises(InvalidInput, match=words):
        call()
