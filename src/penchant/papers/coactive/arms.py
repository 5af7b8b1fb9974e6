"""Players of paper 2's Table 1, each with the feedback of its framework, in rounds of arms with linear utilities.

All runs are played at once: arrays have the runs in front. A player pulls an arm of each run, or two, and then sees
what its framework shows of the round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, Ints


class Round(NamedTuple):
    """The arms of a round, shape (runs, arms, features), what each brings, and numbers by which users choose."""

    arms: Floats
    rewards: Floats
    chance: Floats


class Player:
    """Pulls the arm that is best by linear weights."""

    def __init__(self, runs: int, n_features: int) -> None:
        self.every: Ints = np.arange(runs)
        self.weights: Floats = np.zeros((runs, n_features))

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        """Return one arm for each run, or two."""
        return (best(arms, self.weights),)

    def see(self, of: Round, pulled: tuple[Ints, ...]) -> None:
        """Learn from the feedback of the framework."""
        raise NotImplementedError


class Experts(Player):
    """Least squares on the rewards of all arms."""

    def __init__(self, runs: int, n_features: int) -> None:
        super().__init__(runs, n_features)
        self.squares, self.products = np.tile(np.eye(n_features), (runs, 1, 1)), np.zeros((runs, n_features))

    def see(self, of: Round, pulled: tuple[Ints, ...]) -> None:
        """Learn from the rewards of all arms."""
        self._learn(of.arms, of.rewards)

    def _learn(self, arms: Floats, rewards: Floats) -> None:
        self.squares += np.einsum("rkn,rkm->rnm", arms, arms)
        self.products += np.einsum("rkn,rk->rn", arms, rewards)
        self.weights[:] = np.linalg.solve(self.squares, self.products[..., None])[..., 0]


class LinearBandit(Experts):
    """Least squares on the reward of the arm pulled, which is the one with the largest upper confidence bound."""

    def __init__(self, runs: int, n_features: int, width: float) -> None:
        super().__init__(runs, n_features)
        self.width = width

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        """Return the arm with the largest upper confidence bound."""
        spread = np.einsum("rkn,rnk->rk", arms, np.linalg.solve(self.squares, arms.transpose(0, 2, 1)))
        means = np.einsum("rkn,rn->rk", arms, self.weights)
        return ((means + self.width * np.sqrt(spread)).argmax(axis=1),)

    def see(self, of: Round, pulled: tuple[Ints, ...]) -> None:
        """Learn from the reward of the arm pulled."""
        own = self.every, pulled[0]
        self._learn(of.arms[own][:, None], of.rewards[own][:, None])


class DuelingArms(Player):
    """Dueling bandit gradient descent with a random direction of length 1."""

    def __init__(self, runs: int, n_features: int, step: float, seed: int) -> None:
        super().__init__(runs, n_features)
        self.step, self.random = step, np.random.default_rng([seed, 1])

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        """Return the best arms by the weights and by those a step away."""
        self.direction = self.random.standard_normal(self.weights.shape)
        self.direction /= np.linalg.norm(self.direction, axis=1, keepdims=True)
        return best(arms, self.weights), best(arms, self.weights + self.direction)

    def see(self, of: Round, pulled: tuple[Ints, ...]) -> None:
        """Learn which of the two arms brought more."""
        won = of.rewards[self.every, pulled[1]] > of.rewards[self.every, pulled[0]]
        self.weights += self.step * won[:, None] * self.direction


class PreferringArms(Player):
    """The preference perceptron, Algorithm 1."""

    def see(self, of: Round, pulled: tuple[Ints, ...]) -> None:
        """Learn an arm that brought more than the one pulled, if there is any."""
        own = self.every, pulled[0]
        better = np.where(of.rewards > of.rewards[own][:, None], of.chance, -1.0)
        answer = np.where(better.max(axis=1) > 0, better.argmax(axis=1), pulled[0])
        self.weights += of.arms[self.every, answer] - of.arms[own]


def best(arms: Floats, weights: Floats) -> Ints:
    """Return the arm of each run with the largest utility by weights of shape (runs, features).

    Examples
    --------
    >>> best(np.array([[[1.0, 0.0], [0.0, 2.0]]]), np.array([[1.0, 1.0]]))
    array([1])
    """
    return np.asarray(np.einsum("rkn,rn->rk", arms, weights).argmax(axis=1))
