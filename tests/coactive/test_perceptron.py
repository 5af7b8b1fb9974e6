from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.coactive import ItemMap, PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput
from penchant.saving import to_bytes
from tests.coactive.slow_learners import ranking_rounds


def run(learner: PreferencePerceptron, n_rounds: int = 60, seed: int = 3) -> PreferencePerceptron:
    for X, answer in ranking_rounds(n_rounds, learner.n_features, seed):
        presented = learner.present(X)
        learner.update(X, presented, answer(presented))
    return learner


def test_a_batch_of_one_is_algorithm_1() -> None:
    """batch=1 gives the same state as no batch, to the last bit."""
    assert to_bytes(run(PreferencePerceptron(RankingMap(), 4, batch=1))) == to_bytes(
        run(PreferencePerceptron(RankingMap(), 4))
    )


def test_a_trailing_partial_batch_is_not_applied() -> None:
    """Of 3 + 2 corrections in batches of 3 the last two wait, and are applied with the sixth."""
    X = np.eye(3)
    learner = PreferencePerceptron(ItemMap(), 3, batch=3)
    for number in range(1, 7):
        learner.update(X, 0, 1)
        assert learner.weights.tolist() == [-(number // 3) * 3.0, (number // 3) * 3.0, 0.0]


def test_a_round_without_change_fills_a_batch() -> None:
    """The second of two rounds changed nothing; the batch of two is applied all the same."""
    X = np.eye(2)
    learner = PreferencePerceptron(ItemMap(), 2, batch=2).update(X, 0, 1)
    assert not learner.weights.any()
    assert learner.update(X, 0, 0).weights.tolist() == [-1.0, 1.0]


def test_forgetting_halves_a_correction_in_its_half_life() -> None:
    """After n more rounds a correction counts (1 − forget)ⁿ, in batches as well."""
    X = np.eye(2)
    for batch in (1, 5):
        learner = PreferencePerceptron(ItemMap(), 2, forget=0.1, batch=batch)
        for _ in range(batch):
            learner.update(X, 0, 1)
        start = learner.weights[1]
        for _ in range(20):
            learner.update(X, 0, 0)
        assert learner.weights[1] == pytest.approx(start * 0.9**20, rel=1e-12)


@pytest.mark.parametrize(
    "started", [{"averaged": True}, {"weights": [300.0, 0.0, 0.0, 0.0]}], ids=["mean", "start"]
)
def test_forgetting_follows_a_taste_that_turns(started: Any) -> None:
    """What weighs much, a mean of 800 rounds or a strong start, loses less utility after a turn if it forgets."""
    taste, lost = np.array([1.0, 0.5, -0.5, 0.2]), {}
    for forget in (0.0, 0.02):
        rng = np.random.default_rng(6)
        learner = PreferencePerceptron(ItemMap(), 4, forget=forget, **started)
        lost[forget] = 0.0
        for number in range(1000):
            X = rng.normal(size=(6, 4))
            utility = X @ taste * (1 if number < 800 else -1)
            presented = learner.present(X)
            learner.update(X, presented, int(np.argmax(utility + 0.5 * rng.normal(size=6))))
            if number >= 800:
                lost[forget] += utility.max() - utility[presented]
    assert lost[0.02] < 0.7 * lost[0.0]


def test_the_mean_of_the_weights_forgets_in_the_same_way() -> None:
    """It is the mean weighted by (1 − forget) to the age of each round."""
    learner, seen = PreferencePerceptron(RankingMap(), 4, forget=0.2), []
    for X, answer in ranking_rounds(30, 4, seed=7):
        presented = learner.present(X)
        seen.append(learner.update(X, presented, answer(presented)).weights)
    ages = 0.8 ** np.arange(30)[::-1]
    np.testing.assert_allclose(learner.averaged_weights, ages @ seen / ages.sum(), atol=1e-12)


@pytest.mark.parametrize("batch", [0, -1, 1.5, True, None])
def test_a_batch_is_a_whole_number(batch: Any) -> None:
    """At least 1."""
    with pytest.raises(InvalidInput, match="batch must be a whole number of at least 1"):
        PreferencePerceptron(RankingMap(), 2, batch=batch)


@pytest.mark.parametrize("forget", [-0.1, 1, 1.5, np.nan, "0", None, True])
def test_forgetting_is_a_share(forget: Any) -> None:
    """At least 0 and below 1."""
    with pytest.raises(InvalidInput, match="forget must be a number of at least 0 and below 1"):
        PreferencePerceptron(RankingMap(), 2, forget=forget)


def test_a_batch_too_large_to_add_is_refused() -> None:
    """Corrections that overflow while they wait are rejected when they come, not later."""
    learner = PreferencePerceptron(ItemMap(), 1, batch=5)
    X = np.array([[-6e307], [6e307]])
    learner.update(X, 0, 1)
    kept = to_bytes(learner)
    with pytest.raises(InvalidInput, match="finite weights"):
        learner.update(X, 0, 1)
    assert to_bytes(learner) == kept
