"""Rows of equal score: averages over all their orders."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penchant.metrics import dcg, ndcg
from tests.metrics.rows import Rows, graded_rows, in_every_order
from tests.metrics.test_gains import SETTINGS, slow_dcg, slow_dcg_of_order


@given(graded_rows(max_size=6), st.fixed_dictionaries(SETTINGS | {"k": st.none() | st.integers(1, 7)}))
def test_tied_scores_are_averaged_over_all_their_orders(rows: Rows, settings: dict) -> None:
    """DCG is the mean over every order of the tied rows, and NDCG over queries of that over the ideal."""
    shares = []
    for grades, scores in rows.queries():
        orders = in_every_order(grades, scores)
        mean = np.mean([slow_dcg_of_order(order, **settings) for order in orders])
        assert dcg(grades, scores, **settings) == pytest.approx(mean, abs=1e-12)
        ideal = slow_dcg(grades, [float(grade) for grade in grades], **settings)
        shares += [mean / ideal] if ideal else []
    assume(shares)
    assert ndcg(rows.grades, rows.scores, qid=rows.qid, **settings) == pytest.approx(np.mean(shares))


def test_constant_scores_are_worth_a_random_order() -> None:
    """Rows sorted best first or worst first have the NDCG of a random order, unless their order is asked for."""
    grades, scores = [3, 2, 1, 0, 0, 0], [1.0] * 6
    expected = sum(1 / math.log2(1 + position) for position in range(1, 7)) / dcg(grades, grades)
    assert ndcg(grades, scores) == pytest.approx(expected)
    assert ndcg(grades[::-1], scores) == pytest.approx(expected)
    assert ndcg(grades, scores, ties="order") == 1.0
    assert dcg([0, 3], [1.0, 1.0], ties="order") == pytest.approx(3 / math.log2(3))
    assert dcg([0, 3], [0.0, -0.0]) == pytest.approx(1.5 + 1.5 / math.log2(3))


def test_ties_across_the_cut_count_in_part() -> None:
    """Of three tied rows one is in the first position, and each may be it."""
    assert dcg([3, 0, 0], [1.0, 1.0, 1.0], k=1) == 1.0


def test_tied_rows_of_one_grade_lose_nothing() -> None:
    """Averages of equal grades are exact: grades as scores have NDCG 1 to the last bit."""
    grades = [0.1] * 3 + [0.7] * 11 + [0.3] * 7
    assert ndcg(grades, grades) == 1.0
