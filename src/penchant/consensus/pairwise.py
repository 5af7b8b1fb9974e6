"""Count how many voters prefer each item to each other one, and name majority winners, losers and cycles."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.orders.cohen import components_in_order
from penchant.preferences import Preferences

Bools = NDArray[np.bool_]
MOST_ITEMS = 2_000
_BLOCK_CELLS = 1 << 22
_ROUNDING = 1e-12


def pairwise_counts(preferences: Preferences, *, unranked: str = "ignored") -> Floats:
    """Return the weight of the voters who prefer item i to item j, shape (n_items, n_items), the bar left out.

    A pair that a voter ties, or of which a voter ranks only one or none, counts for neither side. With
    ``unranked="last"``, what a voter ranks is preferred to all that the voter does not rank.

    Examples
    --------
    >>> prefs = Preferences.from_rankings([["a", ["b", "c"]], ["b"]], weight=[3, 2])
    >>> pairwise_counts(prefs).tolist()
    [[0.0, 3.0, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> pairwise_counts(prefs, unranked="last")[1].tolist()
    [2.0, 0.0, 2.0]
    """
    n_items = preferences.n_items - preferences.catalogue.bar
    if n_items > MOST_ITEMS:
        raise InvalidInput.of(
            "preferences",
            f"be about at most {MOST_ITEMS:,} items for a consensus",
            f"{n_items:,}",
            "take a subset of the items, or rank them with a model of worth",
        )
    counts = np.zeros((preferences.n_items, preferences.n_items))
    for block in preferences.pair_blocks():
        won = ~block.tie
        np.add.at(counts, (block.better[won], block.worse[won]), block.weight[won])
    if unranked == "last":
        counts += _above_unranked(preferences)
    return _without_rounding(counts[:n_items, :n_items])


def _without_rounding(counts: Floats) -> Floats:
    """Return the counts with those of a pair made equal where they differ by rounding only."""
    alike = np.abs(counts - counts.T) <= _ROUNDING * counts.max(initial=0.0)
    return np.where(alike, (counts + counts.T) / 2, counts)


def _above_unranked(preferences: Preferences) -> Floats:
    """Return the weight of the voters who rank item i and do not rank item j, shape (n_items, n_items)."""
    statements, n_items = preferences.statements, preferences.n_items
    weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
    total = np.zeros((n_items, n_items))
    size = max(1, _BLOCK_CELLS // n_items)
    for start in range(0, len(statements), size):
        stop = min(start + size, len(statements))
        ranks = np.zeros((stop - start, n_items))
        inside = slice(statements.starts[start], statements.starts[stop])
        ranks[statements.rows[inside] - start, statements.members[inside]] = 1.0
        total += (ranks * weight[start:stop, None]).T @ (1.0 - ranks)
    return total


def winner(counts: Floats) -> int | None:
    """Return the item that a majority prefers to each other one, the Condorcet winner; None if there is none."""
    wins_all = (counts > counts.T).sum(axis=1) == len(counts) - 1
    return int(np.argmax(wins_all)) if wins_all.any() else None


def tiers(counts: Floats) -> list[Ints]:
    """Return the strongly connected components of the majority graph, best first; the first holds the winner."""
    return list(components_in_order(counts > counts.T)) if len(counts) else []


def shortest_cycle(beats: Bools) -> list[int]:
    """Return the items of a shortest cycle, each beating the next and the last the first; empty if there is none.

    Of several it is the first one that starts at the lowest item.

    Examples
    --------
    >>> shortest_cycle(np.array([[0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=bool))
    [0, 1, 2]
    """
    shortest: list[int] = []
    for start in range(len(beats)):
        found = _cycle_through(beats, start)
        if found and (not shortest or len(found) < len(shortest)):
            shortest = found
        if len(shortest) == 3:  # two items cannot both beat each other
            break
    return shortest


def _cycle_through(beats: Bools, start: int) -> list[int]:
    """Return a shortest cycle through an item, by breadth-first search."""
    before = {start: -1}
    waiting = deque([start])
    while waiting:
        item = waiting.popleft()
        if beats[item, start]:
            path = [item]
            while before[path[-1]] >= 0:
                path.append(before[path[-1]])
            return path[::-1]
        for following in np.flatnonzero(beats[item]).tolist():
            if following not in before:
                before[following] = item
                waiting.append(following)
    return []
