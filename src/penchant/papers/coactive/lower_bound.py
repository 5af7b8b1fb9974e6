"""Paper 2, Lemma 3: the regret of every learner in the game of the lower bound."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    PreferencePerceptron,
    SecondOrderPerceptron,
    perceptron_bound,
    play_lower_bound,
    utility_regret,
)
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Measured, claim
from penchant.papers.run import Run
from penchant.plots import sweep_chart

HORIZONS: BySize[tuple[int, ...]] = BySize(
    quick=(10, 30, 100),
    default=(10, 30, 100, 300, 1_000),
    full=(10, 30, 100, 300, 1_000, 3_000),
)
LEARNERS: dict[str, tuple[type[Any], dict[str, float]]] = {
    "perceptron": (PreferencePerceptron, {}),
    "exponentiated": (ExponentiatedPerceptron, {"bound": 1.0}),
    "convex": (ConvexPerceptron, {}),
    "second order": (SecondOrderPerceptron, {}),
}
CLAIMS = (
    claim(
        "2.lower-bound",
        "every learner loses at least of the order 1/√T on average, even with α = 1",
        *(f"-0.51 < {name}, slope in log T < -0.49" for name in LEARNERS),
    ),
    claim(
        "2.tight",
        "the upper bound of Theorem 1 cannot be improved in its scaling",
        "0.99 < perceptron / Theorem 1, at the longest horizon < 1.01",
    ),
)


@experiment("2.lemma3", "Lemma 3", "a game in which every learner loses", claims=CLAIMS)
def lower_bound(run: Run) -> Measured:
    """Play the game of Lemma 3 with every learner and several horizons.

    Examples
    --------
    >>> float(lower_bound(Run(size="quick")).numbers["perceptron, slope in log T"].round(6))
    -0.5
    """
    import pandas as pd

    horizons = np.array(HORIZONS[run.size])
    games = [(name, T) for name in LEARNERS for T in horizons.tolist()]
    found = run.each(_regret, games, alone=run.size != "full")
    rows = [(*game, regret) for game, (regret, _) in zip(games, found, strict=True)]
    seconds = dict.fromkeys(LEARNERS, 0.0)
    for (name, _), (_, took) in zip(games, found, strict=True):
        seconds[name] += took
    frame = pd.DataFrame(rows, columns=["name", "t", "regret"])
    lost = {name: frame.loc[frame["name"] == name, "regret"].to_numpy() for name in LEARNERS}
    last = int(horizons[-1])
    allowed = float(perceptron_bound(np.zeros(last), alpha=1.0, R=1.0, norm=1.0)[-1])
    numbers = {
        f"{name}, slope in log T": np.polyfit(np.log(horizons), np.log(curve), 1)[0]
        for name, curve in lost.items()
    } | {"perceptron / Theorem 1, at the longest horizon": lost["perceptron"][-1] / allowed}
    chart = sweep_chart(
        horizons.tolist(),
        lost,
        x="T, a game each",
        title="A game that no learner plays well",
        subtitle="average regret; where all learners lose alike they lie on one line",
    )
    data = "the game of the proof, no data and no chance"
    return Measured(data, numbers, {"utility": chart}, frame, seconds)


def _regret(name: str, horizon: int) -> tuple[float, float]:
    """Return the average regret of a learner in a game, and the CPU seconds."""
    began = process_time()
    kind, settings = LEARNERS[name]
    game = play_lower_bound(kind(ItemMap(), horizon, **settings), horizon)
    return float(utility_regret(game.presented, game.feedback)[-1]), process_time() - began
