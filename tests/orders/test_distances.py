"""Distances between rankings, against the lecture's numbers and against loops over all pairs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from penchant.errors import InvalidInput
from penchant.orders import (
    PairCounts,
    discounted_error,
    distances,
    kendall_distance,
    pair_counts,
    position_error,
    spearman_footrule,
)

# The items A to E: the truth is E B C A D, the prediction A B E C D.
TRUE = [4, 2, 3, 5, 1]
PREDICTED = [1, 2, 4, 5, 3]

two_rankings = st.integers(1, 25).flatmap(
    lambda n: st.tuples(st.permutations(range(1, n + 1)), st.permutations(range(1, n + 1)))
)
number = st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6)
two_vectors = st.integers(0, 25).flatmap(
    lambda n: st.tuples(st.lists(number, min_size=n, max_size=n), st.lists(number, min_size=n, max_size=n))
)
every_distance = pytest.mark.parametrize(
    "distance", [kendall_distance, spearman_footrule, position_error, discounted_error]
)


def counted_slowly(x: list[float], y: list[float]) -> PairCounts:
    """Look at every pair of places."""
    counts = dict.fromkeys(["concordant", "discordant", "tied_x", "tied_y", "tied_both"], 0)
    for i, j in combinations(range(len(x)), 2):
        if x[i] == x[j]:
            counts["tied_both" if y[i] == y[j] else "tied_x"] += 1
        elif y[i] == y[j]:
            counts["tied_y"] += 1
        else:
            counts["concordant" if (x[i] < x[j]) == (y[i] < y[j]) else "discordant"] += 1
    return PairCounts(**counts)


@pytest.fixture(params=["compared at once", "merged"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the way of short vectors, then that of long ones, whatever the length."""
    monkeypatch.setattr(distances, "_COMPARED_AT_ONCE", 10**9 if request.param == "compared at once" else 0)


@pytest.mark.usefixtures("way")
def test_kendall_distance_of_the_lecture() -> None:
    """Truth E B C A D, prediction A B E C D: the pairs AB, AE, AC and BE are inverted."""
    assert kendall_distance(TRUE, PREDICTED) == 4


def test_other_distances_of_the_lecture_example() -> None:
    """By hand: A, C and E are 3, 1 and 2 places off and weigh 1/log2 5, 1/2 and 1; E, the best, is third."""
    assert spearman_footrule(TRUE, PREDICTED) == 6
    assert position_error(TRUE, PREDICTED) == 2
    assert discounted_error(TRUE, PREDICTED) == pytest.approx(3 / log2(5) + 1 / 2 + 2)
    assert discounted_error(TRUE, PREDICTED, weights=[1, 9, 0, 9, 10]) == 23.0


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_kendall_distance_of_a_reversal_is_the_largest(n: int) -> None:
    """The distance runs from 0 to n(n − 1)/2, also where the long way is taken."""
    ranks = np.arange(1, n + 1)
    assert kendall_distance(ranks, ranks) == 0
    assert kendall_distance(ranks, ranks[::-1]) == n * (n - 1) // 2


@given(two_rankings)
def test_distances_follow_their_definitions(rankings: tuple[list[int], list[int]]) -> None:
    """Each distance is the lecture's formula, written out."""
    true, predicted = rankings
    pairs = list(zip(true, predicted, strict=True))
    assert kendall_distance(true, predicted) == sum(a > c and b < d for a, b in pairs for c, d in pairs)
    assert spearman_footrule(true, predicted) == sum(abs(a - b) for a, b in pairs)
    assert position_error(true, predicted) == predicted[true.index(1)] - 1
    assert discounted_error(true, predicted) == pytest.approx(sum(abs(a - b) / log2(1 + a) for a, b in pairs))


@given(two_rankings)
def test_kendall_and_footrule_bound_each_other(rankings: tuple[list[int], list[int]]) -> None:
    """Diaconis and Graham: Kendall ≤ footrule ≤ 2 Kendall; both are symmetric."""
    kendall, footrule = kendall_distance(*rankings), spearman_footrule(*rankings)
    assert kendall <= footrule <= 2 * kendall
    assert kendall_distance(*rankings[::-1]) == kendall


@pytest.mark.usefixtures("way")
class TestPairCounts:
    """Both ways of counting give the same."""

    @given(vectors=two_vectors)
    def test_counts_match_a_loop_over_all_pairs(self, vectors: tuple[list[float], list[float]]) -> None:
        """Every pair is counted once and under the right name, ties and repeats included."""
        counts = pair_counts(*vectors)
        n = len(vectors[0])
        assert counts == counted_slowly(*vectors)
        assert counts.total == n * (n - 1) // 2

    @given(rankings=two_rankings)
    def test_discordant_pairs_of_ranks_are_kendalls_distance(
        self, rankings: tuple[list[int], list[int]]
    ) -> None:
        """Without ties the discordant pairs are the inverted ones."""
        assert pair_counts(*rankings).discordant == kendall_distance(*rankings)

    def test_extreme_numbers_are_told_apart(self) -> None:
        """No difference is ever taken, so neither overflow nor cancellation decides."""
        counts = pair_counts([1e308, -1e308, 0.0, -0.0], [5e-324, 0.0, 1.0, 1.0])
        assert counts == PairCounts(concordant=3, discordant=2, tied_x=0, tied_y=0, tied_both=1)


@pytest.mark.parametrize("levels", [3, 50, 10**9])
def test_long_vectors_agree_with_scipy(levels: int) -> None:
    """SciPy's tau-b comes out of the counts of 5,000 places with many, some and no ties."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, levels, 5000)
    y = x + rng.integers(0, levels, 5000)
    c = pair_counts(x, y)
    apart_x = c.concordant + c.discordant + c.tied_y
    apart_y = c.concordant + c.discordant + c.tied_x
    tau = (c.concordant - c.discordant) / np.sqrt(apart_x * apart_y)
    assert tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_inputs_are_left_alone() -> None:
    """Counting sorts copies only."""
    rng = np.random.default_rng(1)
    x, y = rng.permutation(1000) + 1, rng.permutation(1000) + 1
    before = x.copy(), y.copy()
    kendall_distance(x, y)
    pair_counts(x, y)
    np.testing.assert_array_equal((x, y), before)


def test_empty_and_single_rankings() -> None:
    """No item is no distance, except where a best item is asked for; one item is always in its place."""
    assert kendall_distance([], []) == spearman_footrule([], []) == discounted_error([], []) == 0
    assert pair_counts([], []).total == pair_counts([1], [2]).total == 0
    assert kendall_distance([1], [1]) == position_error([1], [1]) == discounted_error([1], [1]) == 0
    with pytest.raises(InvalidInput, match="true rank must have at least 1 entry, got 0"):
        position_error([], [])


@every_distance
@pytest.mark.parametrize(
    ("true", "predicted", "words"),
    [
        ([1, 2], [1, 2, 3], "predicted rank must have 2 entries, one a row, got 3"),
        ([1, 2, 2], [1, 2, 3], "true rank must hold each of 1 to 3 once, got 2 2 times"),
        ([1, 2], [0, 1], "predicted rank of row 0 must be a whole number from 1 to 2, got 0"),
        ([1, float("nan")], [1, 2], "true rank of row 1 must be a finite number, got nan"),
    ],
)
def test_what_are_no_two_rankings_is_refused(
    distance: Callable[[Any, Any], float], true: list[float], predicted: list[float], words: str
) -> None:
    """Unequal lengths, ties, ranks from 0 and NaN are named, the argument included."""
    with pytest.raises(InvalidInput, match=words):
        distance(true, predicted)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -2], "weight of row 1 must be at least 0, got -2"),
        ([1], "weight must have 2 entries"),
        ([1, float("inf")], "weight of row 1 must be a finite number"),
    ],
)
def test_bad_weights_are_refused(weights: list[float], words: str) -> None:
    """A weight may be 0 and never less."""
    with pytest.raises(InvalidInput, match=words):
        discounted_error([1, 2], [2, 1], weights=weights)


def test_vectors_of_unequal_length_or_with_nan_are_refused() -> None:
    """Pairs of places need the same finite places."""
    with pytest.raises(InvalidInput, match="y must have 2 entries, one a row, got 1"):
        pair_counts([1, 2], [1])
    with pytest.raises(InvalidInput, match="x of row 0 must be a finite number, got nan"):
        pair_counts([float("nan")], [1])


def test_short_rankings_do_not_load_numba() -> None:
    """Importing the package and comparing a few hundred items leave Numba, SciPy and scikit-learn alone."""
    code = (
        "import sys, numpy as np, penchant.orders as o\n"
        "r = np.arange(1, 301); o.kendall_distance(r, r[::-1]); o.pair_counts(r, r)\n"
        "o.cohen_order(np.eye(3)); o.optimal_order(np.eye(3))\n"
        "print(sorted({'numba', 'scipy', 'sklearn', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
