"""The metrics by their short names, each as one value a query."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, one_of
from penchant.metrics.agreement import kendall_tau
from penchant.metrics.gains import check_gain_settings, ndcg_by_query
from penchant.metrics.precision import average_precision_by_query, check_precision_settings
from penchant.metrics.queries import Queries, graded_rows
from penchant.metrics.retrieval import (
    ByQuery,
    expected_reciprocal_rank_by_query,
    precision_by_query,
    recall_by_query,
    reciprocal_rank_by_query,
)
from penchant.metrics.ties import Ranked, Ties, ranked

USUAL = ("ndcg", "map", "tau")


@dataclass(frozen=True, eq=False)
class Judged:
    """Graded rows with their scores, ranked in their queries, and where metrics are cut."""

    queries: Queries
    grades: Floats
    scores: Floats
    ranking: Ranked
    k: int
    relevant: float
    highest: float | None = None


METRICS: dict[str, tuple[str, Callable[[Judged], ByQuery]]] = {
    "ndcg": ("NDCG@{k}", lambda rows: ndcg_by_query(rows.queries, rows.grades, rows.ranking, k=rows.k)),
    "map": (
        "MAP",
        lambda rows: average_precision_by_query(
            rows.queries, rows.grades, rows.ranking, relevant=rows.relevant
        ),
    ),
    "tau": ("tau", lambda rows: _tau_by_query(rows.queries, rows.grades, rows.scores)),
    "precision": ("P@{k}", lambda rows: _at_k(precision_by_query, rows)),
    "recall": ("recall@{k}", lambda rows: _at_k(recall_by_query, rows)),
    "rr": ("RR@{k}", lambda rows: _at_k(reciprocal_rank_by_query, rows)),
    "err": (
        "ERR@{k}",
        lambda rows: expected_reciprocal_rank_by_query(
            rows.queries, rows.grades, rows.ranking, k=rows.k, highest=rows.highest
        ),
    ),
}
"""What each metric is called in a table, and how it is computed."""


@dataclass(frozen=True, eq=False)
class QueryValues:
    """The values of metrics in each query, and in which queries each is defined, by the title of the metric."""

    queries: Queries
    values: dict[str, ByQuery]


def by_query(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None,
    k: int,
    ties: Ties,
    metrics: Sequence[str],
    relevant: float,
    highest: float | None = None,
) -> QueryValues:
    """Check the arguments of `evaluate`, and compute each metric in each query.

    ``highest`` is the highest grade of the scale, for ERR; None: the highest that is given.
    """
    check_gain_settings(k, "base2", "linear", ties)
    check_precision_settings(relevant, ties)
    chosen = [metrics] if isinstance(metrics, str) else list(metrics)
    for metric in chosen:
        one_of("metrics", metric, METRICS)
    graded, scored = graded_rows(grades, scores)
    queries = Queries.of(qid, len(graded))
    rows = Judged(queries, graded, scored, ranked(queries, scored, ties), k, relevant, highest)
    wanted = [METRICS[metric] for metric in chosen]
    return QueryValues(queries, {title.format(k=k): values(rows) for title, values in wanted})


def _at_k(metric: Callable[..., ByQuery], rows: Judged) -> ByQuery:
    return metric(rows.queries, rows.grades, rows.ranking, k=rows.k, relevant=rows.relevant)


def _tau_by_query(queries: Queries, grades: Floats, scores: Floats) -> ByQuery:
    """Return Kendall's τ_b of each query, and in which queries grades differ, each of shape (n_queries,)."""
    values = np.zeros(len(queries.starts))
    defined: NDArray[np.bool_] = np.zeros(len(queries.starts), dtype=np.bool_)
    rows_of = np.split(np.argsort(queries.codes, kind="stable"), queries.starts[1:])
    for query, rows in enumerate(rows_of):
        defined[query] = _differ(grades[rows])
        if defined[query] and _differ(scores[rows]):
            values[query] = kendall_tau(grades[rows], scores[rows])
    return values, defined


def _differ(values: Floats) -> bool:
    return bool(values.min() < values.max())
