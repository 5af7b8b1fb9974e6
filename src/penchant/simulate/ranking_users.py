"""Users who answer a presented ranking with an improved one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, whole
from penchant.orders import prepend
from penchant.simulate.contexts import Documents, refuse_other_than
from penchant.simulate.user import Deterministic, Strict


@dataclass(frozen=True)
class StrictRanking(Strict):
    """Go down the list only as far as needed to improve it by the share α of what is possible, eq. 5.

    The user begins at the depth of the feature map (five documents, eq. 21) and puts that many of the
    documents seen so far on top, in the order of their utilities; while the utility gained falls short of
    α(U(y*) − U(y)), one more document is seen.

    Parameters
    ----------
    alpha
        As in `StrictItem`.

    Examples
    --------
    >>> from penchant.coactive import RankingMap
    >>> query = Documents(np.zeros((4, 1)), [0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1], RankingMap(2))
    >>> StrictRanking(0.1).answer(query, [0, 1, 2, 3])
    array([1, 0, 2, 3])
    >>> StrictRanking(1.0).answer(query, [0, 1, 2, 3])
    array([3, 2, 0, 1])
    """

    def answer(self, context: Documents, presented: ArrayLike) -> Ints:
        """Return the presented order with the best of the seen documents on top."""
        refuse_other_than(Documents, context, self)
        order = context.known(presented)
        reached = context.utility(order)
        wanted = self.wanted(context, reached)
        first = min(context.depth, len(order))
        improved = order
        for depth in range(first, len(order) + 1):
            improved = lifted(order, context.utilities, depth, context.depth)
            if context.utility(improved) >= wanted:
                break
        return improved


@dataclass(frozen=True)
class NoisyRanking(Deterministic):
    """Put the documents with the highest labels among the first ``depth`` on top (paper 2, section 6.1.1).

    As many are put there as the feature map counts; equal labels keep the presented order. Labels are not
    linear in the features, so that such feedback has slack for every α.

    Parameters
    ----------
    depth : int, default 10
        How many documents are looked at; the whole list if it is shorter.

    Examples
    --------
    >>> from penchant.coactive import RankingMap
    >>> query = Documents(np.zeros((4, 1)), np.zeros(4), [0, 1, 0, 2], RankingMap(2))
    >>> NoisyRanking(3).answer(query, [0, 1, 2, 3])
    array([1, 0, 2, 3])
    """

    depth: int = 10

    def __post_init__(self) -> None:
        """Check the depth."""
        whole("depth", self.depth, 1)

    def answer(self, context: Documents, presented: ArrayLike) -> Ints:
        """Return the presented order with the highest labels of the seen documents on top."""
        refuse_other_than(Documents, context, self)
        return lifted(context.known(presented), context.grades, self.depth, context.depth)


def lifted(order: Ints, values: Floats, depth: int, places: int) -> Ints:
    """Return ``order`` with the ``places`` most valued of its first ``depth`` on top, equal ones as they stood."""
    seen = order[:depth]
    best_first = seen[np.argsort(-values[seen], kind="stable")]
    return prepend(order, best_first[:places])
