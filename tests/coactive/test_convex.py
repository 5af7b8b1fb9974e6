from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from penchant.coactive import ConvexPerceptron, ExponentiatedPerceptron, ItemMap, RankingMap
from penchant.errors import InvalidInput
from penchant.saving import to_bytes


def test_steps_fall_and_the_ball_holds() -> None:
    """The step of round t is d/√t; outside the ball the weights are scaled back to its surface."""
    X, learner = np.eye(2), ConvexPerceptron(ItemMap(), 2, radius=2.0)
    assert learner.update(X, 0, 1).weights.tolist() == [-1.0, 1.0]
    step = 1 + 1 / np.sqrt(2)
    np.testing.assert_allclose(learner.update(X, 0, 1).weights, np.array([-1, 1]) * min(step, np.sqrt(2)))
    assert np.linalg.norm(learner.weights) == pytest.approx(2.0, abs=1e-15)


def test_the_start_is_projected_too() -> None:
    """Start weights outside the ball begin on its surface."""
    learner = ConvexPerceptron(ItemMap(), 2, radius=1.0, weights=[3.0, 4.0])
    np.testing.assert_allclose(learner.weights, [0.6, 0.8])


def test_weights_too_long_to_measure_are_refused() -> None:
    """A step whose square overflows is rejected with a message."""
    learner = ConvexPerceptron(ItemMap(), 1)
    kept = to_bytes(learner)
    with pytest.raises(InvalidInput, match="finite weights"):
        learner.update([[0.0], [1e200]], 0, 1)
    assert to_bytes(learner) == kept


@pytest.mark.parametrize("Kind", [ConvexPerceptron, partial(ExponentiatedPerceptron, bound=1.0)])
def test_a_forgetting_mean_forgets_in_the_same_way(Kind: Any) -> None:
    """After n more rounds weights count (1 − forget)ⁿ in the mean; a share outside [0, 1) is rejected."""
    learner = Kind(ItemMap(), 2, forget=0.25, averaged=True)
    seen = [learner.update(np.eye(2), 1 - better, better).weights for better in (1, 0, 1, 1, 0)]
    wanted = np.average(seen, axis=0, weights=0.75 ** np.arange(5)[::-1])
    np.testing.assert_allclose(learner.averaged_weights, wanted, atol=1e-15)
    for wrong in (1, -0.1, None):
        with pytest.raises(InvalidInput, match="forget must be a number"):
            Kind(ItemMap(), 2, forget=wrong)


@pytest.mark.parametrize("radius", [0, -1.0, np.nan, np.inf, None, "1", True])
def test_a_radius_is_above_zero(radius: Any) -> None:
    """The ball must have an inside."""
    with pytest.raises(InvalidInput, match="radius must be a number above 0"):
        ConvexPerceptron(RankingMap(), 2, radius=radius)
