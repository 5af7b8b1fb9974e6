"""Paper 5, Figure 4: active and random questions about several queries in one model, over many draws of queries."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Ints
from penchant.papers.experiment import experiment
from penchant.papers.linked.curves import SIGNIFICANT, Curves, bootstrapped, compared, hundreds, reached, tidy
from penchant.papers.linked.players import NUGGET, Player
from penchant.papers.linked.sets import SETS, Items, collection
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

WAYS = {
    "active": Player("features"),
    "random": Player("features", tau=None),
    "active, τ = 20": Player("features", tau=20.0),
    "nugget, active, τ = 20": Player("features", tau=20.0, nugget=NUGGET),
    "nugget, random": Player("features", tau=None, nugget=NUGGET),
}
# queries in one model, the most documents of each, draws of queries, repetitions of each, and questions
PLAYED: dict[str, BySize[tuple[int, int, int, int, int]]] = {
    "letor2-ohsumed": BySize(
        quick=(3, 320, 2, 2, 40), default=(10, 320, 12, 2, 300), full=(10, 320, 12, 4, 500)
    ),
    "citation-graphs": BySize(
        quick=(2, 100, 2, 2, 40), default=(5, 300, 12, 2, 300), full=(5, 1_000, 3, 2, 300)
    ),
}
DRAWS = "many draws of queries in place of one, and pairs of runs on the same draw"
SECTION, QUOTE = "3.2", "grows significantly and substantially faster when using active learning"
CLAIMS = (
    claim(
        "5.active-significant",
        "MAP grows significantly faster with active questions",
        "smallest lead over random > 0",
        f"largest p against random < {SIGNIFICANT}",
        section=SECTION,
        quote=QUOTE,
        changed=DRAWS,
    ),
    claim(
        "5.active-substantial",
        "MAP grows substantially faster with active questions",
        "questions to random's last MAP, of random's < 0.67",
        section=SECTION,
        quote=QUOTE,
        changed=DRAWS,
    ),
    claim(
        "5.active-steadier",
        "runs vary much less with active questions",
        "deviation of runs at the end, active / random < 0.67",
        "deviation of runs, mean over all points, active / random < 0.67",
        section=SECTION,
        quote="is much smaller for active learning",
        changed=DRAWS,
    ),
)


@experiment("5.fig4", "Figure 4", "one model over several queries", sets=SETS, claims=CLAIMS)
def pooled_queries(run: Run, name: str) -> Measured:
    """Learn one features-only model of several queries from active and from random questions.

    Pairs and ranks are within a query; the next pair is that of the largest expected loss over all of them. The paper
    shows one draw of queries; here many are drawn, and leads are compared draw by draw.
    """
    found = collection(name, run)
    most, documents, draws, repetitions, questions = PLAYED[name][run.size]
    pooled = [
        Items.pooled([query.first(documents) for query in found.drawn(most, run.seed, draw)])
        for draw in range(draws)
    ]
    curves = Curves.of_queries(WAYS, pooled, repetitions, questions, run)
    items = np.mean([len(each) for each in pooled])
    return Measured(
        f"{found.description}; {draws} draws of {most} queries in one model of {items:,.0f} items, "
        f"{repetitions} repetitions of each, {questions} questions",
        _numbers(curves, run.seed),
        _charts(curves, found.label),
        tidy({"MAP": curves.precision}, curves.asked, name="way", run="draw"),
        curves.total,
        tables={"tests": _tests(curves)},
    )


def _tests(curves: Curves) -> pd.DataFrame:
    """Compare active with random questions, draw by draw."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"questions": int(curves.asked[point])}
            | {way: float(table[:, point].mean()) for way, table in curves.precision.items()}
            | compared(curves.precision["active"][:, point], curves.precision["random"][:, point])
            for point in hundreds(curves.asked)
        ]
    )


def _numbers(curves: Curves, seed: int) -> dict[str, Estimate]:
    numbers, tests = curves.ends(), _tests(curves)
    ours, theirs = curves.precision["active"], curves.precision["random"]
    for point in hundreds(curves.asked):
        lead = ours[:, point] - theirs[:, point]
        numbers[f"lead over random after {curves.asked[point]} questions"] = Estimate.of(lead)
    numbers["share of draws with a lead at the end"] = Estimate.of((ours > theirs)[:, -1].astype(np.float64))
    leads = [Estimate(*pair) for pair in tests[["lead", "standard error"]].to_numpy().tolist()]
    numbers["smallest lead over random"] = min(leads, key=lambda lead: lead.value)
    numbers["largest p against random"] = Estimate(float(tests["p, paired t-test"].max()))
    numbers["questions to random's last MAP, of random's"] = bootstrapped(
        lambda rows: reached(ours[rows].mean(axis=0), theirs[rows].mean(axis=0)), len(ours), seed
    )
    spread = {way: curves.repeated[way].var(axis=1, ddof=1) for way in ("active", "random")}

    def deviation(points: slice, rows: Ints) -> float:
        active, random = (np.sqrt(table[rows].mean(axis=0))[points].mean() for table in spread.values())
        return float(active / random)

    for what, points in (("at the end", slice(-1, None)), ("mean over all points", slice(None))):
        name = f"deviation of runs{',' if points.start is None else ''} {what}, active / random"
        numbers[name] = bootstrapped(partial(deviation, points), len(ours), seed)
    return numbers


def _charts(curves: Curves, label: str) -> dict[str, object]:
    from penchant.plots import answered_boxes_chart, answered_chart

    boxes = np.unique(np.linspace(0, len(curves.asked) - 1, 7).astype(int)[1:])
    runs = {way: curves.repeated[way].reshape(-1, len(curves.asked)) for way in ("active", "random")}
    return {
        "MAP": answered_chart(
            curves.asked,
            curves.precision,
            title="One model of several queries",
            subtitle=f"{label}; mean over {len(curves.precision['active'])} draws, one standard error around it; "
            f"nugget: {NUGGET:g}",
        ),
        "boxes": answered_boxes_chart(
            curves.asked[boxes],
            {way: table[:, boxes] for way, table in runs.items()},
            y="mean average precision",
            title="How runs differ",
            subtitle=f"{label}; {len(runs['active'])} runs, draws of queries included",
        ),
    }
