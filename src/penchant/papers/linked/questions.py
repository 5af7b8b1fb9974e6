"""Paper 5, Figure 2: precision by the number of questions.

Each query has a model of its own. More baselines are compared than the paper's two: K = I, diagonal EP, random pairs, a
slower decay of the rank weights (τ = 20), and a nugget with each of these rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats
from penchant.papers.experiment import experiment
from penchant.papers.linked.curves import SIGNIFICANT, Curves, bootstrapped, compared, hundreds, reached, tidy
from penchant.papers.linked.players import ACTIVE, NUGGET, PLAYERS
from penchant.papers.linked.sets import SETS, collection
from penchant.papers.result import BySize, Claim, Estimate, Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

# the most queries, repetitions and questions
PLAYED: dict[str, BySize[tuple[int, int, int]]] = {
    "letor2-ohsumed": BySize(quick=(6, 1, 40), default=(106, 2, 300), full=(106, 10, 500)),
    "citation-graphs": BySize(quick=(3, 1, 40), default=(10, 2, 300), full=(10, 10, 500)),
}
MODELS = (ACTIVE, "features", "links", "K = I", "diagonal EP", "Glicko")
WAYS = (ACTIVE, "τ = 20", "random pairs", "nugget", "nugget, τ = 20", "nugget, random pairs")
BOXES = (ACTIVE, "Glicko", "random pairs")

_FASTER = claim(
    "5.faster-than-glicko",
    "features and links learn significantly faster than Glicko, by rank-sum and t-test at each multiple of 100",
    "smallest lead over Glicko > 0",
    f"largest p of the rank-sum tests against Glicko < {SIGNIFICANT}",
    f"largest p of the t-tests against Glicko < {SIGNIFICANT}",
    section="3.2",
    quote="at each multiple of 100 iterations",
)
_SPREAD = claim(
    "5.spread",
    "average precision varies substantially less over queries than with Glicko, most so after many questions",
    "spread over queries at the end, of Glicko's < 0.8",
    "the same / after the first 100 < 1",
    section="3.2",
    quote="substantially lower for the AXPGP",
)
_SUBSTANTIAL = claim(
    "5.substantially-faster",
    "it learns substantially faster than algorithms that cannot model dependencies (abstract)",
    "questions to Glicko's last MAP, of Glicko's < 0.67",
    "smallest lead over K = I > 0",
    "smallest lead over diagonal EP > 0",
    section="Abstract",
    quote="learns substantially faster than algorithms that cannot model dependencies",
)
_TREND = claim(
    "5.trec-trends",
    "TREC shows the same trends: ahead of Glicko, and less variable",
    "smallest lead over Glicko > 0",
    "spread over queries at the end, of Glicko's < 1",
    section="3.2",
    quote="show the similar trends",
)
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "letor2-ohsumed": (_FASTER, _SPREAD, _SUBSTANTIAL),
    "citation-graphs": (_TREND, _SUBSTANTIAL),
}


@experiment("5.fig2", "Figure 2", "precision by questions", sets=SETS, claims=CLAIMS)
def map_by_questions(run: Run, name: str) -> Measured:
    """Follow mean average precision as questions are answered, one model a query."""
    found = collection(name, run)
    most, repetitions, questions = PLAYED[name][run.size]
    queries = found.drawn(most, run.seed)
    curves = Curves.of_queries(PLAYERS, queries, repetitions, questions, run)
    return Measured(
        f"{found.description}; {len(queries)} queries, {repetitions} repetitions, {questions} questions",
        _numbers(curves, run.seed),
        _charts(curves, found.label),
        tidy({"average precision": curves.precision}, curves.asked, run="query"),
        curves.total,
        tables={"tests": _tests(curves), "MAP": _summary(curves)},
    )


def _leads(curves: Curves, other: str) -> list[Estimate]:
    """Return by how much the paper's player is ahead of another, at each point that is tested."""
    pairs = zip(curves.at(ACTIVE), curves.at(other), strict=True)
    return [Estimate.of(ours - theirs) for (_, ours), (_, theirs) in pairs]


def _tests(curves: Curves) -> pd.DataFrame:
    """Compare the paper's player with Glicko and with random pairs, query by query."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"against": other, "questions": questions} | compared(ours, theirs)
            for other in ("Glicko", "random pairs")
            for (questions, ours), (_, theirs) in zip(curves.at(ACTIVE), curves.at(other), strict=True)
        ]
    )


def _summary(curves: Curves) -> pd.DataFrame:
    """Return MAP of all players at the points that are tested."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"name": name}
            | {f"after {questions}": repr(Estimate.of(values)) for questions, values in curves.at(name)}
            for name in curves.precision
        ]
    )


def _numbers(curves: Curves, seed: int) -> dict[str, Estimate]:
    numbers = curves.ends()
    for other in ("Glicko", "K = I", "diagonal EP", "random pairs", "τ = 20"):
        numbers[f"smallest lead over {other}"] = min(_leads(curves, other), key=lambda lead: lead.value)
    tests = _tests(curves)
    for other in ("Glicko", "random pairs"):
        rows = tests[tests["against"] == other]
        numbers[f"largest p of the rank-sum tests against {other}"] = Estimate(rows["p, rank-sum"].max())
        numbers[f"largest p of the t-tests against {other}"] = Estimate(rows["p, t-test"].max())
    ours, theirs = curves.precision[ACTIVE], curves.precision["Glicko"]
    first, last = hundreds(curves.asked)[[0, -1]].tolist()
    numbers["spread over queries at the end, of Glicko's"] = bootstrapped(
        lambda rows: _spread(ours[rows, last]) / _spread(theirs[rows, last]), len(ours), seed
    )
    numbers["the same / after the first 100"] = bootstrapped(
        lambda rows: (
            (_spread(ours[rows, last]) / _spread(theirs[rows, last]))
            / (_spread(ours[rows, first]) / _spread(theirs[rows, first]))
        ),
        len(ours),
        seed,
    )
    numbers["questions to Glicko's last MAP, of Glicko's"] = bootstrapped(
        lambda rows: reached(ours[rows].mean(axis=0), theirs[rows].mean(axis=0)), len(ours), seed
    )
    return numbers


def _spread(values: Floats) -> np.float64:
    """Return the length of the box: from the first quartile to the third."""
    first, third = np.quantile(values, [0.25, 0.75])
    return np.float64(third - first)


def _charts(curves: Curves, label: str) -> dict[str, object]:
    from penchant.plots import answered_boxes_chart, answered_chart

    over = f"{label}; mean over queries, one standard error around it"
    return {
        "models": answered_chart(
            curves.asked,
            {name: curves.precision[name] for name in MODELS},
            title="What the model knows",
            subtitle=f"{over}; τ = 1",
        ),
        "ways to ask": answered_chart(
            curves.asked,
            {name: curves.precision[name] for name in WAYS},
            title="What is asked",
            subtitle=f"{over}; nugget: {NUGGET:g}",
        ),
        "boxes": answered_boxes_chart(
            *curves.boxes(BOXES),
            title="How queries differ",
            subtitle=f"{label}; average precision of {len(curves.precision[ACTIVE])} queries",
        ),
    }
