"""Weak orders: each different one once, and the pairs that connect what they connect."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.worth.inference.weak_orders import chains, distinct, has_levels
from tests.worth.orders import N_ITEMS, preferences, weak_orders, weighted_orders


@given(st.lists(weak_orders(), max_size=8))
def test_chains_lead_wherever_the_rankings_do(orders: Any) -> None:
    """The few pairs have the groups of all pairs, with members of higher levels leading to one another."""
    rows = [levels for levels in orders if len(levels) > 1]
    strict = [
        [better, worse]
        for levels in rows
        for p, level in enumerate(levels)
        for better in level
        for lower in levels[p + 1 :]
        for worse in lower
    ]
    equal = [
        [first, second]
        for levels in rows
        for level in levels[:-1]
        for first in level
        for second in level
        if first != second
    ]
    everything = Preferences.from_pairs(
        np.array(strict + equal, dtype=np.int64).reshape(-1, 2), items=range(N_ITEMS)
    )
    few = chains(Preferences.from_rankings(rows, items=range(N_ITEMS)))
    for strong in (False, True):
        groups = [group.tolist() for group in everything.components(strong=strong)]
        assert [group.tolist() for group in few.components(strong=strong)] == groups


@given(weighted_orders, weighted_orders)
def test_each_different_order_is_kept_once(first: Any, second: Any) -> None:
    """Orders are counted as a dictionary does, rows of one level apart; in parts the last bit is the same."""
    found = distinct(preferences([*first, *second]))
    counted: dict[str, float] = {}
    for levels, weight in [*first, *second]:
        if len(levels) > 1:
            key = str([sorted(level) for level in levels])
            counted[key] = counted.get(key, 0.0) + weight
    keys = [
        str([[int(item) for item in np.atleast_1d(level)] for level in order]) for order in found.to_orders()
    ]
    assert dict(zip(keys, found.weight.tolist(), strict=True)) == counted
    parts = distinct(distinct(preferences(first)) + preferences(second))
    assert parts.to_orders() == found.to_orders()
    assert parts.weight.tolist() == found.weight.tolist()


def test_rows_with_one_level_prefer_nothing() -> None:
    """Orders of one item or of ties alone have no levels; without rows there is nothing to tell."""
    rows = Preferences.from_rankings([["a"], [["a", "b"]], ["a", "b"], [["a", "b"], "c"]])
    assert has_levels(rows.statements).tolist() == [False, False, True, True]
    assert has_levels(rows[:0].statements).tolist() == []
    assert len(distinct(rows[:2])) == 0
