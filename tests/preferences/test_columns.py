"""Checks of the columns that constructors take: the message has what, limit, what came and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from tests.preferences.strategies import NAN, refused


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
