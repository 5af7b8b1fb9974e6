"""Paper 5, Figure 4: active and random questions about several queries in one model."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
# queries in one model, the most documents of each, repetitions and questions
PLAYED: dict[str, BySize[tuple[int, int, int, int]]] = {
    "letor2-ohsumed": BySize(quick=(3, 320, 2, 40), default=(10, 320, 10, 300), full=(10, 320, 10, 1_000)),
    "citation-graphs": BySize(
        quick=(2, 100, 2, 40),
        default=(5, 300, 10, 300),
        full=(5, 1_000, 10, 1_000),
    ),
}
CLAIMS = (
    claim(
        "5.active-significant",
        "MAP grows significantly faster with active questions",
        "smallest lead over random > 0",
        f"largest p against random < {SIGNIFICANT}",
        section="3.2",
        quote="grows significantly and substantially faster when using active learning",
    ),
    claim(
        "5.active-substantial",
        "MAP grows substantially faster with active questions",
        "questions to random's last MAP, of random's < 0.67",
        section="3.2",
        quote="grows significantly and substantially faster when using active learning",
    ),
    claim(
        "5.active-steadier",
        "runs vary much less with active questions",
        "deviation of runs at the end, active / random < 0.67",
        "deviation of runs, mean over all points, active / random < 0.67",
        section="3.2",
        quote="is much smaller for active learning",
    ),
)


@experiment("5.fig4", "Figure 4", "one model over several queries", sets=SETS, claims=CLAIMS)
def pooled_queries(run: Run, name: str) -> Measured:
    """Learn one features-only model of several queries from active and from random questions.

    Pairs and ranks are within a query; the next pair is that of the largest expected loss over all of them.
    """
    found = collection(name, run)
    most, documents, repetitions, questions = PLAYED[name][run.size]
    queries = [query.first(documents) for query in found.drawn(most, run.seed)]
    items = Items.pooled(queries)
    curves = Curves.of_repetitions(WAYS, items, repetitions, questions, run)
    return Measured(
        f"{found.description}; {len(queries)} queries in one model of {len(items):,} items, "
        f"{repetitions} repetitions, {questions} questions",
        _numbers(curves, run.seed),
        _charts(curves, found.label),
        tidy({"MAP": curves.precision}, curves.asked, name="way"),
        curves.total,
        tables={"tests": _tests(curves)},
    )


def _tests(curves: Curves) -> pd.DataFrame:
    """Compare active with random questions, over repetitions."""
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
    leads = [Estimate(*pair) for pair in tests[["lead", "standard error"]].to_numpy().tolist()]
    numbers["smallest lead over random"] = min(leads, key=lambda lead: lead.value)
    numbers["largest p against random"] = Estimate(float(tests["p, t-test"].max()))
    ours, theirs = curves.precision["active"], curves.precision["random"]
    numbers["questions to random's last MAP, of random's"] = bootstrapped(
        lambda rows: reached(ours[rows].mean(axis=0), theirs[rows].mean(axis=0)), len(ours), seed
    )
    numbers["deviation of runs at the end, active / random"] = bootstrapped(
        lambda rows: ours[rows, -1].std(ddof=1) / theirs[rows, -1].std(ddof=1), len(ours), seed
    )
    numbers["deviation of runs, mean over all points, active / random"] = bootstrapped(
        lambda rows: ours[rows].std(axis=0, ddof=1).mean() / theirs[rows].std(axis=0, ddof=1).mean(),
        len(ours),
        seed,
    )
    return numbers


def _charts(curves: Curves, label: str) -> dict[str, object]:
    from penchant.plots import answered_boxes_chart, answered_chart

    return {
        "MAP": answered_chart(
            curves.asked,
            curves.precision,
            title="One model of several queries",
            subtitle=f"{label}; mean over runs, one standard error around it; nugget: {NUGGET:g}",
        ),
        "boxes": answered_boxes_chart(
            *curves.boxes(("active", "random")),
            y="mean average precision",
            title="How runs differ",
            subtitle=f"{label}; {len(curves.precision['active'])} runs",
        ),
    }
