"""Pairwise counts, Condorcet winners and cycles of majorities, against their definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant import Preferences
from penchant.consensus.pairwise import MOST_ITEMS, pairwise_counts, shortest_cycle, tiers, winner
from penchant.errors import InvalidInput


@pytest.mark.parametrize("unranked", ["ignored", "last"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_counts_are_those_of_each_voter(unranked: str, seed: int) -> None:
    """Each voter counts, with its weight, for each pair of which it places one on a better level."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 4, size=(5, 4))  # 0: not ranked
    levels[:, 0] = np.maximum(levels[:, 0], 1)
    weight = rng.integers(1, 4, size=5)
    orders = [
        [[i for i in range(4) if row[i] == level] for level in (1, 2, 3) if level in row] for row in levels
    ]
    prefs = Preferences.from_rankings(orders, weight=weight, items=range(4))
    place = np.where(levels == 0, 9 if unranked == "last" else np.nan, levels)
    expected = sum(w * (row[:, None] < row[None, :]) for row, w in zip(place, weight, strict=True))
    np.testing.assert_array_equal(pairwise_counts(prefs, unranked=unranked), expected)


def test_the_bar_is_no_item() -> None:
    """Both-bad answers, which put the bar above two items, say nothing about the items."""
    prefs = Preferences.from_answers(["a", "a"], ["b", "b"], ["left", "both_bad"])
    assert pairwise_counts(prefs).tolist() == [[0, 1], [0, 0]]


def test_too_many_items_are_rejected() -> None:
    """A matrix of many thousand items is not made."""
    with pytest.raises(InvalidInput, match=r"at most 2,000 items for a consensus, got 2,001"):
        pairwise_counts(Preferences.from_pairs([(0, 1)], items=range(MOST_ITEMS + 1)))


def test_rounding_makes_no_majority() -> None:
    """Weights that add up to the same on both sides are a tie, also where their sums differ in the last bit."""
    prefs = Preferences.from_pairs([("a", "b"), ("a", "b"), ("b", "a")], weight=[0.1, 0.2, 0.3])
    counts = pairwise_counts(prefs)
    assert counts[0, 1] == counts[1, 0] == pytest.approx(0.3)


@settings(max_examples=20, deadline=None)
@given(n_items=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_a_cycle_is_as_short_as_any(n_items: int, seed: int) -> None:
    """Each item of the cycle beats the next, and no shorter sequence of items does; none is found where none is."""
    beats = np.triu(np.random.default_rng(seed).integers(-1, 2, size=(n_items, n_items)), 1)
    beats = (beats - beats.T) > 0
    cycles = [
        some
        for length in range(3, n_items + 1)
        for some in permutations(range(n_items), length)
        if all(beats[a, b] for a, b in zip(some, (*some[1:], some[0]), strict=True))
    ]
    found = shortest_cycle(beats)
    assert len(found) == min(map(len, cycles), default=0)
    assert not found or tuple(found) in cycles


def test_winner_and_tiers() -> None:
    """The winner beats all others; below it, three items that beat each other in a circle are one tier."""
    counts = np.array([[0, 3, 3, 3], [0, 0, 2, 1], [0, 1, 0, 2], [0, 2, 1, 0]], dtype=float)
    assert winner(counts) == 0
    assert winner(counts.T) is None
    assert [members.tolist() for members in tiers(counts)] == [[0], [1, 2, 3]]
