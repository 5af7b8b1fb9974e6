from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.gp.inference.answers import Answers, PairCounts, answers_about, answers_between, compared_items
from tests.gp.problems import incidence

ANSWERS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans(), st.floats(0.1, 3)), min_size=1, max_size=30
)


def test_the_same_answer_counts_once() -> None:
    """Repeats add up, a tie has no direction, and a pair of an item with itself is left out."""
    counts = PairCounts.of(
        np.array([[0, 1], [1, 0], [0, 1], [2, 1], [1, 2], [3, 3]]),
        4,
        weight=np.array([1.0, 2.0, 0.5, 1.0, 1.0, 9.0]),
        tie=np.array([False, False, False, True, True, False]),
    )
    rows = zip(counts.better, counts.worse, counts.tie, counts.count, strict=True)
    assert [(int(a), int(b), bool(t), float(c)) for a, b, t, c in rows] == [
        (0, 1, False, 1.5),
        (1, 0, False, 2.0),
        (1, 2, True, 2.0),
    ]


@given(answers=ANSWERS, seed=st.integers(0, 99))
def test_sums_over_pairs_are_those_of_the_incidence_matrix(answers: list[tuple], seed: int) -> None:
    """With D one row an answer: differences D f, spread Dᵀ v, precision Dᵀ diag(w) D."""
    pairs = np.array([answer[:2] for answer in answers])
    counts = PairCounts.of(pairs, 5, tie=np.array([answer[2] for answer in answers]))
    D = incidence(np.column_stack([counts.better, counts.worse]), 5)
    rng = np.random.default_rng(seed)
    utility, values = rng.normal(size=5), rng.random(len(D))
    np.testing.assert_allclose(counts.differences(utility), D @ utility, atol=1e-12)
    np.testing.assert_allclose(counts.spread(values), D.T @ values, atol=1e-12)
    np.testing.assert_allclose(counts.precision(values).toarray(), D.T @ (values[:, None] * D), atol=1e-12)


def test_answers_are_kept_in_order() -> None:
    """Parts and sums keep pairs, weights and ties together; without ties only decided ones are left."""
    first = Answers(np.array([[0, 1], [2, 1]]), np.array([1.0, 2.0]), np.array([False, True]))
    both = Answers.none().followed_by(first).followed_by(first[1:])
    assert both.pairs.tolist() == [[0, 1], [2, 1], [2, 1]]
    assert both.weight.tolist() == [1, 2, 2]
    assert both.decided().pairs.tolist() == [[0, 1]]
    with pytest.raises(InvalidInput, match="pairs must hold a preference, got ties only"):
        first[1:].decided()


def test_preferences_are_matched_by_id() -> None:
    """To the index of a frame, or to the items of a belief; weights and ties come along."""
    preferences = Preferences.from_pairs([("b", "a"), ("a", "c")], weight=[1, 3], tie=[False, True])
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=["c", "a", "b"])
    for answers in (answers_about(frame, 3, preferences), answers_between(preferences, ["c", "a", "b"])):
        assert sorted(answers.pairs[1].tolist()) == [0, 1]
        assert answers.pairs[0].tolist() == [2, 1]
        assert answers.weight.tolist() == [1, 3]
        assert answers.tie.tolist() == [False, True]
    with pytest.raises(UnknownItem, match="item 'c' of comparison 1 must be one of the 2 items"):
        answers_between(preferences, ["a", "b"])
    bad = Preferences.from_answers(["a"], ["b"], ["both_bad"])
    with pytest.raises(UnknownItem, match="item '\\(bar\\)'"):
        answers_between(bad, ["a", "b"])


def test_rows_with_equal_features_are_one_item() -> None:
    """Items are the different rows that were compared; answers between equal ones alone are rejected."""
    rows = np.array([[1.0], [0.0], [1.0], [5.0]])
    answers = answers_about(rows, 4, [(0, 1), (2, 1), (0, 2)])
    items, counts = compared_items(rows, answers)
    assert items.ravel().tolist() == [0, 1]
    assert (counts.better.tolist(), counts.worse.tolist(), counts.count.tolist()) == ([1], [0], [2.0])
    with pytest.raises(InvalidInput, match="got only rows that are the same"):
        compared_items(rows, answers_about(rows, 4, [(0, 2)]))
