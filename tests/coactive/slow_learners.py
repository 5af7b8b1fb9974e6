"""The algorithms of paper 2 as their equations stand, slow and obvious; and rounds to run them on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import brentq


def slow_phi(X: Any, order: Any, depth: int = 5, log: Any = math.log) -> np.ndarray:
    """Eq. 21, one document after another."""
    total = np.zeros(X.shape[1])
    for place, document in enumerate(list(order)[:depth], start=1):
        total = total + X[document] / log(place + 1)
    return total


def slow_order(w: Any, X: Any) -> list[int]:
    """Sort by wᵀx, ties to the lowest index."""
    scores = [math.fsum(a * b for a, b in zip(w, x, strict=True)) for x in X.tolist()]
    return sorted(range(len(scores)), key=lambda document: (-scores[document], document))


class SlowPerceptron:
    """Algorithms 1 and 2; ``forget`` takes its share each round, together at the end of a batch."""

    def __init__(self, n: int, k: int = 1, forget: float = 0.0) -> None:
        self.w, self.k, self.forget, self.t, self.s, self.seen = np.zeros(n), k, forget, 0, 0, []

    def learn(self, d: Any) -> None:
        self.t += 1
        self.seen.append(d)
        if self.t == self.s + self.k:
            self.w = (1 - self.forget) ** self.k * self.w + sum(self.seen[self.s : self.t])
            self.s = self.t


class SlowExponentiated:
    """Algorithm 4, on the doubled map of eq. 23 where ``signed``; ``forget`` draws the weights to equal ones."""

    def __init__(self, n: int, S: float, T: int | None, signed: bool, forget: float = 0.0) -> None:
        self.n, self.S, self.T, self.signed, self.t, self.forget = n, S, T, signed, 0, forget
        self.u = np.full(2 * n if signed else n, 1 / (2 * n if signed else n))

    @property
    def w(self) -> Any:
        return self.u[: self.n] - self.u[self.n :] if self.signed else self.u

    def learn(self, d: Any) -> None:
        self.t += 1
        eta = 1 / (2 * self.S * math.sqrt(self.T or self.t))
        doubled = np.concatenate([d, -d]) if self.signed else d
        self.u = self.u ** (1 - self.forget) * np.exp(eta * doubled)
        self.u = self.u / self.u.sum()


class SlowConvex:
    """Algorithm 5; ``forget`` takes its share before the step."""

    def __init__(self, n: int, radius: float, forget: float = 0.0) -> None:
        self.w, self.radius, self.t, self.forget = np.zeros(n), radius, 0, forget

    def learn(self, d: Any) -> None:
        self.t += 1
        moved = (1 - self.forget) * self.w + d / math.sqrt(self.t)
        norm = math.sqrt(sum(moved**2))
        self.w = moved if norm <= self.radius else self.radius * moved / norm


class SlowSecondOrder:
    """Algorithm 6, with A itself, solved anew each round, and the projection by a root of its KKT conditions."""

    def __init__(self, n: int, radius: float, epsilon: float, gamma: float) -> None:
        self.w, self.A, self.radius, self.gamma = np.zeros(n), epsilon * np.eye(n), radius, gamma
        self.projections = 0

    def learn(self, d: Any) -> None:
        self.A = self.A + self.gamma * np.outer(d, d)
        moved = self.w + np.linalg.solve(self.A, d)
        self.w = moved
        if np.linalg.norm(moved) > self.radius:
            self.projections += 1
            self.w = slow_projection(moved, self.A, self.radius)


def slow_projection(moved: Any, A: Any, radius: float) -> np.ndarray:
    """(A + μI)w = Aw̄ with the μ for which ‖w‖ is the radius, found by bracketing."""

    def solution(mu: float) -> np.ndarray:
        return np.linalg.solve(A + mu * np.eye(len(A)), A @ moved)

    if np.linalg.norm(solution(0.0)) <= radius:  # outside by the rounding of the last projection only
        return solution(0.0)
    top = 1.0
    while np.linalg.norm(solution(top)) > radius:
        top *= 2
    return solution(brentq(lambda mu: np.linalg.norm(solution(mu)) - radius, 0, top, xtol=1e-14, rtol=1e-15))


def ranking_rounds(n_rounds: int, n_features: int, seed: int = 0) -> Iterator[tuple[Any, Any]]:
    """Contexts with equal rows, zero rows and lists of 1 to 8, each with an answer to what is presented."""
    rng = np.random.default_rng(seed)
    for _ in range(n_rounds):
        n_documents = int(rng.integers(1, 9))
        X = rng.normal(size=(n_documents, n_features))
        X = X[rng.integers(n_documents, size=n_documents)]  # some rows twice
        X[rng.random(n_documents) < 0.1] = 0.0
        yield X, _answer(rng)


def _answer(rng: Any) -> Any:
    kind = rng.random()

    def feedback(presented: Any) -> Any:
        if kind < 0.2:
            return np.asarray(presented)
        return rng.permutation(len(presented))

    return feedback


def item_rounds(n_rounds: int, n_features: int, seed: int = 0) -> Iterator[tuple[Any, Any, Any]]:
    """Items that leave: the presented and the chosen are removed; a new shop opens when few are left."""
    rng = np.random.default_rng(seed)
    items = rng.normal(size=(60, n_features))
    left = np.arange(60)
    for _ in range(n_rounds):
        if len(left) < 4:
            items = rng.normal(size=(60, n_features))
            left = np.arange(60)
        gone: list[int] = []
        yield items[left], int(rng.integers(len(left))), gone
        left = np.delete(left, np.unique(gone))
