"""Average precision and CPU time of players by the number of questions, with tests and estimates over runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.linked.players import Followed, Player, follow
from penchant.papers.linked.sets import Items
from penchant.papers.result import Estimate
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

EVERY = 10
"""The precision is measured after every so many questions."""
TESTED = 100
SIGNIFICANT = 0.05


@dataclass(frozen=True, eq=False)
class Curves:
    """What each player reached after 0, 10, 20 … questions.

    Attributes
    ----------
    precision : dict of name → array of shape (runs, points)
        Average precision, where an item set holds several queries their mean.
    repeated : dict of name → array of shape (runs, repetitions, points)
        The same before the mean over repetitions.
    seconds, learning : dict of name → array of shape (runs, points)
        CPU time of all steps until then, and of learning alone, without choosing.
    asked : int array of shape (points,)
    total : dict of name → float
        CPU seconds of all runs.
    """

    precision: dict[str, Floats]
    repeated: dict[str, Floats]
    seconds: dict[str, Floats]
    learning: dict[str, Floats]
    asked: Ints
    total: dict[str, float]

    @classmethod
    def of_queries(
        cls,
        players: Mapping[str, Player],
        queries: Sequence[Items],
        repetitions: int,
        questions: int,
        run: Run,
        *,
        warm_up: bool = False,
    ) -> Curves:
        """Follow players on each query, or on each draw of queries; a run is the mean over its repetitions.

        With ``warm_up`` two questions are asked before each task, so that no time holds the compiling.
        """
        tasks = [
            (players, query, questions, (run.seed, number, repetition), warm_up)
            for number, query in enumerate(queries)
            for repetition in range(repetitions)
        ]
        return cls._of(run.each(_followed, tasks), len(queries), questions)

    @classmethod
    def _of(cls, found: list[dict[str, Followed]], runs: int, questions: int) -> Curves:
        def each(curve: Callable[[Followed], Floats]) -> dict[str, Floats]:
            return {
                name: np.array([curve(task[name]) for task in found]).reshape(runs, len(found) // runs, -1)
                for name in found[0]
            }

        def means(tables: Mapping[str, Floats]) -> dict[str, Floats]:
            return {name: table.mean(axis=1) for name, table in tables.items()}

        precision = each(lambda followed: followed.precision.mean(axis=1))
        return cls(
            means(precision),
            precision,
            means(each(lambda followed: followed.seconds)),
            means(each(lambda followed: followed.learning)),
            np.arange(0, questions + 1, EVERY),
            {name: sum(float(task[name].seconds[-1]) for task in found) for name in found[0]},
        )

    def ends(self) -> dict[str, Estimate]:
        """Return mean average precision of each player after the last question."""
        return {
            f"MAP at the end, {name}": Estimate.of(table[:, -1]) for name, table in self.precision.items()
        }

    def at(self, name: str) -> list[tuple[int, Floats]]:
        """Return the numbers of questions at which players are compared, and the precision of one there."""
        return [(int(self.asked[point]), self.precision[name][:, point]) for point in hundreds(self.asked)]

    def boxes(self, names: Sequence[str]) -> tuple[Ints, dict[str, Floats]]:
        """Return six numbers of questions or fewer, evenly spread, and the precision of some players there."""
        points = np.unique(np.linspace(0, len(self.asked) - 1, 7).astype(int)[1:])
        return self.asked[points], {name: self.precision[name][:, points] for name in names}


def _followed(
    players: Mapping[str, Player], items: Items, questions: int, seed: tuple[int, ...], warm_up: bool = False
) -> dict[str, Followed]:
    if warm_up:
        follow(players, items, questions=2, every=1, seed=seed)
    return follow(players, items, questions=questions, every=EVERY, seed=seed)


def hundreds(at: Ints) -> Ints:
    """Return the places of the multiples of 100 among numbers of questions; the last one where there is none.

    Examples
    --------
    >>> hundreds(np.array([0, 50, 100, 150, 200]))
    array([2, 4])
    """
    places = np.flatnonzero((at % TESTED == 0) & (at > 0))
    return places if len(places) else np.array([len(at) - 1])


def compared(ours: Floats, theirs: Floats) -> dict[str, float]:
    """Return the mean difference of paired values, and the p-values of the paper's two tests and of a paired one."""
    from scipy.stats import ranksums, ttest_ind, ttest_rel

    lead = Estimate.of(ours - theirs)
    found = {"lead": lead.value, "standard error": lead.error}
    tests: dict[str, Callable[..., Any]] = {
        "p, rank-sum": ranksums,
        "p, t-test": ttest_ind,
        "p, paired t-test": ttest_rel,
    }
    with warnings.catch_warnings():  # where all values are equal there is nothing to test, and NaN says so
        warnings.simplefilter("ignore", RuntimeWarning)
        return found | {name: float(test(ours, theirs).pvalue) for name, test in tests.items()}


def tidy(
    tables: Mapping[str, Mapping[str, Floats]], at: Ints, *, name: str = "name", run: str = "run"
) -> pd.DataFrame:
    """Return a row for each name, run and number of questions.

    Parameters
    ----------
    tables : dict of quantity → dict of name → array of shape (runs, points)
    at : int array of shape (points,)
    name, run : str
        What these columns are called.
    """
    import pandas as pd

    parts = []
    for player, table in next(iter(tables.values())).items():
        number, point = np.indices(table.shape)
        columns = {quantity: of[player].ravel() for quantity, of in tables.items()}
        parts.append(
            pd.DataFrame({name: player, run: number.ravel(), "questions": at[point.ravel()]} | columns)
        )
    return pd.concat(parts, ignore_index=True)


def reached(curve: Floats, other: Floats) -> float:
    """Return at which share of the points ``curve`` has what ``other`` has at the last one; ∞ if never.

    Examples
    --------
    >>> reached(np.array([0.0, 0.5, 0.7]), np.array([0.0, 0.2, 0.5]))
    0.5
    """
    points = np.flatnonzero(curve >= other[-1])
    return float(points[0] / (len(other) - 1)) if len(points) else float("inf")


def bootstrapped(statistic: Callable[[Ints], float], count: int, seed: int) -> Estimate:
    """Return a statistic of all rows, with its deviation over 200 draws of as many rows for a standard error.

    Examples
    --------
    >>> values = np.arange(10.0)
    >>> bootstrapped(lambda rows: float(values[rows].mean()), 10, 0).value
    4.5
    """
    random = np.random.default_rng(seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.array([statistic(random.integers(count, size=count)) for _ in range(200)])
        value = statistic(np.arange(count))
    return Estimate(value, float(drawn.std(ddof=1)) if np.isfinite(drawn).all() else float("nan"))
