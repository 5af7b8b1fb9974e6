"""Groups and cycles, against a search along every written-out pair."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from penchant import Preferences
from penchant.preferences.graph import groups_caveat, groups_of, shown_group
from tests.preferences.strategies import Stated, anything


def reached(start: int, steps: dict[int, set[int]]) -> set[int]:
    """Follow every step from ``start``, depth first."""
    seen, waiting = {start}, [start]
    while waiting:
        for item in steps[waiting.pop()] - seen:
            seen.add(item)
            waiting.append(item)
    return seen


def slow_components(stated: Stated, *, strong: bool) -> list[list[int]]:
    """Group the items that reach each other along the implied pairs, largest first, then by index."""
    n = stated.preferences.n_items
    steps: dict[int, set[int]] = {item: set() for item in range(n)}
    for _, better, worse, tie in stated.implied():
        steps[better].add(worse)
        if tie or not strong:
            steps[worse].add(better)
    far = {item: reached(item, steps) for item in range(n)}
    groups = {tuple(other for other in range(n) if other in far[item] and item in far[other]) for item in far}
    return sorted(map(list, groups), key=lambda group: (-len(group), group[0]))


@pytest.mark.parametrize("strong", [False, True])
@given(stated=anything())
def test_components_are_those_of_a_search_along_all_pairs(strong: bool, stated: Stated) -> None:
    """The groups found without writing out the pairs are those found by walking them one by one."""
    groups = stated.preferences.components(strong=strong)
    assert [group.tolist() for group in groups] == slow_components(stated, strong=strong)


@given(anything())
def test_maximum_likelihood_exists_where_all_reach_all(stated: Stated) -> None:
    """Ford's condition: from each item a chain of preferences leads to each other one."""
    one_group = len(slow_components(stated, strong=True)) == 1
    assert stated.preferences.has_maximum_likelihood == one_group


@given(anything())
def test_the_story_counts_the_weak_groups(stated: Stated) -> None:
    """``repr`` says connected, or the number of groups that nobody compared with one another."""
    groups = len(slow_components(stated, strong=False))
    story = repr(stated.preferences)
    assert story.endswith(
        "connected" if groups == 1 else f"in {groups} groups never compared with one another"
    )


@given(anything())
def test_cycles_are_those_of_a_triple_loop(stated: Stated) -> None:
    """A triple counts once when its three majorities run in a circle, by weight."""
    n = stated.preferences.n_items
    wins = np.zeros((n, n))
    for row, better, worse, tie in stated.implied():
        wins[better, worse] += 0 if tie else stated.weights[row]
    beats = wins > wins.T
    circles = sum(beats[i, j] and beats[j, k] and beats[k, i] for i, j, k in permutations(range(n), 3))
    assert stated.preferences.count_cycles() == circles // 3


def test_rock_paper_scissors_runs_in_a_circle() -> None:
    """Three wins in a circle: one cycle, one strong group, a finite worth; one more majority breaks it."""
    game = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    prefs = Preferences.from_pairs(game)
    assert (prefs.count_cycles(), prefs.has_maximum_likelihood) == (1, True)
    evened = Preferences.from_pairs([*game, ("rock", "paper")])
    assert (evened.count_cycles(), evened.has_maximum_likelihood) == (0, True)
    line = Preferences.from_pairs(game[:2])
    assert (line.count_cycles(), line.has_maximum_likelihood) == (0, False)


def test_a_comparison_said_256_times_is_still_said() -> None:
    """No count of repetitions runs over and loses an edge."""
    prefs = Preferences.from_pairs([(0, 1)] * 256 + [(1, 0)] * 512)
    assert len(prefs.components()) == len(prefs.components(strong=True)) == 1
    graded = Preferences.from_rankings([[0, 1, 2]] * 256 + [[2, [1, 0]]] * 256)
    assert graded.has_maximum_likelihood


def test_groups_of_many_comparisons_are_found_block_by_block() -> None:
    """Two halves that only the very last of 200,000 comparisons connects are one group, and were two."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 50, 200_000)
    step = rng.integers(1, 50, 200_000)
    pairs = np.column_stack([first, (first + step) % 50])
    pairs[::2] += 50
    halves = Preferences.from_pairs(pairs, items=range(101))
    assert [len(group) for group in halves.components()] == [50, 50, 1]
    joined = halves + Preferences.from_pairs([(0, 99)], items=range(101))
    assert [len(group) for group in joined.components()] == [100, 1]


def test_two_levels_of_many_items_need_no_pair_each() -> None:
    """Strong groups of 40,000 graded items, with 400 million implied pairs, are found all the same."""
    n = 40_000
    up = Preferences.from_grades(np.arange(n) % 2)
    assert len(up.components(strong=True)) == n
    both = up + Preferences.from_grades((np.arange(n) + 1) % 2)
    assert both.has_maximum_likelihood


def test_one_item_is_one_group() -> None:
    """With one item there is nothing to compare: it is connected, and its worth exists."""
    alone = Preferences.from_pairs([], items=["only"])
    assert [group.tolist() for group in alone.components()] == [[0]]
    assert alone.has_maximum_likelihood
    assert alone.count_cycles() == 0
    assert repr(alone) == "Preferences: 0 comparisons of 1 item, connected"


def test_groups_come_by_size_and_are_named() -> None:
    """Groups of one item are not counted; of many groups and items the first are named, and how many more there are."""
    labels = np.array([0, 1, 1, 1, 1, 2, 2])
    assert [group.tolist() for group in groups_of(labels)] == [[1, 2, 3, 4], [5, 6], [0]]
    assert shown_group(np.array([1, 2, 3, 4]), "abcdefg") == "'b', 'c', 'd' and 1 more"
    caveat = groups_caveat(labels, "abcdefg")
    assert caveat is not None
    assert (
        "2 groups that were never compared with one another ('b', 'c', 'd' and 1 more | 'f', 'g')" in caveat
    )
    assert groups_caveat(np.array([0, 1, 1]), "abc") is None
    many = groups_caveat(np.repeat(np.arange(6), 2), "abcdefghijkl")
    assert many is not None
    assert "| 2 groups more)" in many
