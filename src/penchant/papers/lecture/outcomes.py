"""Measures of several methods on the folds of data sets, with tables, charts and estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from penchant.checks import Floats
from penchant.papers.lecture.sets import Rows, fold, scaled
from penchant.papers.result import Estimate
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

Result = TypeVar("Result")
Measures = dict[str, float]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The measures of each method in each fold of each set.

    Attributes
    ----------
    frame : DataFrame
        One row for each set, fold and method, and one column for each measure.
    """

    frame: pd.DataFrame

    @classmethod
    def of(cls, found: Sequence[tuple[str, int, Mapping[str, Mapping[str, float]]]]) -> Outcomes:
        """Collect the measures of each method from tuples of set, fold and measures."""
        import pandas as pd

        return cls(
            pd.DataFrame(
                [
                    {"set": name, "fold": number, "method": method, **measured}
                    for name, number, methods in found
                    for method, measured in methods.items()
                ]
            )
        )

    def folds(self, method: str, measure: str, sets: Sequence[str]) -> Floats:
        """Return the mean over sets in each fold, shape (folds,)."""
        rows = self.frame[(self.frame["method"] == method) & self.frame["set"].isin(sets)]
        return rows.groupby("fold")[measure].mean().to_numpy(dtype="float64")

    def mean(self, method: str, measure: str, *sets: str) -> Estimate:
        """Return the mean over the sets, with its standard error over folds."""
        return Estimate.of(self.folds(method, measure, sets))

    def lead(self, method: str, other: str, measure: str, *sets: str) -> Estimate:
        """Return the difference between two methods, paired by fold."""
        return Estimate.of(self.folds(method, measure, sets) - self.folds(other, measure, sets))

    def table(self, measures: Sequence[str]) -> pd.DataFrame:
        """Return the mean ± standard error over folds, a row for each set and method."""
        import pandas as pd

        rows = []
        for name, method in dict.fromkeys(zip(self.frame["set"], self.frame["method"], strict=True)):
            cells = {measure: _cell(self.mean(method, measure, name)) for measure in measures}
            rows.append({"set": name, "method": method, **cells})
        return pd.DataFrame(rows)

    def wide(self, measure: str, sets: Sequence[str], mean: str) -> pd.DataFrame:
        """Return a row for each set, a column for each method, and the mean over the sets in a last row."""
        import pandas as pd

        measured = self.frame[self.frame[measure].notna()]  # not every method has every measure
        methods = list(dict.fromkeys(measured["method"]))
        rows = [
            {"set": name} | {method: _cell(self.mean(method, measure, name)) for method in methods}
            for name in sets
        ]
        rows.append({"set": mean} | {method: _cell(self.mean(method, measure, *sets)) for method in methods})
        return pd.DataFrame(rows)

    def chart(self, measure: str, title: str, *, without: Sequence[str] = ()) -> Any:
        """Draw a measure of the methods on each set."""
        from penchant.plots.comparison import comparison_chart

        drawn = self.frame[~self.frame["method"].isin(without)]
        outcomes: dict[str, dict[str, Floats]] = {}
        for (name, method), rows in drawn.groupby(["set", "method"], sort=False):
            outcomes.setdefault(str(name), {})[str(method)] = rows[measure].to_numpy(dtype="float64")
        n_folds = drawn["fold"].nunique()
        subtitle = f"mean of {n_folds} folds ± one standard error"
        return comparison_chart(outcomes, x=measure, title=title, subtitle=subtitle)


def by_folds(
    measure: Callable[[Rows, Rows], tuple[dict[str, dict[str, float]], dict[str, float]]],
    sets: Mapping[str, Rows],
    n_folds: int,
    most: int | None,
    run: Run,
) -> tuple[Outcomes, dict[str, float]]:
    """Measure methods on each fold of each set.

    Parameters
    ----------
    measure : callable
        Takes training rows and test rows, with scaled features, and returns the measures and CPU seconds of each
        method.
    sets : dict of name → Rows
    n_folds : int
    most : int, optional
        Of each set at most so many rows are drawn.
    run : Run
    """
    tasks = [
        (measure, name, rows.drawn(most, run.seed), number, n_folds, run.seed)
        for name, rows in sets.items()
        for number in range(n_folds)
    ]
    found = run.each(_on_fold, tasks)
    return Outcomes.of([task[:3] for task in found]), total(seconds for *_, seconds in found)


def _on_fold(
    measure: Callable[..., Any], name: str, rows: Rows, number: int, n_folds: int, seed: int
) -> tuple[str, int, dict[str, dict[str, float]], dict[str, float]]:
    train, test = fold(len(rows.X), number, n_folds, seed)
    X, new = scaled(rows.X[train], rows.X[test])
    return name, number, *measure(Rows(X, rows.target[train]), Rows(new, rows.target[test]))


def timed(
    methods: Mapping[str, Callable[[], Result]], measure: Callable[[Result], Measures]
) -> tuple[dict[str, Measures], dict[str, float]]:
    """Return the measures of what each method gives, and the CPU seconds of both.

    Examples
    --------
    >>> timed({"a": lambda: [1.0, 3.0]}, lambda given: {"sum": sum(given)})[0]
    {'a': {'sum': 4.0}}
    """
    found, seconds = {}, {}
    for method, result in methods.items():
        began = process_time()
        found[method] = measure(result())
        seconds[method] = process_time() - began
    return found, seconds


def total(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Add up the values of each name.

    Examples
    --------
    >>> total([{"a": 1.0}, {"a": 2.0, "b": 1.0}])
    {'a': 3.0, 'b': 1.0}
    """
    sums: dict[str, float] = {}
    for part in parts:
        for name, value in part.items():
            sums[name] = sums.get(name, 0.0) + value
    return sums


def _cell(estimate: Estimate) -> str:
    return f"{estimate.value:.3f}" + ("" if np.isnan(estimate.error) else f" ± {estimate.error:.3f}")
