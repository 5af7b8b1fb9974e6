"""Paper 2, Figures 13 to 18 (section 6.4): convex losses, first and second order.

The loss is (θ − M)² with M = R‖w*‖; for movies ‖w*‖ is the largest of the users'. The ball has radius 100, or ‖w*‖
where that is more. Theorem 6 is drawn in its corrected form over the first order. The proof of Theorem 8, corrected
too, requires a far smaller γ than the paper's 1, so that a second order with that γ is run as well, with its bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.coactive import ConvexPerceptron, QuadraticLoss, SecondOrderPerceptron, second_order_gamma
from penchant.papers.coactive.bounds import ALPHA, nearest, theorem_6, theorem_8, under
from penchant.papers.coactive.runs import Runs, played
from penchant.papers.coactive.sets import MOVIES, WEB, Scene, by_task, scene
from penchant.papers.experiment import experiment
from penchant.papers.result import Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import sweep_chart
from penchant.simulate import User

CONVEX, SECOND, PROVEN = "convex", "second order", "second order, γ of the proof"
SIXTH, EIGHTH = "Theorem 6", "Theorem 8"
GAMMAS = tuple(10.0**power for power in range(-3, 4))
NAMES = {gamma: f"γ = {gamma:g}" for gamma in GAMMAS}
WIDTH = "decades of γ below the convex line"

BOUNDED = (under(SIXTH, [CONVEX]), under(EIGHTH, [PROVEN]))
_CONVEX = (
    claim(
        "2.line-in-log",
        "the cumulative regret of the second order is a line in log T",
        "T·CREG in log T, second order: R² > 0.97",
        "T·CREG, second order: growth exponent < 0.25",
    ),
    claim(
        "2.line-in-log-utility",
        "so is that of the raw utility",
        "T·REG in log T, second order: R² > 0.97",
        "T·REG, second order: growth exponent < 0.25",
    ),
    claim(
        "2.first-order-slower",
        "the first order converges much more slowly",
        "second order / convex < 0.67",
        "T·REG, convex: growth exponent > 0.25",
    ),
    *BOUNDED,
)
CONVEX_CLAIMS = by_task(web=_CONVEX, movies=_CONVEX)
_GAMMA = (
    claim("2.gamma-one", "γ = 1 does best among those tried", "γ = 1 / the best γ < 1.05"),
    claim(
        "2.gamma-ends",
        "towards both ends of the range it does worse",
        "γ = 0.001 / γ = 1 > 1.05",
        "γ = 1000 / γ = 1 > 1.05",
    ),
)
_WIDE_RANGE = claim(
    "2.gamma-wide",
    "on web search a wide range of values does well, beside the dotted line of the convex perceptron",
    f"{WIDTH} > 1.99",
    quote="The dotted lines show the performance of the Convex Preference Perceptron for comparison.",
)
GAMMA_CLAIMS = by_task(web=(*_GAMMA, _WIDE_RANGE), movies=_GAMMA)
_NOT_DRASTIC = claim(
    "2.noise-not-drastic",
    "with noise the two do not behave drastically differently",
    "0.5 < second order / convex < 2",
)
_IDENTICAL = claim(
    "2.noise-identical-web",
    "with noisy feedback on web search the two are nearly identical",
    "0.8 < second order / convex < 1.25",
)
_ADVANTAGE = claim(
    "2.noise-advantage-movies",
    "with noisy feedback on movies the second order keeps some advantage",
    "second order / convex < 1",
)
NOISY_CLAIMS = by_task(web=(_IDENTICAL, _NOT_DRASTIC, *BOUNDED), movies=(_ADVANTAGE, _NOT_DRASTIC, *BOUNDED))


@experiment("2.fig13", "Figure 13", "convex losses", sets=WEB, claims=CONVEX_CLAIMS)
@experiment("2.fig14", "Figure 14", "convex losses", sets=MOVIES, claims=CONVEX_CLAIMS)
def convex_losses(run: Run, name: str) -> Measured:
    """Compare the convex and the second-order perceptron with strict feedback."""
    on = _scene(name, run)
    runs = played(on, _players(on, on.strict()), run)
    loss = _loss(on)
    regrets = {player: _cumulative(runs.regret(player)) for player in (CONVEX, SECOND)}
    losses = {player: _cumulative(runs.convex(player, loss)) for player in (CONVEX, SECOND)}
    bounds, near = _bounded(runs, loss)
    numbers = {"second order / convex": runs.ratio(SECOND, CONVEX)}
    for what, curves in (("T·REG", regrets), ("T·CREG", losses)):
        for player, curve in curves.items():
            numbers[f"{what} in log T, {player}: R²"] = Estimate(_line_in_log(curve.mean(axis=0)))
            numbers[f"{what}, {player}: growth exponent"] = Estimate(_exponent(curve.mean(axis=0)))
    numbers |= near
    charts = {
        "T·REG": runs.drawn(regrets, "Cumulative regret T·REG"),
        "T·CREG": runs.drawn(losses, "Cumulative convex regret T·CREG"),
        "bounds": _bounds_chart(runs, loss, bounds, "Convex regret CREG"),
    }
    return runs.measured(charts, numbers, loss=loss)


@experiment("2.fig15", "Figure 15", "γ", sets=WEB, claims=GAMMA_CLAIMS)
@experiment("2.fig16", "Figure 16", "γ", sets=MOVIES, claims=GAMMA_CLAIMS)
def gamma_sensitivity(run: Run, name: str) -> Measured:
    """Run the second-order perceptron with γ from 0.001 to 1000."""
    on = _scene(name, run)
    runs = played(on, with_gammas(on), run)
    best = min(NAMES.values(), key=lambda player: float(runs.end(player).mean()))
    numbers = {
        "γ = 1 / the best γ": runs.ratio("γ = 1", best),
        "γ = 0.001 / γ = 1": runs.ratio("γ = 0.001", "γ = 1"),
        "γ = 1000 / γ = 1": runs.ratio("γ = 1000", "γ = 1"),
        WIDTH: Estimate(decades(runs, float(runs.end(CONVEX).mean()))),
        "decades of γ within 1.5 times the best": Estimate(decades(runs, 1.5 * float(runs.end(best).mean()))),
    }
    after = [t for t in (10, 100, on.rounds) if t <= on.rounds]
    chart = sweep_chart(
        GAMMAS,
        {f"after {t:,}": np.array([runs.at(player, t) for player in NAMES.values()]) for t in after},
        references={f"after {t:,}": float(runs.at(CONVEX, t).mean()) for t in after},
        x="γ",
        title=f"How much γ matters: {on.label}",
        subtitle="regret after so many rounds; dashed: the convex perceptron",
    )
    return runs.measured({"utility": chart}, numbers)


@experiment("2.fig17", "Figure 17", "convex losses, noisy feedback", sets=WEB, claims=NOISY_CLAIMS)
@experiment("2.fig18", "Figure 18", "convex losses, noisy feedback", sets=MOVIES, claims=NOISY_CLAIMS)
def noisy_convex_losses(run: Run, name: str) -> Measured:
    """Compare the convex and the second-order perceptron with noisy feedback."""
    on = _scene(name, run)
    runs = played(on, _players(on, on.noisy(), noisy=True), run)
    loss = _loss(on)
    losses = {player: runs.convex(player, loss) for player in (CONVEX, SECOND)}
    bounds, near = _bounded(runs, loss, noisy=True)
    regrets = {player: runs.regret(player) for player in (CONVEX, SECOND)}
    charts = {
        "utility": runs.drawn(regrets, "Noisy feedback"),
        "CREG": runs.drawn(losses, "Noisy feedback, convex regret"),
        "bounds": _bounds_chart(runs, loss, bounds, "Noisy feedback, convex regret CREG"),
    }
    numbers = {
        "second order / convex": runs.ratio(SECOND, CONVEX),
        "CREG, second order / convex": Estimate.ratio(losses[SECOND][:, -1], losses[CONVEX][:, -1]),
    } | near
    return runs.measured(charts, numbers, loss=loss)


def with_gammas(on: Scene) -> dict[str, tuple[Any, User]]:
    """Return players of the second order with every γ, and the convex perceptron, against the strict user."""
    seconds = {
        player: (on.learner(SecondOrderPerceptron, radius=_radius(on), gamma=gamma), on.strict())
        for gamma, player in NAMES.items()
    }
    return {CONVEX: (on.learner(ConvexPerceptron, radius=_radius(on)), on.strict()), **seconds}


def decades(runs: Runs, most: float) -> float:
    """Return how many decades of γ end with at most the given regret: the widest range without a worse one between.

    A single γ is a range of no decades; where there is none, −1.
    """
    widest = width = -1
    for player in NAMES.values():
        width = width + 1 if float(runs.end(player).mean()) <= most else -1
        widest = max(widest, width)
    return float(widest)


def _scene(name: str, run: Run) -> Scene:
    whole = scene(name, run)
    return whole.capped(default=(3, 2_000), full=(2, 10_000)) if whole.n_features > 150 else whole


def _players(on: Scene, user: User, *, noisy: bool = False) -> dict[str, tuple[Any, User]]:
    radius = _radius(on)
    return {
        CONVEX: (on.learner(ConvexPerceptron, radius=radius), user),
        SECOND: (on.learner(SecondOrderPerceptron, radius=radius), user),
        PROVEN: (on.learner(SecondOrderPerceptron, radius=radius, gamma=_gamma(on, noisy)), user),
    }


def _bounded(
    runs: Runs, loss: QuadraticLoss, *, noisy: bool = False
) -> tuple[dict[str, Floats], dict[str, Estimate]]:
    """Return the bounds on CREG_t, and how near the curves come to them."""
    radius, gamma = _radius(runs.scene), _gamma(runs.scene, noisy)
    first = {CONVEX: theorem_6(runs, CONVEX, loss=loss, radius=radius, noisy=noisy)}
    second = {PROVEN: theorem_8(runs, PROVEN, loss=loss, radius=radius, gamma=gamma, noisy=noisy)}
    curves = {player: runs.convex(player, loss) for player in (CONVEX, PROVEN)}
    return first | second, nearest(SIXTH, curves, first) | nearest(EIGHTH, curves, second)


def _bounds_chart(runs: Runs, loss: QuadraticLoss, bounds: Mapping[str, Floats], title: str) -> Any:
    curves = {player: runs.convex(player, loss) for player in runs.records}
    mean = {player: bound.mean(axis=0) for player, bound in bounds.items()}
    return runs.drawn(curves, title, bounds=mean, log_regret=True)


def _gamma(on: Scene, noisy: bool) -> float:
    """Return the largest γ for which the proof goes through, whatever the user answers."""
    norm = float(on.norms.max())
    slack = 2 * on.R * norm * (1 + ALPHA) if noisy else 0.0  # no ξ is larger, eq. 6
    return second_order_gamma(_loss(on), R=on.R, radius=_radius(on), norm=norm, largest_slack=slack)


def _radius(on: Scene) -> float:
    return max(100.0, float(on.norms.max()))


def _loss(on: Scene) -> QuadraticLoss:
    return QuadraticLoss(on.R * float(on.norms.max()))


def _cumulative(average: Floats) -> Floats:
    return average * np.arange(1, average.shape[-1] + 1)


def _line_in_log(curve: Floats) -> float:
    """Return R² of the line in log t through a curve, from its tenth entry on, evenly spread on the log axis."""
    t = np.unique(np.geomspace(10, len(curve), 100).astype(np.int64))
    return float(np.corrcoef(np.log(t), curve[t - 1])[0, 1] ** 2)


def _exponent(curve: Floats) -> float:
    """Return p if the second half of a curve grows like tᵖ: 0 for a bounded one, ½ for √t, 1 for a line."""
    half = len(curve) // 2
    return float(np.log(curve[-1] / curve[half - 1]) / np.log(len(curve) / half))
