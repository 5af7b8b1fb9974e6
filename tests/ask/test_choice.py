"""The choice of a pair with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.ask import next_pair
from penchant.ask.candidates import ALL_PAIRS
from penchant.ask.choice import best_of, joined
from penchant.ask.wishes import Pairs
from penchant.belief import IndependentBelief
from tests.ask.test_fast_choice import Plain, moments


def test_equal_pairs_are_broken_by_the_smallest_or_the_seed() -> None:
    """A value within the share 1e-10 of the largest is equal, and the seed chooses each equal pair alike."""
    pairs = Pairs(np.array([2, 0, 1, 0]), np.array([3, 2, 3, 1]))
    worth = np.array([1.0, 1.0 - 1e-12, 0.9, 1.0 - 1e-8])
    assert best_of(pairs.codes, worth, None) == (0, 2)
    assert best_of(pairs.codes, -1 - worth, None) == (1, 3)
    seeded = [best_of(pairs.codes, worth, seed) for seed in range(40)]
    assert set(seeded) == {(0, 2), (2, 3)}
    assert seeded[:9] == [best_of(pairs.codes[::-1], worth[::-1], seed) for seed in range(9)]


def test_pairs_are_joined_without_repeats() -> None:
    """A preferred pair that is a candidate too is no more likely under a seed."""
    some = Pairs(np.array([0, 1]), np.array([1, 2]))
    both = joined(some, Pairs(np.array([0, 3]), np.array([1, 4])))
    assert list(zip(both.first.tolist(), both.second.tolist(), strict=True)) == [(0, 1), (1, 2), (3, 4)]


class Independent(IndependentBelief):
    """A belief about many items of which nobody knows anything."""

    noise_ = 1.0

    def __init__(self, n_items: int) -> None:
        self.mean = np.zeros(n_items)

    def variance(self, rows: object = None) -> np.ndarray:
        return np.ones(len(self.mean))[slice(None) if rows is None else rows]


def test_of_many_equal_pairs_the_shortlist_has_the_smallest() -> None:
    """So that the first pair is chosen without a seed."""
    n_items = ALL_PAIRS + 200
    assert next_pair(Independent(n_items), np.zeros(n_items)) == (0, 1)


@pytest.mark.parametrize("rule", ["order", "top", "random", "best"])
def test_excluded_items_do_not_come(rule: str) -> None:
    """Of many items or few, whatever the rule; a top of all that are left is one of all but one."""
    for n_items in (12, ALL_PAIRS + 40):
        belief = Plain(*moments(n_items, 3))
        excluded = np.argsort(-belief.mean)[: n_items - 3]
        top = n_items - 2 if rule == "top" else None
        pair = next_pair(belief, np.full(n_items, 2), rule=rule, top=top, excluded=excluded, seed=1)
        assert not set(pair) & set(excluded.tolist())


def test_of_many_preferred_pairs_some_are_weighed_for_the_top() -> None:
    """Thousands of preferred pairs far from the border do not make thousands of covariances."""
    n_items = 3000

    class Careful(Independent):
        def covariance(self, rows: object = None, columns: object = None) -> np.ndarray:
            assert len(np.atleast_1d(np.asarray(rows))) <= 256
            return super().covariance(rows, columns)

    belief = Careful(n_items)
    belief.mean = np.linspace(9, -9, n_items)
    preferred = np.arange(1000, 3000).reshape(-1, 2)
    pair = next_pair(belief, np.full(n_items, 2), rule="top", top=5, preferred=preferred)
    assert pair[0] in (1000, 1002, 1004)
