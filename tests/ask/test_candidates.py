"""Which pairs are compared by their value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.ask.candidates import ALL_PAIRS, all_pairs, by_mean, drawn, missing, neighbours, reach
from penchant.ask.wishes import Codes, Pairs, Wishes


def listed(pairs: Pairs) -> list[tuple[int, int]]:
    return sorted(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))


@given(st.integers(2, 150), st.integers(0, 1000))
def test_candidates_are_all_pairs_or_neighbours(n_items: int, seed: int) -> None:
    """Each pair once, the lower row first, its items at most so many ranks apart."""
    order = np.random.default_rng(seed).permutation(n_items)
    rank = np.argsort(order)
    expected = [
        (i, j)
        for i in range(n_items)
        for j in range(i + 1, n_items)
        if n_items <= ALL_PAIRS or abs(rank[i] - rank[j]) <= 24
    ]
    assert listed(neighbours(order)) == expected
    if n_items <= ALL_PAIRS:
        assert listed(all_pairs(np.arange(n_items))) == expected


def test_of_many_items_fewer_neighbours_are_candidates() -> None:
    """About 100,000 pairs at most, and four neighbours at least."""
    assert [n * reach(n) for n in (4000, 5000, 10_000, 25_000)] == [96_000, 100_000, 100_000, 100_000]
    assert reach(10**6) == 4


def test_equal_means_are_ordered_by_their_rows() -> None:
    """Among the rows that are given."""
    assert by_mean(np.array([1.0, 2.0, 1.0, 2.0, 9.0]), np.arange(4)).tolist() == [1, 3, 0, 2]


@given(st.integers(2, 30), st.integers(0, 1000))
def test_random_pairs_have_every_item(n_items: int, seed: int) -> None:
    """And two different ones each, of the rows that are given."""
    rows = np.sort(np.random.default_rng(seed).choice(100, n_items, replace=False))
    pairs = drawn(rows, seed)
    assert (pairs.first < pairs.second).all()
    assert set(rows) == set(pairs.first) | set(pairs.second)


N = 120
ORDER = np.arange(N)
NONE = Pairs(ORDER[:0], ORDER[:0])
FIRST = Pairs(ORDER[:1], ORDER[1:2])
NEAR_60 = [(60, other) for other in range(N) if other not in (60, 2)]


def wishes(**given_wishes: Any) -> Wishes:
    return Wishes(N, **{"forbidden": Codes(()), "least_answers": 0, **given_wishes})


def test_nothing_is_missing_where_the_candidates_meet_the_wishes() -> None:
    """A pair of an item with the fewest answers, or of two groups, is enough."""
    answers = np.full(N, 3)
    assert listed(missing(ORDER, wishes(), answers, FIRST)) == []
    groups = np.arange(N) % 2
    assert listed(missing(ORDER, wishes(groups=groups), answers, FIRST)) == []
    answers[0] = 1
    assert listed(missing(ORDER, wishes(least_answers=2), answers, FIRST)) == []


def test_pairs_that_meet_the_wishes_are_found_anywhere() -> None:
    """With the nearest item that is allowed."""
    answers = np.full(N, 3)
    far = Codes(NEAR_60)
    groups = (ORDER == 60).astype(int)
    assert listed(missing(ORDER, wishes(groups=groups, forbidden=far), answers, FIRST)) == [(2, 60)]
    answers[60] = 1
    assert listed(missing(ORDER, wishes(least_answers=2, forbidden=far), answers, FIRST)) == [(2, 60)]
    assert listed(missing(ORDER, wishes(least_answers=2), answers, FIRST)) == [(59, 60)]


def test_of_no_candidates_any_allowed_pair_is_found() -> None:
    """First one that need not be avoided, then any."""
    answers = np.full(N, 3)
    every = [(i, j) for i in range(N) for j in range(i + 1, N) if (i, j) not in ((3, 90), (5, 100))]
    forbidden = Codes(every)
    one = wishes(forbidden=forbidden, avoid=[(3, 90)])
    order = np.flatnonzero(one.open)
    assert listed(missing(order, one, answers, NONE)) == [(5, 100)]
    both = wishes(forbidden=forbidden, avoid=[(3, 90), (5, 100)])
    assert listed(missing(order, both, answers, NONE)) == [(3, 90), (5, 100)]
    apart = wishes(forbidden=forbidden, groups=(ORDER == 3) | (ORDER == 90).astype(int))
    assert (3, 90) in listed(missing(order, apart, answers, NONE))


@pytest.mark.parametrize("rule_groups", [True, False])
def test_a_bounded_number_is_looked_for(rule_groups: bool) -> None:
    """However many items need one."""
    answers = np.zeros(N) if not rule_groups else np.ones(N)
    wanted = wishes(groups=np.arange(N)) if rule_groups else wishes(least_answers=1)
    found = missing(ORDER, wanted, answers, NONE)
    assert 1 <= len(found.first) <= 16
