"""Lemma 3: whatever a learner presents is wrong, and costs all that Theorem 1 allows."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import (
    ItemMap,
    PreferencePerceptron,
    perceptron_bound,
    play_lower_bound,
    slack,
    utility_regret,
)
from penchant.errors import InvalidInput


class Random:
    """Presents what a seed says, and learns nothing."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def present(self, context: object) -> int:
        return int(self.rng.integers(2))

    def update(self, context: object, presented: int, feedback: int) -> None:
        assert {presented, feedback} == {0, 1}


@pytest.mark.parametrize("norm", [1.0, 10.0])
@pytest.mark.parametrize("learner", [lambda: PreferencePerceptron(ItemMap(), 40), Random])
def test_every_learner_loses_all_that_is_allowed(learner, norm: float) -> None:
    """With α = 1 and no slack, the regret is 2‖w*‖/√T: Theorem 1 cannot be improved."""
    game = play_lower_bound(learner(), 40, norm=norm)
    assert np.linalg.norm(game.weights) == pytest.approx(norm)
    xi = slack(game.presented, game.feedback, game.feedback, alpha=1.0)
    assert not xi.any()
    regret = utility_regret(game.presented, game.feedback)
    np.testing.assert_allclose(regret, 2 * norm / np.sqrt(40))
    assert regret[-1] == pytest.approx(perceptron_bound(xi, alpha=1.0, R=1.0, norm=norm)[-1])


@pytest.mark.parametrize(
    ("n_rounds", "norm", "said"),
    [
        (0, 1.0, "n_rounds must be a whole number of at least 1, got 0"),
        (2.5, 1.0, "n_rounds must be a whole number of at least 1, got 2.5"),
        (3, 0.0, "norm must be a number above 0"),
        (3, float("nan"), "norm must be a number above 0"),
        (3, "1", "norm must be a number above 0"),
    ],
)
def test_no_game_is_refused(n_rounds, norm, said: str) -> None:
    """No round, half a round, or no w*, is named."""
    with pytest.raises(InvalidInput, match=said):
        play_lower_bound(Random(), n_rounds, norm=norm)
