"""Average precision against its definition, scikit-learn, and hand counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import average_precision, mean_average_precision
from tests.metrics.rows import Rows, by_falling_score, graded_rows, in_every_order


def slow_average_precision(grades: list[int], scores: list[float], relevant: float) -> float | None:
    return slow_average_precision_of_order(by_falling_score(grades, scores), relevant)


def slow_average_precision_of_order(grades: list[int], relevant: float) -> float | None:
    hits = [grade >= relevant for grade in grades]
    precisions = [sum(hits[: i + 1]) / (i + 1) for i in range(len(hits)) if hits[i]]
    return sum(precisions) / len(precisions) if precisions else None


@given(graded_rows(), st.integers(1, 4))
def test_map_is_its_definition(rows: Rows, relevant: int) -> None:
    """MAP is the mean over queries of the mean precision at relevant rows; others are skipped and counted."""
    each = [slow_average_precision(grades, scores, relevant) for grades, scores in rows.queries()]
    known = [value for value in each if value is not None]
    assume(known)
    value, n_skipped = mean_average_precision(
        rows.grades, rows.scores, qid=rows.qid, relevant=relevant, ties="order", return_skipped=True
    )
    assert value == pytest.approx(np.mean(known), abs=1e-12)
    assert n_skipped == len(each) - len(known)


@given(graded_rows(max_size=7), st.integers(1, 3))
def test_tied_scores_are_averaged_over_all_their_orders(rows: Rows, relevant: int) -> None:
    """Average precision is the mean over every order of the tied rows, in each query."""
    means = []
    for grades, scores in rows.queries():
        orders = in_every_order(grades, scores)
        values = [slow_average_precision_of_order(order, relevant) for order in orders]
        means += [] if None in values else [np.mean(values)]
    assume(means)
    assert mean_average_precision(rows.grades, rows.scores, qid=rows.qid, relevant=relevant) == pytest.approx(
        np.mean(means), abs=1e-12
    )


@given(st.lists(st.integers(0, 1), min_size=2, max_size=20), st.randoms())
def test_untied_scores_agree_with_scikit_learn(grades: list[int], random) -> None:
    """Without tied scores average precision equals scikit-learn's."""
    from sklearn.metrics import average_precision_score

    assume(any(grades))
    scores = random.sample(range(100), len(grades))
    assert average_precision(grades, scores) == pytest.approx(average_precision_score(grades, scores))


def test_by_hand() -> None:
    """Relevant rows at positions 1, 3 and 6 give (1 + 2/3 + 3/6) / 3."""
    assert average_precision([1, 0, 2, 0, 0, 1], [6, 5, 4, 3, 2, 1]) == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)


def test_a_grade_of_one_is_relevant_unless_told() -> None:
    """The lowest relevant grade is 1 by default and can be set; anything below it is not relevant."""
    grades, scores = [-1, 1, 2], [3.0, 2.0, 1.0]
    assert average_precision(grades, scores) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert average_precision(grades, scores, relevant=2) == pytest.approx(1 / 3)
    assert average_precision([0.5], [1.0], relevant=0.5) == 1.0


def test_constant_scores_are_worth_a_random_order() -> None:
    """Rows sorted best first or worst first have the same average precision, unless their order is asked for."""
    assert average_precision([0, 1], [1.0, 1.0]) == average_precision([1, 0], [1.0, 1.0]) == 0.75
    assert average_precision([0, 1], [1.0, 1.0], ties="order") == 0.5
    assert average_precision([1, 0], [1.0, 1.0], ties="order") == 1.0


@pytest.mark.parametrize("n", [3, 49, 1000])
def test_relevant_rows_on_top_are_perfect_also_when_tied(n: int) -> None:
    """Tied rows that are all relevant lose nothing, to the last bit."""
    assert average_precision([1] * n + [0] * n, [1.0] * n + [0.0] * n) == 1.0


def test_unknown_settings_are_rejected() -> None:
    """The lowest relevant grade is a finite number, and ties are averaged or in row order."""
    with pytest.raises(InvalidInput, match="relevant must be a finite number, got 'one': give"):
        average_precision([1], [1.0], relevant="one")
    with pytest.raises(InvalidInput, match="relevant must be a finite number, got nan: give"):
        average_precision([1], [1.0], relevant=float("nan"))
    with pytest.raises(InvalidInput, match="ties must be one of average, order, got 'random'"):
        mean_average_precision([1], [1.0], ties="random")


def test_only_skipped_queries_are_refused() -> None:
    """Without any relevant row there is no average precision, and the error says what relevant means."""
    with pytest.raises(InvalidInput, match=r"a relevant row \(grade at least 1\), got 1 without"):
        average_precision([0, 0], [1.0, 2.0])
    with pytest.raises(InvalidInput, match=r"grade at least 3\), got 2 without"):
        mean_average_precision([1, 2], [1.0, 2.0], qid=["a", "b"], relevant=3)
