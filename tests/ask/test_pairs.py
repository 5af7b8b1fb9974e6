"""The next pair to ask about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.ask import chance_of_wrong_order, information_gain, next_pair
from penchant.ask.pairs import ALL_PAIRS
from penchant.errors import InvalidInput


@dataclass
class Believed:
    mean: Any
    cov: Any

    def variance(self, rows: Any = None) -> Any:
        return np.diag(self.cov)

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        return self.cov


def believed(n_items: int, seed: int) -> Believed:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_items, n_items))
    return Believed(rng.normal(size=n_items), root @ root.T / n_items + 0.1 * np.eye(n_items))


@given(st.integers(2, 9), st.integers(0, 10_000), st.floats(0.5, 2))
def test_it_is_the_pair_of_largest_worth(n_items: int, seed: int, noise: float) -> None:
    """Once every item has two answers, the pair is that of a plain double loop over the formula."""
    belief = believed(n_items, seed)
    best, worth = (0, 1), -1.0
    for i in range(n_items):
        for j in range(i + 1, n_items):
            difference = np.array([belief.mean[i] - belief.mean[j]]) / (np.sqrt(2) * noise)
            spread = np.array([belief.cov[i, i] + belief.cov[j, j] - 2 * belief.cov[i, j]]) / (2 * noise**2)
            value = float(
                (information_gain(difference, spread) * chance_of_wrong_order(difference, spread))[0]
            )
            if value > worth + 1e-12:
                best, worth = (i, j), value
    assert next_pair(belief, np.full(n_items, 2), noise=noise) == best


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_every_item_is_seen_twice_first(n_items: int, seed: int) -> None:
    """Played from nothing, every item has two answers after at most n + 1 questions."""
    belief = believed(n_items, seed)
    answers = np.zeros(n_items, dtype=np.int64)
    for _ in range(n_items + 1):
        answers[list(next_pair(belief, answers))] += 1
    assert answers.min() >= 2


def test_pairs_to_avoid_are_avoided_unless_nothing_is_left() -> None:
    """A pair that somebody is being asked about is not asked twice at once, but two items can always go on."""
    belief = believed(3, 0)
    first = next_pair(belief, np.full(3, 5))
    second = next_pair(belief, np.full(3, 5), avoid={first})
    assert second != first
    assert next_pair(belief, np.full(3, 5), avoid={(0, 1), (0, 2), (1, 2)}) == first


def test_many_items_are_compared_with_their_neighbours() -> None:
    """Above the limit the pair is one of near neighbours in the ranking, and no matrix is asked for."""

    class Large:
        mean = np.linspace(3, -3, 2000)

        def variance(self, rows: Any = None) -> Any:
            return np.full(2000, 0.1)

        def covariance(self, rows: Any = None, columns: Any = None) -> Any:
            raise AssertionError("a covariance matrix was asked for")

    assert ALL_PAIRS < 2000
    i, j = next_pair(Large(), np.full(2000, 2))
    assert abs(i - j) <= 24


def test_one_item_cannot_be_compared() -> None:
    """With fewer than two items there is nothing to ask, and that is said."""
    with pytest.raises(InvalidInput, match="at least 2 items, got 1"):
        next_pair(believed(1, 0), np.zeros(1, dtype=np.int64))
