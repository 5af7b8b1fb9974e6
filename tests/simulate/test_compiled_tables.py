"""What compiled runs read of users who answer at random as often as α allows."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import ItemMap, RankingMap
from penchant.coactive.learner import Learner
from penchant.simulate import (
    BetterItem,
    ExpectedUser,
    Movies,
    NoisyRanking,
    StrictItem,
    StrictRanking,
    User,
    play,
)
from penchant.simulate.compiled_runs import compiled_run
from tests.simulate.tables import movies, web
from tests.simulate.test_compiled_runs import learners
from tests.simulate.test_engine import assert_same


@pytest.mark.parametrize("inner", [StrictRanking(0.5), NoisyRanking(4)], ids=repr)
@pytest.mark.parametrize("learner", learners(RankingMap(3), 6)[::2], ids=repr)
def test_compiled_lapses_on_rankings_are_those_of_the_public_way(learner: Learner, inner: User) -> None:
    """A user who answers at random as often as α allows does so in the same rounds and with the same rankings."""
    setting = web(80, 6, feature_map=RankingMap(3))
    user = ExpectedUser(user=inner, alpha=0.5, objects=3)
    assert compiled_run(learner, user, setting) is not None
    fast, slow = (play(learner, user, setting, runs=2, rounds=120, compiled=way) for way in (True, False))
    assert_same(fast, slow)
    assert (fast.feedback_utility < fast.presented_utility).any()


@pytest.mark.parametrize("inner", [StrictItem(1.0), BetterItem()], ids=repr)
@pytest.mark.parametrize("learner", learners(ItemMap(), 5)[::2], ids=repr)
def test_compiled_lapses_on_items_are_those_of_the_public_way(learner: Learner, inner: User) -> None:
    """Items that are drawn among those left are the same in all rounds."""
    integers = movies(101, 5)
    setting = Movies(
        integers.features + np.random.default_rng(1).random((101, 5)), integers.weights, mean=3.2
    )
    user = ExpectedUser(user=inner, alpha=0.5)
    assert compiled_run(learner, user, setting) is not None
    fast, slow = (play(learner, user, setting, compiled=way) for way in (True, False))
    assert_same(fast, slow)
    assert (fast.feedback_utility < fast.presented_utility).any()
