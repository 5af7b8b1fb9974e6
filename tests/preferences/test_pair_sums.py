"""Sums by pair, in few bytes."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.preferences.pair_sums import MOST_ITEMS, count_pairs, merged


def test_large_sums_keep_every_unit() -> None:
    """Sums are kept in few bytes only where they fit."""
    once = count_pairs(np.zeros(200, int), np.ones(200, int))
    assert once.weight[0] is not None
    assert once.weight[0].dtype == np.uint8
    assert once.weight[1] is None
    twice = merged([once, once])
    assert twice.weight[0] is not None
    assert twice.weight[0].tolist() == [400]
    heavy = count_pairs(np.array([0]), np.array([1]), weight=np.array([2.0**31]))
    sums = merged([once, heavy, heavy, heavy])
    assert sums.weight[0] is not None
    assert sums.weight[0].tolist() == [200 + 3 * 2.0**31]


def test_the_highest_item_can_be_counted() -> None:
    """And one more is rejected, since the numbers of pairs would overlap."""
    sums = count_pairs(np.array([MOST_ITEMS - 1]), np.array([MOST_ITEMS - 2]), np.array([True]))
    assert (sums.first.tolist(), sums.second.tolist()) == ([MOST_ITEMS - 2], [MOST_ITEMS - 1])
    assert sums.weight[2] is not None
    with pytest.raises(InvalidInput, match="items must be fewer"):
        count_pairs(np.array([MOST_ITEMS]), np.array([0]))


def test_items_that_change_places_keep_who_won() -> None:
    """A pair whose items are numbered the other way round has its wins turned."""
    sums = count_pairs(np.array([0, 0, 1]), np.array([1, 2, 2])).renumbered(np.array([2, 1, 0]))
    assert list(zip(sums.first.tolist(), sums.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert sums.weight[0] is None
    assert sums.weight[1] is not None
    assert sums.weight[1].tolist() == [1, 1, 1]
