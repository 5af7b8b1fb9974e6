"""Answers of a study as columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import OUTCOMES
from penchant.study.columns import BAR_ROW, AnswerColumns

answer_rows = st.lists(
    st.tuples(st.sampled_from(["ab", "ba", "ac", "ca", "bc", "cb"]), st.sampled_from(OUTCOMES)), max_size=30
)


def columns_of(rows: list[tuple[str, str]], **others: object) -> AnswerColumns:
    return AnswerColumns.of(
        [pair[0] for pair, _ in rows],
        [pair[1] for pair, _ in rows],
        [choice for _, choice in rows],
        items="abcd",
        **others,
    )


@given(answer_rows)
def test_totals_count_the_answers_about_a_pair(rows: list[tuple[str, str]]) -> None:
    """Whichever side an item was on, and the same seen from the other item."""
    columns = columns_of(rows)
    won = sum((pair, choice) in (("ab", "left"), ("ba", "right")) for pair, choice in rows)
    lost = sum((pair, choice) in (("ab", "right"), ("ba", "left")) for pair, choice in rows)
    tied = sum(choice == "tie" and set(pair) == {"a", "b"} for pair, choice in rows)
    assert columns.totals(0, 1) == (won, lost, tied)
    assert columns.totals(1, 0) == (lost, won, tied)
    bad = sum(choice == "both_bad" and "a" in pair for pair, choice in rows)
    assert columns.totals(0, BAR_ROW) == (0, bad, 0)


@given(answer_rows)
def test_preferences_are_the_decided_answers(rows: list[tuple[str, str]]) -> None:
    """Better first, of the rows that are asked for; items never compared are there."""
    columns = columns_of(rows)
    kept = np.arange(len(rows)) % 2 == 0
    found = columns.preferences(kept)
    expected = [
        ["abcd".index(pair[choice == "right"]), "abcd".index(pair[choice == "left"])]
        for pair, choice in rows[::2]
        if choice in ("left", "right")
    ]
    assert found.pairs().tolist() == expected
    assert found.n_items == 4


def test_a_pair_has_one_number_on_both_sides() -> None:
    """Different pairs have different ones."""
    columns = columns_of([("ab", "left"), ("ba", "tie"), ("ac", "skip"), ("dc", "left")])
    first, swapped, other, last = columns.pair
    assert first == swapped
    assert len({first, other, last}) == 3


def test_unknown_durations_and_repeats_are_marked() -> None:
    """None and a negative duration are NaN; the repeat of a question without an answer repeats none."""
    columns = columns_of(
        [("ab", "left"), ("ba", "left"), ("ac", "tie")],
        judge=["ann", None, "bob"],
        seconds=[2.5, None, -1.0],
        question=["q1", "q2", "q3"],
        repeats=[None, "q1", "q0"],
    )
    assert columns.seconds.tolist() == pytest.approx([2.5, np.nan, np.nan], nan_ok=True)
    assert columns.repeats.tolist() == [-1, 0, -1]
    assert columns.judge.tolist() == [0, -1, 1]
    assert columns.judges == ("ann", "bob")
    assert repr(columns) == "AnswerColumns(3 answers about 4 items)"


def test_wrong_columns_are_rejected() -> None:
    """With the name of the column or of the row."""
    with pytest.raises(InvalidInput, match=r"^seconds must have 1 entries, one a row, got 2"):
        columns_of([("ab", "left")], seconds=[1.0, 2.0])
    with pytest.raises(InvalidInput, match=r"^lengths must have 4 entries"):
        columns_of([("ab", "left")], lengths=[1, 2])
    with pytest.raises(UnknownItem):
        columns_of([("ax", "left")])
    with pytest.raises(InvalidInput, match=r"^outcome of row 0 must be one of left, right"):
        columns_of([("ab", "up")])


def test_weights_count_answers() -> None:
    """Whole ones as numbers of answers, others as they are."""
    rows = [("ab", "left"), ("ba", "left"), ("ab", "tie")]
    assert columns_of(rows, weight=[3, 2, 1]).totals(0, 1) == (3, 2, 1)
    assert columns_of(rows, weight=[0.5, 2, 1]).totals(0, 1) == (0.5, 2.0, 1.0)
    assert columns_of(rows, weight=[3, 2, 1]).preferences().weight.tolist() == [3, 2]
    assert columns_of(rows).preferences().weight is None
