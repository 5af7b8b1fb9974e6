"""Kemeny orders against the search of all permutations, and bounds that hold."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.checks import Floats
from penchant.consensus import linear_ordering
from penchant.consensus.linear_ordering import by_insertion, contradicted, kemeny


def least(counts: Floats) -> float:
    """The least that any order contradicts, by definition."""
    return min(
        sum(counts[order[later], order[earlier]] for later in range(len(order)) for earlier in range(later))
        for order in permutations(range(len(counts)))
    )


def random_counts(n_items: int, voters: int, seed: int) -> Floats:
    """Counts of voters who are partly of one mind, so that there are cycles and something to find."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, voters + 1, size=(n_items, n_items)).astype(float)
    upper = np.triu_indices(n_items, 1)
    counts[upper[1], upper[0]] = voters - counts[upper]
    np.fill_diagonal(counts, 0.0)
    return counts


@settings(max_examples=25, deadline=None)
@given(
    n_items=st.integers(1, 6), voters=st.integers(1, 5), seed=st.integers(0, 10**6), by_subsets=st.booleans()
)
def test_an_order_is_as_near_as_any_permutation(
    n_items: int, voters: int, seed: int, by_subsets: bool
) -> None:
    """Both ways, over subsets and by the integer programme, reach the least of all permutations and prove it."""
    counts = random_counts(n_items, voters, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_ordering, "_BY_SUBSETS", 12 if by_subsets else 1)
        found = kemeny(counts)
    assert sorted(found.order.tolist()) == list(range(n_items))
    assert found.distance == found.bound == contradicted(counts, found.order) == least(counts)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_integer_programme_alone_reaches_the_least(seed: int) -> None:
    """Without the search by insertions the programmes find the same distance as the search over subsets."""
    counts = random_counts(9, 7, seed)
    exact = kemeny(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_ordering, "_BY_SUBSETS", 1)
        patch.setattr(linear_ordering, "by_insertion", lambda _, order: order)
        patch.setattr(linear_ordering, "_PERTURBATIONS", 0)
        found = kemeny(counts)
    assert found.distance == found.bound == exact.distance


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_bounds_hold_and_the_last_one_is_reached(seed: int) -> None:
    """Without an order to compare with, the linear programme bounds the least and the integer programme meets it."""
    counts = random_counts(6, 7, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_ordering._Search, "_try", lambda *_: None)
        search = linear_ordering._Search(counts, end=math.inf)
        search.distance = math.inf
        search._add_violated(search._relaxed)
        assert search.bound <= least(counts) + 1e-9
        search._add_violated(search._whole)
    assert search.bound == pytest.approx(least(counts))


def test_fractional_weights_are_proven_too() -> None:
    """Weights that are not whole have an optimum that meets the bound up to rounding."""
    counts = random_counts(14, 9, 3) * 0.1
    found = kemeny(counts)
    assert found.distance == found.bound == pytest.approx(kemeny(random_counts(14, 9, 3)).distance * 0.1)


def test_without_time_the_best_order_and_a_lower_bound_are_returned() -> None:
    """The bound is below what the full search proves, and the order is one, though nothing was proven."""
    counts = random_counts(16, 9, 1)
    hurried, full = kemeny(counts, seconds=0.0), kemeny(counts)
    assert hurried.bound < full.distance == full.bound <= hurried.distance
    assert sorted(hurried.order.tolist()) == list(range(16))


def test_more_items_than_dynamic_programming_takes_are_proven() -> None:
    """Forty items of which voters have noisy copies of one order are ordered exactly."""
    rng = np.random.default_rng(0)
    ranks = np.argsort(np.argsort(np.arange(40) + 8 * rng.normal(size=(25, 40)), axis=1), axis=1)
    counts = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0).astype(float)
    found = kemeny(counts)
    assert found.distance == found.bound
    assert found.distance <= contradicted(counts, np.argsort(ranks.sum(axis=0), kind="stable"))


def test_insertions_end_where_no_single_move_helps() -> None:
    """No item can be moved to another place so that less is contradicted."""
    counts = random_counts(8, 5, 2)
    order = by_insertion(counts, np.arange(8))
    for item in range(8):
        rest = order[order != item]
        for place in range(8):
            assert contradicted(counts, np.insert(rest, place, item)) >= contradicted(counts, order)
