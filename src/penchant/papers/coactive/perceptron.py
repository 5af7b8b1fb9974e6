"""Paper 2, Figures 2 to 6 (sections 6.2.1 to 6.2.4): the preference perceptron with strict and noisy feedback.

The bound of Theorem 1 is drawn over each curve: without slack for strict feedback, and with the slack of the runs for
α = 0.5 for noisy feedback.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive.bounds import nearest, theorem_1, under
from penchant.papers.coactive.runs import played
from penchant.papers.coactive.sets import SETS, Scene, by_task, scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Claim, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.simulate import BestItem, BetterItem, ExpectedUser, NoisyRanking, User

Feedback = Literal["strict", "noisy"]
ALPHAS = (0.1, 0.5, 1.0)
BATCHES = (1, 10, 100)
BATCH_ABOUT = "batches, {feedback} feedback"
FIRST, LEMMA = "Theorem 1", "Lemma 4"
EXPECTED, SURE = "expected", "deterministic"

LOWER_REGRET = claim(
    "2.strong-feedback",
    "the regret with α = 1 is lower than with lower values",
    "α = 0.1 / α = 1 > 1",
    "α = 0.5 / α = 1 > 1",
)


def far_from_ten(paper: int = 2) -> Claim:
    """Return the claim of papers 1 and 2 on how little α matters."""
    return claim(
        f"{paper}.weak-feedback",
        "the difference between α = 0.1 and α = 1 is much smaller than a factor of ten",
        "α = 0.1 / α = 1 < 5",
    )


def approaches_zero(alphas: Sequence[float], paper: int = 2) -> Claim:
    """Return the claim of papers 1 and 2 on Figure 2, for some values of α."""
    return claim(
        f"{paper}.zero",
        "utility regret approaches zero in all cases",
        *(f"α = {alpha:g}, last tenth / first round < 0.1" for alpha in alphas),
        *(f"α = {alpha:g}, end / half-way < 0.85" for alpha in alphas),
    )


_STRICT = (
    claim(
        "2.tens-of-rounds",
        "regret is substantially reduced after tens or hundreds of iterations",
        *(f"α = {alpha:g}, after 100 rounds / after 1 < 0.5" for alpha in ALPHAS),
    ),
    LOWER_REGRET,
    far_from_ten(),
    approaches_zero(ALPHAS),
    under(FIRST, [f"α = {alpha:g}" for alpha in ALPHAS]),
)
_STEADIER = claim(
    "2.standard-errors",
    "standard errors are high at first and become lower with more iterations",
    *(f"α = {alpha:g}, standard error at the end / after 10 < 1" for alpha in ALPHAS),
)
STRICT_CLAIMS = by_task(web=(*_STRICT, _STEADIER), movies=_STRICT)
_LABELS = (
    claim(
        "2.labels-not-zero",
        "regret does not converge to zero",
        "depth 10, end / half-way > 0.8",
        "depth 10 / strict > 2",
        "depth 25 / strict > 2",
    ),
    claim(
        "2.average-slack",
        "regret converges to the average slack",
        "0.8 < depth 10, regret / average slack < 1.25",
        "0.8 < depth 25, regret / average slack < 1.25",
    ),
    claim("2.deeper", "regret is slightly higher when the user goes deeper", "1 < depth 25 / depth 10 < 1.5"),
    under(FIRST, ["depth 10", "depth 25", "strict"]),
)
_RATINGS = (
    claim(
        "2.ratings-not-zero",
        "regret is higher than with strict feedback",
        "better / strict > 1",
        "best / strict > 1",
    ),
    claim(
        "2.average-slack",
        "regret converges to the average slack",
        "0.8 < better, regret / average slack < 1.25",
        "0.8 < best, regret / average slack < 1.25",
    ),
    under(FIRST, ["better", "best", "strict"]),
)
NOISY_CLAIMS = by_task(web=_LABELS, movies=_RATINGS)
_BATCH = (
    claim(
        "2.smaller-batches",
        "the smaller k, the faster regret falls",
        "k = 10 / k = 1 > 1",
        "k = 100 / k = 10 > 1",
    ),
    claim(
        "2.batch-price",
        "the price of a batch is substantially below √k",
        f"k = 10 / k = 1 < {0.75 * float(np.sqrt(10))}",
        f"k = 100 / k = 1 < {0.75 * 10.0}",
    ),
    under(LEMMA, [f"k = {k}" for k in BATCHES]),
)
BATCH_CLAIMS = by_task(web=_BATCH, movies=_BATCH)
_EXPECTED = (
    claim(
        "2.expected-alike",
        "at many iterations expected and deterministic feedback hardly differ",
        "0.8 < expected / deterministic < 1.25",
    ),
    claim("2.expected-zero", "regret converges to zero", "expected, last tenth / first round < 0.1"),
    under("Corollary 2", [EXPECTED]),
    under(FIRST, [SURE]),
)
EXPECTED_CLAIMS = by_task(web=_EXPECTED, movies=_EXPECTED)


@experiment("2.fig2", "Figure 2", "strictly informative feedback", sets=SETS, claims=STRICT_CLAIMS)
def strict_feedback(run: Run, name: str) -> Measured:
    """Run the perceptron with strictly α-informative users, α = 0.1, 0.5 and 1."""
    return alphas_played(scene(name, run), ALPHAS, run)


def alphas_played(on: Scene, alphas: Sequence[float], run: Run) -> Measured:
    """Run the perceptron with strictly α-informative users for several α, and compare each with the last."""
    perceptron = on.learner(PreferencePerceptron)
    names = {alpha: f"α = {alpha:g}" for alpha in alphas}
    players = {player: (perceptron, on.strict(alpha)) for alpha, player in names.items()}
    runs = played(on, players, run)
    *weaker, last = names.values()
    numbers = {f"{player} / {last}": runs.ratio(player, last) for player in weaker}
    for player in names.values():
        numbers[f"{player}, after 100 rounds / after 1"] = Estimate.ratio(
            runs.at(player, 100), runs.at(player, 1)
        )
        numbers[f"{player}, last tenth / first round"] = runs.late(player)
        numbers[f"{player}, end / half-way"] = runs.fall(player)
        numbers[f"{player}, standard error at the end / after 10"] = runs.steadier(player)
    bounds = {player: theorem_1(runs, player, alpha=alpha) for alpha, player in names.items()}
    numbers |= nearest(FIRST, runs.regrets(), bounds)
    charts = runs.charts("Strict feedback", bounds, log_regret=True)
    if on.on_web:
        charts["DCG*"] = runs.dcg_chart("Strict feedback")
    return runs.measured(charts, numbers)


@experiment("2.fig3", "Figure 3", "feedback by labels or ratings", sets=SETS, claims=NOISY_CLAIMS)
def noisy_feedback(run: Run, name: str) -> Measured:
    """Run the perceptron with users who follow labels or ratings.

    Labels at depth 10 and 25, or a better and the best rating, are compared with strict feedback.
    """
    on = scene(name, run)
    perceptron = on.learner(PreferencePerceptron)
    users: dict[str, User] = (
        {"depth 10": NoisyRanking(10), "depth 25": NoisyRanking(25)}
        if on.on_web
        else {"better": BetterItem(), "best": BestItem()}
    )
    first, second = users
    players = {player: (perceptron, user) for player, user in (users | {"strict": on.strict()}).items()}
    runs = played(on, players, run)
    numbers = {
        f"{second} / {first}": runs.ratio(second, first),
        f"{first} / strict": runs.ratio(first, "strict"),
        f"{second} / strict": runs.ratio(second, "strict"),
        f"{first}, end / half-way": runs.fall(first),
    } | {f"{player}, regret / average slack": runs.settled(player) for player in users}
    bounds = {player: theorem_1(runs, player, noisy=player in users) for player in players}
    numbers |= nearest(FIRST, runs.regrets(), bounds)
    charts = runs.charts("Noisy feedback", bounds)
    if on.on_web:
        charts["DCG*"] = runs.dcg_chart("Noisy feedback")
    return runs.measured(charts, numbers)


@experiment("2.fig4", "Figure 4", BATCH_ABOUT, sets=SETS, claims=BATCH_CLAIMS, feedback="strict")
@experiment("2.fig5", "Figure 5", BATCH_ABOUT, sets=SETS, claims=BATCH_CLAIMS, feedback="noisy")
def batch_updates(run: Run, name: str, feedback: Feedback) -> Measured:
    """Update the perceptron every k rounds."""
    on = scene(name, run)
    user, noisy = on.user(feedback), feedback == "noisy"
    names = {k: f"k = {k}" for k in BATCHES}
    players = {player: (on.learner(PreferencePerceptron, batch=k), user) for k, player in names.items()}
    runs = played(on, players, run)
    pairs = (("k = 10", "k = 1"), ("k = 100", "k = 1"), ("k = 100", "k = 10"))
    numbers = {f"{slow} / {fast}": runs.ratio(slow, fast) for slow, fast in pairs}
    bounds = {player: theorem_1(runs, player, batch=k, noisy=noisy) for k, player in names.items()}
    numbers |= nearest(LEMMA, runs.regrets(), bounds)
    return runs.measured(runs.charts(f"Batches, {feedback} feedback", bounds), numbers)


@experiment("2.fig6", "Figure 6", "expected feedback", sets=SETS, claims=EXPECTED_CLAIMS)
def expected_feedback(run: Run, name: str) -> Measured:
    """Run the perceptron with users who are α-informative only in expectation.

    As many answers as α = 0.5 allows are drawn from five random objects, so that no expected slack is above 0;
    Corollary 2 bounds the mean of the runs.
    """
    on = scene(name, run).capped(quick=(5, 600), default=(20, 2_000))
    perceptron = on.learner(PreferencePerceptron)
    sure = on.strict(0.5 if on.on_web else 1.0)
    players = {
        EXPECTED: (perceptron, ExpectedUser(user=sure, alpha=0.5)),
        SURE: (perceptron, on.strict(0.5)),
    }
    runs = played(on, players, run)
    numbers = {
        "expected / deterministic": runs.ratio(EXPECTED, SURE),
        "expected, last tenth / first round": runs.late(EXPECTED),
    }
    bounds = {player: theorem_1(runs, player) for player in players}
    mean = runs.regret(EXPECTED).mean(axis=0)
    numbers |= nearest("Corollary 2", {EXPECTED: mean}, {EXPECTED: bounds[EXPECTED].mean(axis=0)})
    numbers |= nearest(FIRST, runs.regrets(), {SURE: bounds[SURE]})
    return runs.measured(runs.charts("Expected and deterministic feedback", bounds), numbers)
