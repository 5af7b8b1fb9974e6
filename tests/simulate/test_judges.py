"""Simulated judges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from penchant.errors import InvalidInput
from penchant.simulate import ProbitJudge, crowd

MANY = 4000
BAND = 4 * 0.5 / MANY**0.5


def share_left(judge: ProbitJudge, left: int = 0, right: int = 1) -> float:
    return sum(judge.prefers_left(left, right) for _ in range(MANY)) / MANY


@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
def test_answers_are_probit(noise: float) -> None:
    """The left one is preferred with Φ((u_l − u_r)/(√2 · noise)), within four standard errors."""
    judge = ProbitJudge([1.0, 0.2], noise=noise, seed=3)
    assert share_left(judge) == pytest.approx(ndtr(0.8 / (np.sqrt(2) * noise)), abs=BAND)


def test_an_unreliable_judge_throws_a_coin() -> None:
    """With reliability r an answer is the items' with r and a coin's otherwise."""
    judge = ProbitJudge([1.5, 0.0], reliability=0.4, seed=1)
    expected = 0.4 * ndtr(1.5 / np.sqrt(2)) + 0.6 * 0.5
    assert share_left(judge) == pytest.approx(expected, abs=BAND)


def test_a_biased_judge_leans_to_the_left() -> None:
    """Between equal items the left one gains the bias."""
    assert share_left(ProbitJudge([0.0, 0.0], side_bias=0.5)) == pytest.approx(
        ndtr(0.5 / np.sqrt(2)), abs=BAND
    )


def test_a_drifting_judge_changes_their_mind() -> None:
    """Utilities change by the drift with each answer, those of others and of the caller do not."""
    given = np.array([1.0, 0.0])
    judge = ProbitJudge(given, drift=0.1, seed=5)
    for _ in range(400):
        judge.prefers_left(0, 1)
    assert given.tolist() == [1.0, 0.0]
    assert 0.4 < np.abs(judge.utility - given).max() < 8


def test_without_noise_the_better_one_always_wins() -> None:
    """Noise 0 gives the order itself, and a coin between equals."""
    judge = ProbitJudge([1.0, 0.0, 0.0], noise=0.0)
    assert share_left(judge) == 1.0
    assert share_left(judge, 1, 0) == 0.0
    assert share_left(judge, 1, 2) == pytest.approx(0.5, abs=BAND)


def test_the_same_seed_answers_the_same() -> None:
    """A seed decides all answers."""
    one, other = (ProbitJudge([0.1, 0.0], seed=9) for _ in range(2))
    assert [one.prefers_left(0, 1) for _ in range(50)] == [other.prefers_left(0, 1) for _ in range(50)]


def test_a_crowd_differs() -> None:
    """Judges of a crowd have reliabilities in the range, biases and tastes of their own."""
    judges = crowd([1.0, 0.0, -1.0], 200, reliability=(0.6, 0.9), side_bias=0.3, disagreement=0.5, seed=2)
    assert all(0.6 <= judge.reliability <= 0.9 for judge in judges)
    assert np.std([judge.side_bias for judge in judges]) == pytest.approx(0.3, rel=0.2)
    tastes = np.array([judge.utility for judge in judges])
    assert tastes.mean(axis=0) == pytest.approx([1.0, 0.0, -1.0], abs=0.15)
    assert tastes.std(axis=0) == pytest.approx([0.5] * 3, rel=0.2)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"noise": -1}, "noise must be a number of at least 0"),
        ({"drift": float("nan")}, "drift must be a number of at least 0"),
        ({"reliability": 1.1}, "reliability must be from 0 to 1"),
        ({"utility": [np.nan, 0]}, "utility of row 0"),
    ],
)
def test_judges_that_cannot_be_are_refused(wrong: dict[str, Any], words: str) -> None:
    """Deviations below 0, shares above 1 and utilities that are no numbers are rejected."""
    with pytest.raises(InvalidInput, match=words):
        ProbitJudge(**({"utility": [1.0, 0.0]} | wrong))


def test_an_empty_crowd_is_refused() -> None:
    """There is at least one judge."""
    with pytest.raises(InvalidInput, match="at least 1 judge"):
        crowd([0.0, 1.0], 0)
