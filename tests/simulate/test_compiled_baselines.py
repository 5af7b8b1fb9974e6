"""Whole runs of the retrained SVM, compiled between two trainings; those of bandits are in test_compiled_runs.py."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import ItemMap, RankingMap
from penchant.simulate import (
    BestItem,
    BetterItem,
    Movies,
    NoisyRanking,
    StrictItem,
    StrictRanking,
    User,
    play,
)
from penchant.simulate.compiled_baselines import baseline_run
from penchant.simulate.retrained_svm import RetrainedSVM
from tests.simulate.tables import movies, web
from tests.simulate.test_engine import assert_same


@pytest.mark.parametrize("losses", ["sum", "mean"])
@pytest.mark.parametrize(("user", "rounds"), [(StrictRanking(0.5), 150), (NoisyRanking(4), 40)], ids=repr)
def test_compiled_runs_on_rankings_are_those_of_the_public_way(user: User, rounds: int, losses: str) -> None:
    """Tops and weights of two runs are equal, with short lists, copied documents and rounds that change nothing.

    Random labels are not learned from so long that the choice of C, a matter of chance there, turns on rounding.
    """
    setting = web(60, 5, feature_map=RankingMap(3))
    svm = RetrainedSVM(RankingMap(3), 5, losses=losses, seed=2)  # type: ignore[arg-type]
    assert baseline_run(svm, user, setting) is not None
    assert_same(*(play(svm, user, setting, runs=2, rounds=rounds, compiled=way) for way in (True, False)))


@pytest.mark.parametrize("user", [StrictItem(0.5), BetterItem(), BestItem()], ids=repr)
def test_compiled_runs_on_items_are_those_of_the_public_way(user: User) -> None:
    """Items and weights are equal until no item is left."""
    integers = movies(161, 4)
    noise = np.random.default_rng(1).random((161, 4))
    setting = Movies(integers.features + noise, integers.weights, mean=3.2)
    svm = RetrainedSVM(ItemMap(), 4)
    assert baseline_run(svm, user, setting) is not None
    fast, slow = (play(svm, user, setting, compiled=way) for way in (True, False))
    assert fast.n_rounds == 81
    assert_same(fast, slow)
