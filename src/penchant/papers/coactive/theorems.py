"""Paper 2, Theorems 5, 6 and 8 with their expected forms, where they bite, as stated and as corrected.

The ball has radius ‖w*‖ and α is the one of a grid whose bound is lowest at the end, with the slack that the user then
has. The expected forms bound the mean of the runs of a user who is 0.5-informative in expectation, whose expected slack
is at most 0. Only the game of Lemma 3 (`2.theorem6`) comes near a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from penchant.checks import Floats
from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    QuadraticLoss,
    SecondOrderPerceptron,
    convex_bound,
    exponentiated_bound,
    second_order_bound,
    second_order_gamma,
)
from penchant.papers.coactive.bounds import FORMS, ONE
from penchant.papers.coactive.runs import Runs, played
from penchant.papers.coactive.sets import Scene, scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Measured, claim
from penchant.papers.run import Run
from penchant.simulate import ExpectedUser

THEOREMS = {"exponentiated": "Theorem 5", "convex": "Theorem 6", "second order": "Theorem 8"}
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
Bound = Callable[..., Floats]
CLAIMS = tuple(
    claim(
        f"2.{theorem.lower().replace(' ', '-')}-{kind}",
        f"no {kind} regret crosses the bound of {theorem}",
        f"{theorem}, {kind}, corrected: regret / bound < {ONE}",
        whose="theorem",
    ).by(f"{theorem}, {kind}, {form}: regret / bound < {ONE}", setting=form)
    for theorem in THEOREMS.values()
    for kind in ("strict", "expected")
    for form in FORMS
)


@experiment(
    "2.theorems",
    "Theorems 5, 6, 8",
    "bounds as tight as the runs allow",
    sets=("letor4-mq2008", "synthetic-web", "ml-1m"),
    claims=CLAIMS,
)
def theorems(run: Run, name: str) -> Measured:
    """Compare the regret of three learners with the stated and the corrected bounds of their theorems."""
    on = scene(name, run).capped(quick=(5, 200), default=(20, 1_000), full=(20, 10_000))
    users = {"strict": on.strict(), "expected": ExpectedUser(user=on.strict(0.5 if on.on_web else 1.0))}
    norm = float(on.norms.max())
    loss = QuadraticLoss(on.R * norm)
    gamma = second_order_gamma(loss, R=on.R, radius=norm, norm=norm)
    learners = {
        "exponentiated": on.learner(ExponentiatedPerceptron, bound=on.S, horizon=on.rounds),
        "convex": on.learner(ConvexPerceptron, radius=norm),
        "second order": on.learner(SecondOrderPerceptron, radius=norm, gamma=gamma),
    }
    players = {
        f"{name}, {kind}": (learner, user)
        for name, learner in learners.items()
        for kind, user in users.items()
    }
    runs = played(on, players, run)
    bounds = _bounds(on, loss, gamma)
    numbers: dict[str, float] = {}
    charts = {}
    for learner, theorem in THEOREMS.items():
        for kind in users:
            player = f"{learner}, {kind}"
            curve = runs.regret(player) if learner == "exponentiated" else runs.convex(player, loss)
            for form in FORMS:
                limit = _tightest(
                    runs,
                    player,
                    kind,
                    lambda slack, alpha, of=bounds[learner], form=form: of(slack, alpha, form),
                )
                own = curve.mean(axis=0) if kind == "expected" else curve
                numbers[f"{theorem}, {kind}, {form}: regret / bound"] = float((own / limit).max())
            if kind == "strict":
                charts[theorem] = runs.drawn(
                    {player: curve}, theorem, bounds={player: limit.mean(axis=0)}, log_regret=True
                )
    return runs.measured(charts, numbers, loss=loss)


def _bounds(on: Scene, loss: QuadraticLoss, gamma: float) -> Mapping[str, Bound]:
    """Return the bound of each learner as a function of slack, α and form."""
    norm, one_norm, n = float(on.norms.max()), float(on.sums.max()), on.n_features
    return {
        "exponentiated": lambda slack, alpha, form: exponentiated_bound(
            slack, alpha=alpha, S=on.S, N=2 * n, norm=one_norm, form=form
        ),
        "convex": lambda slack, alpha, form: convex_bound(
            slack, alpha=alpha, R=on.R, diameter=2 * norm, loss=loss, form=form
        ),
        "second order": lambda slack, alpha, form: second_order_bound(
            slack, alpha=alpha, R=on.R, N=n, diameter=2 * norm, loss=loss, gamma=gamma, form=form
        ),
    }


def _tightest(runs: Runs, player: str, kind: str, bound: Bound) -> Floats:
    """Return the bound with the lowest mean at the end: of strict users over α, of expected ones with α = 0.5."""
    if kind == "expected":
        return np.asarray(bound(np.zeros((1, runs.scene.rounds)), 0.5)[0])
    limits = [bound(runs.slack(player, alpha), alpha) for alpha in ALPHAS]
    return min(limits, key=lambda limit: float(limit[:, -1].mean()))
