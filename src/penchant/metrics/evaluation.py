"""Evaluate a ranking by the usual metrics, with standard errors over queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, one_of
from penchant.equality import EqualNaN
from penchant.errors import InvalidInput
from penchant.metrics.by_query import USUAL, by_query
from penchant.metrics.queries import query_weights
from penchant.metrics.ties import Ties
from penchant.schema import Instance, Number, Schema, Text, TupleOf, Whole

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Figure(EqualNaN):
    """One metric over queries: its mean, the standard error of that mean, and what it rests on.

    Examples
    --------
    >>> Figure("NDCG@10", mean=0.82, standard_error=0.03, queries=40, skipped=2).mean
    0.82
    """

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
        queries = "1 query" if self.queries == 1 else f"{self.queries:,} queries"
        mean = f"{self.mean:.4f}" if isfinite(self.mean) else "–"
        error = f" ± {self.standard_error:.4f}" if isfinite(self.standard_error) else ""  # one query has none
        return f"{self.metric:<10}{mean}{error}  ({queries}{left_out})"


@dataclass(frozen=True)
class Evaluation:
    """How well scores order graded rows, one `Figure` a metric.

    Examples
    --------
    >>> found = evaluate([2, 0, 1, 0, 1, 2], [2, 0, 1, 0, 1, 2], qid=["a", "a", "a", "b", "b", "b"])
    >>> [(figure.metric, figure.mean) for figure in found.figures][:2]
    [('NDCG@10', 1.0), ('MAP', 1.0)]
    """

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
    metrics: Sequence[str] = USUAL,
    relevant: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> Evaluation:
    """Measure NDCG@k, average precision and Kendall's tau in each query, and average them over queries.

    A query whose grades do not define a metric (no relevant row, all grades equal for tau) is left out of its mean,
    and counted. A query whose scores are all equal is not: it counts as a random order, and its tau is 0.

    Parameters
    ----------
    grades, scores : array-like of shape (n_rows,)
        Larger is better. The scores may come from any model.
    qid : array-like of shape (n_rows,), optional
        The query of each row; without it, all are of one query.
    k : int
        Where NDCG, precision, recall, RR and ERR are cut.
    ties : {"average", "order"}
        Rows of equal score: average over all their orders, or rank them by rising index. Kendall's tau counts
        pairs, and a tied pair is the same in any order of the rows.
    metrics : sequence of {"ndcg", "map", "tau", "precision", "recall", "rr", "err"}
        What to measure.
    relevant : float
        The lowest grade that counts as relevant for map, precision, recall and rr.
    sample_weight : array-like of shape (n_rows,), optional
        A query counts as much as the mean weight of its rows.

    Examples
    --------
    >>> evaluate([2, 0, 1, 0, 1, 0], [3, 1, 2, 2, 1, 3], qid=["x", "x", "x", "y", "y", "y"])
    NDCG@10   0.7500 ± 0.2500  (2 queries)
    MAP       0.6667 ± 0.3333  (2 queries)
    tau       0.0918 ± 0.9082  (2 queries)
    >>> evaluate([0, 1, 0, 1], [4, 3, 2, 1], k=2, metrics=["precision", "recall", "rr"])
    P@2       0.5000  (1 query)
    recall@2  0.5000  (1 query)
    RR@2      0.5000  (1 query)
    """
    measured = by_query(grades, scores, qid=qid, k=k, ties=ties, metrics=metrics, relevant=relevant)
    weights = query_weights(measured.queries, sample_weight)
    return Evaluation(
        tuple(_figure(name, values, defined, weights) for name, (values, defined) in measured.values.items())
    )


def _figure(name: str, values: Floats, defined: NDArray[np.bool_], weights: Floats | None) -> Figure:
    used = defined if weights is None else defined & (weights > 0)
    kept, count = values[used], int(used.sum())
    if not count:
        raise InvalidInput(
            f"{name} must exist in at least one query, got none of {len(values)}: give grades that differ"
        )
    share = None if weights is None else weights[used] / weights[used].sum()
    mean = float(np.mean(kept) if share is None else share @ kept)
    squares = (kept - mean) ** 2 / count**2 if share is None else share**2 * (kept - mean) ** 2
    error = float(np.sqrt(squares.sum() * count / (count - 1))) if count > 1 else float("nan")
    return Figure(name, mean, error, count, len(values) - count)
