"""Answers are checked alike by all beliefs, and a first tie is expected before it comes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.online.answers import (
    BOTH_BAD,
    LEFT,
    RIGHT,
    TIE,
    check_answer,
    first_tie_share,
    log_chance_before_ties,
    with_first_tie,
)
from penchant.preferences import OUTCOMES


def test_outcomes_are_numbered_as_everywhere() -> None:
    """The four codes are the places of the outcomes of preferences."""
    assert [OUTCOMES[code] for code in (LEFT, RIGHT, TIE, BOTH_BAD)] == ["left", "right", "tie", "both_bad"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 3, 0, 1.0), "two different rows from 0 to 2, got 0 and 3"),
        ((1, 1, 0, 1.0), "two different rows from 0 to 2, got 1 and 1"),
        ((-1, 1, 0, 1.0), "two different rows from 0 to 2, got -1 and 1"),
        ((0, 1, 4, 1.0), "outcome must be 0, 1, 2 or 3, got 4"),
        ((0, 1, 0, 0.0), r"weight must be a number above 0, got 0\.0"),
        ((0, 1, 0, np.nan), "weight must be a number above 0, got nan"),
        ((0, 1, 0, np.inf), "weight must be a number above 0, got inf"),
    ],
)
def test_wrong_answers_are_named(given: tuple[int, int, int, float], message: str) -> None:
    """The message holds the limit and what came."""
    with pytest.raises(InvalidInput, match=message):
        check_answer(*given, 3)


def test_right_answers_pass() -> None:
    """All outcomes about all pairs are accepted."""
    for outcome in range(4):
        check_answer(2, 0, outcome, 0.5, 3)


@given(left=st.floats(0.001, 0.999), answers=st.floats(0, 1e6), weight=st.floats(0.1, 10))
def test_a_first_tie_is_possible(left: float, answers: float, weight: float) -> None:
    """Probabilities sum to 1, the odds of a decision stay, a tie is rare, and log probabilities are theirs."""
    chances = with_first_tie(np.array([left, 1 - left, 0.0]), answers)
    assert chances.sum() == pytest.approx(1)
    assert chances[0] * (1 - left) == pytest.approx(chances[1] * left)
    assert 0 < chances[TIE] == first_tie_share(answers) <= 0.05
    for outcome, decided in ((LEFT, left), (RIGHT, 1 - left), (TIE, 1.0)):
        found = log_chance_before_ties(outcome, weight * np.log(decided), answers, weight)
        assert found == pytest.approx(weight * np.log(chances[outcome]))
    assert log_chance_before_ties(BOTH_BAD, -1.5, answers, weight) == -1.5


def test_the_log_loss_of_never_tying_is_small() -> None:
    """Over a thousand answers without a tie, expecting one costs less than three answers by a coin."""
    loss = -np.log1p(-np.array([first_tie_share(n) for n in range(1000)])).sum()
    assert loss < 3 * np.log(2) + 0.5
