"""Paper 2, Figures 11 and 12 (section 6.3): exponentiated compared with additive updates.

Theorem 1 is drawn over the additive curve and Theorem 5, corrected, over that of the fixed rate; the variable rate has
no bound.
"""

from __future__ import annotations

from penchant.coactive import ExponentiatedPerceptron, PreferencePerceptron
from penchant.papers.coactive.bounds import nearest, theorem_1, theorem_5, under
from penchant.papers.coactive.perceptron import FIRST, Feedback
from penchant.papers.coactive.runs import played
from penchant.papers.coactive.sets import SETS, scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Measured, claim
from penchant.papers.run import Run

ADDITIVE, FIXED, VARIABLE = "additive", "exponentiated, fixed rate", "exponentiated, variable rate"
EARLY = 30
ABOUT = "exponentiated updates, {feedback} feedback"
FIFTH = "Theorem 5"

CLAIMS = (
    claim(
        "2.fixed-rate",
        "with the fixed rate the exponentiated algorithm behaves nearly identically to the additive one",
        "0.8 < fixed / additive < 1.25",
    ),
    claim(
        "2.variable-rate-early",
        "with the variable rate it does slightly better for a small number of iterations",
        f"0.5 < variable / additive after {EARLY} rounds < 1",
    ),
    claim(
        "2.variable-rate-late",
        "as the horizon becomes large the two are comparable",
        "0.67 < variable / additive < 1.5",
    ),
    under(FIRST, [ADDITIVE]),
    under(FIFTH, [FIXED]),
)


@experiment("2.fig11", "Figure 11", ABOUT, sets=SETS, claims=CLAIMS, feedback="strict")
@experiment("2.fig12", "Figure 12", ABOUT, sets=SETS, claims=CLAIMS, feedback="noisy")
def exponentiated_updates(run: Run, name: str, feedback: Feedback) -> Measured:
    """Run exponentiated updates with a fixed and a variable rate.

    Weights of both signs, by the doubled map of eq. 22 and 23.
    """
    on = scene(name, run)
    user, noisy = on.user(feedback), feedback == "noisy"
    players = {
        ADDITIVE: (on.learner(PreferencePerceptron), user),
        FIXED: (on.learner(ExponentiatedPerceptron, bound=on.S, horizon=on.rounds), user),
        VARIABLE: (on.learner(ExponentiatedPerceptron, bound=on.S), user),
    }
    runs = played(on, players, run)
    additive = {ADDITIVE: theorem_1(runs, ADDITIVE, noisy=noisy)}
    fixed = {FIXED: theorem_5(runs, FIXED, noisy=noisy)}
    numbers = {
        "fixed / additive": runs.ratio(FIXED, ADDITIVE),
        "variable / additive": runs.ratio(VARIABLE, ADDITIVE),
        f"variable / additive after {EARLY} rounds": runs.ratio(VARIABLE, ADDITIVE, EARLY),
    }
    numbers |= nearest(FIRST, runs.regrets(), additive) | nearest(FIFTH, runs.regrets(), fixed)
    title = f"Exponentiated and additive, {feedback} feedback"
    return runs.measured(runs.charts(title, additive | fixed), numbers)
