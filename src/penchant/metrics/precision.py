"""Average precision of rows ranked by scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, check_number
from penchant.metrics.queries import Queries, graded_rows, mean_over_queries, query_weights
from penchant.metrics.ties import Ranked, Ties, check_ties, ranked


def average_precision(
    grades: ArrayLike, scores: ArrayLike, *, relevant: float = 1.0, ties: Ties = "average"
) -> float:
    """Compute the average precision of one query's rows, ranked by their scores.

    AP = (1 / number of relevant rows) · Σ precision at p, over the positions p that hold a relevant row.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
        Larger is better.
    scores : array-like of shape (n_rows,)
        Larger is ranked higher.
    relevant : float
        The lowest grade that counts as relevant. At least one row must have it.
    ties : {"average", "order"}
        Rows of equal score: average over all their orders, or rank them by rising index, which is right only
        where the order of the rows is part of the ranking.

    Returns
    -------
    float

    Examples
    --------
    >>> average_precision([1, 0, 2, 0], [0.9, 0.8, 0.7, 0.6])  # (1/1 + 2/3) / 2
    0.8333333333333333
    >>> average_precision([1, 0], [0.5, 0.5]), average_precision([1, 0], [0.5, 0.5], ties="order")
    (0.75, 1.0)
    """
    return mean_average_precision(grades, scores, relevant=relevant, ties=ties)


class _Settings(TypedDict, total=False):
    qid: Iterable[Hashable] | None
    relevant: float
    ties: Ties
    sample_weight: ArrayLike | None


@overload
def mean_average_precision(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    return_skipped: Literal[False] = ...,
    **settings: Unpack[_Settings],
) -> float: ...
@overload
def mean_average_precision(
    grades: ArrayLike, scores: ArrayLike, *, return_skipped: Literal[True], **settings: Unpack[_Settings]
) -> tuple[float, int]: ...
def mean_average_precision(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    relevant: float = 1.0,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    return_skipped: bool = False,
) -> float | tuple[float, int]:
    """Compute the mean over queries of the average precision (MAP).

    A query without relevant rows has no average precision: it is skipped, never counted as 0 or 1.

    Parameters
    ----------
    grades, scores, relevant, ties
        As in `average_precision`.
    qid, sample_weight, return_skipped
        As in `ndcg`.

    Examples
    --------
    >>> mean_average_precision([0, 1, 1, 0], [2.0, 1.0, 2.0, 1.0], qid=["a", "a", "b", "b"])
    0.75
    """
    check_precision_settings(relevant, ties)
    grades, scores = graded_rows(grades, scores)
    queries = Queries.of(qid, len(grades))
    averages, defined = average_precision_by_query(
        queries, grades, ranked(queries, scores, ties), relevant=relevant
    )
    needed = f"a relevant row (grade at least {relevant:g})"
    weights = query_weights(queries, sample_weight)
    return mean_over_queries(averages, defined, needed, return_skipped=return_skipped, weights=weights)


def average_precision_by_query(
    queries: Queries, grades: Floats, ranking: Ranked, *, relevant: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the average precision of each query, and in which queries it is defined, shape (n_queries,).

    Let a group of n tied rows, r of them relevant, stand after R relevant rows. If the group is in random
    order, its i-th row is relevant with probability r/n, and then R + 1 + (i − 1)(r − 1)/(n − 1) relevant rows
    are expected down to it; divided by its position, this is its expected precision.
    """
    hits = (grades[ranking.rows] >= relevant).astype(np.float64)
    n_relevant = queries.sums(hits)
    before_query = np.repeat(np.cumsum(n_relevant) - n_relevant, queries.sizes)
    starts, sizes = ranking.starts, ranking.sizes
    relevant_before = (np.cumsum(hits) - hits - before_query)[starts]
    in_group = np.add.reduceat(hits, starts)
    place = queries.positions - np.repeat(queries.positions[starts], sizes)
    others = place * np.repeat((in_group - 1) / np.maximum(sizes - 1, 1), sizes)
    found = np.repeat(relevant_before + 1, sizes) + others
    precisions = np.repeat(in_group / sizes, sizes) * found / queries.positions
    return queries.sums(precisions) / np.maximum(n_relevant, 1.0), n_relevant > 0


def check_precision_settings(relevant: float, ties: str) -> None:
    """Reject a lowest relevant grade that is no number, or a treatment of ties that does not exist."""
    check_number("relevant", relevant, remedy="give the lowest relevant grade")
    check_ties(ties)
