"""Paper 2, Figures 7 to 10: the perceptron beside two baselines, the retrained SVM and the dueling bandit.

Both baselines are much slower than the perceptron, which is one of the paper's points, so their runs are fewer and
shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Ints
from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive.bounds import nearest, theorem_1, under
from penchant.papers.coactive.perceptron import FIRST, Feedback
from penchant.papers.coactive.runs import Runs, drawn, played
from penchant.papers.coactive.sets import MOVIES, SETS, WEB, Scene, by_task, scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Claim, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.simulate import DuelingBandit, DuelingItems, PreferredOfTwo, User, WebSearch
from penchant.simulate.dueling import DELTAS, GAMMAS
from penchant.simulate.retrained_svm import RetrainedSVM

if TYPE_CHECKING:
    import pandas as pd

SVM_ABOUT, BANDIT_ABOUT = "the retrained SVM, {feedback} feedback", "the dueling bandit, {feedback} feedback"
PERCEPTRON, BANDIT = "perceptron", "dueling bandit"
SVMS = {"C": "sum", "C/n": "mean"}
"""The conventions of the SVM: C multiplies the sum of the losses or their mean. Neither paper says which is meant."""
WIDE = 100  # features; with more the trainings of an SVM take long
UNDER = under(FIRST, [PERCEPTRON])


def by_convention(*claims: Claim) -> tuple[Claim, ...]:
    """Return claims on the SVM once for each convention of C, so that each verdict names the one it rests on.

    Examples
    --------
    >>> by_convention(claim("2.par", "on par", "SVM / perceptron > 0.8"))[1].checks
    (0.8 < SVM, C/n / perceptron,)
    """
    return tuple(
        replace(
            each,
            checks=tuple(
                replace(check, quantity=check.quantity.replace("SVM", svm(setting))) for check in each.checks
            ),
            setting=setting,
        )
        for each in claims
        for setting in SVMS
    )


def svm(setting: str) -> str:
    """Return the name of the SVM with a convention of C."""
    return f"SVM, {setting}"


def svm_time(paper: int = 2) -> Claim:
    """Return the claim of papers 1 and 2 on the time of the SVM."""
    return claim(
        f"{paper}.svm-time",
        "the perceptron takes a fraction of the SVM's time",
        "CPU time, SVM / perceptron > 2",
    )


ON_PAR = claim("2.svm-par", "the perceptron does on par with the SVM or better", "SVM / perceptron > 0.8")
_ALWAYS = (svm_time(), ON_PAR)
_SIGNIFICANT = claim(
    "2.svm-noisy",
    "with noisy feedback the perceptron does significantly better than the SVM over most of the range",
    "share of the range in which the perceptron leads SVM > 0.5",
    "SVM / perceptron, less two standard errors > 1",
)
_COMPARABLE = claim(
    "2.svm-strict-web",
    "with strict feedback on web search the perceptron does comparably to the SVM",
    "0.5 < SVM / perceptron < 2",
)
_MUCH_BETTER = claim(
    "2.svm-strict-movies",
    "with strict feedback on movies the perceptron does much better than the SVM",
    "SVM / perceptron > 1.5",
)
_NOISY = (*by_convention(_SIGNIFICANT, *_ALWAYS), UNDER)
SVM_CLAIMS = {
    "strict": by_task(
        web=(*by_convention(_COMPARABLE, *_ALWAYS), UNDER),
        movies=(*by_convention(_MUCH_BETTER, *_ALWAYS), UNDER),
    ),
    "noisy": by_task(web=_NOISY, movies=_NOISY),
}
BANDIT_CLAIMS = by_task(
    web=(
        claim(
            "2.bandit-web",
            "the dueling bandit does significantly worse than the perceptron, by orders of magnitude",
            "bandit / perceptron, less two standard errors > 1",
            "bandit / perceptron > 10",
        ),
        claim(
            "2.bandit-rounds",
            "the perceptron comes to the bandit's last regret in less than 100 rounds, a small part of all",
            "rounds until the perceptron matches the bandit < 100",
            "share of the rounds until then < 0.05",
        ),
        UNDER,
    ),
    movies=(
        claim(
            "2.bandit-movies",
            "the dueling bandit does substantially worse than the perceptron",
            "bandit / perceptron > 2",
        ),
        UNDER,
    ),
)


@experiment("2.fig7", "Figure 7", SVM_ABOUT, sets=SETS, claims=SVM_CLAIMS["strict"], feedback="strict")
@experiment("2.fig8", "Figure 8", SVM_ABOUT, sets=SETS, claims=SVM_CLAIMS["noisy"], feedback="noisy")
def retrained_svm(run: Run, name: str, feedback: Feedback) -> Measured:
    """Compare the perceptron with the retrained SVM, with both conventions of C and the same values to choose from."""
    on = scene(name, run)
    web = (10, 300) if on.n_features > WIDE else (10, 1_000)
    full = (20, 28_224) if on.n_features <= WIDE else (20, 3_000) if on.n_features <= 2 * WIDE else (3, 1_000)
    on = on.capped(
        quick=(2, 60), default=web if on.on_web else (40, 500), full=full if on.on_web else (300, 1_000)
    )
    user = on.user(feedback)
    players = {PERCEPTRON: (on.learner(PreferencePerceptron), user)}
    players |= {svm(each): (on.learner(RetrainedSVM, losses=losses), user) for each, losses in SVMS.items()}
    runs = played(on, players, run)
    bounds = {PERCEPTRON: theorem_1(runs, PERCEPTRON, noisy=feedback == "noisy")}
    numbers = beside_svm(runs) | nearest(FIRST, runs.regrets(), bounds)
    title = f"Perceptron and retrained SVM, {feedback} feedback"
    charts = runs.charts(title, bounds)
    if on.on_web:
        charts["DCG*"] = runs.dcg_chart(title)
    paper = ("20 minutes", "20 hours") if on.on_web else ("125 seconds", "260 seconds")
    return runs.measured(charts, numbers, tables={"CPU time": times(runs, *paper)})


@experiment("2.fig9-strict", "Figure 9", BANDIT_ABOUT, sets=WEB, claims=BANDIT_CLAIMS, feedback="strict")
@experiment("2.fig9-noisy", "Figure 9", BANDIT_ABOUT, sets=WEB, claims=BANDIT_CLAIMS, feedback="noisy")
@experiment("2.fig10-strict", "Figure 10", BANDIT_ABOUT, sets=MOVIES, claims=BANDIT_CLAIMS, feedback="strict")
@experiment("2.fig10-noisy", "Figure 10", BANDIT_ABOUT, sets=MOVIES, claims=BANDIT_CLAIMS, feedback="noisy")
def dueling_bandit(run: Run, name: str, feedback: Feedback) -> Measured:
    """Compare the perceptron with the best of nine dueling bandits in hindsight.

    On movies the bandit's user tells which of two has the larger utility (strict) or the higher rating (noisy).
    """
    on = scene(name, run)
    on = on.capped(quick=(1, 100), default=(8, 28_000) if on.on_web else (20, 300))
    user = on.user(feedback)
    grid = {f"γ = {gamma:g}, δ = {delta:g}": (gamma, delta) for gamma, delta in product(GAMMAS, DELTAS)}
    players = {label: _bandit(on, user, feedback, *steps) for label, steps in grid.items()}
    players[PERCEPTRON] = on.learner(PreferencePerceptron), user
    every = played(on, players, run)
    best = min(grid, key=lambda label: float(every.end(label).mean()))
    seconds = {
        PERCEPTRON: every.seconds[PERCEPTRON],
        BANDIT: sum(every.seconds[label] for label in grid),
    }
    runs = Runs(on, {PERCEPTRON: every.records[PERCEPTRON], BANDIT: every.records[best]}, seconds)
    matched = np.flatnonzero(runs.regret(PERCEPTRON).mean(axis=0) <= runs.end(BANDIT).mean())
    needed = float(matched[0] + 1) if matched.size else float("inf")
    ratio = runs.ratio(BANDIT, PERCEPTRON)
    bounds = {PERCEPTRON: theorem_1(runs, PERCEPTRON, noisy=feedback == "noisy")}
    numbers = {
        "bandit / perceptron": ratio,
        "bandit / perceptron, less two standard errors": less_two_errors(ratio),
        "rounds until the perceptron matches the bandit": Estimate(needed),
        "share of the rounds until then": Estimate(needed / on.rounds),
        "best γ": Estimate(grid[best][0]),
        "best δ": Estimate(grid[best][1]),
    } | nearest(FIRST, runs.regrets(), bounds)
    title = f"Perceptron and dueling bandit, {feedback} feedback"
    charts = runs.charts(title, bounds, log_regret=True)
    return runs.measured(charts, numbers, tables={"regret of all bandits": _ends(every, grid)})


def less_two_errors(estimate: Estimate) -> Estimate:
    """Return an estimate less two of its standard errors."""
    return Estimate(estimate.value - 2 * estimate.error)


def beside_svm(runs: Runs) -> dict[str, Estimate]:
    """Return the ratios of the SVMs and the perceptron in regret and in CPU time."""
    numbers: dict[str, Estimate] = {}
    for name in map(svm, SVMS):
        ratio = runs.ratio(name, PERCEPTRON)
        took = runs.seconds[name] / max(runs.seconds[PERCEPTRON], 1e-3)
        numbers |= {
            f"{name} / perceptron": ratio,
            f"{name} / perceptron, less two standard errors": less_two_errors(ratio),
            f"share of the range in which the perceptron leads {name}": Estimate(
                _leads(runs, name, drawn(runs.scene.rounds) - 1)
            ),
            f"CPU time, {name} / perceptron": Estimate(took),
        }
    return numbers


def times(runs: Runs, perceptron: str, svms: str) -> pd.DataFrame:
    """Return the CPU time of a run of each player, without compiling, beside the times that the paper reports."""
    import pandas as pd

    paper = {PERCEPTRON: perceptron, **{svm(setting): svms for setting in SVMS}}
    each_run = {name: seconds / runs.scene.runs for name, seconds in runs.seconds.items()}
    rows = [(name, f"{took:.3g} s", paper.get(name, "")) for name, took in each_run.items()]
    rounds = f"a run of {runs.scene.rounds:,} rounds"
    return pd.DataFrame(rows, columns=["player", rounds, "a run of the paper"]).set_index("player")


def _bandit(on: Scene, user: User, feedback: Feedback, gamma: float, delta: float) -> tuple[Any, User]:
    settings = {"gamma": gamma, "delta": delta, "seed": on.seed}
    if isinstance(on.setting, WebSearch):
        return DuelingBandit.for_setting(on.setting, **settings), user
    judge = PreferredOfTwo("utilities" if feedback == "strict" else "grades")
    return DuelingItems.for_setting(on.setting, **settings), judge


def _ends(every: Runs, grid: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    """Return the mean regret at the end of each bandit, a row for each γ."""
    import pandas as pd

    ends = {steps: float(every.end(label).mean()) for label, steps in grid.items()}
    table = pd.DataFrame([[ends[gamma, delta] for delta in DELTAS] for gamma in GAMMAS], index=GAMMAS)
    return table.set_axis([f"δ = {delta:g}" for delta in DELTAS], axis=1).rename_axis("γ")


def _leads(runs: Runs, name: str, at: Ints) -> float:
    """Return the share of rounds, evenly spread on a log axis, at which the perceptron's mean regret is lower."""
    perceptron, other = (runs.regret(player).mean(axis=0)[at] for player in (PERCEPTRON, name))
    return float((perceptron < other).mean())
