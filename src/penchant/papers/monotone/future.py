"""Paper 4, its future work as experiments: confidence, scale, generalisation and control.

The paper only names these; the questions are ours. Hyperparameters by evidence, which it names too, are in
`penchant.papers.monotone.experiments`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.papers.experiment import experiment
from penchant.papers.monotone.repetitions import in_batches
from penchant.papers.monotone.simulation import (
    PAPER,
    RATING_NOISE,
    ZERO,
    Hyperparameters,
    all_pairs,
    compared,
    fitted,
    grid,
    true_utility,
    zero_mean,
)
from penchant.papers.result import BySize, Claim, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import comparison_chart, sweep_chart

if TYPE_CHECKING:
    import pandas as pd

    from penchant.gp import MonotoneGP

REPETITIONS: BySize[int] = BySize(quick=4, default=100, full=500)
UTILITIES = (*PAPER, ZERO)
SECTION = "Summary and Future Work"
WAYS: tuple[Hyperparameters, ...] = ("paper", "evidence")
COUNTS = (45, 90, 150, 300)
SIDES: BySize[tuple[int, ...]] = BySize(
    quick=(5, 7), default=(8, 12, 16, 24, 32), full=(8, 12, 16, 24, 32, 40, 48)
)
ANSWERS: BySize[tuple[int, ...]] = BySize(
    quick=(90, 180), default=(90, 180, 300), full=(75, 90, 120, 180, 240, 300)
)
DESIGNS = 20  # controllers along each of two gains
PREDICTED = np.arange(0.55, 1.0, 0.1)  # middles of bins of stated probabilities of the likelier answer


def _asked(id: str, says: str, quote: str, *rules: str) -> Claim:
    return claim(id, says, *rules, whose="ours", section=SECTION, quote=quote)


CALIBRATED = _asked(
    "4.calibrated",
    "stated probabilities of answers are right to 0.05",
    "Confidence estimates",
    "paper, largest calibration error < 0.05",
)
COVERED = _asked(
    "4.covered",
    "intervals of 95 % around differences of utility hold the true one in at least 90 %",
    "Confidence estimates",
    "paper, coverage of 95 % > 0.9",
)
CONFIDENCE = tuple(
    each.by(f"{way}, {number} {limit}", setting=f"hyperparameters of the {way}")
    for each, number, limit in (
        (CALIBRATED, "largest calibration error", "< 0.05"),
        (COVERED, "coverage of 95 %", "> 0.9"),
    )
    for way in WAYS
)
SCALE = (
    _asked(
        "4.scale-items",
        "a fit with its proof takes no more than cubic time in the items",
        "Scalability",
        "exponent of the time in the items < 3.2",
    ),
    _asked(
        "4.scale-answers",
        "and no more than linear time in the comparisons",
        "Scalability",
        "exponent of the time in the comparisons < 1.2",
    ),
)
GENERALISATION = (
    _asked(
        "4.new-points",
        "on points that were never compared y is ahead of a process with mean 0, whatever the number of comparisons",
        "Generalisation error",
        *(f"{count} comparisons, new points, y less {ZERO} > 0" for count in COUNTS),
    ),
    _asked(
        "4.new-points-loss",
        "y puts nearly as many pairs of new points right as of points that were compared",
        "Generalisation error",
        "90 comparisons, y, new points less compared ones > -3",
    ),
)
CONTROL = (
    _asked(
        "4.control",
        "the controller that y prefers is nearly the best for the user",
        "Application in control",
        "loss of the choice of y < 0.05",
    ),
    _asked(
        "4.control-linear",
        "the controller that y prefers is better than the one that f_lin prefers",
        "Application in control",
        "loss, f_lin less y > 0",
    ),
)


@experiment("4.confidence", "future work: confidence", "stated and true probabilities", claims=CONFIDENCE)
def confidence(run: Run) -> Measured:
    """Compare stated probabilities and intervals on random pairs of points with the true ones."""
    runs_by_way, took = in_batches(run, _confidence, WAYS, REPETITIONS[run.size])
    found = dict(zip(WAYS, runs_by_way, strict=True))
    numbers: dict[str, Estimate | float] = {}
    rows = []
    for way, runs in found.items():
        table = np.array(runs)
        covered, stated, true = table[:, 0, 0], table[:, 1], table[:, 2]
        apart = np.nanmean(stated - true, axis=0)
        numbers[f"{way}, coverage of 95 %"] = Estimate.of(covered)
        numbers[f"{way}, largest calibration error"] = float(np.nanmax(np.abs(apart)))
        rows += [
            (way, *pair) for pair in zip(PREDICTED, np.nanmean(stated, 0), np.nanmean(true, 0), strict=True)
        ]
    frame = _frame(rows, ["hyperparameters", "bin", "stated", "true"])
    true_share = {way: np.array([run[2] for run in runs]).T for way, runs in found.items()}
    chart = sweep_chart(
        PREDICTED.round(2).tolist(),
        {way: np.nan_to_num(share, nan=float(np.nanmean(share))) for way, share in true_share.items()},
        log=False,
        x="stated probability of the likelier answer",
        y="true probability of that answer",
        title="Are stated probabilities right?",
        subtitle="random pairs of points of the 9 × 9 grid; mean of each bin",
    )
    return _measured(run, numbers, {"calibration": chart}, frame, took)


def _confidence(seed: int, number: int, way: Hyperparameters) -> Floats:
    """Return coverage, and the stated and true probability of the likelier answer in each bin, shape (3, bins)."""
    from scipy.special import ndtr

    random = np.random.default_rng((seed, number))
    X, points = grid(5), grid(9)
    model = fitted(X, compared(X, random), hyperparameters=way)
    pairs = all_pairs(len(points))
    pairs = pairs[random.choice(len(pairs), 400, replace=False)]
    first, second = points[pairs[:, 0]], points[pairs[:, 1]]
    mean, std = model.difference(first, second)
    true = (true_utility(first) - true_utility(second)) / RATING_NOISE
    covered = np.abs(true * model.noise_ - mean) <= 1.96 * std  # utilities have the unit of the noise
    stated = model.win_probability(first, second)
    likelier = np.maximum(stated, 1 - stated)
    chance = ndtr(np.where(stated >= 0.5, true, -true) / np.sqrt(2))
    bins = np.clip(((likelier - 0.5) * 10).astype(int), 0, len(PREDICTED) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of an empty bin is NaN
        by_bin = [
            [of[bins == number].mean() for number in range(len(PREDICTED))] for of in (likelier, chance)
        ]
    return np.array([np.full(len(PREDICTED), covered.mean()), *by_bin])


@experiment("4.scale", "future work: scale", "time of a fit with its proof", claims=SCALE)
def scale(run: Run) -> Measured:
    """Measure the CPU time of a fit, proof included, by the number of items and of comparisons."""
    began = process_time()
    fitted(grid(5), compared(grid(5), np.random.default_rng(run.seed)))  # nothing is compiled on the clock
    rows = [("items", side**2, _seconds(side, 4 * side**2, run.seed)) for side in SIDES[run.size]]
    rows += [("comparisons", count, _seconds(5, count, run.seed)) for count in ANSWERS[run.size]]
    frame = _frame(rows, ["what", "count", "CPU seconds"])
    numbers: dict[str, Estimate | float] = {}
    for what, part in frame.groupby("what"):
        slope = np.polyfit(np.log(part["count"]), np.log(part["CPU seconds"]), 1)[0]
        numbers[f"exponent of the time in the {what}"] = float(slope)
        numbers[f"CPU seconds with {part['count'].max()} {what}"] = float(part["CPU seconds"].iloc[-1])
    of_items = frame[frame["what"] == "items"]
    chart = sweep_chart(
        of_items["count"].tolist(),
        {"fit and proof": of_items[["CPU seconds"]].to_numpy()},
        x="items",
        y="CPU seconds",
        title="What a fit costs",
        subtitle="four comparisons an item",
    )
    return _measured(run, numbers, {"time": chart}, frame, process_time() - began)


def _seconds(side: int, count: int, seed: int) -> float:
    X = grid(side)
    pairs = compared(X, np.random.default_rng((seed, side, count)), count=count)
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        fitted(X, pairs)
    return process_time() - began


@experiment("4.generalisation", "future work: generalisation", "points never compared", claims=GENERALISATION)
def generalisation(run: Run) -> Measured:
    """Count the pairs put right by the number of comparisons, apart for compared points and new ones."""
    by_count, took = in_batches(run, _generalised, COUNTS, REPETITIONS[run.size])
    found = dict(zip(COUNTS, map(np.array, by_count), strict=True))
    numbers: dict[str, Estimate | float] = {}
    y, zero = UTILITIES.index("y"), UTILITIES.index(ZERO)
    for count, table in found.items():
        for place, name in enumerate(UTILITIES):
            numbers[f"{count} comparisons, new points, {name}"] = Estimate.of(table[:, place, 1])
        lead = table[:, y, 1] - table[:, zero, 1]
        numbers[f"{count} comparisons, new points, y less {ZERO}"] = Estimate.of(lead)
    numbers["90 comparisons, y, new points less compared ones"] = Estimate.of(
        found[90][:, y, 1] - found[90][:, y, 0]
    )
    rows = [
        (count, number, name, *table[number, place])
        for count, table in found.items()
        for number in range(len(table))
        for place, name in enumerate(UTILITIES)
    ]
    frame = _frame(rows, ["comparisons", "repetition", "name", "compared points", "new points"])
    chart = sweep_chart(
        COUNTS,
        {
            name: np.array([table[:, place, 1] for table in found.values()])
            for place, name in enumerate(UTILITIES)
        },
        log=False,
        x="comparisons",
        y="percent of pairs of new points put right",
        title="What is learned about points never compared",
        subtitle="mean ± one standard error",
    )
    return _measured(run, numbers, {"new points": chart}, frame, took)


def _generalised(seed: int, number: int, count: int) -> Floats:
    """Return the percentage of pairs put right by each utility, of compared points and of new ones, shape (4, 2)."""
    random = np.random.default_rng((seed, number))
    X, points = grid(5), grid(9)
    pairs = compared(X, random, count=count)
    utilities = _utilities(fitted(X, pairs), X, pairs, points)
    tested, truth = all_pairs(len(points)), true_utility(points)
    new = ((points * 4) % 1 != 0).any(axis=1)
    groups = [~new[tested].any(axis=1), new[tested].all(axis=1)]
    return np.array(
        [[100 * _right(utility, truth, tested[group]) for group in groups] for utility in utilities.values()]
    )


def _utilities(model: MonotoneGP, X: Floats, pairs: Any, points: Floats) -> dict[str, Floats]:
    found = [model.predict(points, alpha=alpha) for alpha in (0.0, None, 1.0)]
    found.append(zero_mean(X, pairs, model, "paper").predict(points))
    return dict(zip(UTILITIES, found, strict=True))


def _right(utility: Floats, truth: Floats, pairs: Any) -> float:
    first, second = pairs.T
    return float((np.sign(utility[first] - utility[second]) == np.sign(truth[first] - truth[second])).mean())


@experiment("4.control", "future work: control", "a controller chosen by comparisons", claims=CONTROL)
def control(run: Run) -> Measured:
    """Let a user compare 25 controllers of a mass, and choose among 400 by the learned utility.

    A controller is a gain on position and one on speed. What a user weighs is how quickly the mass settles and how
    little force that takes, each between 0 and 1; more of both is better.
    """
    (losses,), took = in_batches(run, _controlled, [design_scores(DESIGNS)], REPETITIONS[run.size])
    table = np.array(losses)
    numbers: dict[str, Estimate | float] = {
        f"loss of the choice of {name}": Estimate.of(table[:, place]) for place, name in enumerate(UTILITIES)
    }
    y = UTILITIES.index("y")
    for other in ("f_lin", "f_MAP", ZERO):
        lead = table[:, UTILITIES.index(other)] - table[:, y]
        numbers[f"loss, {other} less y"] = Estimate.of(lead)
    frame = _frame([(number, *row) for number, row in enumerate(table.tolist())], ["repetition", *UTILITIES])
    chart = comparison_chart(
        {"chosen of 400 controllers": {name: table[:, place] for place, name in enumerate(UTILITIES)}},
        x="utility lost, of the best controller's lead over a random one",
        title="A controller chosen by comparisons",
        subtitle="mean over repetitions ± one standard error",
    )
    return _measured(run, numbers, {"loss": chart}, frame, took)


def design_scores(designs: int) -> Floats:
    """Return how quickly each controller settles and how little force it takes, scaled to [0, 1], shape (n, 2).

    The mass m = 1 with friction 0.2 starts 1 away from its target; the force is −p x − d v. Quickness is minus the
    integral of x², thrift minus that of the squared force, both over 10 s.

    Examples
    --------
    >>> design_scores(3).shape
    (9, 2)
    """
    gains = np.stack(np.meshgrid(np.geomspace(0.3, 10, designs), np.geomspace(0.5, 6, designs)), axis=-1)
    p, d = gains.reshape(-1, 2).T
    x, v, step = np.ones(len(p)), np.zeros(len(p)), 0.01
    error, effort = np.zeros(len(p)), np.zeros(len(p))
    for _ in range(1_000):
        force = -p * x - d * v
        v = v + step * (force - 0.2 * v)
        x = x + step * v
        error, effort = error + step * x**2, effort + step * force**2
    costs = np.column_stack([np.log(error), np.log(effort)])
    found: Floats = (costs.max(axis=0) - costs) / np.ptp(costs, axis=0)
    return found


def _controlled(seed: int, number: int, scores: Floats) -> list[float]:
    """Return the utility that each choice loses, of the best controller's lead over the mean of all."""
    random = np.random.default_rng((seed, number))
    X = scores[random.choice(len(scores), 25, replace=False)]
    pairs = compared(X, random)
    truth = true_utility(scores)
    most, lead = float(truth.max()), float(truth.max() - truth.mean())
    chosen = _utilities(fitted(X, pairs), X, pairs, scores)
    return [(most - float(truth[utility.argmax()])) / lead for utility in chosen.values()]


def _frame(rows: list[Any], columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)


def _measured(
    run: Run,
    numbers: Mapping[str, Estimate | float],
    charts: Mapping[str, Any],
    frame: pd.DataFrame,
    took: float,
) -> Measured:
    return Measured(
        f"{REPETITIONS[run.size]:,} repetitions of drawn comparisons",
        numbers,
        charts,
        frame,
        {"all": took},
    )
