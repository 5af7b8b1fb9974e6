"""Paper 2, section 6.3: exponentiated against additive updates. A set, a size and a seed in, a result out."""

from __future__ import annotations

from pathlib import Path

from penchant.coactive import ExponentiatedPerceptron, PreferencePerceptron
from penchant.papers.coactive_runs import played
from penchant.papers.coactive_sets import scene
from penchant.papers.parallel import Progress
from penchant.papers.perceptron_experiments import Feedback
from penchant.papers.result import Check, Claim, Result, Size

ADDITIVE, FIXED, VARIABLE = "additive", "exponentiated, fixed rate", "exponentiated, variable rate"
EARLY = 30

CLAIMS = (
    Claim(
        "with the fixed rate the exponentiated algorithm behaves nearly identically to the additive one",
        (Check("fixed / additive", above=0.8, below=1.25),),
    ),
    Claim(
        "with the variable rate it does slightly better for a small number of iterations",
        (Check(f"variable / additive after {EARLY} rounds", above=0.5, below=1),),
    ),
    Claim(
        "as the horizon becomes large the two are comparable",
        (Check("variable / additive", above=0.67, below=1.5),),
    ),
)


def exponentiated_updates(
    name: str,
    *,
    feedback: Feedback = "strict",
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play exponentiated updates with a fixed and a variable rate: paper 2, Figures 11 (strict) and 12 (noisy).

    Weights of both signs, by the doubled map of eq. 22 and 23.

    Parameters
    ----------
    name : str
        A set of `penchant.papers.coactive_sets.SETS`.
    feedback : {"strict", "noisy"}
    size, seed, data
        As `penchant.papers.coactive_sets.scene` takes them.
    progress : callable, optional
        Called with the number of runs that are done and of all.
    """
    on = scene(name, size=size, seed=seed, data=data)
    user = on.user(feedback)
    runs = played(
        on,
        {
            ADDITIVE: (on.learner(PreferencePerceptron), user),
            FIXED: (on.learner(ExponentiatedPerceptron, bound=on.S, horizon=on.rounds), user),
            VARIABLE: (on.learner(ExponentiatedPerceptron, bound=on.S), user),
        },
        progress=progress,
    )
    numbers = {
        "fixed / additive": runs.ratio(FIXED, ADDITIVE),
        "variable / additive": runs.ratio(VARIABLE, ADDITIVE),
        f"variable / additive after {EARLY} rounds": runs.ratio(VARIABLE, ADDITIVE, EARLY),
    }
    figure = 11 if feedback == "strict" else 12
    charts = {"utility": runs.chart(f"Exponentiated and additive, {feedback} feedback")}
    return runs.result(
        f"Exponentiated updates with {feedback} feedback (paper 2, Figure {figure})", charts, numbers, CLAIMS
    )
