"""Paper 4: the pictures and the table of the case study, and variations of its settings.

`penchant.papers.monotone.simulation` settles what the paper leaves open. Nothing is read: comparisons are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.papers.experiment import experiment
from penchant.papers.monotone.repetitions import accuracy, in_batches, table_measured, table_numbers
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
from penchant.plots import monotone_chart, surface_chart, sweep_chart

REPETITIONS: BySize[int] = BySize(quick=20, default=300, full=1_000)
FEW: BySize[int] = BySize(quick=4, default=60, full=500)
"""Repetitions for each value of a setting."""
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
    (runs,), seconds = in_batches(run, _repetition, [{}], REPETITIONS[run.size])
    return table_measured({"paper's settings": runs}, table_numbers(runs), {"repetitions": seconds})


@experiment("4.evidence", "future work", "hyperparameters by evidence", claims=EVIDENCE_CLAIMS)
def evidence_table(run: Run) -> Measured:
    """Repeat the simulation with hyperparameters by evidence, which paper 4 leaves to future work."""
    ways: list[Mapping[str, Any]] = [{"hyperparameters": "evidence"}, {}]
    (runs, before), seconds = in_batches(run, _repetition, ways, REPETITIONS[run.size])
    numbers = table_numbers(runs)
    gained = 100 * (accuracy(runs) - accuracy(before))[:, 1, 2]
    numbers["y, overall, by evidence less by the paper's"] = Estimate.of(gained)
    ways_to_fit = {"by evidence": runs, "paper's settings": before}
    return table_measured(ways_to_fit, numbers, {"repetitions, both ways": seconds})


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
    (*runs, by_evidence), seconds = in_batches(run, _repetition, ways, FEW[run.size])
    found = dict(zip(places, map(_with_zero, runs), strict=True))
    rows = [
        (what, value, repetition, name, *(100 * right[repetition, place]))
        for (what, value), right in found.items()
        for repetition in range(len(right))
        for place, name in enumerate(SWEPT)
    ]
    frame = pd.DataFrame(rows, columns=["setting", "value", "repetition", "name", *KINDS])
    numbers: dict[str, Estimate] = {}
    for what, value in places:
        overall = 100 * found[what, value][:, :, 2]
        for place, name in enumerate(SWEPT):
            numbers[f"{what} {value:g}, {name}"] = Estimate.of(overall[:, place])
    for label, right in (
        ("45 comparisons", found["number of comparisons", 45]),
        ("45 comparisons, by evidence", _with_zero(by_evidence)),
    ):
        few = 100 * right[:, :, 2]
        for other in (ZERO, "f_MAP"):
            lead = few[:, SWEPT.index("y")] - few[:, SWEPT.index(other)]
            numbers[f"{label}, y less {other}"] = Estimate.of(lead)
    worst = min(float(right[:, 1, 0].min()) for right in found.values())
    numbers["y, dominated, in the worst repetition"] = Estimate(100 * worst)
    return Measured(
        f"{FEW[run.size]:,} repetitions for each value; else {COMPARISONS} drawn comparisons of 25 items, "
        f"rating noise {RATING_NOISE}, lengthscale {LENGTHSCALE}",
        numbers,
        {what: _curves(what, found) for what in SWEEPS},
        frame,
        {"repetitions": seconds},
    )


def _repetition(seed: int, number: int, way: Mapping[str, Any]) -> Repetition:
    return repeated(number, seed, **way)


def _with_zero(runs: Sequence[Repetition]) -> Floats:
    """Return the accuracy of each of `SWEPT`, shape (repetitions, 4, 3)."""
    return np.array([np.vstack([run.accuracy, run.zero]) for run in runs])


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
