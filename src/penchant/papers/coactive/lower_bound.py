"""Paper 2, Lemma 3: the regret of every learner in the game of the lower bound."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    LinearLoss,
    PreferencePerceptron,
    SecondOrderPerceptron,
    convex_bound,
    perceptron_bound,
    play_lower_bound,
    utility_regret,
)
from penchant.coactive.analysis.bounds import Form
from penchant.papers.coactive.bounds import FORMS, ONE
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
    "convex": (ConvexPerceptron, {"radius": 1.0}),  # ‖w*‖ of the game
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
GAME_CLAIMS = tuple(
    claim(
        "2.theorem-6-game",
        "not even in the game of Lemma 3 does the convex perceptron cross the bound of Theorem 6",
        f"regret / bound, {form} < {ONE}",
        whose="theorem",
    ).by(f"regret / bound, {form} < {ONE}", setting=form)
    for form in FORMS
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


@experiment("2.theorem6", "Theorem 6", "the convex perceptron in the game of Lemma 3", claims=GAME_CLAIMS)
def theorem_6_in_the_game(run: Run) -> Measured:
    """Compare the regret in the game with the bound of Theorem 6 for the smallest ball, as stated and as corrected."""
    import pandas as pd

    horizons = HORIZONS[run.size]
    found = run.each(_regret, [("convex", T) for T in horizons], alone=True)
    curves = {"regret": np.array([regret for regret, _ in found])}
    for form in FORMS:
        curves[form] = np.array([_sixth(T, form) for T in horizons])
    numbers = {f"regret / bound, {form}": float((curves["regret"] / curves[form]).max()) for form in FORMS}
    chart = sweep_chart(
        list(horizons), curves, x="T, a game each", title="The game of Lemma 3 beside the bound of Theorem 6"
    )
    frame = pd.DataFrame({"t": horizons, **curves})
    data = "the game of the proof, no data and no chance"
    return Measured(data, numbers, {"bound": chart}, frame, {"convex": sum(took for _, took in found)})


def _sixth(horizon: int, form: Form) -> float:
    """Return the bound of Theorem 6 on the regret of a game, in a ball of radius 1."""
    slack = np.zeros(horizon)
    return float(convex_bound(slack, alpha=1.0, R=1.0, diameter=2.0, loss=LinearLoss(), form=form)[-1])


def _regret(name: str, horizon: int) -> tuple[float, float]:
    """Return the average regret of a learner in a game, and the CPU seconds."""
    began = process_time()
    kind, settings = LEARNERS[name]
    game = play_lower_bound(kind(ItemMap(), horizon, **settings), horizon)
    return float(utility_regret(game.presented, game.feedback)[-1]), process_time() - began
