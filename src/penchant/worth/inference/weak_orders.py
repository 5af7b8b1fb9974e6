"""Distinct weak orders with summed weights, and pairs that connect the items that they connect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints
from penchant.preferences import Preferences
from penchant.preferences.statements import Bools, Statements


def distinct(preferences: Preferences, *, tied: bool = False) -> Preferences:
    """Return each different weak order once, sorted by length and content, with the summed weight.

    Judges, periods and sources are dropped, and so is whether items on one level are equal or merely not ranked, which
    is then as ``tied`` says; rows with a single level are left out unless it is one of several tied items. Weights are
    added in the order of the rows, so that ``distinct(distinct(a) + b)`` and ``distinct(a + b)`` are the same to the
    last bit.

    Examples
    --------
    >>> prefs = distinct(Preferences.from_rankings([["b", ["c", "a"]], ["a", "b"], ["b", ["a", "c"]]]))
    >>> prefs.to_orders(), prefs.weight.tolist()
    ([['a', 'b'], ['b', ['a', 'c']]], [1.0, 2.0])
    """
    statements = preferences.statements.standardised()[0]
    weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
    kept, total = [np.array([], dtype=np.int64)], [np.array([])]
    ranks = statements.sizes > 1 if tied else has_levels(statements)
    for size in np.unique(statements.sizes[ranks]):
        rows = np.flatnonzero(ranks & (statements.sizes == size))
        _, first, group = np.unique(_content(statements, rows), return_index=True, return_inverse=True)
        kept.append(rows[first])
        total.append(np.bincount(group, weight[rows]))
    chosen = statements.take(np.concatenate(kept))
    return Preferences(
        replace(chosen, tied=np.full(len(chosen), tied)),
        preferences.catalogue,
        weight=np.concatenate(total),
    )


def has_levels(statements: Statements) -> Bools:
    """Return whether each statement has at least two levels, so that it holds a preference."""
    several = statements.sizes > 0
    several[several] = statements.levels[statements.starts[1:][several] - 1] > 0
    return several


def _content(statements: Statements, rows: Ints) -> NDArray[Any]:
    """Return a sortable value for each of ``rows``, which have one size; equal orders have equal values."""
    places = statements.starts[rows, None] + np.arange(statements.sizes[rows[0]])
    members, levels = statements.members[places], statements.levels[places]
    joined = np.ascontiguousarray(np.hstack([levels, members]).astype(">i4"))
    return joined.view(np.dtype((np.void, joined.shape[1] * joined.itemsize))).ravel()


def chains(preferences: Preferences, *, tied: bool = False) -> Preferences:
    """Return at most two pairs a member that connect, in each direction, the items that the orders connect.

    A stage of Plackett–Luce that chose an item bounds its worth from below by that of all it was chosen from.
    In Efron's approximation this holds also among members of one level, in both directions, unless it is the
    last; so the last member of a level stands for all of it. Where members of one level are ``tied``, it holds for
    the last level too.

    Examples
    --------
    >>> chains(Preferences.from_rankings([[["a", "b"], "c", ["d", "e"]]])).to_orders()
    [['b', 'c'], ['c', 'd'], ['c', 'e'], ['a', 'b'], ['b', 'a']]
    """
    statements = preferences.statements
    members, levels, rows = statements.members, statements.levels, statements.rows
    places = np.arange(len(members))
    begins = np.ones(len(members), dtype=bool)
    begins[1:] = (levels[1:] != levels[:-1]) | (rows[1:] != rows[:-1])
    level_start = np.maximum.accumulate(np.where(begins, places, 0))
    lower = np.flatnonzero(levels > 0)
    goes_on = statements.level_ends < statements.starts[1:][rows]
    alike = np.flatnonzero(~begins & (goes_on | tied))
    better = members[np.concatenate([level_start[lower] - 1, alike - 1, alike])]
    worse = members[np.concatenate([lower, alike, alike - 1])]
    pairs = Statements.of_pairs(better, worse, np.zeros(len(better), dtype=bool))
    return Preferences(pairs, preferences.catalogue)
