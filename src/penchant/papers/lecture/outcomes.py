"""What the lecture's three tasks report alike. Outcomes of methods on folds of sets in, tables and estimates out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats
from penchant.papers.result import Estimate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What each method reached in each fold of each set.

    Attributes
    ----------
    frame : DataFrame
        One row for each set, fold and method, and a column a measure.
    """

    frame: pd.DataFrame

    @classmethod
    def of(cls, found: Sequence[tuple[str, int, Mapping[str, Mapping[str, float]]]]) -> Outcomes:
        """Put together a set, a fold and the measures of each method there."""
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
        """Return by how much a method is above another, fold by fold."""
        return Estimate.of(self.folds(method, measure, sets) - self.folds(other, measure, sets))

    def table(self, measures: Sequence[str]) -> pd.DataFrame:
        """Return the mean ± standard error over folds, a row for each set and method."""
        import pandas as pd

        rows = []
        for name, method in dict.fromkeys(zip(self.frame["set"], self.frame["method"], strict=True)):
            told = {measure: _told(self.mean(method, measure, name)) for measure in measures}
            rows.append({"set": name, "method": method, **told})
        return pd.DataFrame(rows)

    def wide(self, measure: str, sets: Sequence[str], mean: str) -> pd.DataFrame:
        """Return a row a set and a column a method, and the mean of the sets in a last row."""
        import pandas as pd

        measured = self.frame[self.frame[measure].notna()]  # not every method has every measure
        methods = list(dict.fromkeys(measured["method"]))
        rows = [
            {"set": name} | {method: _told(self.mean(method, measure, name)) for method in methods}
            for name in sets
        ]
        rows.append({"set": mean} | {method: _told(self.mean(method, measure, *sets)) for method in methods})
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


def total(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Add up what stands under the same name.

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


def _told(estimate: Estimate) -> str:
    return f"{estimate.value:.3f}" + ("" if np.isnan(estimate.error) else f" ± {estimate.error:.3f}")
