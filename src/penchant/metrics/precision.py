"""Judging a model: are the relevant rows on top? Grades and scores in, average precision out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from penchant.metrics.queries import Queries, graded_rows, mean_over_queries


def average_precision(grades: ArrayLike, scores: ArrayLike, *, relevant: float = 1.0) -> float:
    """Compute the average precision of one query's rows, ranked by their scores.

    AP = (1 / number of relevant rows) · Σ precision at p, over the positions p that hold a relevant row.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
        Larger is better.
    scores : array-like of shape (n_rows,)
        Larger is ranked higher; equal scores rank by rising index.
    relevant : float
        The lowest grade that counts as relevant. At least one row must have it.

    Returns
    -------
    float

    Examples
    --------
    >>> average_precision([1, 0, 2, 0], [0.9, 0.8, 0.7, 0.6])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    return mean_average_precision(grades, scores, relevant=relevant)


@overload
def mean_average_precision(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = ...,
    relevant: float = ...,
    return_skipped: Literal[False] = ...,
) -> float: ...
@overload
def mean_average_precision(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = ...,
    relevant: float = ...,
    return_skipped: Literal[True],
) -> tuple[float, int]: ...


def mean_average_precision(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    relevant: float = 1.0,
    return_skipped: bool = False,
) -> float | tuple[float, int]:
    """Compute the mean over queries of the average precision (MAP).

    A query without relevant rows has no average precision: it is skipped, never counted as 0 or 1.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
        Larger is better.
    scores : array-like of shape (n_rows,)
        Larger is ranked higher; equal scores rank by rising index.
    qid : array-like of shape (n_rows,), optional
        The query of each row: integers, strings or other hashable labels, in any order. None: one query.
    relevant : float
        The lowest grade that counts as relevant.
    return_skipped : bool
        Whether to return the number of skipped queries too.

    Returns
    -------
    float, or (float, int) with ``return_skipped``

    Examples
    --------
    >>> mean_average_precision([0, 1, 1, 0], [2.0, 1.0, 2.0, 1.0], qid=["a", "a", "b", "b"])
    0.75
    """
    grades, scores = graded_rows(grades, scores)
    queries = Queries.of(qid, len(grades))
    hits = (grades[queries.best_first(scores)] >= float(relevant)).astype(np.float64)
    n_relevant = queries.sums(hits)
    hits_before_query = np.repeat(np.cumsum(n_relevant) - n_relevant, queries.sizes)
    precisions = (np.cumsum(hits) - hits_before_query) / queries.positions
    averages = queries.sums(precisions * hits) / np.maximum(n_relevant, 1.0)
    needed = f"a relevant row (grade at least {relevant:g})"
    return mean_over_queries(averages, n_relevant > 0, needed, return_skipped=return_skipped)
