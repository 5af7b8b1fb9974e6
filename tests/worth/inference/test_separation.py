"""Which scores comparisons determine: connected groups, existence of a maximum, and the caveats about both."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from penchant import Preferences
from penchant.worth.inference.pairs import NO_TOTALS, PairTotals
from penchant.worth.inference.separation import (
    caveats_of,
    centred,
    connected_groups,
    groups_caveat,
    has_maximum,
    real_items,
    separation_caveat,
)
from tests.worth.inference.test_pairs import rows


@given(rows(False))
def test_groups_and_existence_are_those_of_the_preferences(preferences: Preferences) -> None:
    """Groups found from totals are the groups of the rows; without ties, so is whether a maximum exists."""
    totals = NO_TOTALS.plus(preferences)
    found = [group.tolist() for group in connected_groups(totals, 7)]
    assert found == [group.tolist() for group in preferences.components()]
    if not preferences.n_ties:
        assert has_maximum(totals, 7) == preferences.has_maximum_likelihood
    elif has_maximum(totals, 7):
        assert preferences.has_maximum_likelihood


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_upsets", [20, 150, 500])
def test_existence_is_found_from_few_of_many_pairs_or_from_all(n_upsets: int, seed: int) -> None:
    """Where each item met each other one, the comparison that decides may be among any share of the pairs."""
    rng = np.random.default_rng(seed)
    n_items = 150
    pairs = np.column_stack(np.triu_indices(n_items, 1))
    upsets = rng.choice(len(pairs), size=n_upsets, replace=False)
    pairs[upsets] = pairs[upsets, ::-1]
    preferences = Preferences.from_pairs(rng.permutation(pairs), items=range(n_items))
    totals = NO_TOTALS.plus(preferences)
    assert has_maximum(totals, n_items) == preferences.has_maximum_likelihood


def totals_of(pairs: list[tuple[int, int]], tie: list[bool] | None = None) -> PairTotals:
    return NO_TOTALS.plus(Preferences.from_pairs(pairs, tie=tie))


@pytest.mark.parametrize(
    ("pairs", "tie", "exists"),
    [
        ([(0, 1), (1, 0)], [False, False], True),
        ([(0, 1), (0, 1)], [False, True], False),  # the second item never won
        ([(0, 1), (0, 1)], [True, True], False),  # nothing but ties
        ([(0, 1), (1, 2), (0, 2)], [False, False, True], True),  # a tie contradicts two preferences
        ([(0, 1), (1, 0), (0, 1)], [False, False, True], True),
        ([(0, 1), (1, 2), (0, 1), (1, 2)], [False, False, True, True], False),  # a gap of 1 explains all
    ],
)
def test_ties_leave_a_maximum_where_something_contradicts_them(
    pairs: list[tuple[int, int]], tie: list[bool], exists: bool
) -> None:
    """Without a contradiction the tie parameter could grow for ever."""
    assert has_maximum(totals_of(pairs, tie), max(map(max, pairs)) + 1) == exists


def test_no_answers_connect_nothing() -> None:
    """Each item is a group of its own, one item has a maximum, and nothing is reported."""
    assert [group.tolist() for group in connected_groups(NO_TOTALS, 3)] == [[0], [1], [2]]
    assert has_maximum(NO_TOTALS, 1)
    assert not has_maximum(NO_TOTALS, 2)
    assert groups_caveat(NO_TOTALS, "abc") is None


def test_groups_are_named_largest_first() -> None:
    """Four groups are shown with three items each, the others are counted; lone items are not reported."""
    pairs = [(2 * k, 2 * k + 1) for k in range(5)] + [(10 + k, 11 + k) for k in range(4)]
    ids = [f"i{k}" for k in range(16)]
    caveat = groups_caveat(totals_of(pairs), ids)
    assert caveat is not None
    assert "in 6 groups that were never compared" in caveat
    shown = "('i10', 'i11', 'i12' and 2 more | 'i0', 'i1' | 'i2', 'i3' | 'i4', 'i5' | 2 groups more)"
    assert shown in caveat
    assert groups_caveat(totals_of([(0, 1)]), ids) is None


def test_separation_names_who_never_lost() -> None:
    """Each group stands with what it did to the others, and the prior that was used."""
    caveat = separation_caveat(totals_of([(0, 1), (1, 2), (3, 4)]), "abcde", 0.001)
    assert "in 5 groups that do not beat one another in turn" in caveat
    for words in (
        "'a' never lost to the others",
        "'b' beat others and lost to others, never the same",
        "'c' never beat the others",
        "and 1 groups more",
        "prior 0.001 was used instead of 0",
    ):
        assert words in caveat
    assert "'c', 'd' never met the others" in separation_caveat(
        totals_of([(0, 1), (1, 0), (2, 3), (3, 2)]), "abcd", 1.0
    )


def test_caveats_depend_on_the_prior_that_was_wanted() -> None:
    """Separation is reported where no prior was wanted, groups where one was, nothing where all is connected."""
    apart = totals_of([(0, 1), (1, 0), (2, 3), (3, 2)])
    assert "no maximum likelihood" in caveats_of(apart, "abcd", 0.0, 0.001)[0]
    assert "never compared" in caveats_of(apart, "abcd", 0.1, 0.1)[0]
    assert caveats_of(totals_of([(0, 1), (1, 0)]), "ab", 0.1, 0.1) == ()
    assert caveats_of(totals_of([(0, 1), (1, 0)]), "ab", 0.0, 0.0) == ()


def test_scores_are_centred_on_the_real_items_of_the_bars_group() -> None:
    """Groups without the bar stay; with ``together`` all items are one group; without a bar nothing moves."""
    answers = Preferences.from_answers(["a", "c"], ["b", "d"], ["both_bad", "left"])
    totals, scores = NO_TOTALS.plus(answers), np.array([1.0, 2.0, 5.0, 7.0, 9.0])
    assert answers.items == ("a", "b", "c", "d", "(bar)")
    assert real_items(answers.catalogue).tolist() == [True] * 4 + [False]
    assert centred(scores, totals, answers.catalogue).tolist() == [-0.5, 0.5, 5.0, 7.0, 7.5]
    moved = centred(scores, totals, answers.catalogue, together=True)
    np.testing.assert_allclose(moved, scores - 3.75)
    plain = Preferences.from_pairs([("a", "b")])
    assert centred(scores[:2], NO_TOTALS.plus(plain), plain.catalogue).tolist() == [1.0, 2.0]


def test_the_centre_is_of_compared_items() -> None:
    """Items that nobody was asked about, and the bar, do not move the mean."""
    answers = Preferences.from_answers(["a"], ["b"], ["both_bad"], items="abc")
    assert NO_TOTALS.plus(answers).centre(answers.catalogue).tolist() == [
        True,
        True,
        False,
        False,
    ]
