"""Convert scores, orders and ranks; reorder by clicks; interleave two orders."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Ints, shown, vector
from penchant.errors import InvalidInput

Item = TypeVar("Item", bound=Hashable)


def order_from_scores(scores: ArrayLike) -> Ints:
    """Return the items from the largest score to the smallest, ties in the order of their indices.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite numbers, larger is better.

    Examples
    --------
    >>> order_from_scores([0.5, 2.0, 0.5])
    array([1, 0, 2])
    """
    return np.argsort(-vector("score", scores), kind="stable").astype(np.int64, copy=False)


def ranks_from_order(order: ArrayLike) -> Ints:
    """Return the rank of each item from 1, the best, given the items best first.

    Parameters
    ----------
    order : array-like of shape (n,)
        Each of 0 to n − 1 once.

    Examples
    --------
    >>> ranks_from_order([2, 0, 1])
    array([2, 3, 1])
    """
    return inverse(check_order("order", order)) + 1


def order_from_ranks(ranks: ArrayLike) -> Ints:
    """Return the items best first, given the rank of each.

    Parameters
    ----------
    ranks : array-like of shape (n,)
        Each of 1 to n once, 1 is best.

    Examples
    --------
    >>> order_from_ranks([2, 3, 1])
    array([2, 0, 1])
    """
    return inverse(check_ranks("rank", ranks) - 1)


@overload
def prepend(presented: NDArray[Any], clicked: Iterable[Any]) -> NDArray[Any]: ...
@overload
def prepend(presented: Iterable[Item], clicked: Iterable[Item]) -> list[Item]: ...
def prepend(presented: Iterable[Any], clicked: Iterable[Any]) -> list[Any] | NDArray[Any]:
    """Return the order that the clicks ask for: the clicked items first, then the rest as they stood.

    Parameters
    ----------
    presented : array or list of n items, best first
        Indices, ids or anything else that can be hashed, each once. Two texts are lists of letters.
    clicked : array or list of items
        In the order of the clicks. A second click on an item changes nothing; an item that was not
        presented joins the order where it was clicked.

    Returns
    -------
    array if ``presented`` is one, otherwise a list

    Examples
    --------
    >>> prepend(["A", "B", "C", "D", "E"], ["C", "D", "C"])
    ['C', 'D', 'A', 'B', 'E']
    >>> prepend(np.array([4, 2, 7]), [2, 9])
    array([2, 9, 4, 7])
    """
    if isinstance(presented, str) and isinstance(clicked, str):  # one letter an item
        presented, clicked = list(presented), list(clicked)
    stood = _items("presented", presented)
    _refuse_repeats(stood)
    improved = list(dict.fromkeys([*_items("clicked", clicked), *stood]))
    return _like(presented, improved) if isinstance(presented, np.ndarray) else improved


def team_draft(mine: Ints, theirs: Ints, coins: ArrayLike) -> tuple[Ints, Ints]:
    """Interleave two orders: in each turn both add the best of their items that is not yet in, in the order of a coin.

    Parameters
    ----------
    mine, theirs : int arrays of shape (n,)
        Orders of the same items, best first.
    coins : bool array of shape (ceil(n / 2),)
        Whether the first order adds first in each turn.

    Returns
    -------
    order : ndarray of shape (n,)
        The items, best first.
    teams : ndarray of shape (n,)
        For each item the order that added it, 0 or 1.

    References
    ----------
    Radlinski, Kurup and Joachims, How does clickthrough data reflect retrieval quality?, CIKM 2008.

    Examples
    --------
    >>> team_draft(np.array([0, 1, 2, 3]), np.array([0, 3, 1, 2]), [True, False])
    (array([0, 3, 1, 2]), array([0, 1, 0, 1]))
    """
    n = len(mine)
    order, teams = np.empty(n, dtype=np.int64), np.full(n, -1)
    queues = [iter(mine.tolist()), iter(theirs.tolist())]
    first = [team for coin in np.asarray(coins).tolist() for team in ((0, 1) if coin else (1, 0))]
    for place, team in enumerate(first[:n]):
        order[place] = next(item for item in queues[team] if teams[item] < 0)
        teams[order[place]] = team
    return order, teams


def check_order(name: str, order: ArrayLike, *, length: int | None = None) -> Ints:
    """Return ``order`` as integers that hold each of 0 to n − 1 once, or say which entry does not fit."""
    return _permutation(name, order, 0, length)


def check_ranks(name: str, ranks: ArrayLike, *, length: int | None = None) -> Ints:
    """Return ``ranks`` as integers that hold each of 1 to n once, or say which entry does not fit."""
    return _permutation(name, ranks, 1, length)


def inverse(permutation: Ints) -> Ints:
    """Return for each value its place in ``permutation``, which holds 0 to n − 1 (not checked)."""
    places = np.empty_like(permutation)
    places[permutation] = np.arange(permutation.size)
    return places


def _permutation(name: str, values: ArrayLike, first: int, length: int | None) -> Ints:
    given = vector(name, values, length=length)
    last = first + given.size - 1
    outside = (given < first) | (given > last) | (given != np.floor(given))
    if outside.any():
        row = int(outside.argmax())
        raise InvalidInput(
            f"{name} of row {row} must be a whole number from {first} to {last}, got {given[row]:g}: "
            f"give each of {first} to {last} once"
        )
    whole = given.astype(np.int64)
    times = np.bincount(whole - first, minlength=whole.size)
    if whole.size and times.max() > 1:
        value = first + int(times.argmax())
        raise InvalidInput(
            f"{name} must hold each of {first} to {last} once, got {value} {times.max()} times: "
            "break the tie or remove the repeat"
        )
    return whole


def _items(name: str, values: Iterable[Any]) -> list[Any]:
    listed = isinstance(values, Iterable) and not isinstance(values, str | bytes | set | frozenset)
    if not listed or (isinstance(values, np.ndarray) and values.ndim != 1):
        raise InvalidInput(f"{name} must be a list of items, got {shown(values)}: give a list or a vector")
    items = values.tolist() if isinstance(values, np.ndarray) else list(values)
    for place, item in enumerate(items):
        if not isinstance(item, Hashable) or item != item:
            raise InvalidInput(
                f"{name} item {place} must be an index or an id, got {shown(item)}: remove or repair it"
            )
    return items


def _refuse_repeats(presented: list[Any]) -> None:
    seen = set()
    for item in presented:
        if item in seen:
            raise InvalidInput(
                f"presented must hold each item once, got {shown(item)} again: remove the repeat"
            )
        seen.add(item)


def _like(presented: NDArray[Any], improved: list[Any]) -> NDArray[Any]:
    if presented.dtype.kind == "O" or not improved:
        return np.array(improved, dtype=presented.dtype)
    array = np.array(improved)
    if array.dtype.kind != presented.dtype.kind and {array.dtype.kind, presented.dtype.kind} != {"i", "u"}:
        raise InvalidInput(
            f"clicked must hold the same kind of items as presented ({presented.dtype}), got "
            f"{shown(improved[0])}: give indices for indices and ids for ids"
        )
    return array
