"""Judging a model: the usual figures at once. Grades, scores and queries in; means with their errors out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.metrics.agreement import kendall_tau
from penchant.metrics.gains import check_gain_settings, ndcg
from penchant.metrics.precision import average_precision
from penchant.metrics.queries import Queries, graded_rows
from penchant.schema import Instance, Number, Schema, Text, TupleOf, Whole

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Figure:
    """One metric over queries: its mean, the standard error of that mean, and what it rests on."""

    __saved__: ClassVar = Schema(
        {
            "metric": Text(),
            "mean": Number(nan=True),
            "standard_error": Number(0, nan=True),
            "queries": Whole(0),
            "skipped": Whole(0),
        }
    )

    metric: str
    mean: float
    standard_error: float
    queries: int
    skipped: int

    def __repr__(self) -> str:
        left_out = f", {self.skipped:,} without one" if self.skipped else ""
        return f"{self.metric:<10}{self.mean:.4f} ± {self.standard_error:.4f}  ({self.queries:,} queries{left_out})"


@dataclass(frozen=True)
class Evaluation:
    """How well scores order graded rows, one `Figure` a metric."""

    __saved__: ClassVar = Schema({"figures": TupleOf(Instance(Figure))})

    figures: tuple[Figure, ...]

    def __getitem__(self, metric: str) -> Figure:
        return next(figure for figure in self.figures if figure.metric == metric)

    def to_frame(self) -> DataFrame:
        """Return the figures as a pandas frame, one row a metric."""
        from pandas import DataFrame

        return DataFrame([vars(figure) for figure in self.figures])

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.figures))


def evaluate(
    grades: ArrayLike, scores: ArrayLike, *, qid: Iterable[Hashable] | None = None, k: int = 10
) -> Evaluation:
    """Measure NDCG@k, average precision and Kendall's tau in each query, and average them over queries.

    A query in which a metric does not exist (nothing relevant, all grades or scores equal) is left out of its
    mean, and counted.

    Parameters
    ----------
    grades, scores : array-like of shape (n_rows,)
        Larger is better.
    qid : array-like of shape (n_rows,), optional
        The query of each row; without it, all are of one query.
    k : int
        Where NDCG is cut.

    Examples
    --------
    >>> evaluate([2, 0, 1, 0, 1, 0], [3, 1, 2, 2, 1, 3], qid=["x", "x", "x", "y", "y", "y"])
    NDCG@10   0.7500 ± 0.2500  (2 queries)
    MAP       0.6667 ± 0.3333  (2 queries)
    tau       0.0918 ± 0.9082  (2 queries)
    """
    graded, scored = graded_rows(grades, scores)
    check_gain_settings(k, "base2", "linear")
    if graded.min() < 0:
        raise InvalidInput(
            f"grades must be at least 0, got {graded.min():g}: shift them so that 0 is the lowest"
        )
    queries = Queries.of(qid, len(graded))
    rows = np.split(np.argsort(queries.codes, kind="stable"), queries.starts[1:])
    measured: dict[str, Callable[[Floats, Floats], float]] = {
        f"NDCG@{k}": lambda y, f: ndcg(y, f, k=k),
        "MAP": average_precision,
        "tau": kendall_tau,
    }
    return Evaluation(tuple(_figure(name, metric, graded, scored, rows) for name, metric in measured.items()))


def _figure(
    name: str, metric: Callable[[Floats, Floats], float], grades: Floats, scores: Floats, rows: list[Ints]
) -> Figure:
    values = [value for query in rows if (value := _value(metric, grades[query], scores[query])) is not None]
    if not values:
        raise InvalidInput(
            f"{name} must exist in at least one query, got none of {len(rows)}: give grades that differ"
        )
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return Figure(name, float(np.mean(values)), error, len(values), len(rows) - len(values))


def _value(metric: Callable[[Floats, Floats], float], grades: Floats, scores: Floats) -> float | None:
    try:
        return metric(grades, scores)
    except InvalidInput:  # it does not exist for this query
        return None
