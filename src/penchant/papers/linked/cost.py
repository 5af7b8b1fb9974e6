"""What learning costs in paper 5, Figure 3. A set, a size and a seed in; CPU time and precision of three ways out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.linked.players import Player, follow
from penchant.papers.linked.sets import Collection, Items, collection
from penchant.papers.linked.statistics import bootstrapped, tidy
from penchant.papers.result import BySize, Estimate, Result, claim
from penchant.papers.run import Options, Run

if TYPE_CHECKING:
    import pandas as pd

EVERY = 10
ANSWERS = 150
"""After so many answers one step of each way is compared."""
WAYS = {
    "Glicko": Player("nothing", learns="Glicko"),
    "incremental": Player(),
    "full": Player(learns="all anew"),
}
# the most queries, repetitions and questions
PLAYED: dict[str, BySize[tuple[int, int, int]]] = {
    "letor2-ohsumed": BySize(quick=(1, 1, 30), default=(20, 1, 200), full=(30, 10, 500)),
    "citation-graphs": BySize(quick=(1, 1, 30), default=(10, 1, 150), full=(10, 10, 500)),
}
CLAIMS = (
    claim(
        "Glicko is the fastest in absolute time", "time, incremental / Glicko > 1", "time, full / Glicko > 1"
    ),
    claim(
        "the incremental update scales as Glicko does and is slower by a constant factor only",
        "0.5 < time, incremental / Glicko, all / first third < 2",
        "time, incremental / Glicko > 1",
    ),
    claim(
        "active exploration is essentially as fast as with the traditional models (conclusion)",
        "time with choosing, incremental / Glicko < 2",
    ),
    claim("the incremental update is substantially faster than the full one", "time, full / incremental > 5"),
    claim(
        "the incremental update scales better than the full one",
        "time, full / incremental, all / first third > 1.2",
    ),
    claim(
        "the incremental update does not rank substantially worse than the full one",
        "MAP at the end, incremental − full > -0.02",
        "MAP, mean over all points, incremental − full > -0.02",
    ),
)


def cpu_time_and_map(name: str, **options: Unpack[Options]) -> Result:
    """Measure Glicko, the incremental update and full expectation propagation after each answer: Figure 3.

    The incremental update is compiled, on a covariance that is written out (eq. 24); Glicko's, of two items, is plain
    Python. Times are of learning; choosing the next pair costs all three about the same and stands in the table.
    They are CPU time of this machine and differ from run to run; the rest is the same for the same seed.

    Examples
    --------
    >>> result = cpu_time_and_map("letor2-ohsumed", size="quick")
    >>> result.numbers["time, full / incremental"].value > 1
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
    runs = _Runs.of(run.each(_work, tasks), len(queries), questions)
    return run.result(
        "CPU time and precision of incremental and full updates (paper 5, Figure 3)",
        f"{found.description}; {len(queries)} queries at random, {repetitions} repetitions, {questions} questions",
        frame=tidy(
            {
                "average precision": runs.precision,
                "learning seconds": runs.learning,
                "seconds": runs.seconds,
            },
            runs.asked,
            name="way",
        ),
        charts=_charts(runs, found),
        numbers=_numbers(runs, run.seed),
        claims=CLAIMS,
        seconds={way: float(table[:, -1].sum()) for way, table in runs.seconds.items()},
        tables={"time": runs.table()},
    )


def _work(items: Items, questions: int, seed: tuple[int, ...]) -> dict[str, tuple[Floats, Floats, Floats]]:
    follow(WAYS, items, questions=2, every=1, seed=seed)  # so that nobody's time holds the compiling
    found = follow(WAYS, items, questions=questions, every=EVERY, seed=seed)
    return {way: (run.precision[:, 0], run.seconds, run.learning) for way, run in found.items()}


@dataclass(frozen=True, eq=False)
class _Runs:
    """Precision, CPU seconds and those of learning alone, of each way, means of repetitions, (queries, points)."""

    precision: dict[str, Floats]
    seconds: dict[str, Floats]
    learning: dict[str, Floats]
    asked: Ints

    @classmethod
    def of(cls, found: list[dict[str, tuple[Floats, Floats, Floats]]], queries: int, questions: int) -> _Runs:
        precision, seconds, learning = (
            {
                way: np.array([run[way][part] for run in found])
                .reshape(queries, len(found) // queries, -1)
                .mean(axis=1)
                for way in WAYS
            }
            for part in range(3)
        )
        return cls(precision, seconds, learning, np.arange(0, questions + 1, EVERY))

    def ratio(self, way: str, other: str) -> Estimate:
        """Return the time of one way over that of another, of all answers."""
        return Estimate.ratio(self.learning[way][:, -1], self.learning[other][:, -1])

    def one_step(self, way: str) -> tuple[int, Floats]:
        """Return until which answer, and the time of one of the ten answers before it, shape (runs,)."""
        last = min(ANSWERS // EVERY, len(self.asked) - 1)
        spent: Floats = (self.learning[way][:, last] - self.learning[way][:, last - 1]) / EVERY
        return int(self.asked[last]), spent

    def table(self) -> pd.DataFrame:
        """Return milliseconds of one step, on average, and MAP at the end."""
        import pandas as pd

        answers = int(self.asked[-1])
        return pd.DataFrame(
            [
                {
                    "way": way,
                    "learning, ms an answer": 1e3 * self.learning[way][:, -1].mean() / answers,
                    "choosing, ms an answer": 1e3
                    * (self.seconds[way] - self.learning[way])[:, -1].mean()
                    / answers,
                    f"learning, ms at answer {self.one_step(way)[0]}": 1e3 * self.one_step(way)[1].mean(),
                    "MAP": self.precision[way][:, -1].mean(),
                }
                for way in WAYS
            ]
        )


def _numbers(runs: _Runs, seed: int) -> dict[str, Estimate]:
    third = (len(runs.asked) - 1) // 3
    behind = runs.precision["incremental"] - runs.precision["full"]
    numbers = {f"MAP at the end, {way}": Estimate.of(table[:, -1]) for way, table in runs.precision.items()}
    for way, other in (("incremental", "Glicko"), ("full", "Glicko"), ("full", "incremental")):
        numbers[f"time, {way} / {other}"] = runs.ratio(way, other)
        numbers[f"time, {way} / {other}, all / first third"] = bootstrapped(
            partial(_growth, runs.learning[way], runs.learning[other], third), len(behind), seed
        )
    numbers["time with choosing, incremental / Glicko"] = Estimate.ratio(
        runs.seconds["incremental"][:, -1], runs.seconds["Glicko"][:, -1]
    )
    numbers["MAP at the end, incremental − full"] = Estimate.of(behind[:, -1])
    numbers["MAP, mean over all points, incremental − full"] = Estimate.of(behind.mean(axis=1))
    answers, full = runs.one_step("full")
    numbers[f"time of one answer after {answers}, full / incremental"] = Estimate.ratio(
        full, runs.one_step("incremental")[1]
    )
    numbers[f"MAP after {answers}, incremental − full"] = Estimate.of(
        behind[:, runs.asked.tolist().index(answers)]
    )
    return numbers


def _growth(ours: Floats, theirs: Floats, third: int, rows: Ints) -> float:
    """Return the ratio of two times, of all answers over that of the first third; 1 if it stays the same."""
    late, early = (ours[rows, point].sum() / theirs[rows, point].sum() for point in (-1, third))
    return float(late / early)


def _charts(runs: _Runs, found: Collection) -> dict[str, object]:
    from penchant.plots import answered_chart

    label = found.description.partition(":")[0]
    over = f"{label}; mean over {len(runs.precision['full'])} queries, one standard error around it"
    return {
        "CPU time": answered_chart(
            runs.asked,
            runs.learning,
            log=True,
            y="CPU seconds of learning",
            title="What learning costs",
            subtitle=over,
        ),
        "MAP": answered_chart(runs.asked, runs.precision, title="What it brings", subtitle=over),
    }
