"""Paper 2, Table 1: the feedback of four frameworks of online learning, in one made-up world.

In each round there are ten arms with 20 random features; each brings w*ᵀx and noise. Experts see the rewards of all
arms and follow the leader by least squares; a bandit sees that of its own arm (LinUCB); the dueling bandit sees which
of two arms brought more (gradient descent; it loses the mean of both); the preference perceptron sees an arm that
brought more than its own, drawn among those. Of several widths and steps the best in hindsight is shown. The table
compares no numbers: the question is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import regret_chart

N_FEATURES, N_ARMS = 20, 10
SHAPE: BySize[tuple[int, int]] = BySize(quick=(4, 200), default=(20, 3_000), full=(20, 10_000))
"""Runs and rounds."""
NOISES = {"without noise": 0.0, "noise as large as the utilities": 1.0}
WIDTHS = (0.0, 0.1, 0.3, 1.0)
"""Of the bandit's confidence bounds."""
STEPS = tuple(10.0**power for power in np.linspace(-3.0, 1.0, 9))
"""Of the dueling bandit."""
EXPERTS, BANDITS, DUELING, COACTIVE = "experts", "bandits", "dueling bandits", "coactive learning"
CLAIMS = tuple(
    claim(
        "2.table-between",
        "with such feedback coactive learning loses more than experts do and less than bandits",
        whose="ours",
        section="2",
        quote="sits between the expert and the bandit setting",
    ).by(
        f"coactive learning / experts, {noise} > 1",
        f"coactive learning / bandits, {noise} < 1",
        setting=noise,
    )
    for noise in NOISES
) + tuple(
    claim(
        "2.table-dueling",
        "it is better that the user chooses the second arm than that the algorithm does",
        whose="ours",
        section="2",
        quote="one of the arms is chosen by the user",
    ).by(f"coactive learning / dueling bandits, {noise} < 1", setting=noise)
    for noise in NOISES
)


@dataclass(eq=False)
class _Experts:
    """Least squares on the rewards of all arms."""

    runs: int

    def __post_init__(self) -> None:
        self.squares = np.tile(np.eye(N_FEATURES), (self.runs, 1, 1))
        self.products = np.zeros((self.runs, N_FEATURES))
        self.weights = np.zeros((self.runs, N_FEATURES))

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        """Return one arm for each run, or two."""
        return (_best(arms, self.weights),)

    def see(self, arms: Floats, rewards: Floats, pulled: tuple[Ints, ...], chance: Floats) -> None:
        """Learn from the feedback of the framework."""
        self.squares += np.einsum("rkn,rkm->rnm", arms, arms)
        self.products += np.einsum("rkn,rk->rn", arms, rewards)
        self.weights = np.linalg.solve(self.squares, self.products[..., None])[..., 0]


@dataclass(eq=False)
class _LinearBandit(_Experts):
    """Least squares on the reward of the arm pulled, which is the one with the largest upper confidence bound."""

    width: float

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        spread = np.einsum("rkn,rnk->rk", arms, np.linalg.solve(self.squares, arms.transpose(0, 2, 1)))
        means = np.einsum("rkn,rn->rk", arms, self.weights)
        return ((means + self.width * np.sqrt(spread)).argmax(axis=1),)

    def see(self, arms: Floats, rewards: Floats, pulled: tuple[Ints, ...], chance: Floats) -> None:
        own = np.arange(self.runs), pulled[0]
        super().see(arms[own][:, None], rewards[own][:, None], pulled, chance)


@dataclass(eq=False)
class _Dueling:
    """Dueling bandit gradient descent with a random direction of length 1."""

    runs: int
    step: float
    seed: int

    def __post_init__(self) -> None:
        self.random = np.random.default_rng([self.seed, 1])
        self.weights = np.zeros((self.runs, N_FEATURES))

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        self.direction = self.random.standard_normal(self.weights.shape)
        self.direction /= np.linalg.norm(self.direction, axis=1, keepdims=True)
        return _best(arms, self.weights), _best(arms, self.weights + self.direction)

    def see(self, arms: Floats, rewards: Floats, pulled: tuple[Ints, ...], chance: Floats) -> None:
        every = np.arange(self.runs)
        won = rewards[every, pulled[1]] > rewards[every, pulled[0]]
        self.weights += self.step * won[:, None] * self.direction


@dataclass(eq=False)
class _Perceptron:
    """Algorithm 1 of the paper."""

    runs: int

    def __post_init__(self) -> None:
        self.weights = np.zeros((self.runs, N_FEATURES))

    def pull(self, arms: Floats) -> tuple[Ints, ...]:
        return (_best(arms, self.weights),)

    def see(self, arms: Floats, rewards: Floats, pulled: tuple[Ints, ...], chance: Floats) -> None:
        every = np.arange(self.runs)
        better = np.where(rewards > rewards[every, pulled[0]][:, None], chance, -1.0)
        answer = np.where(better.max(axis=1) > 0, better.argmax(axis=1), pulled[0])
        self.weights += arms[every, answer] - arms[every, pulled[0]]


def _best(arms: Floats, weights: Floats) -> Ints:
    return np.einsum("rkn,rn->rk", arms, weights).argmax(axis=1)


@experiment("2.table1", "Table 1", "four frameworks, each with its feedback", claims=CLAIMS)
def frameworks(run: Run) -> Measured:
    """Play the same rounds with the feedback of each framework, without and with noise."""
    import pandas as pd

    runs, rounds = SHAPE[run.size]
    tasks = [(noise, runs, rounds, run.seed) for noise in NOISES.values()]
    numbers, charts, seconds, frames = {}, {}, dict.fromkeys((EXPERTS, BANDITS, DUELING, COACTIVE), 0.0), []
    for noise, (lost, took) in zip(NOISES, run.each(_played, tasks), strict=True):
        regrets = {player: each.cumsum(axis=1) / np.arange(1, rounds + 1) for player, each in lost.items()}
        for player, curve in regrets.items():
            numbers[f"regret, {player}, {noise}"] = Estimate.of(curve[:, -1])
            seconds[player] += took[player]
            frames += [
                {"noise": noise, "name": player, "run": i, "regret": end}
                for i, end in enumerate(curve[:, -1])
            ]
        for other in (EXPERTS, BANDITS, DUELING):
            numbers[f"{COACTIVE} / {other}, {noise}"] = Estimate.ratio(
                regrets[COACTIVE][:, -1], regrets[other][:, -1]
            )
        charts[noise] = regret_chart(
            regrets, y="average regret", title=f"Four frameworks, {noise}", log_regret=True
        )
    data = (
        f"made-up rounds of {N_ARMS} arms, {N_FEATURES} features; {runs} runs of {rounds:,} rounds, "
        "noise in standard deviations of the arms' utilities"
    )
    return Measured(data, numbers, charts, pd.DataFrame(frames), seconds)


def _played(noise: float, runs: int, rounds: int, seed: int) -> tuple[dict[str, Floats], dict[str, float]]:
    """Return what each framework lost in each round, shape (runs, rounds), and its CPU seconds."""
    random = np.random.default_rng(seed)
    weights = random.standard_normal((runs, N_FEATURES))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    players: dict[str, list[Any]] = {
        EXPERTS: [_Experts(runs)],
        BANDITS: [_LinearBandit(runs, width) for width in WIDTHS],
        DUELING: [_Dueling(runs, step, seed) for step in STEPS],
        COACTIVE: [_Perceptron(runs)],
    }
    lost = {name: np.empty((len(own), runs, rounds)) for name, own in players.items()}
    seconds = dict.fromkeys(players, 0.0)
    for t in range(rounds):
        arms = random.standard_normal((runs, N_ARMS, N_FEATURES))
        utilities = np.einsum("rkn,rn->rk", arms, weights)
        rewards = utilities + noise * random.standard_normal((runs, N_ARMS))
        chance = random.random((runs, N_ARMS))
        for name, own in players.items():
            began = process_time()
            for place, player in enumerate(own):
                pulled = player.pull(arms)
                lost[name][place, :, t] = utilities.max(axis=1) - np.mean(
                    [utilities[np.arange(runs), arm] for arm in pulled], axis=0
                )
                player.see(arms, rewards, pulled, chance)
            seconds[name] += process_time() - began
    best = {name: int(each.mean(axis=(1, 2)).argmin()) for name, each in lost.items()}
    return {name: each[best[name]] for name, each in lost.items()}, seconds
