"""What orders connect. Weak orders in; as few pairs with the same chains of preference out."""

from __future__ import annotations

import numpy as np

from penchant.preferences import Preferences
from penchant.preferences.statements import Statements


def chains(preferences: Preferences) -> Preferences:
    """Return pairs, as many as members at most twice, that lead from item to item wherever the orders do.

    A stage of Plackett–Luce that chose an item bounds its worth from below by that of all it was chosen from.
    In Efron's approximation this holds also among members of one level, in both directions, unless it is the
    last; so the last member of a level speaks for all of it.

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
    alike = np.flatnonzero(~begins & goes_on)
    better = members[np.concatenate([level_start[lower] - 1, alike - 1, alike])]
    worse = members[np.concatenate([lower, alike, alike - 1])]
    pairs = Statements.of_pairs(better, worse, np.zeros(len(better), dtype=bool))
    return Preferences(pairs, preferences.catalogue)
