"""Paper 5, Figure 3: CPU time and precision of Glicko, incremental and full updates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penchant.checks import Floats, Ints
from penchant.papers.experiment import experiment
from penchant.papers.linked.curves import EVERY, Curves, bootstrapped, tidy
from penchant.papers.linked.players import Player
from penchant.papers.linked.sets import SETS, collection
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

ANSWERS = 150
"""The time of one answer is compared after so many answers."""
WAYS = {
    "Glicko": Player("nothing", learns="Glicko"),
    "incremental": Player(),
    "full": Player(learns="all anew"),
}
OPERATIONS = {
    "Glicko": "about 30, whatever n and t",
    "incremental": "3/2 n², whatever t",
    "full": "n t² for each sweep over t answers",
}
"""Of learning one answer, with n items and t answers so far."""
# the most queries, repetitions and questions
PLAYED: dict[str, BySize[tuple[int, int, int]]] = {
    "letor2-ohsumed": BySize(quick=(1, 1, 30), default=(20, 1, 200), full=(30, 1, 500)),
    "citation-graphs": BySize(quick=(1, 1, 30), default=(10, 1, 150), full=(10, 1, 500)),
}
CLAIMS = (
    claim(
        "5.glicko-fastest",
        "Glicko is the fastest in absolute time",
        "time, incremental / Glicko > 1",
        "time, full / Glicko > 1",
        section="3.2",
        quote="Glicko is the fastest in absolute time",
    ),
    claim(
        "5.scales-as-glicko",
        "the incremental update scales as Glicko does and is slower by a constant factor only",
        "0.5 < time, incremental / Glicko, all / first third < 2",
        "time, incremental / Glicko > 1",
        section="3.2",
        quote="slower only by a constant factor",
    ),
    claim(
        "5.as-fast",
        "active exploration is essentially as fast as with the traditional models (conclusion)",
        "time with choosing, incremental / Glicko < 2",
        section="4",
        quote="essentially as fast as for the traditional models",
    ),
    claim(
        "5.faster-than-full",
        "the incremental update is substantially faster than the full one",
        "time, full / incremental > 5",
        section="3.2",
        quote="substantially faster than the full update",
    ),
    claim(
        "5.scales-better",
        "the incremental update scales better than the full one",
        "time, full / incremental, all / first third > 1.2",
        section="3.2",
        quote="shows better scaling behavior",
    ),
    claim(
        "5.no-worse",
        "the incremental update does not rank substantially worse than the full one",
        "MAP at the end, incremental − full > -0.02",
        "MAP, mean over all points, incremental − full > -0.02",
        section="3.2",
        quote="is not substantially lower than the MAP of the full update",
    ),
)


@experiment("5.fig3", "Figure 3", "CPU time and precision", sets=SETS, claims=CLAIMS)
def cpu_time_and_map(run: Run, name: str) -> Measured:
    """Measure Glicko, the incremental update and full expectation propagation after each answer.

    Glicko's update and the incremental one, on a covariance that is written out (eq. 24), are both compiled and called
    alike, so that what a call costs is in both times; the table also counts multiplications. Times are of learning;
    choosing the next pair costs all three about the same and stands in the table. They are CPU time of this machine
    and differ from run to run; the rest is the same for the same seed.
    """
    found = collection(name, run)
    most, repetitions, questions = PLAYED[name][run.size]
    queries = found.drawn(most, run.seed)
    curves = Curves.of_queries(WAYS, queries, repetitions, questions, run, warm_up=True)
    measured = {
        "average precision": curves.precision,
        "learning seconds": curves.learning,
        "seconds": curves.seconds,
    }
    return Measured(
        f"{found.description}; {len(queries)} queries at random, {repetitions} repetitions, {questions} questions",
        _numbers(curves, run.seed),
        _charts(curves, found.label),
        tidy(measured, curves.asked, name="way"),
        curves.total,
        tables={"time": _table(curves)},
    )


def _one_step(curves: Curves, way: str) -> tuple[int, Floats]:
    """Return until which answer, and the time of one of the ten answers before it, shape (runs,)."""
    last = min(ANSWERS // EVERY, len(curves.asked) - 1)
    spent: Floats = (curves.learning[way][:, last] - curves.learning[way][:, last - 1]) / EVERY
    return int(curves.asked[last]), spent


def _table(curves: Curves) -> pd.DataFrame:
    """Return milliseconds of one step, on average, and MAP at the end."""
    import pandas as pd

    rows = []
    for way in WAYS:
        learning, both = (
            1e3 * times[way][:, -1].mean() / curves.asked[-1] for times in (curves.learning, curves.seconds)
        )
        answer, step = _one_step(curves, way)
        rows.append(
            {
                "way": way,
                "learning, ms an answer": learning,
                "choosing, ms an answer": both - learning,
                f"learning, ms at answer {answer}": 1e3 * step.mean(),
                "multiplications an answer": OPERATIONS[way],
                "MAP": curves.precision[way][:, -1].mean(),
            }
        )
    return pd.DataFrame(rows)


def _numbers(curves: Curves, seed: int) -> dict[str, Estimate]:
    third = (len(curves.asked) - 1) // 3
    behind = curves.precision["incremental"] - curves.precision["full"]
    numbers = curves.ends()
    for way, other in (("incremental", "Glicko"), ("full", "Glicko"), ("full", "incremental")):
        numbers[f"time, {way} / {other}"] = Estimate.ratio(
            curves.learning[way][:, -1], curves.learning[other][:, -1]
        )
        numbers[f"time, {way} / {other}, all / first third"] = bootstrapped(
            partial(_growth, curves.learning[way], curves.learning[other], third), len(behind), seed
        )
    numbers["time with choosing, incremental / Glicko"] = Estimate.ratio(
        curves.seconds["incremental"][:, -1], curves.seconds["Glicko"][:, -1]
    )
    numbers["MAP at the end, incremental − full"] = Estimate.of(behind[:, -1])
    numbers["MAP, mean over all points, incremental − full"] = Estimate.of(behind.mean(axis=1))
    answers, full = _one_step(curves, "full")
    numbers[f"time of one answer after {answers}, full / incremental"] = Estimate.ratio(
        full, _one_step(curves, "incremental")[1]
    )
    numbers[f"MAP after {answers}, incremental − full"] = Estimate.of(
        behind[:, curves.asked.tolist().index(answers)]
    )
    return numbers


def _growth(ours: Floats, theirs: Floats, third: int, rows: Ints) -> float:
    """Return the ratio of two times, of all answers over that of the first third; 1 if it stays the same."""
    late, early = (ours[rows, point].sum() / theirs[rows, point].sum() for point in (-1, third))
    return float(late / early)


def _charts(curves: Curves, label: str) -> dict[str, object]:
    from penchant.plots import answered_chart

    over = f"{label}; mean over {len(curves.precision['full'])} queries, one standard error around it"
    return {
        "CPU time": answered_chart(
            curves.asked,
            curves.learning,
            log=True,
            y="CPU seconds of learning",
            title="What learning costs",
            subtitle=over,
        ),
        "MAP": answered_chart(curves.asked, curves.precision, title="What it brings", subtitle=over),
    }
