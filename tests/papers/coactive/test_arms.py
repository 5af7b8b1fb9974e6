"""Players of Table 1, each with what its framework shows."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.coactive.arms import DuelingArms, Experts, LinearBandit, PreferringArms, Round

ARMS = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
ROUND = Round(ARMS, np.array([[1.0, 2.0, 3.0]]), np.array([[0.1, 0.9, 0.5]]))


def test_experts_see_all_rewards_and_a_bandit_its_own() -> None:
    """By least squares with a ridge of 1."""
    experts, bandit = Experts(1, 2), LinearBandit(1, 2, 0.0)
    experts.see(ROUND, experts.pull(ARMS))
    bandit.see(ROUND, (np.array([1]),))
    assert experts.weights[0] == pytest.approx(np.linalg.solve([[3, 1], [1, 3]], [4, 5]))
    assert bandit.weights[0] == pytest.approx([0.0, 1.0])


def test_a_wide_confidence_bound_pulls_what_is_unknown() -> None:
    """The longest arm is the least known at first."""
    assert LinearBandit(1, 2, 1.0).pull(ARMS)[0].tolist() == [2]


def test_a_perceptron_sees_an_arm_that_brought_more() -> None:
    """Drawn among them; none if its own is the best."""
    player = PreferringArms(1, 2)
    player.see(ROUND, (np.array([0]),))
    assert player.weights.tolist() == [[-1.0, 1.0]]
    player.see(ROUND, (np.array([2]),))
    assert player.weights.tolist() == [[-1.0, 1.0]]


def test_a_dueling_bandit_follows_a_direction_that_won() -> None:
    """A step of the given length, or none."""
    player = DuelingArms(1, 2, 0.5, seed=0)
    player.pull(ARMS)
    player.see(ROUND, (np.array([0]), np.array([2])))
    assert np.linalg.norm(player.weights) == pytest.approx(0.5)
    player.pull(ARMS)
    before = player.weights.copy()
    player.see(ROUND, (np.array([2]), np.array([0])))
    assert (player.weights == before).all()
