"""The questions that paper 2 closes with."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import ConvexPerceptron, ItemMap, LinearLoss
from penchant.papers.coactive.questions import AdaGrad, Ellipsoid, GradientSteps
from tests.papers.running import result_of

ITEMS = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 1.0]])


def test_a_linear_loss_leaves_the_steps_as_they_are() -> None:
    """Its gradient is the same everywhere."""
    known = GradientSteps(ItemMap(), 2, loss=LinearLoss(), norm=1.0, truth=np.array([0.0, 1.0]))
    plain = ConvexPerceptron(ItemMap(), 2)
    for presented, feedback in ((0, 1), (1, 2)):
        known.update(ITEMS, presented, feedback)
        plain.update(ITEMS, presented, feedback)
    assert known.weights == pytest.approx(plain.weights)


def test_adagrad_steps_feature_by_feature() -> None:
    """A feature that never changed keeps its weight; the first step is one in size."""
    learner = AdaGrad(ItemMap(), 2).update(ITEMS, 0, 1)
    assert learner.weights == pytest.approx([1.0, 0.0])
    assert learner.update(ITEMS, 0, 1).weights == pytest.approx([1 + 3 / np.sqrt(18), 0.0])


def test_an_ellipsoid_keeps_the_weights_inside() -> None:
    """Whatever is asked, w* satisfies (w − c)ᵀA⁻¹(w − c) ≤ 1; a narrow one is not cut any more."""
    random = np.random.default_rng(0)
    truth = np.array([0.6, 0.0, 0.8])
    learner = Ellipsoid(ItemMap(), 3, narrow=1e-3)
    for _ in range(50):
        items = random.standard_normal((4, 3))
        learner.update(items, learner.present(items), int(np.argmax(items @ truth)))
        apart = truth - learner.weights
        assert apart @ np.linalg.solve(learner._shape, apart) <= 1 + 1e-9
    before = learner.weights.copy()
    tiny = 1e-9 * ITEMS @ np.eye(2, 3)
    assert learner.update(tiny, 0, 1).weights == pytest.approx(before)


def test_in_a_fixed_dimension_the_ellipsoid_loses_less() -> None:
    """The perceptron's regret grows like √T already in the plane."""
    numbers = result_of("2.fixed-dimension", size="quick").numbers
    assert numbers["perceptron, N = 2: growth exponent"].value == pytest.approx(0.5, abs=0.1)
    assert numbers["ellipsoid, N = 2: growth exponent"].value < 0.1
