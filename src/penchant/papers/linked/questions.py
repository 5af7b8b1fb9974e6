"""How precision grows with questions in paper 5, Figure 2. A set, a size and a seed in, a result out.

Each query is a model of its own. All baselines stand beside the paper's two: K = I, diagonal EP, random pairs, a
slower falling weight of the ranks (τ = 20), and a nugget with each of these ways to ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.linked.players import ACTIVE, NUGGET, PLAYERS, follow
from penchant.papers.linked.sets import Collection, Items, collection
from penchant.papers.linked.statistics import SIGNIFICANT, bootstrapped, compared, hundreds, reached, tidy
from penchant.papers.result import BySize, Claim, Estimate, Result, claim
from penchant.papers.run import Options, Run

if TYPE_CHECKING:
    import pandas as pd

EVERY = 10
# the most queries, repetitions and questions
PLAYED: dict[str, BySize[tuple[int, int, int]]] = {
    "letor2-ohsumed": BySize(quick=(6, 1, 40), default=(106, 2, 300), full=(106, 10, 500)),
    "citation-graphs": BySize(quick=(3, 1, 40), default=(10, 2, 300), full=(10, 10, 500)),
}
MODELS = (ACTIVE, "features", "links", "K = I", "diagonal EP", "Glicko")
WAYS = (ACTIVE, "τ = 20", "random pairs", "nugget", "nugget, τ = 20", "nugget, random pairs")
BOXES = (ACTIVE, "Glicko", "random pairs")

_FASTER = claim(
    "features and links learn significantly faster than Glicko, by rank-sum and t-test at each multiple of 100",
    "smallest lead over Glicko > 0",
    f"largest p of the rank-sum tests against Glicko < {SIGNIFICANT}",
    f"largest p of the t-tests against Glicko < {SIGNIFICANT}",
)
_SPREAD = claim(
    "average precision varies substantially less over queries than with Glicko, most so after many questions",
    "spread over queries at the end, of Glicko's < 0.8",
    "the same / after the first 100 < 1",
)
_SUBSTANTIAL = claim(
    "it learns substantially faster than algorithms that cannot model dependencies (abstract)",
    "questions to Glicko's last MAP, of Glicko's < 0.67",
    "smallest lead over K = I > 0",
    "smallest lead over diagonal EP > 0",
)
_TREND = claim(
    "TREC shows the same trends: ahead of Glicko, and less variable",
    "smallest lead over Glicko > 0",
    "spread over queries at the end, of Glicko's < 1",
)
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "letor2-ohsumed": (_FASTER, _SPREAD, _SUBSTANTIAL),
    "citation-graphs": (_TREND, _SUBSTANTIAL),
}


def map_by_questions(name: str, **options: Unpack[Options]) -> Result:
    """Follow mean average precision as questions are answered, one model a query: Figure 2.

    Examples
    --------
    >>> result = map_by_questions("letor2-ohsumed", size="quick")
    >>> result.numbers["MAP at the end, Glicko"].value > 0.3
    True
    """
    run = Run(**options)
    found = collection(name, run)
    most, repetitions, questions = PLAYED[name][run.size]
    queries = found.drawn(most, run.seed)
    tasks = [
        (query, questions, (run.seed, number, repetition))
        for number, query in enumerate(queries)
        for repetition in range(repetitions)
    ]
    runs = _Runs.of(run.each(_work, tasks), len(queries), repetitions, questions)
    return run.result(
        "Precision by questions, a model for each query (paper 5, Figure 2)",
        f"{found.description}; {len(queries)} queries, {repetitions} repetitions, {questions} questions",
        frame=tidy({"average precision": runs.precision}, runs.asked, run="query"),
        charts=_charts(runs, found),
        numbers=_numbers(runs, run.seed),
        claims=CLAIMS[name],
        seconds=runs.seconds,
        tables={"tests": runs.tests(), "MAP": runs.summary()},
    )


def _work(items: Items, questions: int, seed: tuple[int, ...]) -> dict[str, tuple[Floats, float]]:
    found = follow(PLAYERS, items, questions=questions, every=EVERY, seed=seed)
    return {name: (run.precision[:, 0], float(run.seconds[-1])) for name, run in found.items()}


@dataclass(frozen=True, eq=False)
class _Runs:
    """Average precision of each player, shape (queries, points): the mean over repetitions."""

    precision: dict[str, Floats]
    asked: Ints
    seconds: dict[str, float]

    @classmethod
    def of(
        cls, found: list[dict[str, tuple[Floats, float]]], queries: int, repetitions: int, questions: int
    ) -> _Runs:
        asked = np.arange(0, questions + 1, EVERY)
        precision = {
            name: np.array([run[name][0] for run in found]).reshape(queries, repetitions, -1).mean(axis=1)
            for name in PLAYERS
        }
        return cls(precision, asked, {name: sum(run[name][1] for run in found) for name in PLAYERS})

    def lead(self, other: str) -> list[Estimate]:
        """Return by how much the paper's player is ahead, at each point that is tested."""
        ahead = self.precision[ACTIVE] - self.precision[other]
        return [Estimate.of(ahead[:, point]) for point in hundreds(self.asked)]

    def tests(self) -> pd.DataFrame:
        """Compare the paper's player with Glicko and with random pairs, query by query."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"against": other, "questions": int(self.asked[point])}
                | compared(self.precision[ACTIVE][:, point], self.precision[other][:, point])
                for other in ("Glicko", "random pairs")
                for point in hundreds(self.asked)
            ]
        )

    def summary(self) -> pd.DataFrame:
        """Return MAP of all players at the points that are tested."""
        import pandas as pd

        rows = [
            {"name": name}
            | {
                f"after {self.asked[point]}": repr(Estimate.of(table[:, point]))
                for point in hundreds(self.asked)
            }
            for name, table in self.precision.items()
        ]
        return pd.DataFrame(rows)


def _numbers(runs: _Runs, seed: int) -> dict[str, Estimate]:
    numbers = {f"MAP at the end, {name}": Estimate.of(table[:, -1]) for name, table in runs.precision.items()}
    for other in ("Glicko", "K = I", "diagonal EP", "random pairs", "τ = 20"):
        numbers[f"smallest lead over {other}"] = min(runs.lead(other), key=lambda lead: lead.value)
    tests = runs.tests()
    for other in ("Glicko", "random pairs"):
        rows = tests[tests["against"] == other]
        numbers[f"largest p of the rank-sum tests against {other}"] = Estimate(rows["p, rank-sum"].max())
        numbers[f"largest p of the t-tests against {other}"] = Estimate(rows["p, t-test"].max())
    ours, theirs = runs.precision[ACTIVE], runs.precision["Glicko"]
    first, last = hundreds(runs.asked)[[0, -1]].tolist()
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


def _charts(runs: _Runs, found: Collection) -> dict[str, object]:
    from penchant.plots import answered_boxes_chart, answered_chart

    label = found.description.partition(":")[0]
    over = f"{label}; mean over queries, one standard error around it"
    points = np.unique(np.linspace(0, len(runs.asked) - 1, 7).astype(int)[1:])
    return {
        "models": answered_chart(
            runs.asked,
            {name: runs.precision[name] for name in MODELS},
            title="What the model knows",
            subtitle=f"{over}; τ = 1",
        ),
        "ways to ask": answered_chart(
            runs.asked,
            {name: runs.precision[name] for name in WAYS},
            title="What is asked",
            subtitle=f"{over}; nugget: {NUGGET:g}",
        ),
        "boxes": answered_boxes_chart(
            runs.asked[points],
            {name: runs.precision[name][:, points] for name in BOXES},
            title="How queries differ",
            subtitle=f"{label}; average precision of {len(runs.precision[ACTIVE])} queries",
        ),
    }
