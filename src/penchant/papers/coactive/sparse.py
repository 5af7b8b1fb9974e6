"""Paper 2, section 5.1: exponentiated compared with additive updates for a sparse and for a dense w*."""

from __future__ import annotations

import numpy as np

from penchant.coactive import ExponentiatedPerceptron, PreferencePerceptron
from penchant.papers.coactive.runs import Runs, played
from penchant.papers.coactive.sets import Scene
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import sweep_chart
from penchant.simulate import WebSearch

SHAPE: BySize[tuple[int, int, int]] = BySize(
    quick=(3, 200, 40), default=(20, 2_000, 200), full=(20, 5_000, 700)
)
"""Runs, rounds and features."""
SHARES = {"sparse": 0.05, "half": 0.5, "dense": 1.0}
"""Of the features that w* uses."""
ADDITIVE, RATES = "additive", ("fixed rate", "variable rate")
CLAIMS = tuple(
    claim(
        "2.sparse",
        "the exponentiated algorithm has an advantage if w* is sparse",
        f"{rate} / additive, sparse < 1",
        whose="ours",
        section="5.1",
        quote="which can be advantageous if the optimal w is sparse",
    ).by(
        f"{rate} / additive, sparse < 1",
        f"{rate} / additive, sparse over dense < 1",
        setting=rate,
    )
    for rate in RATES
)


@experiment("2.sparse", "section 5.1", "exponentiated updates for a sparse w*", claims=CLAIMS)
def sparse_weights(run: Run) -> Measured:
    """Play both with strict feedback on made-up queries, for weights of ±1 on some or on all features.

    With the fixed rate of the theorem steps are so small that both present nearly the same, as section 6.3 says; the
    variable rate has no theorem.
    """
    import pandas as pd

    n_runs, rounds, n_features = SHAPE[run.size]
    made = WebSearch.synthetic(n_queries=rounds, n_features=n_features, seed=run.seed)
    every: dict[str, Runs] = {}
    for name, share in SHARES.items():
        random = np.random.default_rng(run.seed)
        weights = np.zeros(n_features)
        used = random.permutation(n_features)[: max(1, round(share * n_features))]
        weights[used] = random.choice([-1.0, 1.0], len(used)) / len(used)
        setting = WebSearch(made.features, made.starts, made.grades, weights=weights)
        on = Scene(name, f"made-up queries, {name} w*", setting, n_runs, rounds, run.size, run.seed)
        players = {ADDITIVE: on.learner(PreferencePerceptron)}
        for rate, horizon in zip(RATES, (rounds, None), strict=True):
            players[rate] = on.learner(ExponentiatedPerceptron, bound=on.S, horizon=horizon)
        every[name] = played(on, {player: (learner, on.strict()) for player, learner in players.items()}, run)
    numbers: dict[str, Estimate] = {}
    for rate in RATES:
        numbers |= {f"{rate} / additive, {name}": of.ratio(rate, ADDITIVE) for name, of in every.items()}
        sparse, dense = (numbers[f"{rate} / additive, {name}"].value for name in ("sparse", "dense"))
        numbers[f"{rate} / additive, sparse over dense"] = Estimate(sparse / dense)
    chart = sweep_chart(
        list(SHARES.values()),
        {player: np.array([of.end(player) for of in every.values()]) for player in (ADDITIVE, *RATES)},
        x="share of features in w*",
        title="Exponentiated and additive updates by the sparsity of w*",
    )
    frame = pd.concat({name: of.frame() for name, of in every.items()}, names=["weights"]).reset_index(
        "weights"
    )
    seconds = {name: sum(of.seconds.values()) for name, of in every.items()}
    data = f"made-up queries of 25 documents, {n_features} features; {n_runs} runs of {rounds:,} rounds"
    return Measured(data, numbers, {"sparsity": chart}, frame.reset_index(drop=True), seconds)
