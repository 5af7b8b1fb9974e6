"""Paper 1, section 3, third extension: convex losses and exponentiated updates.

The algorithm is the exponentiated perceptron of paper 2, which need not know the loss: c(θ) − c(0) ≤ −Gθ for each
convex c with −G ≤ c′ ≤ 0. Only the fixed rate has a bound; weights of both signs come from the doubled map of paper 2.
"""

from __future__ import annotations

import numpy as np

from penchant.coactive import ExponentiatedPerceptron, QuadraticLoss, SquaredLoss
from penchant.coactive.analysis.bounds import exponentiated_convex_bound
from penchant.papers.coactive.bounds import ALPHA, ONE
from penchant.papers.coactive.runs import played
from penchant.papers.coactive.sets import WEB, scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Estimate, Measured, claim
from penchant.papers.run import Run

LOSSES = {"(θ − M)²": QuadraticLoss, "θ²": SquaredLoss}
FIXED, VARIABLE = "fixed rate", "variable rate"
CLAIMS = (
    *(
        claim(
            "1.exponentiated-convex",
            "exponentiated updates minimise convex losses of the utility difference",
            section="3",
            quote="convex loss defined on the utility difference using an exponentiated update rule",
        ).by(
            *(f"{loss}, {rate}, last tenth / first round < 0.1" for loss in LOSSES),
            *(f"{loss}, {rate}, end / half-way < 0.85" for loss in LOSSES),
            setting=rate,
        )
        for rate in (FIXED, VARIABLE)
    ),
    claim(
        "1.convex-combination",
        "predictions come from a convex combination of features",
        f"largest sum of absolute weights < {ONE}",
        section="3",
        quote="This algorithm considers convex combination (rather than linear combination) of features",
    ),
    claim(
        "1.exponentiated-convex-bound",
        "no convex regret crosses G times the bound of the exponentiated update",
        *(f"{loss}, largest part of the bound < {ONE}" for loss in LOSSES),
        whose="theorem",
        section="3",
        quote="We can also minimize any convex loss",
    ),
)


@experiment(
    "1.extension3", "third extension", "convex losses, exponentiated updates", sets=WEB, claims=CLAIMS
)
def third_extension(run: Run, name: str) -> Measured:
    """Run exponentiated updates with strict feedback, and follow the regret of two convex losses."""
    on = scene(name, run)
    players = {
        FIXED: (on.learner(ExponentiatedPerceptron, bound=on.S, horizon=on.rounds), on.strict()),
        VARIABLE: (on.learner(ExponentiatedPerceptron, bound=on.S), on.strict()),
    }
    runs = played(on, players, run)
    norm, one_norm = float(on.norms.max()), float(on.sums.max())
    numbers, charts = {}, {}
    for label, kind in LOSSES.items():
        loss = kind(on.R * norm)
        curves = {rate: runs.convex(rate, loss) for rate in players}
        bound = exponentiated_convex_bound(
            np.zeros(on.rounds), alpha=ALPHA, S=on.S, N=2 * on.n_features, norm=one_norm, loss=loss
        )
        for rate, curve in curves.items():
            record = runs.records[rate]
            lost = loss.value(record.presented_utility - record.best_utility) - loss.value(0.0)
            late = lost[:, -max(1, on.rounds // 10) :].mean(axis=1)
            half = curve[:, on.rounds // 2 - 1]
            numbers[f"{label}, {rate}, last tenth / first round"] = Estimate.ratio(late, lost[:, 0])
            numbers[f"{label}, {rate}, end / half-way"] = Estimate.ratio(curve[:, -1], half)
        numbers[f"{label}, largest part of the bound"] = Estimate(float((curves[FIXED] / bound).max()))
        charts[label] = runs.drawn(curves, f"Convex regret, {label}", bounds={FIXED: bound}, log_regret=True)
    sums = [np.abs(record.weights).sum(axis=1).max() for record in runs.records.values()]
    numbers["largest sum of absolute weights"] = Estimate(float(max(sums)))
    return runs.measured(charts, numbers, loss=QuadraticLoss(on.R * norm))
