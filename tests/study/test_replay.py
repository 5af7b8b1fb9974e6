"""Answers replayed with a model."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.study.answers import Answer, Question
from penchant.study.items import checked_items
from penchant.study.replay import predictions_of, replayed
from penchant.study.settings import model_as_stored
from penchant.study.starting import ModelStart


def answers_of(count: int, *, skip_every: int | None = None) -> list[Answer]:
    rng = np.random.default_rng(0)
    found = []
    for number in range(count):
        left, right = (f"i{row}" for row in rng.permutation(6)[:2])
        choice = "left" if left < right else "right"
        if skip_every and number % skip_every == 0:
            choice = "skip"
        found.append(Answer(f"a{number}", Question(f"q{number}", left, right, "me"), choice, place=number))
    return found


def start(name: str = "bradley-terry") -> ModelStart:
    items = {item.id: item for item in checked_items([f"i{row}" for row in range(6)])}
    return ModelStart(model_as_stored(name), items, [])


@pytest.mark.parametrize("last", [0, 1, 7, 40, 100, None])
def test_the_last_predictions_are_those_of_a_study_that_learns_from_the_first_answer_on(
    last: int | None,
) -> None:
    """However many answers before them are learned at once."""
    answers = start().encode(answers_of(60))
    whole = start().learning()
    whole.advance(answers)
    expected = whole.predicted().last(last)
    found = replayed(start().learning(), answers, last)
    assert found.outcome.tolist() == expected.outcome.tolist()
    assert found.probability == pytest.approx(expected.probability, abs=1e-12)
    assert len(found.outcome) == min(60, 60 if last is None else last)


def test_skips_are_counted_from_the_first_prediction_on() -> None:
    """Those among the answers that were predicted, and not those before."""
    live = answers_of(60, skip_every=3)
    answers = start().encode([answer for answer in live if answer.choice != "skip"])
    found = predictions_of(replayed(start().learning(), answers, 10), live)
    assert (len(found), found.skips) == (10, 5)
    found = predictions_of(replayed(start().learning(), answers, None), live)
    assert (len(found), found.skips) == (40, 20)
