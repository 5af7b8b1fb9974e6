"""Paper 2, section 7: the questions of its conclusions that can be played, as questions of ours.

Whether an algorithm profits from the gradient of a known loss; whether another online algorithm can be converted; and
whether there is less to lose in a fixed number of dimensions. Whether utilities with more structure than linear ones
allow more is played for a sparse w* (`2.sparse`). What asks for a proof, or for users of other applications, is not
played.
"""

from __future__ import annotations

from time import process_time
from typing import Any, Self

import numpy as np

from penchant.checks import Floats
from penchant.coactive import (
    ConvexPerceptron,
    ItemMap,
    Loss,
    PreferencePerceptron,
    QuadraticLoss,
    SecondOrderPerceptron,
    SquaredLoss,
)
from penchant.coactive.maps import difference_of
from penchant.papers.coactive.runs import drawn, played
from penchant.papers.coactive.sets import scene
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import regret_chart

LOSSES = {"(θ − M)²": QuadraticLoss, "θ²": SquaredLoss}
PLAIN, GUESS, TRUE = "Algorithm 5", "estimated gradient", "true gradient"
PERCEPTRON, ADAGRAD = "perceptron", "AdaGrad"
DIMENSIONS = (2, 5, 10)
HORIZON: BySize[int] = BySize(quick=300, default=10_000, full=30_000)
ELLIPSOID = "ellipsoid"
KNOWN_LOSS = tuple(
    claim(
        "2.known-loss",
        "steps in proportion to the gradient of a known loss lower its regret",
        whose="ours",
        section="7",
        quote="utilize the gradient of the loss to perform better",
    ).by(f"{loss}, {player} / Algorithm 5 < 1", setting=f"{loss}, {player}")
    for loss in LOSSES
    for player in (GUESS, TRUE)
)
CONVERTED = tuple(
    claim(
        "2.converted",
        "another online algorithm, AdaGrad, does as well as the perceptron once it is converted",
        whose="ours",
        section="7",
        quote="many other online learning algorithms could similarly be converted to practically useful",
    ).by(f"AdaGrad / perceptron, {feedback} < 1.1", setting=feedback)
    for feedback in ("strict", "noisy")
)
FIXED_DIMENSION = (
    claim(
        "2.fixed-dimension",
        "in a fixed dimension there is an algorithm with better regret than the perceptron's, which grows like √T",
        *(f"perceptron, N = {n}: growth exponent > 0.4" for n in DIMENSIONS),
        *(f"ellipsoid, N = {n}: growth exponent < 0.1" for n in DIMENSIONS),
        whose="ours",
        section="7",
        quote="are there algorithms with better regret than our proposed algorithms?",
    ),
)


class GradientSteps(ConvexPerceptron):
    """Algorithm 5 with steps in proportion to |c′(θ)| / G of a known loss.

    θ is that of the true weights, or |w̄ᵀ(φ(x, ȳ) − φ(x, y))| of the mean of its own weights, scaled to ‖w*‖.
    """

    def __init__(self, *given: Any, loss: Loss, norm: float, truth: Floats | None = None, **settings: Any):
        super().__init__(*given, **settings)
        self.loss, self.norm, self.truth = loss, norm, truth

    def update(self, context: Any, presented: Any, feedback: Any) -> Self:
        """Learn that ``feedback`` is better than ``presented``."""
        of = self.feature_map
        difference = difference_of(of, context, feedback, presented)
        if self.truth is not None:
            best = of.argmax(self.truth, context)
            lost = float(self.truth @ difference_of(of, context, best, presented))
        else:
            mean = self.averaged_weights
            length = float(np.linalg.norm(mean))
            lost = abs(float(mean @ difference)) * self.norm / length if length else np.inf
        steepest = not np.isfinite(lost)  # nothing is known yet
        step = 1.0 if steepest else float(-self.loss.derivative(-lost)) / self.loss.slope
        return self.learn_difference(step * difference)


class AdaGrad(PreferencePerceptron):
    """Steps (φ(x, ȳ) − φ(x, y)) / √Σ(φ(x, ȳ) − φ(x, y))², feature by feature."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self._squares = np.zeros(self.n_features)

    def _learn(self, difference: Floats) -> None:
        self._squares = self._squares + difference**2
        scale = np.sqrt(np.where(self._squares > 0, self._squares, 1.0))
        self._keep(self._weights + difference / scale)


class Ellipsoid(PreferencePerceptron):
    """Present by the centre of an ellipsoid that holds w*, and cut it by each answer, unless it is narrow already.

    Only for strictly α-informative feedback: a single wrong answer may cut w* off.
    """

    def __init__(self, *given: Any, narrow: float, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.narrow, self._shape = narrow, np.eye(self.n_features)

    def _learn(self, difference: Floats) -> None:
        n, pull = self.n_features, self._shape @ difference
        width = float(np.sqrt(difference @ pull))
        if width <= self.narrow:
            self._keep(self._weights)
            return
        step = pull / width
        self._shape = n**2 / (n**2 - 1) * (self._shape - 2 / (n + 1) * np.outer(step, step))
        self._keep(self._weights + step / (n + 1))


@experiment(
    "2.known-loss", "section 7", "the gradient of a known loss", needs=("letor4-mq2008",), claims=KNOWN_LOSS
)
def known_loss(run: Run) -> Measured:
    """Compare Algorithm 5 with steps by the gradient of the loss, as estimated and as it is, with strict feedback."""
    on = scene("letor4-mq2008", run).capped(quick=(2, 60), default=(10, 1_000), full=(20, 4_000))
    truth, norm = np.asarray(on.setting.weights), float(on.norms.max())
    losses = {label: kind(on.R * norm) for label, kind in LOSSES.items()}
    learners = {PLAIN: on.learner(ConvexPerceptron)}
    for label, loss in losses.items():
        known = {"loss": loss, "norm": norm}
        learners[f"{label}, {GUESS}"] = on.learner(GradientSteps, **known)
        learners[f"{label}, {TRUE}"] = on.learner(GradientSteps, truth=truth, **known)
    runs = played(on, {player: (learner, on.strict()) for player, learner in learners.items()}, run)
    numbers, charts = {}, {}
    for label, loss in losses.items():
        curves = {
            player: runs.convex(player, loss) for player in learners if player == PLAIN or label in player
        }
        for player in curves.keys() - {PLAIN}:
            numbers[f"{player} / {PLAIN}"] = Estimate.ratio(curves[player][:, -1], curves[PLAIN][:, -1])
        charts[label] = runs.drawn(curves, f"Convex regret, {label}", log_regret=True)
    return runs.measured(charts, dict(sorted(numbers.items())))


@experiment(
    "2.converted", "section 7", "AdaGrad, converted", sets=("letor4-mq2008", "ml-1m"), claims=CONVERTED
)
def converted(run: Run, name: str) -> Measured:
    """Compare the perceptron with AdaGrad, strict and noisy."""
    on = scene(name, run).capped(quick=(2, 60), default=(10, 1_000), full=(20, 4_000))
    learners = {PERCEPTRON: on.learner(PreferencePerceptron), ADAGRAD: on.learner(AdaGrad)}
    players = {
        f"{player}, {feedback}": (learner, on.user(feedback))
        for feedback in ("strict", "noisy")
        for player, learner in learners.items()
    }
    runs = played(on, players, run)
    numbers = {
        f"AdaGrad / perceptron, {feedback}": runs.ratio(f"{ADAGRAD}, {feedback}", f"{PERCEPTRON}, {feedback}")
        for feedback in ("strict", "noisy")
    }
    return runs.measured({"utility": runs.chart("Perceptron and AdaGrad", log_regret=True)}, numbers)


@experiment("2.fixed-dimension", "section 7", "a game in a fixed dimension", claims=FIXED_DIMENSION)
def fixed_dimension(run: Run) -> Measured:
    """Let an adversary who knows the learner's weights ask for what they have learned least, with α = 1.

    The two objects ±x of a round are orthogonal to the weights but for rounding, and of all such x the one with the
    largest utility; the learner presents −x. The first x is an axis. Where nearly all is learned, x is half as long as
    else, so that the answer does not teach the rest.
    """
    import pandas as pd

    horizon = HORIZON[run.size]
    games = [
        (player, n, horizon)
        for n in DIMENSIONS
        for player in ("perceptron", "convex", "second order", ELLIPSOID)
    ]
    found = run.each(_game, games, alone=run.size == "quick")
    curves: dict[int, dict[str, Floats]] = {}
    numbers, seconds, rows = {}, dict.fromkeys((game[0] for game in games), 0.0), []
    for (player, n, _), (lost, took) in zip(games, found, strict=True):
        total = np.cumsum(lost)
        numbers[f"{player}, N = {n}: growth exponent"] = float(np.log2(total[-1] / total[horizon // 2 - 1]))
        numbers[f"{player}, N = {n}: regret in all"] = float(total[-1])
        curves.setdefault(n, {})[player] = total
        seconds[player] += took
        rows += [{"name": player, "N": n, "t": t, "regret": total[t - 1] / t} for t in drawn(horizon)]
    charts = {
        f"N = {n}": regret_chart(
            own, y="cumulative regret", title=f"A game in {n} dimensions", log_regret=True
        )
        for n, own in curves.items()
    }
    data = f"the game of an adversary, no data and no chance; {horizon:,} rounds"
    return Measured(data, numbers, charts, pd.DataFrame(rows), seconds)


def _game(player: str, n: int, horizon: int) -> tuple[Floats, float]:
    """Return what a learner loses in each round of the game, and the CPU seconds."""
    began = process_time()
    kinds: dict[str, tuple[type[Any], dict[str, float]]] = {
        "perceptron": (PreferencePerceptron, {}),
        "convex": (ConvexPerceptron, {"radius": 1.0}),
        "second order": (SecondOrderPerceptron, {"radius": 1.0}),
        ELLIPSOID: (Ellipsoid, {"narrow": 1 / horizon}),
    }
    kind, settings = kinds[player]
    learner = kind(ItemMap(), n, **settings)
    truth, lost = np.arange(1.0, n + 1), np.zeros(horizon)
    truth /= np.linalg.norm(truth)
    could = 0.0
    for t in range(horizon):
        weights = learner.weights
        length = float(np.linalg.norm(weights))
        along = weights / length if length else np.zeros(n)
        x = truth - (truth @ along) * along if length else np.eye(n)[0]
        could, before = float(np.linalg.norm(x)), could
        x = x / could
        x = (x - (x @ along + 1e-12) * along) * (0.5 if could < before / 4 else 1.0)
        context = np.array([-x, x])
        presented = int(learner.present(context))
        best = int(truth @ x > 0)
        lost[t] = abs(2 * truth @ x) if presented != best else 0.0
        learner.update(context, presented, best)
    return lost, process_time() - began
