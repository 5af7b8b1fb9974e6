"""Lemma 3 of paper 2: no learner loses less. A size in; what every learner loses in the game of the proof out."""

from __future__ import annotations

from pathlib import Path
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
from penchant.papers.parallel import Progress, each
from penchant.papers.result import BySize, Check, Claim, Estimate, Result, Size
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
    Claim(
        "every learner loses at least of the order 1/√T on average, even with α = 1",
        tuple(Check(f"{name}, slope in log T", above=-0.51, below=-0.49) for name in LEARNERS),
    ),
    Claim(
        "the upper bound of Theorem 1 cannot be improved in its scaling",
        (Check("perceptron / Theorem 1, at the longest horizon", above=0.99, below=1.01),),
    ),
)


def lower_bound(
    *,
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
) -> Result:
    """Play the game of Lemma 3 with every learner and several horizons.

    Parameters
    ----------
    size : {"quick", "default", "full"}
    seed, data
        Taken as every experiment takes them; there is no chance in the game and no data.
    progress : callable, optional
        Called with the number of games that are over and of all.
    jobs : int, default 1
        How many processes play; results are the same with any number.

    Examples
    --------
    >>> lower_bound(size="quick").numbers["perceptron, slope in log T"]
    -0.5
    """
    import pandas as pd

    horizons = np.array(HORIZONS[size])
    games = [(name, T) for name in LEARNERS for T in horizons.tolist()]
    found = each(_regret, games, jobs=jobs if size == "full" else 1, progress=progress)
    rows = [(*game, regret) for game, (regret, _) in zip(games, found, strict=True)]
    seconds = dict.fromkeys(LEARNERS, 0.0)
    for (name, _), (_, took) in zip(games, found, strict=True):
        seconds[name] += took
    frame = pd.DataFrame(rows, columns=["name", "t", "regret"])
    lost = {name: frame.loc[frame["name"] == name, "regret"].to_numpy() for name in LEARNERS}
    last = int(horizons[-1])
    allowed = float(perceptron_bound(np.zeros(last), alpha=1.0, R=1.0, norm=1.0)[-1])
    numbers = {
        f"{name}, slope in log T": Estimate(float(np.polyfit(np.log(horizons), np.log(curve), 1)[0]))
        for name, curve in lost.items()
    } | {"perceptron / Theorem 1, at the longest horizon": Estimate(float(lost["perceptron"][-1] / allowed))}
    chart = sweep_chart(
        horizons.tolist(),
        lost,
        x="T, a game each",
        title="A game that no learner plays well",
        subtitle="average regret; where all learners lose alike they lie on one line",
    )
    return Result(
        title="The lower bound (paper 2, Lemma 3)",
        data="the game of the proof, no data and no chance",
        size=size,
        seed=seed,
        frame=frame,
        charts={"utility": chart},
        numbers=numbers,
        claims=CLAIMS,
        seconds=seconds,
    )


def _regret(name: str, horizon: int) -> tuple[float, float]:
    """Return what a learner loses on average in a game, and the CPU seconds."""
    began = process_time()
    kind, settings = LEARNERS[name]
    game = play_lower_bound(kind(ItemMap(), horizon, **settings), horizon)
    return float(utility_regret(game.presented, game.feedback)[-1]), process_time() - began
