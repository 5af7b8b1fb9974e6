"""Answers as rows of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.preferences import OUTCOMES
from penchant.study.answers import Answer, LiveAnswers, Question
from penchant.study.encoding import ANSWER, Encoder, GrowingRows
from penchant.study.items import Item
from penchant.study.settings import model_as_stored
from penchant.study.starting import ModelStart
from penchant.study.state import preferences_of
from penchant.worth import BradleyTerry

ITEMS = tuple("abcd")


@st.composite
def some_answers(draw: st.DrawFn) -> list[Answer]:
    pairs = st.permutations(ITEMS).map(lambda order: order[:2])
    rows = st.tuples(
        pairs,
        st.sampled_from(OUTCOMES[:4]),
        st.sampled_from(["ann", "bob", ""]),
        st.sampled_from([1.0, 2.5]),
        st.booleans(),
    )
    return [
        Answer(
            f"a{number}",
            Question(f"q{number}", pair[0], pair[1], judge),
            choice,
            weight,
            place=number,
            sides=sides,
        )
        for number, (pair, choice, judge, weight, sides) in enumerate(draw(st.lists(rows, max_size=12)))
    ]


@given(some_answers())
def test_rows_hold_what_answers_say(answers: list[Answer]) -> None:
    """Every column, read back."""
    encoder = Encoder({item: row for row, item in enumerate(ITEMS)})
    rows, judges = encoder(answers), list(encoder.judges)
    assert rows.dtype == ANSWER
    assert [
        (ITEMS[left], ITEMS[right], OUTCOMES[outcome], weight, judges[judge], sides)
        for left, right, outcome, weight, judge, sides in rows.tolist()
    ] == [
        (
            answer.question.left,
            answer.question.right,
            answer.choice,
            answer.weight,
            answer.question.judge,
            answer.sides,
        )
        for answer in answers
    ]


@given(some_answers())
def test_a_start_learns_from_what_the_answers_say(answers: list[Answer]) -> None:
    """Rows become the same preferences as the answers themselves, with judges where a model uses them."""
    items = {item: Item(item, item) for item in ITEMS}
    expected = preferences_of(answers, ITEMS)
    start = ModelStart(model_as_stored(BradleyTerry(errors="judge")), items, [])
    found = start(start.encode(answers))._preferences  # type: ignore[attr-defined]
    assert found.to_orders() == expected.to_orders()
    assert found.items == expected.items
    for name in ("weight", "judge", "better_on_left"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert found.judges == expected.judges


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "remove", "restore", "look"]), st.integers(0, 99)), max_size=90
    )
)
def test_rows_grow_and_shrink_with_the_answers(steps: list[tuple[str, int]]) -> None:
    """After any history the rows are those of the answers, encoded at once."""
    encoder = Encoder({item: row for row, item in enumerate(ITEMS)})
    live, rows, removed, place = LiveAnswers(), GrowingRows(encoder), list[Answer](), 0
    for kind, number in steps:
        if kind == "add":
            left, right = ITEMS[number % 4], ITEMS[(number + 1) % 4]
            live.add(
                Answer(
                    f"a{place}", Question(f"q{place}", left, right, "me"), "left", 1.0 + place, place=place
                )
            )
            place += 1
        elif kind == "remove" and len(live):
            removed.append(live.answers[number % len(live)])
            live.remove(removed[-1])
        elif kind == "restore" and removed:
            live.add(removed.pop(number % len(removed)))
        else:
            assert np.array_equal(rows.of(live.answers, live.unchanged), encoder(live.answers))
            live.mark()
    assert np.array_equal(rows.of(live.answers, live.unchanged), encoder(live.answers))


def test_each_answer_is_encoded_once() -> None:
    """A study of very many answers would stop for all of them otherwise."""
    encoded: list[str] = []

    class Counting(Encoder):
        def one(self, answer: Answer) -> tuple[Any, ...]:
            encoded.append(answer.id)
            return super().one(answer)

    rows = GrowingRows(Counting({"a": 0, "b": 1}))
    answers = [Answer(f"a{k}", Question(f"q{k}", "a", "b", "me"), "tie", place=k) for k in range(200)]
    for count in range(201):
        rows.of(answers[:count], count)
    assert encoded == [answer.id for answer in answers]
    rows.of(answers[:150] + answers[151:], 150)
    assert encoded[200:] == [answer.id for answer in answers[151:]]


def test_an_unknown_choice_is_an_error() -> None:
    """The log checks choices; what slips through must not become another answer."""
    with pytest.raises(KeyError):
        Encoder({"a": 0, "b": 1})([Answer("a", Question("q", "a", "b", "me"), "middle")])
