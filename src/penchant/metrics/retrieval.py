"""Precision, recall and reciprocal rank of the first k rows, and the expected reciprocal rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, check_number, whole
from penchant.errors import InvalidInput
from penchant.metrics.precision import check_precision_settings
from penchant.metrics.queries import Queries, graded_rows, mean_over_queries, query_weights
from penchant.metrics.ties import Ranked, Ties, check_ties, ranked

ByQuery = tuple[Floats, NDArray[np.bool_]]


def precision(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int = 10,
    relevant: float = 1.0,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean over queries of precision at k: the relevant rows among the first k, divided by k.

    A query with fewer than k rows is divided by k too. As in `ndcg`, a query without relevant rows is skipped.

    Parameters
    ----------
    grades, scores : array-like of shape (n_rows,)
        Larger is better.
    qid : array-like of shape (n_rows,), optional
        The query of each row: integers, strings or other hashable labels, in any order. None: one query.
    k : int
        How many positions count.
    relevant : float
        The lowest grade that counts as relevant.
    ties : {"average", "order"}
        Rows of equal score: average over all their orders, or rank them by rising index.
    sample_weight : array-like of shape (n_rows,), optional
        A query counts as much as the mean weight of its rows.

    Examples
    --------
    >>> precision([1, 0, 2, 0], [0.9, 0.8, 0.7, 0.6], k=2), precision([1, 0], [0.5, 0.5], k=1)
    (0.5, 0.5)
    """
    _check(k, relevant, ties)
    return _mean(
        grades, scores, qid, ties, sample_weight, relevant,
        lambda queries, graded, ranking: precision_by_query(queries, graded, ranking, k=k, relevant=relevant),
    )  # fmt: skip


def recall(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int = 10,
    relevant: float = 1.0,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean over queries of recall at k: the share of the relevant rows that stand among the first k.

    The parameters are those of `precision`. A query without relevant rows is skipped.

    Examples
    --------
    >>> recall([1, 0, 2, 0], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    _check(k, relevant, ties)
    return _mean(
        grades, scores, qid, ties, sample_weight, relevant,
        lambda queries, graded, ranking: recall_by_query(queries, graded, ranking, k=k, relevant=relevant),
    )  # fmt: skip


def reciprocal_rank(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int | None = None,
    relevant: float = 1.0,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean over queries of 1 / rank of the first relevant row (MRR), 0 where that is beyond k.

    The parameters are those of `precision`, with all positions unless ``k`` is given. A query without relevant
    rows is skipped.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 1, 0], [4, 3, 2, 1], qid=["a", "a", "b", "b"])  # (1/2 + 1) / 2
    0.75
    """
    _check(1 if k is None else k, relevant, ties)
    return _mean(
        grades, scores, qid, ties, sample_weight, relevant,
        lambda queries, graded, ranking: reciprocal_rank_by_query(
            queries, graded, ranking, k=k, relevant=relevant
        ),
    )  # fmt: skip


def expected_reciprocal_rank(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int | None = None,
    highest: float | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean over queries of ERR: the expected 1 / rank at which a user is satisfied and stops.

    A user who goes down the list is satisfied by a row of grade g with probability (2^g − 1) / 2^highest.

    Parameters
    ----------
    grades, scores, qid, ties, sample_weight
        As in `precision`; grades are at least 0. A query whose grades are all 0 is skipped.
    k : int, optional
        How many positions count; all unless given.
    highest : float, optional
        The highest grade of the scale; the highest that is given unless stated.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009.

    Examples
    --------
    >>> expected_reciprocal_rank([2, 0, 1], [3, 2, 1])  # 3/4 + 1/3 · 1/4 · 1/4
    0.7708333333333334
    """
    check_ties(ties)
    if k is not None:
        whole("k", k, 1, remedy="give None to count all positions")
    graded, scored = graded_rows(grades, scores)
    queries = Queries.of(qid, len(graded))
    values, defined = expected_reciprocal_rank_by_query(
        queries, graded, ranked(queries, scored, ties), k=k, highest=highest
    )
    weights = query_weights(queries, sample_weight)
    return cast("float", mean_over_queries(values, defined, "a grade above 0", weights=weights))


def precision_by_query(
    queries: Queries, grades: Floats, ranking: Ranked, *, k: int, relevant: float
) -> ByQuery:
    """Return the precision at k of each query, and which queries have a relevant row, each of shape (n_queries,)."""
    hits = (grades >= relevant).astype(np.float64)
    found = queries.sums(ranking.expected(hits) * (queries.positions <= k))
    return found / k, queries.sums(hits[ranking.rows]) > 0


def recall_by_query(queries: Queries, grades: Floats, ranking: Ranked, *, k: int, relevant: float) -> ByQuery:
    """Return the recall at k of each query, and which queries have a relevant row, each of shape (n_queries,)."""
    hits = (grades >= relevant).astype(np.float64)
    found, all_relevant = (
        queries.sums(ranking.expected(hits) * (queries.positions <= k)),
        queries.sums(hits[ranking.rows]),
    )
    return found / np.maximum(all_relevant, 1.0), all_relevant > 0


def reciprocal_rank_by_query(
    queries: Queries, grades: Floats, ranking: Ranked, *, k: int | None, relevant: float
) -> ByQuery:
    """Return the reciprocal rank of each query, and which have a relevant row, each of shape (n_queries,).

    If r of the n rows of a tied group are relevant, the first of them is its j-th row with probability
    C(n − j, r − 1) / C(n, r), which is r/n for j = 1 and then shrinks by (n − j − r + 1) / (n − j).
    """
    hits = (grades[ranking.rows] >= relevant).astype(np.float64)
    in_group = np.add.reduceat(hits, ranking.starts)
    with_hits = np.flatnonzero(in_group)
    query = np.searchsorted(queries.starts, ranking.starts[with_hits], side="right") - 1
    have, first = np.unique(query, return_index=True)
    groups = with_hits[first]
    start, n, r = queries.positions[ranking.starts[groups]], ranking.sizes[groups], in_group[groups]
    found, chance = np.zeros(len(groups)), r / n
    for place in range(int((n - r).max(initial=0)) + 1):
        counted = 1.0 if k is None else start + place <= k
        found += counted * chance / (start + place)
        chance *= np.maximum(n - place - r, 0) / np.maximum(n - place - 1, 1)
    values = np.zeros(len(queries.starts))
    values[have] = found
    defined = np.zeros(len(values), dtype=np.bool_)
    defined[have] = True
    return values, defined


def expected_reciprocal_rank_by_query(
    queries: Queries, grades: Floats, ranking: Ranked, *, k: int | None, highest: float | None
) -> ByQuery:
    """Return the ERR of each query, and which have a grade above 0, each of shape (n_queries,)."""
    top = _highest(grades, highest)
    missed = (1.0 - (np.exp2(grades) - 1.0) / np.exp2(top))[ranking.rows]
    values = np.zeros(len(queries.starts))
    positions = queries.positions
    at = np.searchsorted(ranking.starts, queries.starts)
    last = np.append(at[1:], len(ranking.starts))
    for query, (first, after) in enumerate(zip(at, last, strict=True)):
        goes_on = 1.0
        for start, size in zip(ranking.starts[first:after], ranking.sizes[first:after], strict=True):
            if (k is not None and positions[start] > k) or goes_on == 0.0:
                break
            depth = size if k is None else min(size, k - positions[start] + 1)
            left = _mean_products(missed[start : start + size], depth)
            stops = goes_on * (left[:-1] - left[1:])
            values[query] += float(np.sum(stops / positions[start : start + depth]))
            goes_on *= float(np.prod(missed[start : start + size]))
    return values, queries.sums((grades[ranking.rows] > 0).astype(np.float64)) > 0


def _mean_products(factors: Floats, depth: int) -> Floats:
    """Return the mean product of 0, 1, … ``depth`` of the factors, over all choices, shape (depth + 1,)."""
    if len(factors) == 1:
        return np.array([1.0, factors[0]])
    means = np.zeros(depth + 1)
    means[0] = 1.0
    chosen = np.arange(1, depth + 1)
    for count, factor in enumerate(factors, 1):
        share = np.minimum(chosen / count, 1.0)
        means[1:] = (1.0 - share) * means[1:] + share * factor * means[:-1]
    return means


def _highest(grades: Floats, highest: float | None) -> float:
    low = np.flatnonzero(grades < 0)
    if low.size:
        raise InvalidInput(
            f"grade of row {low[0]} must be at least 0, got {grades[low[0]]:g}: "
            "shift the grades so that 0 is the lowest"
        )
    most = float(grades.max())
    if most > 1000:
        raise InvalidInput(f"grades must be at most 1000 for ERR, got {most:g}: scale the grades down")
    if highest is None:
        return most
    check_number("highest", highest, remedy="give the highest grade of the scale")
    if highest < most:
        raise InvalidInput(
            f"highest must be at least the highest grade {most:g}, got {highest:g}: give the top of the scale"
        )
    return float(highest)


def _check(k: int, relevant: float, ties: str) -> None:
    whole("k", k, 1, remedy="give the number of positions that count")
    check_precision_settings(relevant, ties)


def _mean(
    grades: ArrayLike,
    scores: ArrayLike,
    qid: Iterable[Hashable] | None,
    ties: Ties,
    sample_weight: ArrayLike | None,
    relevant: float,
    by_query: Callable[[Queries, Floats, Ranked], ByQuery],
) -> float:
    graded, scored = graded_rows(grades, scores)
    queries = Queries.of(qid, len(graded))
    values, defined = by_query(queries, graded, ranked(queries, scored, ties))
    needed = f"a relevant row (grade at least {relevant:g})"
    weights = query_weights(queries, sample_weight)
    return cast("float", mean_over_queries(values, defined, needed, weights=weights))
