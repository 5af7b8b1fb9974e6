"""Pair accuracy against a double loop, scikit-learn's ROC area, and hand counts."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import PairAccuracy, pair_accuracy, pair_accuracy_of_pairs
from tests.metrics.rows import Rows, graded_rows


def better_first(rows: Rows) -> list[tuple[int, int]]:
    pairs = [pair for pair in combinations(range(len(rows.qid)), 2) if rows.qid[pair[0]] == rows.qid[pair[1]]]
    unequal = [(i, j) for i, j in pairs if rows.grades[i] != rows.grades[j]]
    return [(i, j) if rows.grades[i] > rows.grades[j] else (j, i) for i, j in unequal]


@given(graded_rows())
def test_pairs_are_counted_inside_queries(rows: Rows) -> None:
    """The counts are those of a double loop over the pairs of one query with different grades."""
    signs = [np.sign(rows.scores[i] - rows.scores[j]) for i, j in better_first(rows)]
    assume(signs)
    expected = PairAccuracy(signs.count(1), signs.count(0), signs.count(-1))
    assert pair_accuracy(rows.grades, rows.scores, qid=rows.qid) == expected


@given(graded_rows())
def test_grades_and_their_pairs_agree(rows: Rows) -> None:
    """Expanding the grades into pairs gives the same counts."""
    pairs = better_first(rows)
    assume(pairs)
    assert pair_accuracy_of_pairs(pairs, rows.scores) == pair_accuracy(rows.grades, rows.scores, qid=rows.qid)


@given(graded_rows())
def test_concordance_of_two_grades_is_the_roc_area(rows: Rows) -> None:
    """With two grades in one query, concordance is the area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    grades = [int(grade > 1) for grade in rows.grades]
    assume(len(set(grades)) == 2)
    assert pair_accuracy(grades, rows.scores).concordance == pytest.approx(roc_auc_score(grades, rows.scores))


@given(graded_rows())
def test_negated_scores_swap_correct_and_wrong(rows: Rows) -> None:
    """Turning the scores round swaps correct and wrong and keeps the ties."""
    assume(better_first(rows))
    found = pair_accuracy(rows.grades, rows.scores, qid=rows.qid)
    turned = pair_accuracy(rows.grades, [-score for score in rows.scores], qid=rows.qid)
    assert turned == PairAccuracy(found.wrong, found.tied, found.correct)


def test_ties_are_reported_apart() -> None:
    """A constant scorer has accuracy 0 and concordance one half, and all its pairs are tied."""
    found = pair_accuracy([1, 0, 2], [5.0, 5.0, 5.0])
    assert found == PairAccuracy(correct=0, tied=3, wrong=0)
    assert (found.accuracy, float(found), found.concordance, found.n_pairs) == (0.0, 0.0, 0.5, 3)


def test_many_rows_are_counted_without_making_their_pairs() -> None:
    """Two hundred thousand rows of one query, half of each grade, are counted exactly."""
    n = 200_000
    grades = np.arange(n) % 2
    found = pair_accuracy(grades, grades + 0.0)
    assert found == PairAccuracy(correct=(n // 2) ** 2, tied=0, wrong=0)


def test_equal_grades_are_refused() -> None:
    """Without two different grades in a query there is nothing to judge."""
    with pytest.raises(InvalidInput, match="two rows of one query must have different grades, got none in 2"):
        pair_accuracy([1, 1, 0], [1.0, 2.0, 3.0], qid=["a", "a", "b"])


def test_weights_count_pairs_more_than_once() -> None:
    """A pair of weight two counts as the same pair twice."""
    scores = [3.0, 1.0, 1.0]
    twice = pair_accuracy_of_pairs([[0, 1], [0, 1], [1, 0], [1, 2]], scores)
    assert twice == PairAccuracy(2, 1, 1)
    assert pair_accuracy_of_pairs([[0, 1], [1, 0], [1, 2]], scores, weight=[2, 1, 1]) == twice
    assert twice.accuracy == 0.5
    assert twice.concordance == 0.625


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([], "pairs must have at least one row and two columns, got shape"),
        ([[0, 1, 2]], r"got shape \(1, 3\): give one \(better, worse\) a row"),
        ([0, 1], r"got shape \(2,\)"),
        ([[0, 1], [0, 3]], r"pair 1 must be two different rows from 0 to 2, got \(0, 3\)"),
        ([[-1, 1]], r"pair 0 must be .*, got \(-1, 1\)"),
        ([[0, 0.5]], r"pair 0 must be .*, got \(0, 0.5\)"),
        ([[2, 2]], r"pair 0 must be two different rows"),
        ([[0, float("nan")]], "pair of row 0, column 1 must be a finite number"),
        ([["a", "b"]], "pair must be numbers"),
    ],
)
def test_bad_pairs_are_refused(pairs: object, words: str) -> None:
    """Pairs that are not two different rows, better first, are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        pair_accuracy_of_pairs(pairs, [1.0, 2.0, 3.0])


def test_bad_weights_and_scores_of_pairs_are_refused() -> None:
    """Weights are above 0, one a pair; scores are finite."""
    with pytest.raises(InvalidInput, match="weight of row 0 must be above 0"):
        pair_accuracy_of_pairs([[0, 1]], [1.0, 2.0], weight=[0])
    with pytest.raises(InvalidInput, match="weight must have 1 entries"):
        pair_accuracy_of_pairs([[0, 1]], [1.0, 2.0], weight=[1, 1])
    with pytest.raises(InvalidInput, match="score of row 1 must be a finite number"):
        pair_accuracy_of_pairs([[0, 1]], [1.0, float("nan")])


@settings(max_examples=60)
@given(graded_rows(max_size=12), st.randoms(use_true_random=False))
def test_weighted_pairs_are_counted_as_by_two_loops(rows: Rows, random: Any) -> None:
    """A pair of one query counts as much as the product of its two rows; equal weights change no share."""
    weight = [random.choice([0.0, 0.5, 1.0, 3.0]) for _ in rows.grades]
    totals = {1: 0.0, 0: 0.0, -1: 0.0}
    for i, j in permutations(range(len(weight)), 2):
        if rows.qid[i] == rows.qid[j] and rows.grades[i] > rows.grades[j]:
            sign = int(np.sign(rows.scores[i] - rows.scores[j]))
            totals[sign] += weight[i] * weight[j]
    if not sum(totals.values()):
        return
    found = pair_accuracy(rows.grades, rows.scores, qid=rows.qid, sample_weight=weight)
    assert (found.correct, found.tied, found.wrong) == pytest.approx((totals[1], totals[0], totals[-1]))
