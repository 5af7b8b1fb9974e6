"""Preferences in a file: bit by bit the same, or rejected with a message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput
from penchant.preferences import BAR
from penchant.saving import from_bytes, to_bytes
from tests.preferences.strategies import Stated, anything
from tests.saving.files import unchecked_bytes

SAVED = Preferences.from_pairs(
    [("a", "b"), ("b", "c")],
    weight=[1, 2],
    judge=["x", None],
    better_on_left=[True, None],
    period=[1, 2],
) + Preferences.from_rankings([["c", ["a", "b"]]], period=[3])


@given(anything())
def test_what_is_saved_comes_back(stated: Stated) -> None:
    """Equal in everything, and the same bytes when saved again."""
    data = to_bytes(stated.preferences)
    again = from_bytes(data)
    assert isinstance(again, Preferences)
    assert again == stated.preferences
    assert to_bytes(again) == data


def test_all_columns_come_back() -> None:
    """Names, judges, sides, periods, pages and the bar too; and what comes back is read-only."""
    clicks = Preferences.from_clicks([["a", "b"]], [["b"]])
    bad = Preferences.from_answers(["a"], ["b"], ["both_bad"])
    for prefs in (SAVED, clicks, bad, clicks + bad):
        again = from_bytes(to_bytes(prefs))
        assert again == prefs
        assert repr(again) == repr(prefs)
        assert not again.statements.members.flags.writeable  # type: ignore[attr-defined]


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"members": np.array([0, 1, 1, 2, 2, 0, 3], dtype=np.int32)}, "statements about known items"),
        ({"members": np.array([0, 1, 1, 2, 2, 0, -1], dtype=np.int32)}, "members must be at least 0, got -1"),
        ({"members": np.array([0, 1, 1, 2, 2, 0, 0], dtype=np.int32)}, "name each item once a row"),
        ({"members": np.array([0, 1], dtype=np.int32)}, r"levels must have shape \(2,\)"),
        ({"members": np.zeros((7, 1), dtype=np.int32)}, "members must"),
        ({"members": np.zeros(7)}, "members must"),
        ({"members": None}, "members must"),
        ({"levels": np.array([0, 1], dtype=np.int32)}, r"levels must have shape \(7,\)"),
        ({"levels": np.array([0, 1, 0, 1, 1, 0, 0], dtype=np.int32)}, "statements about known items"),
        ({"levels": np.array([0, 1, 0, 1, 0, 2, 2], dtype=np.int32)}, "statements about known items"),
        ({"levels": np.array([0, 1, 0, 1, 0, 1, 0], dtype=np.int32)}, "statements about known items"),
        ({"starts": ints(0, 4, 2, 7)}, "statements about known items"),
        ({"starts": ints(0, 2, 4, 9)}, "statements about known items"),
        ({"starts": ints(1, 2, 4, 7)}, "statements about known items"),
        ({"starts": ints(0, 2, 7)}, "statements about known items"),
        ({"starts": ints()}, "statements about known items"),
        ({"tied": np.array([True])}, "weight must have shape"),
        ({"weight": np.array([1.0])}, r"weight must have shape \(3,\)"),
        ({"weight": np.array([1.0, 0.0, 1.0])}, "weight must be above 0"),
        ({"weight": np.array([1.0, np.nan, 1.0])}, "weight must hold finite numbers"),
        ({"judge": ints(0, 1, 0)}, "judge must be one of judges"),
        ({"judge": ints(0, -2, 0)}, "judge must be at least -1, got -2"),
        ({"judges": ("x", "x")}, "judges must be different texts"),
        ({"judges": ["x"]}, "judges must be a tuple of texts"),
        ({"better_on_left": np.array([0, 1, 2], dtype=np.int8)}, "better_on_left must be at most 1, got 2"),
        ({"period": ints(1)}, r"period must have shape \(3,\)"),
        ({"source": ints(1)}, r"source must have shape \(3,\)"),
        ({"count": 0}, "count must be a whole number from 1"),
        ({"count": 3.0}, "count must be a whole number"),
        ({"count": 4}, "names must be one id for each of 4 items"),
        ({"names": ("a", "b", "b")}, "names must be different texts"),
        ({"names": ("a", "b", 3)}, "names must be a tuple of texts"),
        ({"names": ("a", BAR, "c")}, "last, or not at all"),
        ({"names": ("a", "", "c")}, "names must be one id for each of 3 items"),
        (
            {"names": None, "count": 10**9},
            "count of items without names must be at most 1,000,000, got 1,000,000,000",
        ),
        ({"bar": True}, "last, or not at all"),
    ],
)
def test_a_damaged_state_is_rejected(damage: dict[str, Any], message: str) -> None:
    """Nothing that would lead outside an array, or say what cannot be said, is let in."""
    state = SAVED.__save_state__()
    assert Preferences.__load_state__(state) == SAVED
    with pytest.raises(InvalidInput, match=message):
        Preferences.__saved__.check({**state, **damage})


def test_a_damaged_file_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error reaches whoever loads the file, as words about the file."""
    state = {**SAVED.__save_state__(), "starts": ints(0, 4, 2, 7)}
    monkeypatch.setattr(Preferences, "__save_state__", lambda _: state)
    with pytest.raises(CannotLoad, match="Preferences rejects its state"):
        from_bytes(unchecked_bytes(SAVED))
