"""Comparisons counted by judge, pair and side. Comparisons in; sorted cells with totals out.

A cell is a column of four numbers: the judge (-1: unnamed), the two items, the lower index first, and the side of
the first (1 left, -1 right, 0 unknown). Its counts are the weights with which the first was preferred, the second
was preferred, and the two were equal.
"""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats, Ints
from penchant.preferences.rows import Comparisons


def added(cells: Ints, counts: Floats, said: Comparisons, judge: Ints, n_items: int) -> tuple[Ints, Floats]:
    """Return the cells and counts with comparisons added, each cell once and sorted.

    Totals are continued in the order of saying, so that answers in parts give the same last bit as at once.

    Parameters
    ----------
    cells : int array of shape (4, n_cells)
    counts : array of shape (3, n_cells)
    said : Comparisons
        Of m comparisons.
    judge : int array of shape (m,)
        The number of each one's judge.
    n_items : int
    """
    turned = said.better > said.worse
    low, high = np.minimum(said.better, said.worse), np.maximum(said.better, said.worse)
    side = np.where(turned, -1, 1) * sides(said)
    outcome = np.where(said.tie, 2, turned)
    everything = np.concatenate([cells, np.stack([judge, low, high, side])], axis=1)
    first, cell = _distinct(everything, n_items)
    totals = [
        np.bincount(cell, np.append(before, said.weight * (outcome == kind)), len(first))
        for kind, before in enumerate(counts)
    ]
    return np.take(everything, first, axis=1), np.stack(totals)


def sides(said: Comparisons) -> Ints:
    """Return 1 where the better one stood on the left, -1 on the right, 0 where unknown; shape (m,)."""
    if said.better_on_left is None:
        return np.zeros(len(said), dtype=np.int64)
    side: Ints = np.array([-1, 1, 0])[said.better_on_left]
    return side


def _distinct(cells: Ints, n_items: int) -> tuple[Ints, Ints]:
    """Return where each different column first stands, in sorted order, and for each column which it is."""
    judge, low, high, side = cells
    code = (((judge + 1) * n_items + low) * n_items + high) * 3 + side + 1
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return first, group
