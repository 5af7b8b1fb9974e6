"""Runs of questions: when they end, what they show, and whether stopping rules are honest."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from penchant.ask import settled
from penchant.errors import InvalidInput
from penchant.simulate import (
    AtRandom,
    ByWorth,
    KendallReached,
    OnlineBelief,
    ProbitJudge,
    Propagated,
    TopSettled,
    ask_until,
    is_right,
)


def test_stopping_is_honest() -> None:
    """Of 30 runs that say that the best two of eight are 95 % sure, at least 25 are right (93 % less 2 errors)."""
    right = []
    for seed in range(30):
        utility = 2 * np.random.default_rng(seed).standard_normal(8)
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        ended = ask_until(TopSettled(2), ByWorth("top", top=2), Propagated(8), [judge], most=500, seed=seed)
        if ended.reached:
            right.append(is_right(ended.order, utility, top=2, width=float(ndtri(0.6))))
    assert len(right) >= 25
    assert sum(right) >= (0.93 - 2 * (0.93 * 0.07 / len(right)) ** 0.5) * len(right)


def test_stopping_is_honest_with_close_items() -> None:
    """Of 40 runs with utilities of sd 0.3 that say that the best of eight is 95 % sure, at least 36 are right."""
    right = []
    for seed in range(40):
        utility = 0.3 * np.random.default_rng(seed).standard_normal(8)
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        ended = ask_until(TopSettled(1), ByWorth("top", top=1), Propagated(8), [judge], most=1000, seed=seed)
        assert ended.reached
        right.append(is_right(ended.order, utility, top=1, width=float(ndtri(0.6))))
    assert sum(right) >= 36


def test_the_answers_that_are_left_lie_in_the_range() -> None:
    """Over 8 runs with the whole order of seven items, nine tenths of the ranges hold, give or take 15 in 100."""
    held = []
    for seed in range(8):
        utility = 2 * np.random.default_rng(seed).standard_normal(7)
        goal = Watching()
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        ended = ask_until(goal, ByWorth(), Propagated(7), [judge], most=2000, seed=seed)
        assert ended.reached
        held.append(fmean(low <= ended.questions - asked <= high for asked, (low, high) in goal.said.items()))
    assert 0.75 <= fmean(held) <= 0.99


class Watching(TopSettled):
    """Settles the whole order, and keeps what was said on the way."""

    def __init__(self) -> None:
        super().__init__(None, growth=0.5)
        self.said: dict[int, tuple[int, int]] = {}

    def __call__(self, belief: OnlineBelief, asked: int) -> bool:
        """Look, and note down."""
        looked = asked >= max(self._next, len(belief.mean))
        enough = super().__call__(belief, asked)
        if looked and not enough:
            self.said[asked] = settled(belief, goal="exact", noise=0.5**0.5, draws=500, seed=asked).left_range
        return enough


def test_a_pair_comes_back_with_its_sides_swapped() -> None:
    """Two items alone: left and right change places with each question."""
    shown = []

    class Looking(ProbitJudge):
        def prefers_left(self, left: int, right: int) -> bool:
            shown.append(left)
            return super().prefers_left(left, right)

    ask_until(lambda belief, asked: False, ByWorth(), Propagated(2), [Looking([0.0, 0.0])], most=10)
    assert all(before != after for before, after in pairwise(shown))


def test_runs_that_find_no_end_say_so() -> None:
    """When the questions run out the goal was not reached."""
    ended = ask_until(
        lambda belief, asked: False, AtRandom(), Propagated(4), [ProbitJudge(np.zeros(4))], most=7
    )
    assert (ended.questions, ended.reached) == (7, False)


def test_a_run_is_decided_by_its_seeds() -> None:
    """The same seeds ask the same questions and end the same."""

    def once() -> Any:
        utility = np.linspace(2, -2, 9)
        judge = ProbitJudge(utility, seed=4)
        ended = ask_until(KendallReached(utility), ByWorth(), Propagated(9), [judge], seed=4)
        return ended.questions, ended.order

    assert once() == once()


def test_nobody_to_ask_is_an_error() -> None:
    """No judges or no questions are an error."""
    with pytest.raises(InvalidInput, match="needs judges"):
        ask_until(lambda belief, asked: True, AtRandom(), Propagated(3), [])
    with pytest.raises(InvalidInput, match="needs judges and questions, got 1 and 0"):
        ask_until(lambda belief, asked: True, AtRandom(), Propagated(3), [ProbitJudge(np.zeros(3))], most=0)
