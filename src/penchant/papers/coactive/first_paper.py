"""Paper 1, Figures 2 and 3.

The experiments are those of paper 2 with other settings: α = 0.1 and 1, and labels to depth 25, with the standard
deviation over twenty orders of the queries, against the SVM retrained after 10, 5 and 1 % more examples.
"""

from __future__ import annotations

from typing import Unpack

from penchant.checks import one_of
from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive.baselines import (
    PERCEPTRON,
    SVM,
    SVM_TIME,
    UNDER,
    WIDE,
    beside_svm,
    times,
)
from penchant.papers.coactive.bounds import nearest, theorem_1, under
from penchant.papers.coactive.perceptron import FAR_FROM_TEN, FIRST, alphas_played, approaches_zero
from penchant.papers.coactive.retrained_svm import RetrainedSVM
from penchant.papers.coactive.runs import played
from penchant.papers.coactive.sets import WEB, scene
from penchant.papers.result import Estimate, Result, claim
from penchant.papers.run import Options, Run
from penchant.simulate import NoisyRanking

ALPHAS = (0.1, 1.0)
DEPTH = 25
GROWTHS = {SVM: 0.1, "SVM at 5 %": 0.05, "SVM at 1 %": 0.01}

NOISE_FREE_CLAIMS = (
    claim("the regret with α = 1 is lower than with α = 0.1", "α = 0.1 / α = 1 > 1"),
    FAR_FROM_TEN,
    approaches_zero(ALPHAS),
    under(FIRST, [f"α = {alpha:g}" for alpha in ALPHAS]),
)
LABELS_CLAIMS = (
    claim(
        "with labels the utility regret converges to a value that is not zero",
        "perceptron, end / half-way > 0.8",
        "perceptron, last tenth / first round > 0.1",
    ),
    claim(
        "the perceptron does significantly better than the SVM",
        "SVM / perceptron, less two standard errors > 1",
    ),
    SVM_TIME,
    claim(
        "retrained after 5 % or 1 % more examples the SVM is never better",
        "SVM at 5 % / perceptron > 1",
        "SVM at 1 % / perceptron > 1",
    ),
    UNDER,
)


def noise_free_feedback(name: str, **options: Unpack[Options]) -> Result:
    """Run the perceptron with strictly α-informative users, α = 0.1 and 1: paper 1, Figure 2."""
    run = Run(**options)
    one_of("name", name, WEB)
    on = scene(name, run)
    title = "Noise-free feedback (paper 1, Figure 2)"
    return alphas_played(on, ALPHAS, title, NOISE_FREE_CLAIMS, run)


def label_feedback(name: str, **options: Unpack[Options]) -> Result:
    """Compare the perceptron with the retrained SVM on labels to depth 25: paper 1, Figure 3."""
    run = Run(**options)
    one_of("name", name, WEB)
    on = scene(name, run)
    on = on.capped(quick=(2, 60), default=(20, 120) if on.n_features > WIDE else (20, 300))
    user = NoisyRanking(DEPTH)
    players = {PERCEPTRON: (on.learner(PreferencePerceptron), user)}
    players |= {player: (on.learner(RetrainedSVM, growth=growth), user) for player, growth in GROWTHS.items()}
    runs = played(on, players, run)
    bounds = {PERCEPTRON: theorem_1(runs, PERCEPTRON, noisy=True)}
    numbers = beside_svm(runs) | {
        "perceptron, end / half-way": runs.fall(PERCEPTRON),
        "perceptron, last tenth / first round": runs.late(PERCEPTRON),
    }
    for player in GROWTHS:
        numbers[f"standard deviation, {player}"] = Estimate(float(runs.end(player).std(ddof=1)))
        if player != SVM:
            numbers[f"{player} / perceptron"] = runs.ratio(player, PERCEPTRON)
    numbers |= nearest(FIRST, runs.regrets(), bounds)
    title = f"Labels to depth {DEPTH}"
    charts = runs.charts(title, bounds, band="deviation")
    charts["DCG*"] = runs.dcg_chart(title, band="deviation")
    tables = {"CPU time": times(runs, {PERCEPTRON: "30 minutes", SVM: "20 hours"})}
    title = "Relevance labels against the retrained SVM (paper 1, Figure 3)"
    return runs.result(title, charts, numbers, LABELS_CLAIMS, tables=tables)
