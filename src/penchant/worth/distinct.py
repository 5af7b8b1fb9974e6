"""Each different statement once. Preferences in; sorted ones with summed weights out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints
from penchant.preferences import Preferences
from penchant.preferences.statements import Bools, Statements


def distinct(preferences: Preferences) -> Preferences:
    """Return each different weak order once, sorted by length and content, with the summed weight.

    Who said it, when and where is forgotten, and so is whether items on one level are equal or merely were
    not told apart; rows with one level alone are left out. Weights are added in the order of the rows, so
    that ``distinct(distinct(a) + b)`` and ``distinct(a + b)`` are the same to the last bit.

    Examples
    --------
    >>> prefs = distinct(Preferences.from_rankings([["b", ["c", "a"]], ["a", "b"], ["b", ["a", "c"]]]))
    >>> prefs.to_orders(), prefs.weight.tolist()
    ([['a', 'b'], ['b', ['a', 'c']]], [1.0, 2.0])
    """
    statements = preferences.statements.standardised()[0]
    weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
    kept, total = [np.array([], dtype=np.int64)], [np.array([])]
    tells = has_levels(statements)
    for size in np.unique(statements.sizes[tells]):
        rows = np.flatnonzero(tells & (statements.sizes == size))
        _, first, group = np.unique(_content(statements, rows), return_index=True, return_inverse=True)
        kept.append(rows[first])
        total.append(np.bincount(group, weight[rows]))
    chosen = statements.take(np.concatenate(kept))
    return Preferences(
        replace(chosen, tied=np.zeros(len(chosen), dtype=bool)),
        preferences.catalogue,
        weight=np.concatenate(total),
    )


def has_levels(statements: Statements) -> Bools:
    """Return whether each statement has at least two levels, which is when it prefers anything."""
    tells = statements.sizes > 0
    tells[tells] = statements.levels[statements.starts[1:][tells] - 1] > 0
    return tells


def _content(statements: Statements, rows: Ints) -> NDArray[Any]:
    """Return a sortable value for each of ``rows``, which have one size, the same where they say the same."""
    places = statements.starts[rows, None] + np.arange(statements.sizes[rows[0]])
    members, levels = statements.members[places], statements.levels[places]
    joined = np.ascontiguousarray(np.hstack([levels, members]).astype(">i4"))
    return joined.view(np.dtype((np.void, joined.shape[1] * joined.itemsize))).ravel()
