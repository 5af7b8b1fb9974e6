"""Answers that were given elsewhere as the events of a study."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import OUTCOMES, Preferences
from penchant.study.importing import imported_contents
from penchant.study.items import PART_SIZE

ITEMS = ("a", "b", "c", "d")


def rows_of(preferences: Preferences, items: Any = ITEMS) -> list[list[Any]]:
    return [row for content in imported_contents(preferences, items, "f") for row in content["answers"]]


PAIRS = st.lists(st.sampled_from(ITEMS), min_size=2, max_size=2, unique=True)
ANSWERS = st.lists(st.tuples(PAIRS, st.sampled_from(OUTCOMES[:4]), st.sampled_from(["x", "y"])), min_size=1)


@given(ANSWERS)
def test_answers_come_back_as_they_were_given(answers: list[Any]) -> None:
    """Sides, choices, judges and their order are kept."""
    left, right = zip(*(pair for pair, _, _ in answers), strict=True)
    choices, judges = [choice for _, choice, _ in answers], [judge for _, _, judge in answers]
    preferences = Preferences.from_answers(left, right, choices, judge=judges)
    expected = [[pair[0], pair[1], choice, judge, 1] for pair, choice, judge in answers]
    contents = list(imported_contents(preferences, ITEMS, "f"))
    assert [row for content in contents for row in content["answers"]] == expected
    assert all(content["sides"] == 1 for content in contents)


def test_pairs_without_sides_have_the_better_item_first() -> None:
    """Weights are kept, whole ones as whole numbers, and an unknown judge is nobody."""
    pairs = [("b", "a"), ("c", "a"), ("d", "a")]
    preferences = Preferences.from_pairs(
        pairs, tie=[False, True, False], weight=[1, 2.5, 3], judge=["x", None, "y"]
    )
    (content,) = imported_contents(preferences, ITEMS, "old\x1b.csv")
    assert content == {
        "source": "old\\x1b.csv",
        "sides": 0,
        "answers": [
            ["b", "a", "left", "x", 1],
            ["c", "a", "tie", "", 2.5],
            ["d", "a", "left", "y", 3],
        ],
    }
    assert rows_of(Preferences.from_pairs(pairs[:1])) == [["b", "a", "left", "", 1]]


def test_sides_that_are_known_of_some_only_are_not_used() -> None:
    """One event says of all its answers whether left is left."""
    preferences = Preferences.from_pairs([("a", "b"), ("b", "c")], better_on_left=[False, None])
    (content,) = imported_contents(preferences, ITEMS, "f")
    assert content["sides"] == 0
    assert content["answers"] == [["a", "b", "left", "", 1], ["b", "c", "left", "", 1]]


@pytest.mark.parametrize(
    ("preferences", "error", "words"),
    [
        (Preferences.from_pairs([("a", "z"), ("y", "a")]), UnknownItem, "got 2 others: 'y', 'z': add"),
        (Preferences.from_rankings([["a", "b", "c"]]), InvalidInput, "two items each, got 1 row about"),
        (Preferences.from_rankings([[["a", "b"]], ["c"]]), InvalidInput, "got 1 row about fewer or more"),
        (Preferences.from_pairs([("a", "b")])[:0], InvalidInput, "at least one row"),
        (
            Preferences.from_pairs([("a", "b"), ("b", "c")], weight=[1, 1e308]),
            InvalidInput,
            r"weight of answer 1 must be at most 1,000,000,000, got 1e\+308: correct it",
        ),
        (
            Preferences.from_pairs([("a", "b")], judge=["\x07"]),
            InvalidInput,
            r"without control characters, got",
        ),
        (
            Preferences.from_pairs([("a", "b")], judge=["x" * 101]),
            InvalidInput,
            "names of 1 to 100 characters",
        ),
    ],
)
def test_what_is_no_answer_about_two_items_is_rejected(
    preferences: Preferences, error: type[Exception], words: str
) -> None:
    """Unknown items and weights are named, rows about more items counted."""
    with pytest.raises(error, match=words):
        list(imported_contents(preferences, ITEMS, "f"))


def test_parts_fit_into_events() -> None:
    """Long lists of answers are split, in order."""
    names = ["é" * 300 + str(place) for place in range(40)]
    pairs = [(names[place % 40], names[(place + 1) % 40]) for place in range(1000)]
    contents = list(imported_contents(Preferences.from_pairs(pairs), names, "f"))
    assert len(contents) > 1
    assert [tuple(row[:2]) for content in contents for row in content["answers"]] == pairs
    assert all(
        len(json.dumps(content, ensure_ascii=False).encode()) < PART_SIZE + 2000 for content in contents
    )
