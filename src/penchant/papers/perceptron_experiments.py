"""The preference perceptron in papers 1 and 2, figures 2 to 6. A set, a size and a seed in, a result out.

Paper 1, Figures 2 and 3; paper 2, sections 6.2.1 to 6.2.4. Every experiment takes the name of a set and plays on it;
the retrained SVM of paper 1's Figure 3 stands in `penchant.papers.coactive_baselines`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from penchant.checks import Floats
from penchant.coactive import PreferencePerceptron, perceptron_bound
from penchant.papers.coactive_runs import played
from penchant.papers.coactive_sets import Scene, scene
from penchant.papers.parallel import Progress
from penchant.papers.result import Check, Claim, Estimate, Result, Size
from penchant.simulate import BestItem, BetterItem, ExpectedUser, NoisyRanking, User, WebSearch

Feedback = Literal["strict", "noisy"]
ALPHAS = (0.1, 0.5, 1.0)
BATCHES = (1, 10, 100)

STRICT_CLAIMS = (
    Claim("the regret with α = 1 is lower than with lower values", (Check("α = 0.1 / α = 1", above=1),)),
    Claim(
        "the difference between α = 0.1 and α = 1 is much smaller than a factor of ten",
        (Check("α = 0.1 / α = 1", below=5),),
    ),
    Claim(
        "regret is substantially reduced after tens or hundreds of iterations",
        tuple(Check(f"α = {alpha:g}, after 100 rounds / after 1", below=0.5) for alpha in ALPHAS),
    ),
    Claim(
        "utility regret approaches zero in all cases",
        tuple(Check(f"α = {alpha:g}, last tenth / first round", below=0.1) for alpha in ALPHAS)
        + tuple(Check(f"α = {alpha:g}, end / half-way", below=0.85) for alpha in ALPHAS),
    ),
)
LABELS_CLAIMS = (
    Claim(
        "regret does not converge to zero",
        (
            Check("depth 10, end / half-way", above=0.8),
            Check("depth 10 / strict", above=2),
            Check("depth 25 / strict", above=2),
        ),
    ),
    Claim(
        "regret is slightly higher when the user goes deeper",
        (Check("depth 25 / depth 10", above=1, below=1.5),),
    ),
)
RATINGS_CLAIMS = (
    Claim(
        "regret is higher than with strict feedback",
        (Check("better / strict", above=1), Check("best / strict", above=1)),
    ),
)
BATCH_CLAIMS = (
    Claim(
        "the smaller k, the faster regret falls",
        (Check("k = 10 / k = 1", above=1), Check("k = 100 / k = 10", above=1)),
    ),
    Claim(
        "the price of a batch is substantially below √k",
        (
            Check("k = 10 / k = 1", below=0.75 * float(np.sqrt(10))),
            Check("k = 100 / k = 1", below=0.75 * 10.0),
        ),
    ),
)
EXPECTED_CLAIMS = (
    Claim(
        "at many iterations expected and deterministic feedback hardly differ",
        (Check("expected / deterministic", above=0.67, below=1.5),),
    ),
    Claim("regret converges to zero", (Check("expected, last tenth / first round", below=0.1),)),
)


def strict_feedback(
    name: str,
    *,
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play strictly α-informative users with α = 0.1, 0.5 and 1: paper 1, Figure 2; paper 2, Figure 2.

    The bound of Theorem 1 is drawn over each curve; for movies it is the mean over the users.

    Parameters
    ----------
    name : str
        A set of `penchant.papers.coactive_sets.SETS`.
    size, seed, data
        As `penchant.papers.coactive_sets.scene` takes them.
    progress : callable, optional
        Called with the number of runs that are done and of all.

    Examples
    --------
    >>> result = strict_feedback("synthetic-web", size="quick")
    >>> result.verdicts["utility regret approaches zero in all cases"]
    'holds'
    """
    on = scene(name, size=size, seed=seed, data=data)
    perceptron = on.learner(PreferencePerceptron)
    names = {alpha: f"α = {alpha:g}" for alpha in ALPHAS}
    runs = played(on, {names[alpha]: (perceptron, on.strict(alpha)) for alpha in ALPHAS}, progress=progress)
    numbers = {"α = 0.1 / α = 1": runs.ratio(names[0.1], names[1.0])}
    for alpha in ALPHAS:
        told = names[alpha]
        numbers[f"{told}, after 100 rounds / after 1"] = Estimate.ratio(runs.at(told, 100), runs.at(told, 1))
        numbers[f"{told}, last tenth / first round"] = runs.late(told)
        numbers[f"{told}, end / half-way"] = runs.fall(told)
    bounds = {names[alpha]: _bound(on, alpha) for alpha in ALPHAS}
    charts = {"utility": runs.chart("Strict feedback", bounds=bounds, log_regret=True)}
    if isinstance(on.setting, WebSearch):
        charts["DCG*"] = runs.dcg_chart("Strict feedback")
    return runs.result("Strict feedback (papers 1 and 2, Figure 2)", charts, numbers, STRICT_CLAIMS)


def noisy_feedback(
    name: str,
    *,
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play users who go by labels or ratings: paper 1, Figure 3; paper 2, Figure 3.

    Labels at depth 10 and 25, or a better and the best rating; strict feedback beside them.

    Parameters
    ----------
    name, size, seed, data, progress
        As `strict_feedback` takes them.
    """
    on = scene(name, size=size, seed=seed, data=data)
    perceptron = on.learner(PreferencePerceptron)
    on_web = isinstance(on.setting, WebSearch)
    users: dict[str, User] = (
        {"depth 10": NoisyRanking(10), "depth 25": NoisyRanking(25)}
        if on_web
        else {"better": BetterItem(), "best": BestItem()}
    )
    first, second = users
    players = {told: (perceptron, user) for told, user in users.items()} | {
        "strict": (perceptron, on.strict())
    }
    runs = played(on, players, progress=progress)
    numbers = {
        f"{second} / {first}": runs.ratio(second, first),
        f"{first} / strict": runs.ratio(first, "strict"),
        f"{second} / strict": runs.ratio(second, "strict"),
        f"{first}, end / half-way": runs.fall(first),
    } | {f"standard deviation, {told}": Estimate(float(runs.end(told).std(ddof=1))) for told in users}
    charts = {"utility": runs.chart("Noisy feedback", band="deviation" if on_web else "error")}
    if on_web:
        charts["DCG*"] = runs.dcg_chart("Noisy feedback")
    claims = LABELS_CLAIMS if on_web else RATINGS_CLAIMS
    return runs.result("Noisy feedback (papers 1 and 2, Figure 3)", charts, numbers, claims)


def batch_updates(
    name: str,
    *,
    feedback: Feedback = "strict",
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Learn every k rounds: paper 2, Figure 4 with strict feedback and Figure 5 with noisy.

    Parameters
    ----------
    feedback : {"strict", "noisy"}
    name, size, seed, data, progress
        As `strict_feedback` takes them.
    """
    on = scene(name, size=size, seed=seed, data=data)
    user = on.user(feedback)
    runs = played(
        on,
        {f"k = {k}": (on.learner(PreferencePerceptron, batch=k), user) for k in BATCHES},
        progress=progress,
    )
    pairs = (("k = 10", "k = 1"), ("k = 100", "k = 1"), ("k = 100", "k = 10"))
    numbers = {f"{slow} / {fast}": runs.ratio(slow, fast) for slow, fast in pairs}
    figure = 4 if feedback == "strict" else 5
    charts = {"utility": runs.chart(f"Batches, {feedback} feedback")}
    return runs.result(
        f"Batches with {feedback} feedback (paper 2, Figure {figure})", charts, numbers, BATCH_CLAIMS
    )


def expected_feedback(
    name: str,
    *,
    size: Size = "default",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play users who are α-informative in expectation only: paper 2, Figure 6.

    As many answers as α = 0.5 allows are drawn from five random objects.

    Parameters
    ----------
    name, size, seed, data, progress
        As `strict_feedback` takes them.
    """
    on = scene(name, size=size, seed=seed, data=data).capped(quick=(5, 600), default=(20, 2_000))
    perceptron = on.learner(PreferencePerceptron)
    sure = on.strict(0.5 if isinstance(on.setting, WebSearch) else 1.0)
    runs = played(
        on,
        {
            "expected": (perceptron, ExpectedUser(user=sure, alpha=0.5)),
            "deterministic": (perceptron, on.strict(0.5)),
        },
        progress=progress,
    )
    numbers = {
        "expected / deterministic": runs.ratio("expected", "deterministic"),
        "expected, last tenth / first round": runs.late("expected"),
    }
    charts = {"utility": runs.chart("Expected and deterministic feedback")}
    return runs.result("Expected feedback (paper 2, Figure 6)", charts, numbers, EXPECTED_CLAIMS)


def _bound(on: Scene, alpha: float) -> Floats:
    """Return Theorem 1 without slack, for the mean ‖w*‖ of the runs."""
    return perceptron_bound(np.zeros(on.rounds), alpha=alpha, R=on.R, norm=float(on.norms.mean()))
