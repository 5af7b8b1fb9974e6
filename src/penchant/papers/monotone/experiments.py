"""Paper 4: the pictures and the table of the case study, and variations of its settings.

`penchant.papers.monotone.simulation` settles what the paper leaves open. Nothing is read: comparisons are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats
from penchant.papers.experiment import experiment
from penchant.papers.monotone.simulation import (
    COMPARISONS,
    KINDS,
    LENGTHSCALE,
    PAPER,
    RATING_NOISE,
    ZERO,
    Repetition,
    compared,
    fitted,
    grid,
    repeated,
    true_utility,
)
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.plots import comparison_chart, monotone_chart, surface_chart, sweep_chart

if TYPE_CHECKING:
    import pandas as pd

REPETITIONS: BySize[int] = BySize(quick=20, default=300, full=1_000)
FEW: BySize[int] = BySize(quick=4, default=60, full=500)
"""Repetitions for each value of a setting."""
BATCH = 10  # repetitions of a task
POINTS = 0.4
"""The largest difference, in percentage points, between a cell of the table and the paper's."""
GROUND = 101  # points along each side at which slopes are evaluated
NEVER = 1e-9
SWEPT = (*PAPER, ZERO)
SWEEPS: dict[str, tuple[str, Sequence[float]]] = {
    "rating noise": ("noise", (0.025, 0.05, 0.1, 0.2, 0.4)),
    "lengthscale": ("lengthscale", (0.05, 0.1, 0.2, 0.4, 0.8)),
    "number of comparisons": ("count", (45, 60, 90, 150, 300)),
}

PICTURE_CLAIMS = (
    claim(
        "4.not-monotone",
        "the utility of f_MAP does not satisfy the monotonicity constraints",
        "f_MAP, lowest slope < 0",
        "f_MAP, part of the ground with a wrong slope > 0",
        section="Non-Monotonic Utility Function",
        quote="does not satisfy monotonicity constraints",
    ),
    claim(
        "4.monotone",
        "the utility of y does",
        "y, slope that is proven everywhere > 0",
        f"y, part of the ground with a wrong slope < {NEVER}",
        section="Monotonic Utility Function",
        quote="does satisfy monotonicity constraints",
    ),
)
PROVEN = claim(
    "4.dominated",
    "all dominated pairs are put right by y and by f_lin, in each repetition",
    f"y, dominated, in the worst repetition > {100 - NEVER}",
    f"f_lin, dominated, in the worst repetition > {100 - NEVER}",
    section="Case Study, table",
    quote="Dominated pairs 98.43% 100% 100%",
)
IN_ORDER = claim(
    "4.likelihoods",
    "f_MAP is likelier than y, and y likelier than f_lin, without exception",
    "repetitions with likelihoods out of order < 0.5",
    section="Choice of α",
    quote="Then the negative log likelihoods satisfy",
    whose="theorem",
)
SAME_HIERARCHY = claim(
    "4.hierarchy",
    "overall accuracy has the same hierarchy as the likelihoods",
    "overall, f_MAP less y > 0",
    "overall, y less f_lin > 0",
    section="Case Study, table",
    quote="Same hierarchy as log likelihoods",
)
UNSEEN = claim(
    "4.unseen",
    "on pairs that were not compared the three utilities have the same hierarchy",
    "unseen pairs, f_MAP less y > 0",
    "unseen pairs, y less f_lin > 0",
    whose="ours",
    section="Case Study, table",
    quote="Validation on seen and unseen pairs",
)
TABLE_CLAIMS = (
    UNSEEN,
    claim(
        "4.table-cells",
        f"each cell of the paper's table is met within {POINTS} points",
        *(
            f"{cell - POINTS} < {name}, {kind} < {cell + POINTS}"
            for name, row in PAPER.items()
            for kind, cell in zip(KINDS, row, strict=True)
        ),
        section="Case Study, table",
        quote="Average prediction accuracy",
    ),
    PROVEN,
    IN_ORDER,
    SAME_HIERARCHY,
    claim(
        "4.no-guarantee",
        "f_MAP does not guarantee monotonicity",
        "f_MAP, share of repetitions with a wrong slope > 0",
        section="Empirical Bayes and Gaussian Process Regression",
        quote="this does not guarantee monotonicity",
    ),
)
EVIDENCE_CLAIMS = (
    PROVEN,
    IN_ORDER,
    SAME_HIERARCHY,
    claim(
        "4.evidence",
        "choosing the hyperparameters is worth it (the paper leaves it to future work)",
        "y, overall, by evidence less by the paper's > 0",
        section="Summary and Future Work",
        quote="Hyperparameter selection",
        whose="ours",
    ),
)
FEWER = claim(
    "4.fewer-comparisons",
    "monotonicity reduces how many comparisons are needed",
    "45 comparisons, y less zero mean > 0",
    section="Motivation",
    quote="for reducing data requirements",
    changed="the baseline was f_MAP, whose prior mean is monotone already; now it is a process with mean 0",
)
SENSITIVITY_CLAIMS = (
    FEWER,
    FEWER.by("45 comparisons, by evidence, y less zero mean > 0", setting="hyperparameters by evidence"),
    claim(
        "4.dominated-anywhere",
        "y puts all dominated pairs right whatever the noise, the lengthscale and the number of comparisons",
        f"y, dominated, in the worst repetition > {100 - NEVER}",
        section="Monotonicity Conditions",
        quote="satisfies monotonicity constraints over the feature space",
        whose="theorem",
    ),
)


@experiment(
    "4.pictures", "the contour and two utilities", "not monotone, and monotone", claims=PICTURE_CLAIMS
)
def utility_pictures(run: Run) -> Measured:
    """Draw the true utility, f_MAP and the monotone utility of one draw."""
    import pandas as pd

    began = process_time()
    X = grid(5)
    model = fitted(X, compared(X, np.random.default_rng(run.seed)))
    points, proof = grid(GROUND), model.certificate_
    heights = {"f_MAP": model.predict(points, alpha=0.0), "y": model.predict(points)}
    wrong = {
        utility: float((model.gradient(points, alpha=alpha) < 0).any(axis=1).mean())
        for utility, alpha in (("f_MAP", 0.0), ("y", model.alpha_))
    }
    numbers = {
        "α̃": model.alpha_,
        "f_MAP, lowest slope": float(proof.value.min()),
        "f_MAP, slope that is proven everywhere": float(proof.bound.min()),
        "y, slope that is proven everywhere": float(proof.slope.min()),
    } | {f"{utility}, part of the ground with a wrong slope": part for utility, part in wrong.items()}
    charts = {
        "true utility": surface_chart(
            true_utility,
            names=("feature 0", "feature 1"),
            items=X,
            title="The true utility",
            subtitle="lines of equal utility; the 25 items",
        ),
        "estimates": monotone_chart(model, true_utility),
    }
    frame = pd.DataFrame({"x₁": points[:, 0], "x₂": points[:, 1], "true": true_utility(points)} | heights)
    return Measured(
        f"{COMPARISONS} drawn comparisons of 25 items",
        numbers,
        charts,
        frame,
        {"fit and proof": process_time() - began},
        tables={"certificate": proof.to_frame()},
    )


@experiment("4.table", "the table", "pairs ordered rightly, 90 comparisons", claims=TABLE_CLAIMS)
def case_study_table(run: Run) -> Measured:
    """Repeat the simulation and count which pairs are put right."""
    runs, seconds = _repeated([{}], REPETITIONS[run.size], run)
    return _measured(run, {"paper's settings": runs[0]}, _cells(runs[0]), {"repetitions": seconds})


@experiment("4.evidence", "future work", "hyperparameters by evidence", claims=EVIDENCE_CLAIMS)
def evidence_table(run: Run) -> Measured:
    """Repeat the simulation with hyperparameters by evidence, which paper 4 leaves to future work."""
    ways: list[Mapping[str, Any]] = [{"hyperparameters": "evidence"}, {}]
    (runs, before), seconds = _repeated(ways, REPETITIONS[run.size], run)
    numbers = _cells(runs)
    gained = 100 * (_accuracy(runs) - _accuracy(before))[:, 1, 2]
    numbers["y, overall, by evidence less by the paper's"] = Estimate.of(gained)
    ways_to_fit = {"by evidence": runs, "paper's settings": before}
    return _measured(run, ways_to_fit, numbers, {"repetitions, both ways": seconds})


@experiment(
    "4.sensitivity",
    "beyond the paper",
    "noise, lengthscale, number of comparisons",
    claims=SENSITIVITY_CLAIMS,
)
def sensitivity(run: Run) -> Measured:
    """Change the rating noise, the lengthscale and the number of comparisons of paper 4's case study."""
    import pandas as pd

    places = [(what, value) for what, (_, values) in SWEEPS.items() for value in values]
    ways: list[Mapping[str, Any]] = [{SWEEPS[what][0]: value, "with_zero": True} for what, value in places]
    ways.append({"count": 45, "hyperparameters": "evidence", "with_zero": True})
    (*runs, by_evidence), seconds = _repeated(ways, FEW[run.size], run)
    found = dict(zip(places, map(_with_zero, runs), strict=True))
    rows = [
        (what, value, repetition, name, *(100 * accuracy[repetition, place]))
        for (what, value), accuracy in found.items()
        for repetition in range(len(accuracy))
        for place, name in enumerate(SWEPT)
    ]
    frame = pd.DataFrame(rows, columns=["setting", "value", "repetition", "name", *KINDS])
    numbers: dict[str, Estimate] = {}
    for what, value in places:
        overall = 100 * found[what, value][:, :, 2]
        for place, name in enumerate(SWEPT):
            numbers[f"{what} {value:g}, {name}"] = Estimate.of(overall[:, place])
    for label, accuracy in (
        ("45 comparisons", found["number of comparisons", 45]),
        ("45 comparisons, by evidence", _with_zero(by_evidence)),
    ):
        few = 100 * accuracy[:, :, 2]
        for other in (ZERO, "f_MAP"):
            lead = few[:, SWEPT.index("y")] - few[:, SWEPT.index(other)]
            numbers[f"{label}, y less {other}"] = Estimate.of(lead)
    worst = min(float(accuracy[:, 1, 0].min()) for accuracy in found.values())
    numbers["y, dominated, in the worst repetition"] = Estimate(100 * worst)
    return Measured(
        f"{FEW[run.size]:,} repetitions for each value; else {COMPARISONS} drawn comparisons of 25 items, "
        f"rating noise {RATING_NOISE}, lengthscale {LENGTHSCALE}",
        numbers,
        {what: _curves(what, found) for what in SWEEPS},
        frame,
        {"repetitions": seconds},
    )


def _repeated(
    ways: Sequence[Mapping[str, Any]], repetitions: int, run: Run
) -> tuple[list[list[Repetition]], float]:
    """Return the repetitions of each way, and the CPU seconds of all."""
    starts = range(0, repetitions, BATCH)
    tasks = [(first, min(BATCH, repetitions - first), run.seed, way) for way in ways for first in starts]
    found = run.each(_some, tasks)
    parts = [found[place : place + len(starts)] for place in range(0, len(found), len(starts))]
    repeated_ways = [[repetition for part, _ in own for repetition in part] for own in parts]
    return repeated_ways, sum(took for _, took in found)


def _some(first: int, count: int, seed: int, way: Mapping[str, Any]) -> tuple[list[Repetition], float]:
    began = process_time()
    runs = [repeated(repetition, seed, **way) for repetition in range(first, first + count)]
    return runs, process_time() - began


def _with_zero(runs: Sequence[Repetition]) -> Floats:
    """Return the accuracy of each of `SWEPT`, shape (repetitions, 4, 3)."""
    return np.array([np.vstack([run.accuracy, run.zero]) for run in runs])


def _accuracy(runs: Sequence[Repetition]) -> Floats:
    return np.array([run.accuracy for run in runs])


def _cells(runs: Sequence[Repetition]) -> dict[str, Estimate]:
    percent = 100 * _accuracy(runs)
    numbers = {
        f"{name}, {kind}": Estimate.of(percent[:, row, column])
        for row, name in enumerate(PAPER)
        for column, kind in enumerate(KINDS)
    }
    for row, name in enumerate(PAPER):
        numbers[f"{name}, dominated, in the worst repetition"] = Estimate(float(percent[:, row, 0].min()))
    numbers["overall, f_MAP less y"] = Estimate.of(percent[:, 0, 2] - percent[:, 1, 2])
    numbers["overall, y less f_lin"] = Estimate.of(percent[:, 1, 2] - percent[:, 2, 2])
    for label, parts in (("seen", [run.seen for run in runs]), ("unseen", [run.unseen for run in runs])):
        of_pairs = 100 * np.array(parts)[:, :, 2]
        for row, name in enumerate(PAPER):
            numbers[f"{label} pairs, {name}"] = Estimate.of(of_pairs[:, row])
        numbers[f"{label} pairs, f_MAP less y"] = Estimate.of(of_pairs[:, 0] - of_pairs[:, 1])
        numbers[f"{label} pairs, y less f_lin"] = Estimate.of(of_pairs[:, 1] - of_pairs[:, 2])
    out_of_order = sum(not run.in_order for run in runs)
    numbers["repetitions with likelihoods out of order"] = Estimate(float(out_of_order))
    wrong = np.array([run.lowest < 0 for run in runs], dtype=np.float64)
    numbers["f_MAP, share of repetitions with a wrong slope"] = Estimate.of(wrong)
    numbers["y, least slope that is proven"] = Estimate(min(run.proven for run in runs))
    numbers["α̃"] = Estimate.of(np.array([run.alpha for run in runs]))
    return numbers


def _measured(
    run: Run,
    ways: Mapping[str, Sequence[Repetition]],
    numbers: Mapping[str, Estimate],
    seconds: Mapping[str, float],
) -> Measured:
    import pandas as pd

    rows = [
        (way, number, name, *(100 * repetition.accuracy[place]), repetition.alpha)
        for way, repetitions in ways.items()
        for number, repetition in enumerate(repetitions)
        for place, name in enumerate(PAPER)
    ]
    frame = pd.DataFrame(rows, columns=["way", "repetition", "name", *KINDS, "α̃"])
    return Measured(
        f"{REPETITIONS[run.size]:,} repetitions of {COMPARISONS} drawn comparisons of 25 items",
        numbers,
        {"pairs put right": _beside(ways)},
        frame,
        seconds,
        tables={"percent of pairs put right": _table(ways), "seen and unseen pairs": _seen_table(ways)},
    )


def _seen_table(ways: Mapping[str, Sequence[Repetition]]) -> pd.DataFrame:
    """Return the percentage put right of pairs that were compared and of the others, by kind."""
    import pandas as pd

    rows = []
    for way, runs in ways.items():
        for pairs, parts in (("seen", [run.seen for run in runs]), ("unseen", [run.unseen for run in runs])):
            right = 100 * np.nanmean(np.array(parts), axis=0)
            rows += [
                (pairs, name, way, *(f"{share:.2f}" for share in right[row]))
                for row, name in enumerate(PAPER)
            ]
    return pd.DataFrame(rows, columns=["pairs", "utility", "settings", *KINDS])


def _beside(ways: Mapping[str, Sequence[Repetition]]) -> Any:
    """Draw the table: each kind of pair and each way, with the paper's own figures first."""
    outcomes: dict[str, dict[str, Floats]] = {}
    for column, kind in enumerate(KINDS):
        outcomes[f"{kind}, the paper"] = {name: np.array([row[column]]) for name, row in PAPER.items()}
        for way, runs in ways.items():
            right = 100 * _accuracy(runs)[:, :, column]
            outcomes[f"{kind}, {way}"] = {name: right[:, row] for row, name in enumerate(PAPER)}
    return comparison_chart(
        outcomes,
        x="percent of pairs put right",
        title="What monotonicity costs and gains",
        subtitle="mean over repetitions ± one standard error",
    )


def _table(ways: Mapping[str, Sequence[Repetition]]) -> pd.DataFrame:
    """Return the paper's table and ours side by side, with standard errors."""
    import pandas as pd

    rows = {}
    for place, (name, cells_of_paper) in enumerate(PAPER.items()):
        rows[name, "the paper"] = [f"{share:.2f}" for share in cells_of_paper]
        for way, runs in ways.items():
            cells = [Estimate.of(100 * _accuracy(runs)[:, place, column]) for column in range(len(KINDS))]
            rows[name, f"ours, {way}"] = [f"{cell.value:.2f} ± {cell.error:.2f}" for cell in cells]
    index = pd.MultiIndex.from_tuples(rows, names=["utility", "by"])
    return pd.DataFrame(list(rows.values()), index=index, columns=list(KINDS))


def _curves(what: str, found: Mapping[tuple[str, float], Floats]) -> Any:
    values = SWEEPS[what][1]
    outcomes = {
        name: np.array([100 * found[what, value][:, place, 2] for value in values])
        for place, name in enumerate(SWEPT)
    }
    return sweep_chart(
        values,
        outcomes,
        log=False,
        x=what,
        y="percent of all pairs put right",
        title=f"Sensitivity to the {what}",
        subtitle="mean ± one standard error",
    )
