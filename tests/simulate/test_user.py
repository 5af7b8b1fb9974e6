"""What simulated users share: seeds, and the condition of strict ones."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.simulate import BetterItem, Items, StrictItem


@pytest.mark.parametrize("scale", [1e2, 1e5, 1e9])
def test_large_utilities_do_not_round_the_best_away(scale: float) -> None:
    """With α = 1 the best of 6 items is named in each of 500 offers, however large utilities are."""
    random = np.random.default_rng(0)
    for utilities in scale * random.standard_normal((500, 6)):
        offer = Items(np.zeros((6, 1)), utilities, np.zeros(6))
        assert StrictItem(1.0).answer(offer, int(np.argsort(utilities)[1])) == utilities.argmax()


def test_a_seed_is_a_users_whole_chance() -> None:
    """The same seed gives the same answers; `seeded` begins another sequence and leaves the first alone."""
    context = Items(np.zeros((50, 1)), np.zeros(50), [0] + [1] * 49)
    first, again, other = BetterItem(seed=3), BetterItem(seed=9).seeded(3), BetterItem(seed=3).seeded(4)
    told = [[user.answer(context, 0) for _ in range(20)] for user in (first, again, other)]
    assert told[0] == told[1] != told[2]


@pytest.mark.parametrize("alpha", ["a", None, 0.0, 1.5, True, np.nan])
def test_an_alpha_that_is_none_is_refused(alpha: object) -> None:
    """α is a number above 0 and at most 1."""
    with pytest.raises(InvalidInput, match="alpha must be a number above 0 and at most 1"):
        StrictItem(alpha)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 1.5, None, True])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    """A seed is a whole number of at least 0."""
    with pytest.raises(InvalidInput, match="seed must be a whole number of at least 0"):
        BetterItem(seed=seed)  # type: ignore[arg-type]
