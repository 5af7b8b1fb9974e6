"""Users who name a better item, beside the papers' words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.simulate import BestItem, BetterItem, Items, StrictItem
from tests.simulate.tables import offers


@given(offers(), st.floats(0.01, 1.0))
def test_a_strict_user_names_the_lowest_that_is_good_enough(drawn: tuple[Items, int], alpha: float) -> None:
    """Eq. 5 holds, nothing of lower utility satisfies it, equals go by index, and a best item is named again."""
    context, item = drawn
    answer = StrictItem(alpha).answer(context, item)
    here = context.utilities[item]
    wanted = here + alpha * (context.utilities.max() - here) - 1e-12
    enough = [(utility, index) for index, utility in enumerate(context.utilities) if utility >= wanted]
    assert answer == (item if here >= wanted else min(enough)[1])
    if here == context.utilities.max():
        assert answer == item


@given(offers(), st.integers(0, 5))
def test_better_is_the_next_rating_up(drawn: tuple[Items, int], seed: int) -> None:
    """The answer has the lowest rating above the presented one's, or is the presented item if there is none."""
    context, item = drawn
    answer = BetterItem(seed=seed).answer(context, item)
    above = [grade for grade in context.grades if grade > context.grades[item]]
    assert context.grades[answer] == min(above) if above else answer == item


@given(offers(), st.integers(0, 5))
def test_best_is_the_highest_rating(drawn: tuple[Items, int], seed: int) -> None:
    """The answer has the highest rating, and is the presented item if that has it."""
    context, item = drawn
    answer = BestItem(seed=seed).answer(context, item)
    assert context.grades[answer] == context.grades.max()
    assert answer == item or context.grades[item] < context.grades.max()


@pytest.mark.parametrize("kind", [BetterItem, BestItem])
def test_equal_ratings_are_drawn_evenly(kind: type[BetterItem | BestItem]) -> None:
    """Of 3,000 answers each of three equal items gets a third, within four standard errors (± 0.035)."""
    context = Items(np.zeros((5, 1)), np.zeros(5), [1, 4, 4, 2, 4])
    user = kind(seed=1)
    answers = np.bincount([user.answer(context, 3) for _ in range(3000)], minlength=5) / 3000
    assert answers[[0, 3]].tolist() == [0, 0]
    np.testing.assert_allclose(answers[[1, 2, 4]], 1 / 3, atol=0.035)


def test_an_unknown_item_is_refused() -> None:
    """Each user says which items there are."""
    context = Items(np.zeros((2, 1)), np.zeros(2), np.zeros(2))
    for user in (StrictItem(), BetterItem(), BestItem()):
        with pytest.raises(InvalidInput, match="from 0 to 1, got 2"):
            user.answer(context, 2)
