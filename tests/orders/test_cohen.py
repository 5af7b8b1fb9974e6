"""Orders out of pairwise preferences, against the lecture's example and against all permutations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.orders import agreement, cohen_order, component_order, optimal_order

# The lecture's items a, b, c, d; every pair of entries can be read off its lines for the net scores.
LECTURE = np.array([[0, 0, 2, 1], [8, 0, 8, 8], [6, 0, 0, 1], [7, 0, 7, 0]]) / 8

eighths = st.integers(-16, 16).map(lambda eighth: eighth / 8)
any_preferences = st.integers(0, 5).flatmap(lambda n: arrays(np.float64, (n, n), elements=eighths))
share = st.integers(0, 8).map(lambda eighth: eighth / 8) | st.floats(0, 1)
every_order = pytest.mark.parametrize("find", [cohen_order, optimal_order, component_order])


def complementary(F: Floats) -> Floats:
    """Return preferences with F + Fᵀ = 1 that have F's upper triangle."""
    upper = np.triu(F, 1)
    return upper + np.tril(1 - upper.T, -1)


probabilities = (
    st.integers(1, 9).flatmap(lambda n: arrays(np.float64, (n, n), elements=share)).map(complementary)
)


def agreed_slowly(order: Any, F: Floats | Ints) -> float:
    """Add up what the definition names."""
    return float(sum(F[i, j] for i, j in combinations(order, 2)))


def greedy_slowly(F: Floats | Ints) -> tuple[list[int], list[list[float]]]:
    """Compute the net scores of those left afresh at each step; F must sum without rounding."""
    left, order, steps = list(range(len(F))), [], []
    while left:
        scores = {x: sum(F[x, y] - F[y, x] for y in left) for x in left}
        order.append(max(left, key=lambda x: (scores[x], -x)))
        steps.append([scores.get(x, np.nan) for x in range(len(F))])
        left.remove(order[-1])
    return order, steps


def best_slowly(F: Floats | Ints) -> list[int]:
    """Try all permutations in lexicographic order; F must sum without rounding."""
    return list(max(permutations(range(len(F))), key=lambda order: agreed_slowly(order, F)))


def test_the_lecture_example() -> None:
    """The order is b ≻ d ≻ c ≻ a, its AGREE 5.5, and no order has more."""
    for find in (cohen_order, optimal_order, component_order):
        assert find(LECTURE).tolist() == [1, 3, 2, 0]
    assert agreement([1, 3, 2, 0], LECTURE) == 5.5
    assert max(agreed_slowly(order, LECTURE) for order in permutations(range(4))) == 5.5


def test_the_net_scores_of_the_lecture() -> None:
    """At each step the scores are the lecture's, and those of removed items are gone."""
    gone = np.nan
    order, scores = cohen_order(LECTURE, return_scores=True)
    np.testing.assert_array_equal(
        scores,
        [
            [-18 / 8, 3, -10 / 8, 4 / 8],
            [-10 / 8, gone, -2 / 8, 12 / 8],
            [-2 / 4, gone, 2 / 4, gone],
            [0, gone, gone, gone],
        ],
    )
    assert scores[np.arange(4), order].tolist() == [3, 12 / 8, 2 / 4, 0]


@given(any_preferences, st.data())
def test_agreement_follows_its_definition(F: Floats, data: st.DataObject) -> None:
    """AGREE is the sum of F[i, j] over i before j, and an order and its reverse share out all of F."""
    order = data.draw(st.permutations(range(len(F))))
    assert agreement(order, F) == agreed_slowly(order, F)
    assert agreement(order, F) + agreement(order[::-1], F) == F.sum() - np.trace(F)


@given(any_preferences)
def test_greedy_follows_the_pseudocode(F: Floats) -> None:
    """Order and scores are those of the slow loop, ties to the lowest index, whether or not F + Fᵀ = 1."""
    order, scores = cohen_order(F, return_scores=True)
    expected, steps = greedy_slowly(F)
    assert order.tolist() == cohen_order(F).tolist() == expected
    np.testing.assert_array_equal(scores, np.reshape(steps, F.shape))


@given(probabilities)
def test_greedy_keeps_at_least_half_of_what_there_is(F: Floats) -> None:
    """With F + Fᵀ = 1 greedy has AGREE ≥ n(n − 1)/4."""
    n = len(F)
    assert agreement(cohen_order(F), F) >= n * (n - 1) / 4 - 1e-9


@given(st.integers(1, 8).flatmap(lambda n: arrays(np.float64, (n, n), elements=share)))
def test_greedy_is_at_least_half_as_good_as_the_best(F: Floats) -> None:
    """Cohen et al. 1999, Theorem 2: for preferences from 0 to 1 greedy AGREE is at least half the optimum."""
    assert agreement(cohen_order(F), F) >= agreement(optimal_order(F), F) / 2 - 1e-9


@given(any_preferences)
def test_optimal_order_is_the_lowest_of_the_best(F: Floats) -> None:
    """The exact search returns the lexicographically lowest permutation of largest AGREE."""
    assert optimal_order(F).tolist() == best_slowly(F)


@pytest.mark.parametrize("n", [10, 16])
def test_optimal_order_of_many_items_finds_a_planted_order(n: int) -> None:
    """Up to 16 items the order that all preferences agree on comes out, and reversed ones with it."""
    planted = np.random.default_rng(n).permutation(n)
    F = np.zeros((n, n))
    for i, j in combinations(planted, 2):
        F[i, j] = 1
    assert optimal_order(F).tolist() == planted.tolist()
    assert optimal_order(F.T).tolist() == planted[::-1].tolist()


def test_optimal_order_cannot_be_improved_by_moving_one_item() -> None:
    """For 16 random items no single item can be moved to a better place, and greedy is not better."""
    F = complementary(np.random.default_rng(3).random((16, 16)))
    order = optimal_order(F).tolist()
    best = agreement(order, F)
    for item in order:
        rest = [other for other in order if other != item]
        for place in range(16):
            assert agreed_slowly([*rest[:place], item, *rest[place:]], F) <= best + 1e-9
    assert agreement(cohen_order(F), F) <= best + 1e-9


@given(st.integers(1, 5).flatmap(lambda n: arrays(np.int64, (n, n), elements=st.integers(0, 10))))
def test_rounding_never_breaks_a_tie(tenths: Ints) -> None:
    """Tenths, which binary fractions cannot hold, give the orders that whole numbers give exactly."""
    assert cohen_order(tenths / 10).tolist() == greedy_slowly(tenths)[0]
    assert optimal_order(tenths / 10).tolist() == best_slowly(tenths)


@every_order
def test_equal_preferences_keep_the_order_of_the_indices(find: Callable[[Floats], Ints]) -> None:
    """Where all preferences are the same every order is best, and the lowest is taken."""
    assert find(np.full((12, 12), 0.7)).tolist() == list(range(12))


@every_order
@given(F=any_preferences)
def test_the_diagonal_is_ignored(find: Callable[[Floats], Ints], F: Floats) -> None:
    """A huge diagonal changes neither order nor AGREE, and F is left alone."""
    marked = F.copy()
    np.fill_diagonal(marked, 1e300)
    before = marked.copy()
    assert find(marked).tolist() == find(F).tolist()
    assert agreement(find(F), marked) == agreement(find(F), F)
    np.testing.assert_array_equal(marked, before)


@every_order
@pytest.mark.parametrize("scale", [2.0**-1070, 1e-200, 1e-9, 1e9, 1e307])
def test_the_scale_of_preferences_does_not_matter(find: Callable[[Floats], Ints], scale: float) -> None:
    """Tiny and huge preferences give the order of ordinary ones, negative ones too."""
    F = LECTURE - 0.5
    assert find(F * scale).tolist() == [1, 3, 2, 0]


@given(any_preferences)
def test_component_order_of_few_items_is_optimal(F: Floats) -> None:
    """Where every component is searched exactly, AGREE is the optimum."""
    order = component_order(F)
    assert sorted(order) == list(range(len(F)))
    assert agreement(order, F) == agreement(optimal_order(F), F)


@given(probabilities)
def test_component_order_is_never_worse_than_greedy(F: Floats) -> None:
    """Also where no component may be searched exactly."""
    greedy = agreement(cohen_order(F), F)
    assert agreement(component_order(F, exact_up_to=1), F) >= greedy - 1e-9
    assert agreement(component_order(F), F) >= greedy - 1e-9


def two_components() -> Floats:
    """Return preferences of two cycles, {1, 3, 5} before {0, 2, 4}."""
    F = np.full((6, 6), 0.5)
    for i in (1, 3, 5):
        F[i, [0, 2, 4]], F[[0, 2, 4], i] = 0.6, 0.4
    for i, j in [(1, 3), (3, 5), (5, 1), (0, 2), (2, 4), (4, 0)]:
        F[i, j], F[j, i] = 0.9, 0.1
    return F


def test_components_come_in_the_order_of_the_graph() -> None:
    """A component stands before those that it beats, and ties inside go to the lowest index."""
    assert component_order(two_components()).tolist() == [1, 3, 5, 0, 2, 4]
    assert component_order(two_components(), exact_up_to=1).tolist() == [1, 3, 5, 0, 2, 4]


def test_unrelated_components_come_by_their_lowest_member() -> None:
    """Items that nobody prefers to each other keep their indices' order; a winner precedes whom it beats."""
    F = np.zeros((4, 4))
    assert component_order(F).tolist() == [0, 1, 2, 3]
    F[3, 1] = 1.0
    assert component_order(F).tolist() == [0, 2, 3, 1]


@pytest.mark.parametrize(
    ("F", "inside", "overall"),
    [
        (
            [[0, 3, 3, 6, 5], [5, 0, 0, 0, 6], [5, 8, 0, 2, 7], [2, 8, 6, 0, 5], [3, 2, 1, 3, 0]],
            ([3, 2, 1, 0, 4], 57),
            ([2, 3, 1, 0, 4], 53),
        ),
        (
            [[0, 4, 0, 5, 8], [4, 0, 6, 1, 6], [8, 2, 0, 7, 7], [3, 7, 1, 0, 7], [0, 2, 1, 1, 0]],
            ([2, 3, 0, 1, 4], 59),
            ([2, 0, 3, 1, 4], 61),
        ),
    ],
)
def test_the_better_of_greedy_inside_components_and_greedy_overall_is_kept(
    F: list[list[int]], inside: tuple[list[int], int], overall: tuple[list[int], int]
) -> None:
    """Items 0 to 3 are a component that beats item 4; greedy inside it is better once, overall once."""
    part = np.array(F)[:4, :4]
    assert [*cohen_order(part).tolist(), 4] == inside[0]
    assert cohen_order(F).tolist() == overall[0]
    assert [agreement(order, F) for order, _ in (inside, overall)] == [inside[1], overall[1]]
    better, _ = max(inside, overall, key=lambda found: found[1])
    assert component_order(F, exact_up_to=1).tolist() == better


def test_large_components_are_ordered_greedily_and_small_ones_exactly() -> None:
    """Of a cycle of three behind a wheel of 20 only the cycle is small enough for the exact search."""
    ahead = (np.arange(20) - np.arange(20)[:, None]) % 20
    F = np.ones((23, 23))
    F[20:, :20] = 0
    F[:20, :20] = np.where(ahead <= 10, 0.75, 0.25)
    F[20:, 20:] = [[0, 0.6, 0.1], [0.4, 0, 0.9], [0.9, 0.1, 0]]
    order = component_order(F)
    assert sorted(order[:20]) == list(range(20))
    assert (order[20:] - 20).tolist() == optimal_order(F[20:, 20:]).tolist() == [1, 2, 0]


@every_order
def test_no_items_and_one_item(find: Callable[[Floats], Ints]) -> None:
    """Nothing to order gives an empty int64 order, one item gives itself."""
    assert find(np.empty((0, 0))).tolist() == []
    assert find(np.empty((0, 0))).dtype == find(np.ones((1, 1))).dtype == np.int64
    assert find(np.ones((1, 1))).tolist() == [0]
    assert agreement([], np.empty((0, 0))) == agreement([0], [[7.0]]) == 0.0


@every_order
@pytest.mark.parametrize(
    ("F", "words"),
    [
        ([[0.0, np.nan], [0.0, 0.0]], "preference of row 0, column 1 must be a finite number, got nan"),
        ([[0.0, 1.0]], "preference must be a square matrix, got shape \\(1, 2\\)"),
        ([0.0, 1.0], "preference must be a square matrix, got shape \\(2,\\)"),
    ],
)
def test_what_are_no_preferences_is_refused(find: Callable[[Any], Ints], F: Any, words: str) -> None:
    """NaN and matrices that are not square are named."""
    with pytest.raises(InvalidInput, match=words):
        find(F)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([0, 1], "order must have 3 entries, one a row, got 2"),
        ([0, 1, 1], "order must hold each of 0 to 2 once, got 1 2 times"),
        ([1, 2, 3], "order of row 2 must be a whole number from 0 to 2, got 3"),
    ],
)
def test_agreement_refuses_what_is_no_order_of_the_items(order: list[int], words: str) -> None:
    """The order must hold every item of F once."""
    with pytest.raises(InvalidInput, match=words):
        agreement(order, np.zeros((3, 3)))


def test_too_many_items_for_the_exact_search_are_refused() -> None:
    """17 items are too many, and the message says what to use instead."""
    with pytest.raises(InvalidInput, match=r"at most 16 items .* got 17: use component_order"):
        optimal_order(np.zeros((17, 17)))
    for limit in (0, 17):
        with pytest.raises(InvalidInput, match=f"exact_up_to must be from 1 to 16, got {limit}"):
            component_order(np.zeros((2, 2)), exact_up_to=limit)
