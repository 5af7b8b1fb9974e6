"""Rank the rows of each query by score, with tied rows in every order at once or in the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from penchant.checks import Floats, Ints, one_of
from penchant.metrics.queries import Queries

Ties = Literal["average", "order"]


@dataclass(frozen=True, eq=False)
class Ranked:
    """The rows of each query by falling score, divided into groups of tied rows.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The rows, query after query, best first.
    starts : ndarray of shape (n_groups,)
        Where each group of tied rows begins in ``rows``. A row without ties is a group of its own.
    """

    rows: Ints
    starts: Ints

    @property
    def sizes(self) -> Ints:
        """The number of rows of each group, shape (n_groups,)."""
        return np.diff(self.starts, append=len(self.rows))

    def expected(self, values: Floats) -> Floats:
        """Return the expected value at each position if tied rows stand in random order, shape (n_rows,)."""
        in_order = values[self.rows]
        if len(self.starts) == len(in_order):
            return in_order
        first = in_order[self.starts]  # the mean of equal values is exact if it is taken from here
        offsets = np.add.reduceat(in_order - np.repeat(first, self.sizes), self.starts)
        return np.repeat(first + offsets / self.sizes, self.sizes)


def ranked(queries: Queries, scores: Floats, ties: Ties) -> Ranked:
    """Return the rows of each query by falling score.

    Parameters
    ----------
    queries : Queries
    scores : ndarray of shape (n_rows,)
    ties : {"average", "order"}
        Whether equal scores are tied, or rank by rising index, so that every group has one row.
    """
    rows = queries.best_first(scores)
    if ties == "order":
        return Ranked(rows, np.arange(len(rows)))
    in_order = scores[rows]
    is_start = np.empty(len(rows), dtype=np.bool_)
    np.not_equal(in_order[1:], in_order[:-1], out=is_start[1:])
    is_start[queries.starts] = True
    return Ranked(rows, np.flatnonzero(is_start))


def check_ties(ties: str) -> None:
    """Reject a treatment of ties that does not exist."""
    one_of("ties", ties, get_args(Ties))
