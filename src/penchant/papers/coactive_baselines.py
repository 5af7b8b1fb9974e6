"""Papers 1 and 2 against their baselines: the retrained SVM and the dueling bandit, figures 7 to 10.

A set, a size and a seed in, a result out. Both baselines are slow beside the perceptron, which is one of the papers'
points, so that fewer and shorter runs are played of them.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from time import process_time

import numpy as np

from penchant.checks import Ints
from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive_runs import Runs, drawn, played
from penchant.papers.coactive_sets import WEB, scene
from penchant.papers.coactive_svm import RetrainedSVM
from penchant.papers.parallel import Progress
from penchant.papers.perceptron_experiments import Feedback
from penchant.papers.result import Check, Claim, Estimate, Result, Size
from penchant.simulate import DuelingBandit, DuelingItems, PreferredOfTwo, WebSearch, best_dueling_bandit
from penchant.simulate.dueling import DELTAS, GAMMAS

PERCEPTRON, SVM, BANDIT = "perceptron", "retrained SVM", "dueling bandit"

SVM_STRICT_WEB_CLAIMS = (
    Claim(
        "with strict feedback on web search the perceptron does comparably to the SVM",
        (Check("SVM / perceptron", above=0.5, below=2),),
    ),
)
SVM_STRICT_MOVIES_CLAIMS = (
    Claim(
        "with strict feedback on movies the perceptron does much better than the SVM",
        (Check("SVM / perceptron", above=1.5),),
    ),
)
SVM_NOISY_CLAIMS = (
    Claim(
        "with noisy feedback the perceptron does significantly better than the SVM over most of the range",
        (
            Check("share of the range in which the perceptron leads", above=0.5),
            Check("SVM / perceptron, less two standard errors", above=1),
        ),
    ),
)
SVM_GROWTH_CLAIMS = (
    Claim(
        "retrained after 5 % or 1 % more examples the SVM is never better",
        (Check("SVM at 5 % / perceptron", above=1), Check("SVM at 1 % / perceptron", above=1)),
    ),
)
SVM_TIME_CLAIMS = (
    Claim(
        "the perceptron takes a fraction of the SVM's time",
        (Check("CPU time, SVM / perceptron", above=2),),
    ),
)
BANDIT_CLAIMS = (
    Claim(
        "the dueling bandit does substantially worse than the perceptron",
        (Check("bandit / perceptron", above=2),),
    ),
    Claim(
        "the perceptron comes to the bandit's last regret in less than 100 rounds, a small part of all",
        (
            Check("rounds until the perceptron matches the bandit", below=100),
            Check("share of the rounds until then", below=0.05),
        ),
    ),
)


def retrained_svm(
    name: str,
    *,
    feedback: Feedback = "strict",
    growths: tuple[float, ...] = (0.1,),
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play the perceptron and the retrained SVM: paper 2, Figures 7 (strict) and 8 (noisy); paper 1, Figure 3.

    Parameters
    ----------
    name : str
        A set of `penchant.papers.coactive_sets.SETS`.
    feedback : {"strict", "noisy"}
    growths : tuple of float
        By which share examples grow between two trainings, the papers' 0.1 first; (0.1, 0.05, 0.01) also plays
        what paper 1 tried.
    size, seed, data
        As `penchant.papers.coactive_sets.scene` takes them.
    progress : callable, optional
        Called with the number of runs that are done and of all.
    """
    on = scene(name, size=size, seed=seed, data=data).capped(
        quick=(2, 60), default=(2, 400) if name in WEB else (10, 400)
    )
    user = on.user(feedback)
    names = {growth: SVM if growth == 0.1 else f"SVM at {100 * growth:g} %" for growth in growths}
    players = {PERCEPTRON: (on.learner(PreferencePerceptron), user)}
    players |= {told: (on.learner(RetrainedSVM, growth=growth), user) for growth, told in names.items()}
    runs = played(on, players, progress=progress)
    at = drawn(on.rounds) - 1
    ratio = runs.ratio(SVM, PERCEPTRON)
    numbers = {
        "SVM / perceptron": ratio,
        "SVM / perceptron, less two standard errors": Estimate(ratio.value - 2 * ratio.error),
        "share of the range in which the perceptron leads": Estimate(_leads(runs, at)),
        "CPU time, SVM / perceptron": Estimate(runs.seconds[SVM] / max(runs.seconds[PERCEPTRON], 1e-3)),
    } | {f"{told} / perceptron": runs.ratio(told, PERCEPTRON) for told in names.values() if told != SVM}
    on_web = isinstance(on.setting, WebSearch)
    strict = SVM_STRICT_WEB_CLAIMS if on_web else SVM_STRICT_MOVIES_CLAIMS
    claims: tuple[Claim, ...] = (strict if feedback == "strict" else SVM_NOISY_CLAIMS) + SVM_TIME_CLAIMS
    if {0.05, 0.01} <= set(growths):
        claims += SVM_GROWTH_CLAIMS
    figure = "7" if feedback == "strict" else "8"
    charts = {"utility": runs.chart(f"Perceptron and retrained SVM, {feedback} feedback")}
    if on_web:
        charts["DCG*"] = runs.dcg_chart(f"Perceptron and retrained SVM, {feedback} feedback")
    return runs.result(
        f"Retrained SVM with {feedback} feedback (paper 2, Figure {figure})", charts, numbers, claims
    )


def dueling_bandit(
    name: str,
    *,
    feedback: Feedback = "strict",
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play the perceptron and the best of 25 dueling bandits in hindsight: paper 2, Figures 9 and 10.

    Parameters
    ----------
    name, size, seed, data, progress
        As `retrained_svm` takes them.
    feedback : {"strict", "noisy"}
        Of movies the bandit's user tells which of two has the larger utility, or the higher rating.
    """
    on = scene(name, size=size, seed=seed, data=data).capped(
        quick=(1, 100), default=(2, 1_000) if name in WEB else (10, 300)
    )
    user = on.user(feedback)
    began = process_time()
    kind, judge = (
        (DuelingBandit, user)
        if isinstance(on.setting, WebSearch)
        else (DuelingItems, PreferredOfTwo("utilities" if feedback == "strict" else "grades"))
    )
    steps, games = count(1), (len(GAMMAS) * len(DELTAS) + 1) * on.runs
    tick = None if progress is None else lambda *_: progress(next(steps), games)
    best = best_dueling_bandit(
        kind, judge, on.setting, seed=seed, runs=on.runs, rounds=on.rounds, progress=tick
    )
    took = process_time() - began
    runs = played(
        on,
        {PERCEPTRON: (on.learner(PreferencePerceptron), user)},
        progress=tick,
        before={BANDIT: (best.record, took)},
    )
    matched = np.flatnonzero(runs.regret(PERCEPTRON).mean(axis=0) <= runs.end(BANDIT).mean())
    needed = float(matched[0] + 1) if matched.size else float("inf")
    numbers = {
        "bandit / perceptron": runs.ratio(BANDIT, PERCEPTRON),
        "rounds until the perceptron matches the bandit": Estimate(needed),
        "share of the rounds until then": Estimate(needed / on.rounds),
        "best γ": Estimate(best.gamma),
        "best δ": Estimate(best.delta),
    }
    figure = 9 if isinstance(on.setting, WebSearch) else 10
    charts = {"utility": runs.chart(f"Perceptron and dueling bandit, {feedback} feedback", log_regret=True)}
    return runs.result(
        f"Dueling bandit with {feedback} feedback (paper 2, Figure {figure})", charts, numbers, BANDIT_CLAIMS
    )


def _leads(runs: Runs, at: Ints) -> float:
    """Return the share of rounds, evenly spread on a log axis, at which the perceptron's mean regret is lower."""
    perceptron, svm = (runs.regret(name).mean(axis=0)[at] for name in (PERCEPTRON, SVM))
    return float((perceptron < svm).mean())
