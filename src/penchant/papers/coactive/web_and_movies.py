"""Paper 2, Figures 2, 15 and 16: web search compared with movies."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats
from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive.convex import CONVEX, GAMMAS, NAMES, WIDTH, decades, with_gammas
from penchant.papers.coactive.runs import Runs, played
from penchant.papers.coactive.sets import scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import sweep_chart

PLACES = {"web search": "letor4-mq2008", "movies": "ml-1m"}
PRICE = "α = 0.1 / α = 1"
CLAIMS = (
    claim(
        "2.alpha-on-web",
        "the differences between values of α are less prominent in web search",
        f"{PRICE}, web search less movies < 0",
    ),
    claim(
        "2.gamma-on-web",
        "the range of suitable γ is much broader for web search",
        f"{WIDTH}, web search less movies > 0.99",
    ),
)


@experiment(
    "2.web-and-movies",
    "Figures 2, 15, 16",
    "the two tasks beside each other",
    needs=tuple(PLACES.values()),
    claims=CLAIMS,
)
def web_and_movies(run: Run) -> Measured:
    """Compare the effect of α and γ on web search and on movies."""
    import pandas as pd

    runs: dict[str, Runs] = {}
    for place, name in PLACES.items():
        on = scene(name, run).capped(default=(60, 4_000))
        perceptron = on.learner(PreferencePerceptron)
        players = {f"α = {alpha:g}": (perceptron, on.strict(alpha)) for alpha in (0.1, 1.0)}
        runs[place] = played(on, players | with_gammas(on), run)
    numbers: dict[str, Estimate] = {}
    for place, of in runs.items():
        numbers[f"{PRICE}, {place}"] = of.ratio("α = 0.1", "α = 1")
        numbers[f"{WIDTH}, {place}"] = Estimate(decades(of, float(of.end(CONVEX).mean())))
    for what in (PRICE, WIDTH):
        numbers[f"{what}, web search less movies"] = _difference(
            *(numbers[f"{what}, {place}"] for place in PLACES)
        )
    chart = sweep_chart(
        GAMMAS,
        {place: _beside_the_best(of) for place, of in runs.items()},
        x="γ",
        y="regret / that of the best γ",
        title="How much γ matters on web search and on movies",
        subtitle="regret at the end, mean ± one standard error",
    )
    frame = pd.concat({place: of.frame() for place, of in runs.items()}, names=["place"]).reset_index("place")
    seconds = {place: sum(of.seconds.values()) for place, of in runs.items()}
    data = "; ".join(of.description for of in runs.values())
    return Measured(data, numbers, {"γ": chart}, frame.reset_index(drop=True), seconds)


def _beside_the_best(runs: Runs) -> Floats:
    """Return REG_T over the mean one of the best γ, shape (γ, runs)."""
    ends = np.array([runs.end(player) for player in NAMES.values()])
    return np.asarray(ends / ends.mean(axis=1).min())


def _difference(first: Estimate, second: Estimate) -> Estimate:
    return Estimate(first.value - second.value, float(np.hypot(first.error, second.error)))
