"""Order the rows of each query by preferences between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.metrics.queries import Queries
from penchant.orders import ranks_from_order

_MOST_ROWS = 5_000
_ROUNDING = 1e-12


def ordered_queries(
    X: Any,
    qid: Iterable[Hashable] | None,
    preferences: Callable[[Any], Floats],
    order: Callable[[Floats], Ints],
) -> tuple[Ints, Floats]:
    """Order the rows of each query by what is preferred among them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    qid : array-like of shape (n_rows,), optional
        The query of each row. None: one query.
    preferences : callable
        From the rows of a query to the matrix F of preferences between them, F + Fᵀ = 1.
    order : callable
        From F to an order of its rows, best first.

    Returns
    -------
    ranks : ndarray of shape (n_rows,)
        1 is best, and each rank is given once in a query.
    scores : ndarray of shape (n_rows,)
        Minus the number of rows of the query that stand before; neighbours in the order that are preferred
        to one another by exactly ½ share a score.
    """
    queries = Queries.of(qid, X.shape[0])
    by_query = np.argsort(queries.codes, kind="stable")
    ranks, scores = np.empty(X.shape[0], dtype=np.int64), np.empty(X.shape[0])
    for members in np.split(by_query, queries.starts[1:]):
        preference = preferences(X[members])
        places = order(preference)
        ranks[members] = ranks_from_order(places)
        scores[members[places]] = -_standing_before(preference[np.ix_(places, places)])
    return ranks, scores


def refuse_too_many_rows(n_rows: int) -> None:
    """Raise where so many rows are compared with one another that their matrix would not fit."""
    if n_rows > _MOST_ROWS:
        raise InvalidInput(
            f"rows to rank together must be at most {_MOST_ROWS:,}, since each is compared with each, got "
            f"{n_rows:,}: give qid, or use RankSVM on objects or RankBoost, which score rows one by one"
        )


def _standing_before(preference: Floats) -> Ints:
    """Return for each place of an order how many stand before it, or before those that it is tied with.

    Those tied with one another follow one another and are all preferred by ½, so that any order of them
    agrees with ``preference`` (which stands in the order) as much as any other.
    """
    before = np.zeros(len(preference), dtype=np.int64)
    first = 0
    for place in range(1, len(preference)):
        if (np.abs(preference[first:place, place] - 0.5) > _ROUNDING).any():
            first = place
        before[place] = first
    return before
