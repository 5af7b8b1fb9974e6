"""Paper 2, Table 1: the feedback of four frameworks of online learning, in one made-up world.

In each round there are ten arms with 20 random features; each brings w*ᵀx and noise. Experts see the rewards of all
arms and follow the leader by least squares; a bandit sees that of its own arm (LinUCB); the dueling bandit sees which
of two arms brought more (gradient descent; it loses the mean of both); the preference perceptron sees an arm that
brought more than its own, drawn among those. Of several widths and steps the best in hindsight is shown. The table
compares no numbers: the question is ours.
"""

from __future__ import annotations

from time import process_time

import numpy as np

from penchant.checks import Floats
from penchant.papers.coactive.arms import DuelingArms, Experts, LinearBandit, Player, PreferringArms, Round
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
    shape = runs, N_FEATURES
    players: dict[str, list[Player]] = {
        EXPERTS: [Experts(*shape)],
        BANDITS: [LinearBandit(*shape, width) for width in WIDTHS],
        DUELING: [DuelingArms(*shape, step, seed) for step in STEPS],
        COACTIVE: [PreferringArms(*shape)],
    }
    lost = {name: np.empty((len(own), runs, rounds)) for name, own in players.items()}
    seconds = dict.fromkeys(players, 0.0)
    for t in range(rounds):
        arms = random.standard_normal((runs, N_ARMS, N_FEATURES))
        utilities = np.einsum("rkn,rn->rk", arms, weights)
        rewards = utilities + noise * random.standard_normal((runs, N_ARMS))
        of = Round(arms, rewards, random.random((runs, N_ARMS)))
        for name, own in players.items():
            began = process_time()
            for place, player in enumerate(own):
                pulled = player.pull(arms)
                brought = np.mean([utilities[player.every, arm] for arm in pulled], axis=0)
                lost[name][place, :, t] = utilities.max(axis=1) - brought
                player.see(of, pulled)
            seconds[name] += process_time() - began
    best = {name: int(each.mean(axis=(1, 2)).argmin()) for name, each in lost.items()}
    return {name: each[best[name]] for name, each in lost.items()}, seconds
