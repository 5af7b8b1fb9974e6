"""Evaluate a ranking by the usual metrics, with standard errors over queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, one_of
from penchant.equality import EqualNaN
from penchant.errors import InvalidInput
from penchant.metrics.agreement import kendall_tau
from penchant.metrics.gains import check_gain_settings, ndcg_by_query
from penchant.metrics.precision import average_precision_by_query
from penchant.metrics.queries import Queries, graded_rows
from penchant.metrics.ties import Ties, ranked
from penchant.schema import Instance, Number, Schema, Text, TupleOf, Whole

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Figure(EqualNaN):
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
        figures = {figure.metric: figure for figure in self.figures}
        one_of("metric", metric, figures)
        return figures[metric]

    def to_frame(self) -> DataFrame:
        """Return the figures as a pandas frame, one row a metric."""
        from pandas import DataFrame

        return DataFrame([vars(figure) for figure in self.figures])

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.figures))


def evaluate(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int = 10,
    ties: Ties = "average",
) -> Evaluation:
    """Measure NDCG@k, average precision and Kendall's tau in each query, and average them over queries.

    A query whose grades do not define a metric (no relevant row for NDCG and average precision, all grades
    equal for tau) is left out of its mean, and counted. A query whose scores are all equal is not: its NDCG
    and average precision are those of a random order, and its tau is 0.

    Parameters
    ----------
    grades, scores : array-like of shape (n_rows,)
        Larger is better.
    qid : array-like of shape (n_rows,), optional
        The query of each row; without it, all are of one query.
    k : int
        Where NDCG is cut.
    ties : {"average", "order"}
        Rows of equal score: average NDCG and average precision over all their orders, or rank them by rising
        index. Kendall's tau counts pairs, and a tied pair is the same in any order of the rows.

    Examples
    --------
    >>> evaluate([2, 0, 1, 0, 1, 0], [3, 1, 2, 2, 1, 3], qid=["x", "x", "x", "y", "y", "y"])
    NDCG@10   0.7500 ± 0.2500  (2 queries)
    MAP       0.6667 ± 0.3333  (2 queries)
    tau       0.0918 ± 0.9082  (2 queries)
    """
    check_gain_settings(k, "base2", "linear", ties)
    graded, scored = graded_rows(grades, scores)
    queries = Queries.of(qid, len(graded))
    ranking = ranked(queries, scored, ties)
    return Evaluation(
        (
            _figure(f"NDCG@{k}", *ndcg_by_query(queries, graded, ranking, k=k)),
            _figure("MAP", *average_precision_by_query(queries, graded, ranking, relevant=1.0)),
            _figure("tau", *_tau_by_query(queries, graded, scored)),
        )
    )


def _tau_by_query(queries: Queries, grades: Floats, scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return Kendall's τ_b of each query, and in which queries grades differ, each of shape (n_queries,)."""
    values, defined = np.zeros(len(queries.starts)), np.zeros(len(queries.starts), dtype=np.bool_)
    by_query = np.split(np.argsort(queries.codes, kind="stable"), queries.starts[1:])
    for query, rows in enumerate(by_query):
        defined[query] = _differ(grades[rows])
        if defined[query] and _differ(scores[rows]):
            values[query] = kendall_tau(grades[rows], scores[rows])
    return values, defined


def _differ(values: Floats) -> bool:
    return bool(values.min() < values.max())


def _figure(name: str, values: Floats, defined: NDArray[np.bool_]) -> Figure:
    kept = values[defined]
    if not len(kept):
        raise InvalidInput(
            f"{name} must exist in at least one query, got none of {len(values)}: give grades that differ"
        )
    error = float(np.std(kept, ddof=1) / np.sqrt(len(kept))) if len(kept) > 1 else float("nan")
    return Figure(name, float(np.mean(kept)), error, len(kept), len(values) - len(kept))
