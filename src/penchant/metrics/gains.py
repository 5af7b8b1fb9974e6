"""DCG and NDCG of graded rows ranked by scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, TypedDict, Unpack, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, one_of, whole
from penchant.errors import InvalidInput
from penchant.metrics.queries import Queries, graded_rows, mean_over_queries, query_weights
from penchant.metrics.ties import Ranked, Ties, check_ties, ranked

Log = Literal["base2", "natural"]
Gain = Literal["linear", "exponential"]

# Sums of gains up to here stay finite for any number of rows that fits into memory.
LARGEST_GAIN = 1e290


def dcg(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    k: int | None = None,
    log: Log = "base2",
    gain: Gain = "linear",
    ties: Ties = "average",
) -> float:
    """Compute the discounted cumulative gain of one query's rows, ranked by their scores.

    DCG@k = Σ gain(grade at position p) / log(1 + p) over the positions p = 1 … k. With ``log="natural"``
    and the linear gain this is the DCG@10 by which the coactive paper judges clicks; its utility of a
    ranking, eq. 21, has the same discount, with wᵀx in the place of the grade and k = 5.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
        Graded relevance, at least 0, larger is better.
    scores : array-like of shape (n_rows,)
        Larger is ranked higher.
    k : int, optional
        How many positions count; None counts all.
    log : {"base2", "natural"}
        The logarithm of the discount. It cancels in NDCG.
    gain : {"linear", "exponential"}
        The gain of grade r: r itself, or 2^r − 1.
    ties : {"average", "order"}
        Rows of equal score: average DCG over all their orders, or rank them by rising index, which is right
        only where the order of the rows is part of the ranking.

    Returns
    -------
    float

    Examples
    --------
    >>> dcg([0, 2, 1], [0.1, 0.9, 0.5])  # 2 / log2(2) + 1 / log2(3)
    2.6309297535714578
    >>> dcg([0, 2, 1], [0.1, 0.9, 0.5], k=1, gain="exponential")
    3.0
    >>> dcg([2, 0], [0.5, 0.5], k=1), dcg([2, 0], [0.5, 0.5], k=1, ties="order")
    (1.0, 2.0)
    """
    check_gain_settings(k, log, gain, ties)
    grades, scores = graded_rows(grades, scores)
    queries = Queries.of(None, len(grades))
    gains = ranked(queries, scores, ties).expected(_gains(grades, gain))
    return float(queries.sums(gains * _discounts(queries, k, log))[0])


class _Settings(TypedDict, total=False):
    qid: Iterable[Hashable] | None
    k: int | None
    log: Log
    gain: Gain
    ties: Ties
    sample_weight: ArrayLike | None


@overload
def ndcg(
    grades: ArrayLike, scores: ArrayLike, *, return_skipped: Literal[True], **settings: Unpack[_Settings]
) -> tuple[float, int]: ...
@overload
def ndcg(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    return_skipped: Literal[False] = ...,
    **settings: Unpack[_Settings],
) -> float: ...
def ndcg(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int | None = None,
    log: Log = "base2",
    gain: Gain = "linear",
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    return_skipped: bool = False,
) -> float | tuple[float, int]:
    """Compute the mean over queries of DCG@k divided by the largest DCG@k that the grades allow.

    A query whose grades are all 0 has no NDCG: it is skipped, never counted as 0 or 1.

    Parameters
    ----------
    grades, scores, k, log, gain, ties
        As in `dcg`. The logarithm cancels.
    qid : array-like of shape (n_rows,), optional
        The query of each row: integers, strings or other hashable labels, in any order. None: one query.
    sample_weight : array-like of shape (n_rows,), optional
        A query counts as much as the mean weight of its rows.
    return_skipped : bool
        Whether to return the number of skipped queries too.

    Returns
    -------
    float, or (float, int) with ``return_skipped``

    Examples
    --------
    >>> ndcg([2, 0, 1, 0, 0], [3.0, 2.0, 1.0, 0.5, 0.1], qid=["a", "a", "b", "b", "c"])
    1.0
    >>> ndcg([2, 0, 1, 0, 0], [3.0, 2.0, 1.0, 0.5, 0.1], qid=["a", "a", "b", "b", "c"], return_skipped=True)
    (1.0, 1)
    """
    check_gain_settings(k, log, gain, ties)
    grades, scores = graded_rows(grades, scores)
    queries = Queries.of(qid, len(grades))
    shares, defined = ndcg_by_query(queries, grades, ranked(queries, scores, ties), k=k, log=log, gain=gain)
    weights = query_weights(queries, sample_weight)
    return mean_over_queries(
        shares, defined, "a grade above 0", return_skipped=return_skipped, weights=weights
    )


def ndcg_by_query(
    queries: Queries,
    grades: Floats,
    ranking: Ranked,
    *,
    k: int | None,
    log: Log = "base2",
    gain: Gain = "linear",
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the NDCG of each query, and in which queries it is defined, each of shape (n_queries,)."""
    gains, discounts = _gains(grades, gain), _discounts(queries, k, log)
    reached = queries.sums(ranking.expected(gains) * discounts)
    ideal = queries.sums(ranked(queries, gains, "order").expected(gains) * discounts)
    defined = ideal > 0
    return np.divide(reached, ideal, out=np.zeros_like(ideal), where=defined), defined


def check_gain_settings(k: int | None, log: str, gain: str, ties: str) -> None:
    """Reject a cut-off, a logarithm, a gain or a treatment of ties that DCG does not have."""
    if k is not None:
        whole("k", k, 1, remedy="give None to count all positions")
    one_of("log", log, get_args(Log))
    one_of("gain", gain, get_args(Gain))
    check_ties(ties)


def _discounts(queries: Queries, k: int | None, log: Log) -> Floats:
    """Return what the gain at each sorted row counts, shape (n_rows,)."""
    positions = np.arange(1, queries.sizes.max() + 1)
    discounts = 1.0 / (np.log2(1.0 + positions) if log == "base2" else np.log1p(positions))
    if k is not None:
        discounts[k:] = 0.0
    return discounts[queries.positions - 1]


def _gains(grades: Floats, gain: Gain) -> Floats:
    low = np.flatnonzero(grades < 0)
    if low.size:
        raise InvalidInput(
            f"grade of row {low[0]} must be at least 0, got {grades[low[0]]:g}: "
            "shift the grades so that 0 is the lowest"
        )
    with np.errstate(over="ignore"):
        gains: Floats = grades if gain == "linear" else np.exp2(grades) - 1.0
    high = np.flatnonzero(gains > LARGEST_GAIN)
    if high.size:
        raise InvalidInput(
            f"gain of row {high[0]} must be at most {LARGEST_GAIN:g}, got the grade {grades[high[0]]:g}: "
            "scale the grades down"
        )
    return gains
