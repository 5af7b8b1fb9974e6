"""Rows of a file as preferences."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.formats import read_file
from penchant.formats.parsing.rows import distinct, first_twice, in_order
from penchant.preferences import BAR
from tests.formats.files import lines
from tests.formats.strategies import file


def test_numbers_as_ids_are_sorted_by_value(tmp_path: Path) -> None:
    """Ids that are whole numbers are in the order of their values, as in a frame of numbers."""
    assert read_file(file(tmp_path, "votes.csv", "winner,loser\n10,9\n2,10\n")).preferences.items == (
        "2",
        "9",
        "10",
    )


def test_a_period_is_for_all_rows_or_none(tmp_path: Path) -> None:
    """Where some rows have a period, those without are rejected."""
    path = lines(tmp_path, {"winner": "a", "loser": "b", "period": 3}, {"winner": "a", "loser": "b"})
    reading = read_file(path)
    assert [(refusal.line, len(reading.preferences)) for refusal in reading.refusals] == [(2, 1)]
    assert reading.refusals[0].reason == "period is absent, other rows have one: add it"


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["10", "9", "-2"], ["-2", "9", "10"]),
        (["10", "9", "a"], ["10", "9", "a"]),
        (["10", "9", "010"], ["010", "10", "9"]),
        (["b", BAR, "~"], ["b", "~", BAR]),
        ([], []),
    ],
)
def test_ids_are_sorted_as_numbers_only_where_all_are_numbers(ids: list[str], expected: list[str]) -> None:
    """One id that is not a whole number makes all of them text; the bar always comes last."""
    assert in_order(ids) == expected


@given(st.dictionaries(st.integers(0, 20), st.sampled_from(["", "tea", "tea (1)", "tea (2)", "(3)"])))
def test_distinct_names_are_distinct(names: dict[int, str]) -> None:
    """Every key keeps a name of its own, and a name that is unique among them stays as it is."""
    found = distinct(names)
    assert found.keys() == names.keys()
    assert len(set(found.values())) == len(names)
    if len(set(names.values())) == len(names):
        assert all(found[key] == name for key, name in names.items() if name)


def test_the_first_repetition_is_found() -> None:
    """It is the item whose second occurrence comes first, not the item that comes first."""
    assert first_twice(["a", "b", "c", "b", "a"]) == "b"
    with pytest.raises(ValueError, match="no item occurs twice"):
        first_twice(["a", "b"])


def test_rows_of_several_kinds_stay_in_the_order_of_their_lines(tmp_path: Path) -> None:
    """Comparisons and rankings are parsed apart; columns that only some rows have are filled."""
    path = lines(
        tmp_path,
        {"order": ["c", "b", "a"]},
        {"winner": "a", "loser": "b", "weight": 2, "judge": "ann"},
        {"order": ["b", "c"], "judge": "bob"},
    )
    preferences = read_file(path, strict=True).preferences
    assert preferences.to_orders() == [["c", "b", "a"], ["a", "b"], ["b", "c"]]
    assert preferences.weight is not None
    assert preferences.weight.tolist() == [1.0, 2.0, 1.0]
    assert preferences.judge is not None
    assert preferences.judge.tolist() == [-1, 0, 1]
