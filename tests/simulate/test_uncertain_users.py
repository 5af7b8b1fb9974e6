"""Users who answer at random, or with the best that comes to mind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive._kernels import random_mass
from penchant.errors import InvalidInput
from penchant.simulate import BoundedUser, Documents, ExpectedUser, Items, StrictItem, StrictRanking
from tests.simulate.tables import offers, queries

WORTH = st.floats(-10, 10)


@given(WORTH, WORTH, WORTH)
def test_the_random_mass_is_the_largest_that_keeps_alpha(
    answered: float, by_chance: float, wanted: float
) -> None:
    """The mixture reaches what is wanted whenever the answer does, and with any more at random it would not."""
    mass = random_mass(answered, by_chance, wanted)
    assert 0 <= mass <= 1
    if answered >= wanted:
        assert (1 - mass) * answered + mass * by_chance >= wanted - 1e-9
    more = mass + 1e-3
    if more < 1 and by_chance < wanted:
        assert (1 - more) * answered + more * by_chance < wanted + 1e-9


@given(WORTH)
def test_rounding_decides_nothing_where_all_are_equally_good(worth: float) -> None:
    """A mean of equal utilities that comes out a rounding below or above them is as good as they are."""
    for by_chance in (np.nextafter(worth, -np.inf), worth, np.nextafter(worth, np.inf)):
        assert random_mass(worth, float(by_chance), worth) == 1


def test_feedback_is_informative_in_expectation() -> None:
    """Over 4,000 answers the mean gain is α of what is possible, within four standard errors, and not far above."""
    context = Items(np.zeros((6, 1)), [0.0, 1.0, 2.0, 3.0, 4.0, 10.0], np.zeros(6))
    user = ExpectedUser(user=StrictItem(1.0), alpha=0.5, seed=4)
    gains = [context.utility(user.answer(context, 0)) for _ in range(4000)]
    assert np.mean(gains) == pytest.approx(5.0, abs=4 * np.std(gains) / np.sqrt(4000))


@given(queries(), st.integers(0, 3))
def test_rankings_at_random_are_rankings(drawn: tuple[Documents, np.ndarray], seed: int) -> None:
    """Every answer is an order of all documents."""
    context, order = drawn
    for user in (ExpectedUser(user=StrictRanking(0.5), seed=seed), BoundedUser(seed=seed)):
        assert sorted(user.answer(context, order).tolist()) == list(range(len(order)))


@given(offers(), st.integers(0, 3))
def test_a_bounded_user_never_answers_with_less(drawn: tuple[Items, int], seed: int) -> None:
    """What was presented is among what comes to mind, and stays unless something is better."""
    context, item = drawn
    answer = BoundedUser(seed=seed).answer(context, item)
    assert answer == item or context.utility(answer) > context.utility(item)


def test_a_seed_is_the_whole_chance_of_inner_and_outer_user() -> None:
    """`seeded` begins both anew."""
    context = Items(np.zeros((9, 1)), np.arange(9.0), np.arange(9.0))
    inner = ExpectedUser(user=StrictItem(1.0))
    users = [ExpectedUser(user=inner, alpha=0.1).seeded(seed) for seed in (1, 1, 2)]
    told = [[user.answer(context, 0) for _ in range(30)] for user in users]
    assert told[0] == told[1] != told[2]


@pytest.mark.parametrize(
    "make",
    [lambda: ExpectedUser(user=StrictItem(), alpha=0.0), lambda: BoundedUser(objects=0)],
)
def test_settings_that_make_no_sense_are_refused(make: object) -> None:
    """α outside (0, 1] and no objects at all."""
    with pytest.raises(InvalidInput, match="must be"):
        make()
