"""What cannot be used is refused in words: what, limit, what came, what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem

NAN = float("nan")


def refused(message: str, build: Callable[..., object], *args: Any, **kwargs: Any) -> None:
    """Check that ``build`` refuses with ``message``."""
    with pytest.raises(InvalidInput, match=message):
        build(*args, **kwargs)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            {"weight": [1, 0]},
            "weight of row 1 must be above 0, got 0: remove the row or give a positive weight",
        ),
        ({"weight": [1, -2]}, "weight of row 1 must be above 0, got -2"),
        ({"weight": [NAN, 1]}, "weight of row 0 must be a finite number, got nan"),
        ({"weight": [1]}, "weight must have 2 entries, one a row, got 1"),
        ({"weight": 2.0}, r"weight must be one-dimensional, got shape \(\)"),
        ({"weight": ["x", "y"]}, "weight must be numbers"),
        ({"tie": [True, "no"]}, "tie of row 0 must be true or false"),
        ({"tie": ["0", "1"]}, "tie of row 0 must be true or false, got '0': correct the row"),
        ({"tie": [True, None]}, "tie of row 1 must be true or false, got None"),
        ({"tie": [0, 2]}, "tie of row 1 must be true or false, got 2"),
        ({"tie": [0.0, NAN]}, "tie of row 1 must be true or false, got nan"),
        ({"tie": pd.array([True, None], dtype="boolean")}, "tie of row 1 must be true or false, got <NA>"),
        ({"tie": [True]}, "tie must have 2 entries"),
        ({"tie": True}, "tie must be one-dimensional"),
        ({"tie": [[True], [False]]}, "tie must be one-dimensional"),
        ({"judge": ["x"]}, "judge must have 2 entries"),
        ({"judge": "xy"}, "judge must be one-dimensional, got 'xy'"),
        ({"judge": 3}, "judge must be one-dimensional, got 3"),
        ({"judge": [None, 1.5]}, "judge of row 1 must be text or a whole number, got 1.5"),
        (
            {"better_on_left": [True, "left"]},
            "better_on_left of row 1 must be true, false or empty, got 'left'",
        ),
        ({"better_on_left": [True]}, "better_on_left must have 2 entries"),
        ({"period": [1.5, 2.0]}, "period must be whole numbers, got float64: number the periods"),
        ({"period": [1]}, "period must have 2 entries"),
        ({"period": [[1], [2]]}, "period must be one-dimensional"),
        ({"items": ["a", "b", "a"]}, "items must be different, got 'a' twice"),
        ({"items": ["a", None]}, "id of row 1 must be text or a whole number, got None"),
    ],
)
def test_what_is_told_beside_the_pairs(told: dict[str, Any], message: str) -> None:
    """Weights above 0, flags that are flags, whole periods, known sides: one a row, or the row is named."""
    refused(message, Preferences.from_pairs, [("a", "b"), ("b", "c")], **told)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            [("a", "b"), ("a",)],
            r"row 1 of pairs must be two items, better first, got \('a',\): correct the row",
        ),
        ([("a", "b", "c")], "row 0 of pairs must be two items"),
        ([("a", "b"), "ab"], "row 1 of pairs must be two items, better first, got 'ab'"),
        ([("a", "b"), {"c", "d"}], "row 1 of pairs must be two items"),
        ([1, 2], "row 0 of pairs must be two items, better first, got 1"),
        (np.zeros((2, 3), dtype=int), r"pairs must have shape \(m, 2\), better first, got \(2, 3\)"),
        (np.arange(4), r"got \(4,\): give two columns"),
        ([("a", "b"), ("c", "c")], "row 1 must compare two items, got 'c' twice: remove the row"),
        ([("a", "b"), ("c", NAN)], "id of row 1 must be text or a whole number, got nan"),
        ([("a", "b"), ("c", "")], "id of row 1 must not be empty"),
        (np.array([[0.0, 1.0]]), "id of row 0 must be text or a whole number, got 0.0"),
        ([], "items must name at least one item, got none: give a comparison or items="),
        (np.empty((0, 2)), "items must name at least one item"),
    ],
)
def test_pairs_that_are_none(pairs: Any, message: str) -> None:
    """Two different items a row, in a known order; the message has the row and what stands there."""
    refused(message, Preferences.from_pairs, pairs)


@pytest.mark.parametrize("pairs", [[(0, -1)], [(-1, -2)], np.array([[-3, 1]])])
def test_negative_indices(pairs: Any) -> None:
    """Nothing counts from the end, also where all indices are negative."""
    with pytest.raises(UnknownItem, match=r"item -\d of row 0 is not one of the \d known"):
        Preferences.from_pairs(pairs)


def test_items_not_among_those_given() -> None:
    """With ``items=`` every other id is unknown, and the row that holds it is named."""
    refused(
        "item 'z' of row 1 is not one of the 2 known",
        Preferences.from_pairs,
        [("a", "b"), ("a", "z")],
        items="ab",
    )
    refused("item 5 of row 0", Preferences.from_pairs, [(5, 0)], items=range(3))
    refused("item '5' of row 0", Preferences.from_pairs, [(5, 0)], items=["0", "1"])


def test_frames() -> None:
    """A column must be there, once; a bad row is named by its ids as they stand in the table."""
    frame = pd.DataFrame({"w": ["a", "b"], "l": ["b", "b"]})
    refused(
        "column 'x' must be in the table, which has 'w', 'l'",
        Preferences.from_frame,
        frame,
        better="x",
        worse="l",
    )
    refused(
        "row 1 must compare two items, got 'b' twice", Preferences.from_frame, frame, better="w", worse="l"
    )
    twice = frame.set_axis(["w", "w"], axis=1)
    refused("column 'w' must be in the table once", Preferences.from_frame, twice, better="w", worse="w")
    floats = pd.DataFrame({"w": [1.0, None], "l": [2, 3]})
    refused("id of row [01] must be text", Preferences.from_frame, floats, better="w", worse="l")
    refused("at least one item", Preferences.from_frame, frame[:0], better="w", worse="l")
    columns = {"w": ["a", "b"], "l": ["b"], "text": "ab", "number": 3}
    refused("column 'x' must be in the table", Preferences.from_frame, columns, better="w", worse="x")
    refused("column 'l'.* 2", Preferences.from_frame, columns, better="w", worse="l")
    for name in ("text", "number"):
        refused(
            f"column '{name}' must hold one value a row",
            Preferences.from_frame,
            columns,
            better="w",
            worse=name,
        )


def test_answers() -> None:
    """Five words are answers; both sides and the answers are of one length; a question shows two things."""
    build = Preferences.from_answers
    allowed = "must be one of left, right, tie, both_bad, skip"
    refused(f"outcome of row 1 {allowed}, got 'Left': correct the row", build, "ab", "bc", ["left", "Left"])
    refused(f"outcome of row 0 {allowed}, got nan", build, ["a"], ["b"], [NAN])
    refused("right must have 2 entries, one a row, got 1", build, ["a", "b"], ["b"], ["left", "left"])
    refused("outcome must have 1 entries", build, ["a"], ["b"], ["left", "left"])
    refused("outcome must be one-dimensional, got 'left'", build, ["a"], ["b"], "left")
    refused("row 1 must name each item once, got 'b' twice", build, ["a", "b"], ["b", "b"], ["left", "tie"])
    refused("weight of row 0 must be above 0", build, ["a"], ["b"], ["skip"], weight=[0])
    refused("at least one item", build, [], [], [])


def test_rankings() -> None:
    """Each order is a list with something on each place and no item twice; the row is that of the order."""
    build = Preferences.from_rankings
    refused("row 1 must name each item once, got 'a' twice", build, [["a", "b"], ["a", ["b", "a"]]])
    refused(r"row 1 must name at least one item a place, got \[\]", build, [["a"], []])
    refused("row 0 must name at least one item a place", build, [["a", []]])
    refused("row 0 must be a list of items, best first, got 'abc': give a list of lists", build, ["abc"])
    refused("row 0 must be a list of items, best first, got 1", build, [1, 2])
    refused("id of row 1 must be text or a whole number, got None", build, [["a", "b", "c"], ["a", None]])
    refused(
        "id of row 1 must be text or a whole number, got .* of type list",
        build,
        [["a", "b"], ["a", ["b", ["c"]]]],
    )
    refused("item 'z' of row 1 is not one", build, [["a", "b"], ["a", "z"]], items="ab")
    refused("weight must have 2 entries", build, [["a"], ["b"]], weight=[1])
    refused("at least one item", build, [])
    assert len(build([], items="ab")) == 0


def test_choices() -> None:
    """A choice needs an alternative, once each."""
    build = Preferences.from_choices
    refused("row 0 must offer more than the chosen 'a': add what else was offered", build, ["a"], [["a"]])
    refused("row 0 must name each item once, got 'b' twice", build, ["a"], [["b", "b"]])
    refused("row 0 must name each item once, got '1' twice", build, [1], [["1", "2"]])
    refused("offered must have 1 entries", build, ["a"], [["b"], ["c"]])
    refused("item 'z' of row 1", build, ["a", "b"], [["b"], ["z"]], items="ab")


def test_grades() -> None:
    """One finite grade an item, one query and one id each."""
    build = Preferences.from_grades
    refused("grade of row 1 must be a finite number, got nan", build, [1, NAN])
    refused("grades must hold at least one item, got none", build, [])
    refused("grade must be one-dimensional", build, [[1, 2]])
    refused("qid must have 2 entries", build, [1, 2], qid=["x"])
    refused("qid of row 1 must be text or a whole number, got None", build, [1, 2], qid=["x", None])
    refused("grade must have 3 entries, one a row, got 2", build, [1, 2], items="abc")


def test_ratings() -> None:
    """A user rates an item once."""
    build = Preferences.from_ratings
    refused(
        "user 'u' must name each item once, got 'x' twice: keep one",
        build,
        ["v", "u", "u"],
        ["x"] * 3,
        [1, 2, 3],
    )
    refused("rating of row 0 must be a finite number", build, ["u"], ["x"], [NAN])
    refused("user must have 1 entries", build, ["u", "v"], ["x"], [1])
    refused("item must have 1 entries", build, ["u"], ["x", "y"], [1])
    refused("user of row 0 must not be empty", build, [""], ["x"], [1])
    refused("at least one item", build, [], [], [])


def test_clicks() -> None:
    """A page shows each result once; clicks are lists; judges are one a page."""
    build = Preferences.from_clicks
    refused("page 0 must show each result once", build, ["a", "b", "a"], ["b"])
    refused(
        r"clicks of page 0 must be a list of results, got 'pear': give \['pear'\]",
        build,
        ["fig", "pear"],
        "pear",
    )
    refused(r"clicks of page 0 must be a list of results, got 2: give \[2\]", build, [1, 2], 2)
    refused("clicked must have 2 entries", build, [["a"], ["b"]], [["a"]])
    refused("judge must have 1 entries, one a row, got 2", build, [["a", "b"]], [["b"]], judge=["x", "y"])
    refused(r"page 1 must be a list of ids, got \['b'\] in it", build, [["a"], ["a", ["b"]]], [["a"], []])
    refused("item 'b' of row 1 is not one", build, [["a", "c"], ["a", "b"]], [["c"], ["b"]], items="ac")
    refused("at least one item", build, [], [])
    refused("must be text or a whole number, got None", build, ["a", None], ["a"])
