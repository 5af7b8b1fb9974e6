"""Order items by pairwise preferences that may contradict each other.

F[i, j] is the preference for item i over item j. The order has a large AGREE, the sum of the preferences that it
keeps: by the greedy rule of Cohen, Schapire and Singer (1999), exactly for few items, or both, component by component.

F may be any finite square matrix: F + Fᵀ = 1 is usual and not required. Its diagonal is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, square
from penchant.errors import InvalidInput
from penchant.orders.ranks import check_order

_MOST_EXACT = 16
_PANEL = 32
_ROUNDING = 1e-12


def agreement(order: ArrayLike, F: ArrayLike) -> float:
    """Return AGREE: the sum of F[i, j] over all pairs with i before j in ``order``.

    Parameters
    ----------
    order : array-like of shape (n,)
        Item indices, best first.
    F : array-like of shape (n, n)
        The preference for each row's item over each column's; the diagonal is ignored.

    Examples
    --------
    >>> agreement([1, 0], [[0.0, 0.25], [0.75, 0.0]])
    0.75
    """
    preference = square("preference", F)
    best_first = check_order("order", order, length=len(preference))
    return math.fsum(preference[item, best_first[place + 1 :]].sum() for place, item in enumerate(best_first))


@overload
def cohen_order(F: ArrayLike, *, return_scores: Literal[False] = False) -> Ints: ...
@overload
def cohen_order(F: ArrayLike, *, return_scores: Literal[True]) -> tuple[Ints, Floats]: ...
def cohen_order(F: ArrayLike, *, return_scores: bool = False) -> Ints | tuple[Ints, Floats]:
    """Take again and again the item with the largest net preference over those left, in O(n²).

    The net preference score of an item x is π(x) = Σ F[x, x'] − Σ F[x', x] over the items x' that are left.
    Scores that differ by less than n · 1e-12 of the largest preference are ties, so that rounding never
    decides, and ties go to the lowest index. AGREE is at least half of what is possible where F is nowhere
    negative, and at least n(n − 1)/4 where F + Fᵀ = 1.

    Parameters
    ----------
    F : array-like of shape (n, n)
        Finite preferences for each row's item over each column's; the diagonal is ignored.
    return_scores : bool, default False
        Return the scores of each step too.

    Returns
    -------
    order : ndarray of int64, shape (n,)
        Item indices, best first.
    scores : ndarray of shape (n, n)
        Only with ``return_scores``: row t holds π of every item just before ``order[t]`` was taken, NaN for
        those taken earlier. ``scores[np.arange(n), order]`` are the scores with which items were chosen.

    References
    ----------
    Cohen, Schapire and Singer, Learning to order things, JAIR 10 (1999).

    Examples
    --------
    >>> F = [[0, 0, 2 / 8, 1 / 8], [1, 0, 1, 1], [6 / 8, 0, 0, 1 / 8], [7 / 8, 0, 7 / 8, 0]]
    >>> cohen_order(F)
    array([1, 3, 2, 0])
    >>> cohen_order(F, return_scores=True)[1][1]
    array([-1.25,   nan, -0.25,  1.5 ])
    """
    net, unit = _net_preferences(square("preference", F))
    if not return_scores:
        return _greedy(net)
    scores = np.empty_like(net)
    order = _greedy(net, scores)
    scores[np.isneginf(scores)] = np.nan
    scores *= unit
    return order, scores


def optimal_order(F: ArrayLike) -> Ints:
    """Return an order of the largest possible AGREE, best first, by dynamic programming over all subsets.

    Of several such orders it is the lexicographically lowest; sums that differ by less than n · 1e-12 of the
    largest preference are ties.

    Parameters
    ----------
    F : array-like of shape (n, n)
        Finite preferences of at most 16 items; the diagonal is ignored.

    Examples
    --------
    >>> optimal_order([[0.0, 0.9, 0.4], [0.1, 0.0, 0.8], [0.6, 0.2, 0.0]])
    array([0, 1, 2])
    """
    preference = square("preference", F)
    if len(preference) > _MOST_EXACT:
        raise InvalidInput(
            f"preference must be of at most {_MOST_EXACT} items for the exact search, got {len(preference)}: "
            "use component_order or cohen_order"
        )
    return _exact(_net_preferences(preference)[0])


def component_order(F: ArrayLike, *, exact_up_to: int = _MOST_EXACT) -> Ints:
    """Order the strongly connected components of the preference graph, then search inside each of them.

    There is an edge from i to j where F[i, j] > F[j, i]. An order of largest AGREE exists that respects the
    order of the components, so small ones are searched exactly and only large ones by the greedy rule. If
    there are large ones, the greedy order of everything is returned instead where it has the larger AGREE.

    Parameters
    ----------
    F : array-like of shape (n, n)
        As in `cohen_order`.
    exact_up_to : int, default 16
        The largest component that is searched exactly, from 1 to 16. If no component is larger the order is
        optimal.

    Examples
    --------
    >>> component_order([[0.0, 0.3, 0.2], [0.7, 0.0, 0.6], [0.8, 0.4, 0.0]])
    array([1, 2, 0])
    """
    if not 1 <= exact_up_to <= _MOST_EXACT:
        raise InvalidInput(
            f"exact_up_to must be from 1 to {_MOST_EXACT}, got {exact_up_to}: "
            "give the size of the largest component to search exactly"
        )
    net, _ = _net_preferences(square("preference", F))
    if not len(net):
        return np.empty(0, dtype=np.int64)
    components = list(components_in_order(net > 0))
    order = np.concatenate([members[_search(net, members, exact_up_to)] for members in components])
    if all(members.size <= exact_up_to for members in components):
        return order
    return max(order, _greedy(net), key=lambda either: agreement(either, net))


def _net_preferences(F: Floats) -> tuple[Floats, float]:
    """Return F − Fᵀ, and the power of two that it is measured in: the largest preference is from 1 to 2."""
    net = F.copy()
    np.fill_diagonal(net, 0.0)
    largest = max(net.max(initial=0.0), -net.min(initial=0.0))
    unit = 2.0 ** (math.frexp(largest)[1] - 1)
    net /= unit
    # In panels, so that large matrices need no second copy and stay in the processor's cache.
    for start in range(0, len(net), _PANEL):
        panel = slice(start, start + _PANEL)
        differences = net[panel, start:] - net[start:, panel].T
        net[panel, start:] = differences
        net[start:, panel] = -differences.T
    return net, unit


def _greedy(net: Floats, history: Floats | None = None) -> Ints:
    """Return the order of the lecture's pseudocode; ``history`` receives the scores before each step."""
    scores = net.sum(axis=1)
    tolerance = _ROUNDING * len(net)
    order = np.empty(len(net), dtype=np.int64)
    for step in range(order.size):
        if history is not None:
            history[step] = scores
        best = np.argmax(scores >= scores.max() - tolerance)
        order[step] = best
        scores += net[best]
        scores[best] = -np.inf
    return order


def _exact(net: Floats) -> Ints:
    """Find for each set of items that may be left the most that an order of it keeps, smaller sets first."""
    n = len(net)
    sets = np.arange(1 << n)
    size = np.zeros(1 << n, dtype=np.int64)
    gain = np.zeros((n, 1 << n))  # of placing an item before all of a set
    for item in range(n):
        without, with_item = slice(1 << item), slice(1 << item, 2 << item)
        size[with_item] = size[without] + 1
        gain[:, with_item] = gain[:, without] + net[:, item, None]
    most = np.full(1 << n, -np.inf)
    most[0] = 0.0
    for count in range(1, n + 1):
        of_this_size = sets[size == count]
        for item in range(n):
            left = of_this_size[of_this_size >> item & 1 == 1]
            rest = left ^ (1 << item)
            most[left] = np.maximum(most[left], gain[item, rest] + most[rest])
    return _walk(gain, most)


def _walk(gain: Floats, most: Floats) -> Ints:
    """Read the lexicographically lowest best order out of the table of :func:`_exact`."""
    tolerance = _ROUNDING * len(gain)
    order: list[int] = []
    left = most.size - 1
    while left:
        for item in range(len(gain)):
            rest = left ^ (1 << item)
            if rest < left and gain[item, rest] + most[rest] >= most[left] - tolerance:
                order.append(item)
                left = rest
                break
    return np.array(order, dtype=np.int64)


def components_in_order(beats: NDArray[np.bool_]) -> Iterator[Ints]:
    """Yield the members of each strongly connected component, a component before those that it beats.

    Where several could come next, the one with the lowest member does.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, found = connected_components(csr_array(beats.astype(np.int8)), connection="strong")
    _, lowest, number = np.unique(found, return_index=True, return_inverse=True)
    items = np.argsort(lowest[number], kind="stable")
    starts = np.searchsorted(lowest[number][items], np.sort(lowest))
    links = np.logical_or.reduceat(beats[np.ix_(items, items)], starts, axis=0)
    links = np.logical_or.reduceat(links, starts, axis=1)
    np.fill_diagonal(links, False)
    members = np.split(items, starts[1:])
    waits_for = links.sum(axis=0)
    for _ in members:
        following = int(np.argmax(waits_for == 0))
        yield members[following]
        waits_for -= links[following]
        waits_for[following] = -1


def _search(net: Floats, members: Ints, exact_up_to: int) -> Ints:
    inside = net[np.ix_(members, members)]
    return _exact(inside) if members.size <= exact_up_to else _greedy(inside)
