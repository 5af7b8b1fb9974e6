"""Users who answer a presented item with a better one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.simulate.contexts import Items, refuse_other_than
from penchant.simulate.user import Drawing, Strict


@dataclass(frozen=True)
class StrictItem(Strict):
    """Name the item of lowest utility that is better by the share α of what is possible, eq. 5.

    The presented item is named again if it satisfies the condition, which is so only if it is a best one.
    Of equal utilities the lowest index is named.

    Parameters
    ----------
    alpha : float, default 0.5
        In (0, 1].

    Examples
    --------
    >>> offer = Items(np.zeros((4, 1)), [0.0, 3.0, 1.0, 2.0], np.zeros(4))
    >>> StrictItem(0.5).answer(offer, 0), StrictItem(1.0).answer(offer, 0), StrictItem(0.5).answer(offer, 1)
    (3, 1, 1)
    """

    def answer(self, context: Items, presented: int) -> int:
        """Return the index of an item that is good enough."""
        refuse_other_than(Items, context, self)
        item = context.known(presented)
        reached = context.utility(item)
        wanted = self.wanted(context, reached)
        if reached >= wanted:
            return item
        return int(np.argmin(np.where(context.utilities >= wanted, context.utilities, np.inf)))


@dataclass(frozen=True, kw_only=True)
class BetterItem(Drawing):
    """Name an item of the lowest rating above that of the presented one (paper 2, section 6.1.2).

    Equal ratings are drawn from; if nothing is rated better the presented item is named again.

    Parameters
    ----------
    seed : int, default 0

    Examples
    --------
    >>> offer = Items(np.zeros((4, 1)), np.zeros(4), [1, 5, 3, 3])
    >>> user = BetterItem(seed=0)
    >>> [user.answer(offer, 0) for _ in range(4)], user.answer(offer, 1)
    ([3, 2, 2, 2], 1)
    """

    def answer(self, context: Items, presented: int) -> int:
        """Return the index of an item that is rated better, if there is one."""
        refuse_other_than(Items, context, self)
        item, place = context.known(presented), self._random.random()
        above = context.grades[context.grades > context.grades[item]]
        return _one_of(context, above.min(), place) if above.size else item


@dataclass(frozen=True, kw_only=True)
class BestItem(Drawing):
    """Name an item of the highest rating, drawn from equal ones; the presented one if it is one of them.

    Parameters
    ----------
    seed : int, default 0

    Examples
    --------
    >>> offer = Items(np.zeros((4, 1)), np.zeros(4), [1, 5, 3, 5])
    >>> user = BestItem(seed=0)
    >>> [user.answer(offer, 0) for _ in range(4)], user.answer(offer, 3)
    ([3, 1, 1, 1], 3)
    """

    def answer(self, context: Items, presented: int) -> int:
        """Return the index of an item that nothing on offer is rated above."""
        refuse_other_than(Items, context, self)
        item, place = context.known(presented), self._random.random()
        best = context.grades.max()
        return item if context.grades[item] == best else _one_of(context, best, place)


def _one_of(context: Items, grade: float, place: float) -> int:
    """Return the item at ``place``, from 0 to below 1, among those with the given grade."""
    equal = np.flatnonzero(context.grades == grade)
    return int(equal[int(place * len(equal))])
