"""Paper 1's own experiments, its figures 2 and 3. A set, a size and a seed in, a result out.

They are those of paper 2 in other settings: α = 0.1 and 1 alone, and labels at depth 25 with one standard deviation of
twenty orders of the queries, against the SVM retrained after 10, 5 and 1 % more examples.
"""

from __future__ import annotations

from pathlib import Path

from penchant.checks import one_of
from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive_baselines import (
    PERCEPTRON,
    SVM,
    SVM_TIME,
    UNDER,
    WIDE,
    beside_svm,
    times,
)
from penchant.papers.coactive_bounds import nearest, theorem_1, under
from penchant.papers.coactive_runs import played
from penchant.papers.coactive_sets import WEB, scene
from penchant.papers.coactive_svm import RetrainedSVM
from penchant.papers.parallel import Progress
from penchant.papers.perceptron_experiments import FAR_FROM_TEN, FIRST, alphas_played, approaches_zero
from penchant.papers.result import Check, Claim, Estimate, Result, Size
from penchant.simulate import NoisyRanking

ALPHAS = (0.1, 1.0)
DEPTH = 25
GROWTHS = {SVM: 0.1, "SVM at 5 %": 0.05, "SVM at 1 %": 0.01}

NOISE_FREE_CLAIMS = (
    Claim("the regret with α = 1 is lower than with α = 0.1", (Check("α = 0.1 / α = 1", above=1),)),
    FAR_FROM_TEN,
    approaches_zero(ALPHAS),
    under(FIRST, [f"α = {alpha:g}" for alpha in ALPHAS]),
)
LABELS_CLAIMS = (
    Claim(
        "with labels the utility regret converges to a value that is not zero",
        (
            Check("perceptron, end / half-way", above=0.8),
            Check("perceptron, last tenth / first round", above=0.1),
        ),
    ),
    Claim(
        "the perceptron does significantly better than the SVM",
        (Check("SVM / perceptron, less two standard errors", above=1),),
    ),
    SVM_TIME,
    Claim(
        "retrained after 5 % or 1 % more examples the SVM is never better",
        (Check("SVM at 5 % / perceptron", above=1), Check("SVM at 1 % / perceptron", above=1)),
    ),
    UNDER,
)


def noise_free_feedback(
    name: str,
    *,
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
) -> Result:
    """Play strictly α-informative users with α = 0.1 and 1: paper 1, Figure 2.

    Parameters
    ----------
    name : str
        One of `penchant.papers.coactive_sets.WEB`.
    size, seed, data
        As `penchant.papers.coactive_sets.scene` takes them.
    progress : callable, optional
        Called with how much is done and of how much.
    jobs : int, default 1
        How many processes play; results are the same with any number.
    """
    on = scene(_of_queries(name), size=size, seed=seed, data=data)
    title = "Noise-free feedback (paper 1, Figure 2)"
    return alphas_played(on, ALPHAS, title, NOISE_FREE_CLAIMS, progress=progress, jobs=jobs)


def label_feedback(
    name: str,
    *,
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
) -> Result:
    """Play users who go by the labels of the first 25, against the retrained SVM: paper 1, Figure 3.

    Parameters
    ----------
    name, size, seed, data, progress, jobs
        As `noise_free_feedback` takes them; the CPU times alone are not the same again.
    """
    on = scene(_of_queries(name), size=size, seed=seed, data=data)
    on = on.capped(quick=(2, 60), default=(20, 120) if on.n_features > WIDE else (20, 300))
    user = NoisyRanking(DEPTH)
    players = {PERCEPTRON: (on.learner(PreferencePerceptron), user)}
    players |= {told: (on.learner(RetrainedSVM, growth=growth), user) for told, growth in GROWTHS.items()}
    runs = played(on, players, progress=progress, jobs=jobs)
    bounds = {PERCEPTRON: theorem_1(runs, PERCEPTRON, noisy=True)}
    numbers = beside_svm(runs) | {
        "perceptron, end / half-way": runs.fall(PERCEPTRON),
        "perceptron, last tenth / first round": runs.late(PERCEPTRON),
    }
    for told in GROWTHS:
        numbers[f"standard deviation, {told}"] = Estimate(float(runs.end(told).std(ddof=1)))
        if told != SVM:
            numbers[f"{told} / perceptron"] = runs.ratio(told, PERCEPTRON)
    numbers |= nearest(FIRST, runs.regrets(), bounds)
    title = f"Labels to depth {DEPTH}"
    charts = runs.charts(title, bounds, band="deviation")
    charts["DCG*"] = runs.dcg_chart(title, band="deviation")
    tables = {"CPU time": times(runs, {PERCEPTRON: "30 minutes", SVM: "20 hours"})}
    return runs.result(
        "Relevance labels against the retrained SVM (paper 1, Figure 3)",
        charts,
        numbers,
        LABELS_CLAIMS,
        tables=tables,
    )


def _of_queries(name: str) -> str:
    one_of("name", name, WEB)
    return name
