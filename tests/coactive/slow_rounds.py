"""Rounds between slow learners, written from the paper's algorithms, and people whose slacks are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Array = NDArray[np.float64]
Answer = Callable[[Array, int], Array]
"""The utilities of the items and the presented one in; the probability of each item as feedback out."""


class Rounds(NamedTuple):
    """Utilities of shape (T,); ``answered`` is what came back, ``expected`` its expectation in that round."""

    presented: Array
    answered: Array
    expected: Array
    best: Array


class Slow:
    """Presents by wᵀx, as all of them do, and learns from differences."""

    weights: Array

    def present(self, X: Array) -> int:
        return int((X @ self.weights).argmax())

    def update(self, X: Array, presented: int, feedback: int) -> None:
        self.learn(X[feedback] - X[presented])


class Perceptron(Slow):
    """Algorithm 2; Algorithm 1 where the batch is 1."""

    def __init__(self, n_features: int, batch: int = 1) -> None:
        self.weights, self.batch, self.waiting = np.zeros(n_features), batch, []

    def learn(self, difference: Array) -> None:
        self.waiting.append(difference)
        if len(self.waiting) == self.batch:
            self.weights, self.waiting = self.weights + sum(self.waiting), []


class Exponentiated(Slow):
    """Algorithm 4."""

    def __init__(self, n_features: int, S: float, horizon: int) -> None:
        self.weights, self.rate = np.full(n_features, 1 / n_features), 1 / (2 * S * np.sqrt(horizon))

    def learn(self, difference: Array) -> None:
        grown = self.weights * np.exp(self.rate * difference)
        self.weights = grown / grown.sum()


class Convex(Slow):
    """Algorithm 5 on a ball."""

    def __init__(self, n_features: int, radius: float) -> None:
        self.weights, self.radius, self.t = np.zeros(n_features), radius, 0

    def learn(self, difference: Array) -> None:
        self.t += 1
        moved = self.weights + difference / np.sqrt(self.t)
        self.weights = moved / max(1.0, np.linalg.norm(moved) / self.radius)


class SecondOrder(Slow):
    """Algorithm 6 on a ball: the projection solves (A + νI)w = A·w̄ for the ν that puts w on its edge."""

    def __init__(self, n_features: int, radius: float, gamma: float, epsilon: float) -> None:
        self.weights, self.A = np.zeros(n_features), epsilon * np.eye(n_features)
        self.radius, self.gamma = radius, gamma

    def learn(self, difference: Array) -> None:
        self.A = self.A + self.gamma * np.outer(difference, difference)
        moved = self.weights + np.linalg.solve(self.A, difference)
        self.weights = moved if np.linalg.norm(moved) <= self.radius else self._projected(moved)

    def _projected(self, moved: Array) -> Array:
        values, vectors = np.linalg.eigh(self.A)
        target = vectors.T @ self.A @ moved

        def outside(nu: float) -> float:
            return float(np.linalg.norm(target / (values + nu)) - self.radius)

        if outside(0.0) <= 0:  # by rounding
            return moved
        high = 1.0
        while outside(high) > 0:
            high *= 2
        return np.asarray(vectors @ (target / (values + brentq(outside, 0.0, high))))


def strict(alpha: float) -> Answer:
    """The item of the lowest utility that is strictly α-informative."""

    def answer(utilities: Array, presented: int) -> Array:
        wanted = utilities[presented] + alpha * (utilities.max() - utilities[presented])
        good = np.where(utilities >= wanted - 1e-12, utilities, np.inf)
        return np.eye(len(utilities))[int(good.argmin())]

    return answer


def mixed(noise: float) -> Answer:
    """The best item, or with probability ``noise`` any."""

    def answer(utilities: Array, presented: int) -> Array:
        share = np.full(len(utilities), noise / len(utilities))
        share[int(utilities.argmax())] += 1 - noise
        return share

    return answer


def play(learner, contexts: Array, weights: Array, answer: Answer, seed: int = 0) -> Rounds:
    """Play one round for each of ``contexts``, shape (T, n_items, n_features), with a slow learner or one of items."""
    rng = np.random.default_rng(seed)
    told = []
    for X in contexts:
        utilities = X @ weights
        presented = learner.present(X)
        share = answer(utilities, presented)
        feedback = int(rng.choice(len(X), p=share))
        learner.update(X, presented, feedback)
        told.append((utilities[presented], utilities[feedback], share @ utilities, utilities.max()))
    return Rounds(*np.array(told).T)


def contexts_in_ball(seed: int, n_rounds: int, n_items: int = 5, n_features: int = 4) -> Array:
    """Contexts whose rows have at most norm 1, so that R = S = 1."""
    X = np.random.default_rng((seed, 1)).normal(size=(n_rounds, n_items, n_features))
    return np.asarray(X / np.linalg.norm(X, axis=2, keepdims=True))
