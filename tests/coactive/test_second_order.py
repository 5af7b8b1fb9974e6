from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from penchant.coactive import (
    ItemMap,
    LinearLoss,
    QuadraticLoss,
    RankingMap,
    SecondOrderPerceptron,
)
from penchant.coactive.second_order import on_ball_in_norm
from penchant.errors import InvalidInput
from penchant.saving import to_bytes
from tests.coactive.slow_learners import ranking_rounds, slow_projection


def run(learner: SecondOrderPerceptron, n_rounds: int = 150) -> list[list[int]]:
    presented = []
    for X, answer in ranking_rounds(n_rounds, learner.n_features, seed=4):
        presented.append(learner.present(X).tolist())
        learner.update(X, np.array(presented[-1]), answer(presented[-1]))
    return presented


def test_only_gamma_over_epsilon_matters_inside_the_ball() -> None:
    """With γ and ε both times eight the weights are an eighth and what is presented is the same; else not."""
    one = SecondOrderPerceptron(RankingMap(), 5, radius=1e9, epsilon=0.5, gamma=0.25)
    eight = SecondOrderPerceptron(RankingMap(), 5, radius=1e9, epsilon=4.0, gamma=2.0)
    other = SecondOrderPerceptron(RankingMap(), 5, radius=1e9, epsilon=0.5, gamma=25.0)
    shown = run(one)
    assert shown == run(eight)
    np.testing.assert_allclose(eight.weights, one.weights / 8, rtol=1e-12)
    assert shown != run(other)


def test_outside_the_ball_gamma_over_epsilon_is_not_all() -> None:
    """The projection sees the size of the weights, so that the ratio alone does not decide."""
    one = SecondOrderPerceptron(RankingMap(), 5, radius=0.05, epsilon=0.5, gamma=0.25)
    eight = SecondOrderPerceptron(RankingMap(), 5, radius=0.05, epsilon=4.0, gamma=2.0)
    run(one)
    run(eight)
    assert not np.allclose(eight.weights, one.weights / 8, rtol=1e-3)


def test_the_inverse_stays_symmetric_and_an_inverse() -> None:
    """After 2,000 rounds its lower half and the mirror of that are the inverse of A to 1e-9."""
    rng = np.random.default_rng(0)
    learner = SecondOrderPerceptron(ItemMap(), 8, epsilon=1e-3, gamma=3.0, radius=1e9)
    A = 1e-3 * np.eye(8)
    for _ in range(2000):
        X = rng.normal(size=(5, 8))
        presented, wanted = learner.present(X), int(rng.integers(5))
        learner.update(X, presented, wanted)
        A += 3.0 * np.outer(X[wanted] - X[presented], X[wanted] - X[presented])
    np.testing.assert_allclose(A @ symmetric(learner._inverse), np.eye(8), atol=1e-9)


def symmetric(lower: Any) -> Any:
    return np.tril(lower) + np.tril(lower, -1).T


@pytest.mark.parametrize(("scale", "digits"), [(1.0, 14), (1e3, 9.5), (1e6, 4)])
def test_the_inverse_keeps_the_digits_that_are_promised(scale: float, digits: float) -> None:
    """Features around 1, a thousand and a million leave some fifteen, ten and five digits, and not many more."""
    rng = np.random.default_rng(0)
    learner, A = SecondOrderPerceptron(ItemMap(), 5, radius=1e9), np.eye(5)
    for _ in range(300):
        X = scale * rng.normal(size=(4, 5))
        presented, wanted = learner.present(X), int(rng.integers(4))
        learner.update(X, presented, wanted)
        A += np.outer(X[wanted] - X[presented], X[wanted] - X[presented])
    true = np.linalg.inv(A)
    error = np.abs(symmetric(learner._inverse) - true).max() / np.abs(true).max()
    assert 10 ** -(digits + 2.5) < error < 10**-digits


def test_the_number_of_threads_does_not_matter() -> None:
    """With 300 features, where BLAS would use several threads, one and four of them give the same bytes."""
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(15, 4, 300))
    kept = []
    for threads in (1, 4):
        learner = SecondOrderPerceptron(ItemMap(), 300, radius=0.2)
        with threadpool_limits(threads, user_api="blas"):
            for X in contexts:
                learner.update(X, learner.present(X), int(X[:, 0].argmax()))
        kept.append(to_bytes(learner))
    assert kept[0] == kept[1]


@given(st.integers(1, 6), st.floats(0.01, 0.99), st.integers(0, 10**6))
def test_the_projection_is_the_nearest_point_in_the_norm(n: int, share: float, seed: int) -> None:
    """It is on the surface, as the bracketed root says, and no other point of the ball is nearer."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(n, n + 2)) * 10 ** rng.uniform(-2, 2, size=(n, 1))
    A = factor @ factor.T + 1e-3 * np.eye(n)
    outside = rng.normal(size=n) + 0.1
    radius = share * np.linalg.norm(outside)
    found = on_ball_in_norm(outside, np.linalg.inv(A), radius)
    assert np.linalg.norm(found) == pytest.approx(radius, rel=1e-12)
    np.testing.assert_allclose(found, slow_projection(outside, A, radius), atol=1e-6 * radius)

    def distance(w: Any) -> float:
        return float((outside - w) @ A @ (outside - w))

    for _ in range(20):
        near = found + 0.1 * radius * rng.normal(size=n)
        near *= min(1, radius / np.linalg.norm(near))
        assert distance(found) <= distance(near) * (1 + 1e-9)


def test_a_loss_sets_gamma() -> None:
    """γ = λ/G: for the quadratic loss with M = 5 it is 2/30; a loss that is not strongly convex is rejected."""
    learner = SecondOrderPerceptron.for_loss(QuadraticLoss(5.0), RankingMap(), 3, epsilon=2.0)
    assert learner.gamma == pytest.approx(2 / 30)
    assert (learner.epsilon, learner.n_features) == (2.0, 3)
    with pytest.raises(InvalidInput, match="strength must be a number above 0"):
        SecondOrderPerceptron.for_loss(LinearLoss(), RankingMap(), 3)


@pytest.mark.parametrize("name", ["radius", "epsilon", "gamma"])
@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, None, True])
def test_settings_are_above_zero(name: str, value: Any) -> None:
    """Radius, ε and γ must be finite numbers above 0."""
    with pytest.raises(InvalidInput, match=f"{name} must be a number above 0"):
        SecondOrderPerceptron(RankingMap(), 2, **{name: value})
