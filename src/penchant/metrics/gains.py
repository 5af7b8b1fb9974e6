"""Judging a model: how much relevance stands at the top? Grades and scores in, DCG and NDCG out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput
from penchant.metrics.queries import Queries, graded_rows, mean_over_queries

Log = Literal["base2", "natural"]
Gain = Literal["linear", "exponential"]

# Sums of gains up to here stay finite for any number of rows that fits into memory.
LARGEST_GAIN = 1e290


def dcg(
    grades: ArrayLike, scores: ArrayLike, *, k: int | None = None, log: Log = "base2", gain: Gain = "linear"
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
        Larger is ranked higher; equal scores rank by rising index.
    k : int, optional
        How many positions count; None counts all.
    log : {"base2", "natural"}
        The logarithm of the discount. It cancels in NDCG.
    gain : {"linear", "exponential"}
        The gain of grade r: r itself, or 2^r − 1.

    Returns
    -------
    float

    Examples
    --------
    >>> dcg([0, 2, 1], [0.1, 0.9, 0.5])  # 2 / log2(2) + 1 / log2(3)
    2.6309297535714578
    >>> dcg([0, 2, 1], [0.1, 0.9, 0.5], k=1, gain="exponential")
    3.0
    """
    check_gain_settings(k, log, gain)
    grades, scores = graded_rows(grades, scores)
    queries = Queries.of(None, len(grades))
    return float(_sums_of_gains(queries, _gains(grades, gain), scores, k, log)[0])


@overload
def ndcg(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = ...,
    k: int | None = ...,
    log: Log = ...,
    gain: Gain = ...,
    return_skipped: Literal[False] = ...,
) -> float: ...
@overload
def ndcg(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = ...,
    k: int | None = ...,
    log: Log = ...,
    gain: Gain = ...,
    return_skipped: Literal[True],
) -> tuple[float, int]: ...


def ndcg(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int | None = None,
    log: Log = "base2",
    gain: Gain = "linear",
    return_skipped: bool = False,
) -> float | tuple[float, int]:
    """Compute the mean over queries of DCG@k divided by the largest DCG@k that the grades allow.

    A query whose grades are all 0 has no NDCG: it is skipped, never counted as 0 or 1.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
        Graded relevance, at least 0, larger is better.
    scores : array-like of shape (n_rows,)
        Larger is ranked higher; equal scores rank by rising index.
    qid : array-like of shape (n_rows,), optional
        The query of each row: integers, strings or other hashable labels, in any order. None: one query.
    k : int, optional
        How many positions count; None counts all.
    log : {"base2", "natural"}
        The logarithm of the discount. It cancels here, and is kept so that dcg's settings can be passed on.
    gain : {"linear", "exponential"}
        The gain of grade r: r itself, or 2^r − 1.
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
    check_gain_settings(k, log, gain)
    grades, scores = graded_rows(grades, scores)
    queries, gains = Queries.of(qid, len(grades)), _gains(grades, gain)
    reached = _sums_of_gains(queries, gains, scores, k, log)
    ideal = _sums_of_gains(queries, gains, gains, k, log)
    defined = ideal > 0
    shares = np.divide(reached, ideal, out=np.zeros_like(ideal), where=defined)
    return mean_over_queries(shares, defined, "a grade above 0", return_skipped=return_skipped)


def check_gain_settings(k: int | None, log: str, gain: str) -> None:
    """Refuse a cut, a logarithm or a gain that DCG does not know."""
    if k is not None and (not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1):
        raise InvalidInput(
            f"k must be a whole number of at least 1, got {shown(k)}: give None to count all positions"
        )
    for name, value, choices in (("log", log, get_args(Log)), ("gain", gain, get_args(Gain))):
        if value not in choices:
            raise InvalidInput(
                f"{name} must be one of {', '.join(choices)}, got {shown(value)}: choose one of them"
            )


def _sums_of_gains(queries: Queries, gains: Floats, by: Floats, k: int | None, log: Log) -> Floats:
    in_order = gains[queries.best_first(by)]
    if k is not None:
        in_order[queries.positions > k] = 0.0
    return queries.sums(in_order * _discounts(queries.positions, log))


def _discounts(positions: Ints, log: Log) -> Floats:
    return 1.0 / (np.log2(1.0 + positions) if log == "base2" else np.log1p(positions))


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
