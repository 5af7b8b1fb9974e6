"""Each learner against the slow reference of its algorithm, over long runs with ties, short lists and removals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    PreferencePerceptron,
    RankingMap,
    SecondOrderPerceptron,
)
from tests.coactive.slow_learners import (
    SlowConvex,
    SlowExponentiated,
    SlowPerceptron,
    SlowSecondOrder,
    item_rounds,
    ranking_rounds,
    slow_order,
    slow_phi,
)

N = 6
ROUNDS = 600

PAIRS = {
    "perceptron": (lambda m: PreferencePerceptron(m, N), lambda: SlowPerceptron(N)),
    "batch of 7": (lambda m: PreferencePerceptron(m, N, batch=7), lambda: SlowPerceptron(N, 7)),
    "forgetting": (lambda m: PreferencePerceptron(m, N, forget=0.01), lambda: SlowPerceptron(N, 1, 0.01)),
    "forgetting in batches": (
        lambda m: PreferencePerceptron(m, N, batch=3, forget=0.01),
        lambda: SlowPerceptron(N, 3, 0.01),
    ),
    "exponentiated, horizon": (
        lambda m: ExponentiatedPerceptron(m, N, bound=5.0, horizon=ROUNDS),
        lambda: SlowExponentiated(N, 5.0, ROUNDS, True),
    ),
    "exponentiated, falling rate": (
        lambda m: ExponentiatedPerceptron(m, N, bound=5.0),
        lambda: SlowExponentiated(N, 5.0, None, True),
    ),
    "exponentiated, not signed": (
        lambda m: ExponentiatedPerceptron(m, N, bound=5.0, horizon=ROUNDS, signed=False),
        lambda: SlowExponentiated(N, 5.0, ROUNDS, False),
    ),
    "exponentiated, forgetting": (
        lambda m: ExponentiatedPerceptron(m, N, bound=5.0, forget=0.01),
        lambda: SlowExponentiated(N, 5.0, None, True, 0.01),
    ),
    "convex, forgetting": (
        lambda m: ConvexPerceptron(m, N, radius=2.0, forget=0.01),
        lambda: SlowConvex(N, 2.0, 0.01),
    ),
    "convex": (lambda m: ConvexPerceptron(m, N, radius=2.0), lambda: SlowConvex(N, 2.0)),
    "second order, inside": (
        lambda m: SecondOrderPerceptron(m, N, radius=1e6, epsilon=0.5, gamma=2.0),
        lambda: SlowSecondOrder(N, 1e6, 0.5, 2.0),
    ),
    "second order, projected": (
        lambda m: SecondOrderPerceptron(m, N, radius=0.05),
        lambda: SlowSecondOrder(N, 0.05, 1.0, 1.0),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    "form", [np.asarray, csr_array, csr_matrix], ids=["dense", "csr_array", "csr_matrix"]
)
def test_rankings_follow_the_equations(name: str, form: Any) -> None:
    """Every presented order is the reference's, and the weights agree to 1e-10, dense and sparse."""
    make, make_slow = PAIRS[name]
    learner, slow = make(RankingMap()), make_slow()
    for X, answer in ranking_rounds(ROUNDS if form is np.asarray else 60, N, seed=1):
        presented = learner.present(form(X))
        assert presented.tolist() == slow_order(slow.w, X)
        feedback = answer(presented)
        learner.update(form(X), presented, feedback)
        slow.learn(slow_phi(X, feedback) - slow_phi(X, presented))
        np.testing.assert_allclose(learner.weights, slow.w, rtol=0, atol=1e-10 * max(1, abs(slow.w).max()))
    if "projected" in name:
        assert slow.projections > 20


@pytest.mark.parametrize("name", PAIRS)
def test_items_follow_the_equations(name: str) -> None:
    """The same for single items that leave once they were presented or chosen."""
    make, make_slow = PAIRS[name]
    learner, slow = make(ItemMap()), make_slow()
    for X, chosen, gone in item_rounds(300, N, seed=2):
        presented = learner.present(X)
        assert presented == slow_order(slow.w, X)[0]
        learner.update(X, presented, chosen)
        slow.learn(X[chosen] - X[presented])
        gone += [presented, chosen]
        np.testing.assert_allclose(learner.weights, slow.w, rtol=0, atol=1e-10 * max(1, abs(slow.w).max()))
