"""Which pairs may be asked about, and which of them come first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.ask.wishes import Codes, Pairs, Wishes, among, not_excluded, pair_of
from penchant.errors import InvalidInput

FREE = Codes(())


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(lambda pair: pair[0] != pair[1])))
def test_codes_are_the_pairs_sorted_and_once(pairs: list[tuple[int, int]]) -> None:
    """From tuples or an array, few or many: the lower row first, each pair once."""
    expected = sorted({(min(pair), max(pair)) for pair in pairs})
    for given_pairs in (pairs, np.array(pairs, dtype=np.int64).reshape(-1, 2), pairs * 30):
        codes = Codes(given_pairs).within(41)
        assert [pair_of(code) for code in codes.tolist()] == expected
        found = Pairs.of_codes(codes)
        np.testing.assert_array_equal(found.codes, codes)
    assert among(Codes(pairs).sorted, Codes(pairs).sorted).all()


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize("pair", [(1, 1), (-1, 2)])
def test_pairs_that_are_none_are_rejected(pair: tuple[int, int], count: int) -> None:
    """The first of them is named, whether they are few or many."""
    with pytest.raises(InvalidInput, match=rf"two different rows from 0 on, got \({pair[0]}, {pair[1]}\)"):
        Codes([(0, 1), pair] * count)
    with pytest.raises(InvalidInput, match="items from 0 to 4, got item 7"):
        Codes([(0, 7)] * count).within(5)


def test_more_pairs_are_added_to_codes() -> None:
    """Those that were there are kept."""
    both = Codes([(0, 1)]).plus([(4, 2), (1, 0)])
    assert [pair_of(code) for code in both.within(5).tolist()] == [(0, 1), (2, 4)]


def kept(pairs: list[tuple[int, int]], answers: list[float], **wishes: Any) -> list[tuple[int, int]]:
    given_wishes = {"forbidden": FREE, "least_answers": 0, **wishes}
    found = Wishes(len(answers), **given_wishes).kept(Pairs(*np.array(pairs).T), np.array(answers))
    return list(zip(found.first.tolist(), found.second.tolist(), strict=True))


EVERY = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_wishes_come_one_after_the_other() -> None:
    """A wish counts among the pairs that meet those before it, unless none of these meets it."""
    assert kept(EVERY, [2, 2, 2, 2]) == EVERY
    assert kept(EVERY, [2, 2, 2, 2], avoid=[(0, 1)], preferred=[(0, 1), (2, 3)]) == [(2, 3)]
    assert kept(EVERY, [2, 2, 2, 2], avoid=EVERY, preferred=[(0, 1)]) == [(0, 1)]
    assert kept(EVERY, [0, 1, 2, 0], least_answers=2) == [(0, 3)]
    assert kept(EVERY, [0, 1, 2, 0], least_answers=2, forbidden=Codes([(0, 3)])) == EVERY[:2] + EVERY[4:]
    assert kept(EVERY, [2, 3, 5, 2], most_ahead=1) == [(0, 3)]
    assert kept(EVERY, [2, 5, 4, 4], most_ahead=2) == [(0, 1), (0, 2), (0, 3)]
    assert kept(EVERY, [2, 3, 5, 2], most_ahead=2) == [(0, 1), (0, 3), (1, 3)]
    busy = np.array([True, False, False, False])
    assert kept(EVERY, [2, 2, 2, 2], busy=busy, preferred=[(0, 1)]) == [(1, 2), (1, 3), (2, 3)]


def test_groups_are_joined_once_every_item_has_an_answer() -> None:
    """Before that, items without one come first; then groups, and then items with few answers."""
    groups = [0, 0, 1, 1]
    assert kept(EVERY, [1, 1, 0, 1], groups=groups) == [(0, 2), (1, 2), (2, 3)]
    assert kept(EVERY, [1, 2, 2, 2], groups=groups, least_answers=2) == [(0, 2), (0, 3)]
    assert kept(EVERY, [0.5, 2, 2, 2], groups=groups) == [(0, 2), (0, 3)]
    assert kept(EVERY, [1, 2, 2, 1], groups=[3, 3, 3, 3], least_answers=2) == [(0, 3)]
    assert kept(EVERY, [1, 1, 1, 1], groups=[0, 0, 0, 1], excluded=[3]) == [(0, 1), (0, 2), (1, 2)]


def test_excluded_items_are_in_no_pair_and_do_not_count() -> None:
    """Rows or a mask; the fewest answers are those of the others."""
    answers = [0, 1, 2, 3]
    expected = [(1, 2), (1, 3)]
    assert kept(EVERY, answers, excluded=[0], least_answers=2) == expected
    assert kept(EVERY, answers, excluded=np.array([True, False, False, False]), least_answers=2) == expected
    assert kept(EVERY, answers, excluded=[], preferred=[(0, 1)]) == [(0, 1)]
    assert kept(EVERY, answers, excluded=[0], preferred=[(0, 1)]) == [(1, 2), (1, 3), (2, 3)]
    assert not_excluded(3, None).all()


def test_an_item_that_is_forbidden_with_all_others_holds_nothing_up() -> None:
    """It will never have an answer, so that the others do not wait for it."""
    alone = Codes([(0, 1), (0, 2), (0, 3)])
    wishes = Wishes(4, forbidden=alone)
    assert wishes.open.tolist() == [False, True, True, True]
    assert kept(EVERY, [0, 1, 2, 2], forbidden=alone, least_answers=2) == [(1, 2), (1, 3)]
    assert Wishes(4, forbidden=Codes([(0, 1), (0, 2)]), excluded=[3]).open.tolist() == [
        False,
        True,
        True,
        False,
    ]


def test_whether_preferred_pairs_come_before_all_others() -> None:
    """Unless they are to be avoided, or have an item of another pair of the batch."""
    some = Pairs(np.array([0]), np.array([1]))
    assert Wishes(3, forbidden=FREE).come_first(some)
    assert not Wishes(3, forbidden=FREE).come_first(some.at(np.array([False])))
    assert not Wishes(3, forbidden=FREE, avoid=[(0, 1)]).come_first(some)
    assert not Wishes(3, forbidden=FREE, busy=np.array([True, False, False])).come_first(some)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"excluded": [3]}, "excluded must be rows from 0 to 2, or a mask of all"),
        ({"excluded": [True, False]}, "excluded must be rows from 0 to 2, or a mask of all"),
        ({"excluded": [0, 1]}, "at least 2 items that are not excluded, got 1"),
        ({"groups": [0, 1]}, "groups must be 3 whole numbers, a label for each item"),
        ({"groups": [0.5, 1, 2]}, "groups must be 3 whole numbers"),
        ({"forbidden": Codes([(0, 1), (0, 2), (1, 2)])}, "every pair is forbidden"),
        ({"forbidden": Codes([(0, 1)]), "excluded": [2]}, "every pair is forbidden"),
    ],
)
def test_impossible_wishes_are_rejected(wrong: dict[str, Any], words: str) -> None:
    """Rows that are none, labels that are no numbers, and wishes that leave no pair."""
    with pytest.raises(InvalidInput, match=words):
        Wishes(3, **{"forbidden": FREE, **wrong})
