"""The implied comparisons, by formula, against double loops over the levels."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.preferences import statements as room
from penchant.preferences.statements import Statements
from tests.preferences.strategies import Stated, anything, written_out


@given(anything())
def test_comparisons_are_those_of_a_double_loop(stated: Stated) -> None:
    """What the formula writes out is what two loops over the levels of each row write out."""
    prefs, expected = stated.preferences, stated.implied()
    assert written_out(*prefs.statements.comparisons()) == Counter(expected)
    assert prefs.n_pairs == sum(not tie for *_, tie in expected)
    assert prefs.n_ties == sum(tie for *_, tie in expected)
    assert prefs.statements.n_comparisons == len(expected)
    assert len(prefs) == len(stated.rows)


@given(anything(), st.integers(1, 7))
def test_blocks_are_the_comparisons_cut_to_size(stated: Stated, size: int) -> None:
    """Blocks follow each other without gap or overlap, and only the last may be short."""
    statements = stated.preferences.statements
    blocks = list(statements.blocks(size))
    assert all(len(block[0]) == size for block in blocks[:-1])
    whole = statements.comparisons()
    for column, parts in zip(whole, zip(*blocks, strict=True), strict=False):
        assert np.array_equal(column, np.concatenate(parts))
    assert sum(len(block[0]) for block in blocks) == len(whole[0])


@given(anything())
def test_tallies_and_matrices_are_sums_over_the_comparisons(stated: Stated) -> None:
    """Each comparison counts its row's weight, once for the better, once for the worse, for a tie both."""
    prefs = stated.preferences
    tallies, wins, ties = (np.zeros((size, prefs.n_items)) for size in (3, prefs.n_items, prefs.n_items))
    counts = np.zeros((3, prefs.n_items))
    for row, better, worse, tie in stated.implied():
        weight = stated.weights[row]
        for item, kind in ((better, 2 if tie else 0), (worse, 2 if tie else 1)):
            tallies[kind, item] += weight
            counts[kind, item] += 1
        if tie:
            ties[better, worse] += weight
            ties[worse, better] += weight
        else:
            wins[better, worse] += weight
    np.testing.assert_allclose(prefs.tallies(), tallies)
    assert np.array_equal(prefs.tallies(weighted=False), counts)
    np.testing.assert_allclose(prefs.win_matrix().toarray(), wins)
    np.testing.assert_allclose(prefs.tie_matrix().toarray(), ties)


@given(anything())
def test_comparisons_carry_what_is_known_of_their_row(stated: Stated) -> None:
    """The weight beside a comparison is that of the row it came from; blocks say the same."""
    prefs = stated.preferences
    told = prefs.comparisons()
    assert told.weight.tolist() == [stated.weights[row] for row in told.row]
    assert len(told) == prefs.n_pairs + prefs.n_ties
    assert [block.weight.tolist() for block in prefs.pair_blocks(10_000)] == [told.weight.tolist()] * bool(
        told
    )


def test_a_hundred_thousand_graded_items_cost_megabytes() -> None:
    """Building and counting four billion implied pairs peaks below 20 MB, and the count is exact."""
    grades = np.random.default_rng(0).integers(0, 5, 100_000)
    tracemalloc.start()
    try:
        prefs = Preferences.from_grades(grades)
        n_pairs, tallies = prefs.n_pairs, prefs.tallies()
        block = next(prefs.pair_blocks(1000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    counts = np.bincount(grades)
    assert n_pairs == (len(grades) ** 2 - int((counts**2).sum())) // 2
    assert tallies[0].sum() == tallies[1].sum() == n_pairs
    assert (grades[block.better] > grades[block.worse]).all()
    assert prefs.n_ties == 0
    assert peak < 20e6


def test_too_many_pairs_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four billion pairs are rejected with their number and with what to do instead; a walk still works."""
    prefs = Preferences.from_grades(np.repeat(np.arange(5), 20_000))
    with pytest.raises(InvalidInput, match=r"up to 200,000,000 at once.* imply 4,000,000,000: iterate over"):
        prefs.pairs()
    monkeypatch.setattr(room, "EXPANSION_LIMIT", 2)
    few = Preferences.from_pairs([(0, 1), (1, 2), (2, 3)])
    with pytest.raises(InvalidInput, match="imply 3"):
        few.to_frame()
    assert [len(block) for block in few.pair_blocks(2)] == [2, 1]


@pytest.mark.parametrize("size", [0, -1])
def test_a_block_holds_at_least_one(size: int) -> None:
    """A walk in steps of nothing would never end, or end at once and say nothing."""
    with pytest.raises(InvalidInput, match=f"size of a block must be at least 1, got {size}"):
        list(Preferences.from_pairs([(0, 1)]).pair_blocks(size))


def test_levels_may_be_any_numbers() -> None:
    """Only their order counts: they are numbered from 0 inside each row, ties by equality."""
    told = Statements.of_levels(
        np.array([1, 0, 1, 1]), np.array([3, 2, 1, 0]), np.array([2.5, 9, -1, 2.5]), 3, True
    )
    assert told.members.tolist() == [2, 1, 3, 0]
    assert told.levels.tolist() == [0, 0, 1, 1]
    assert told.starts.tolist() == [0, 1, 4, 4]
    assert (told.n_pairs, told.n_ties) == (2, 1)


def test_a_thousand_equal_items_are_half_a_million_ties() -> None:
    """One level of n items that are equal implies n(n − 1)/2 ties and no pair."""
    prefs = Preferences.from_rankings([[list(range(1000))]])
    assert (prefs.n_pairs, prefs.n_ties) == (0, 499_500)
    assert len(np.unique(prefs.ties(), axis=0)) == 499_500
