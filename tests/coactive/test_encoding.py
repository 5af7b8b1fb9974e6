"""Named features become numbers, or an error that names the feature and the candidate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive.encoding import LARGEST, Entries, entries
from penchant.errors import InvalidInput

NAMES = st.text("abc=", max_size=3)
VALUES = st.one_of(
    st.floats(-LARGEST, LARGEST), st.integers(-(10**9), 10**9), st.booleans(), st.text("ab", max_size=2)
)


def slow_entries(rows) -> tuple[list[str], list[float]]:
    """One feature after another."""
    found = [
        (f"{name}={value}", 1.0) if isinstance(value, str) else (name, float(value))
        for row in rows
        for name, value in row.items()
    ]
    return [name for name, _ in found], [value for _, value in found]


@given(rows=st.lists(st.dictionaries(st.text("abc", max_size=3), VALUES, max_size=4), max_size=4))
def test_entries_are_those_of_plain_loops(rows) -> None:
    """Names, values and their number in each candidate, whatever their types."""
    found = entries(rows)
    names, values = slow_entries(rows)
    assert found.names == names
    assert found.values.tolist() == values
    assert found.counts.tolist() == [len(row) for row in rows]
    owners = [place for place, row in enumerate(rows) for _ in row]
    assert [found.candidate(entry) for entry in range(len(names))] == owners


@given(rows=st.lists(st.dictionaries(NAMES, VALUES, max_size=4), max_size=4))
def test_no_two_features_share_a_name(rows) -> None:
    """Either a name is a number in all candidates, or an indicator in all, or the features are rejected."""
    try:
        found = entries(rows)
    except InvalidInput:
        return
    numbers = {name for row in rows for name, value in row.items() if not isinstance(value, str)}
    assert not numbers & found.categories
    for row in rows:
        assert len(entries([row]).names) == len(set(entries([row]).names)) == len(row)


def test_numbers_of_other_types_are_taken() -> None:
    """NumPy's numbers and flags, and whole numbers of any size that fit."""
    row = {"a": np.float32(0.5), "b": np.int64(3), "c": np.bool_(True), "d": 10**20}
    assert entries([row]).values.tolist() == [0.5, 3.0, 1.0, 1e20]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"price": None},
            "feature 'price' of candidate 'b' must be a number within ±1e[+]100, true or false",
        ),
        ({"price": float("nan")}, "feature 'price' of candidate 'b' must be a number"),
        ({"price": -(10**101)}, "feature 'price' of candidate 'b' must be a number"),
        ({"price": [1.0]}, "feature 'price' of candidate 'b' must be a number"),
        ({3: 1.0}, "a feature of candidate 'b' must have text as its name, got 3"),
        ({"a=b": "c"}, "feature 'a=b' of candidate 'b' must have no = in its name"),
        ({"colour": "r" * 201}, "feature 'colour' of candidate 'b' must have .* at most 200 characters"),
        ([("price", 1.0)], "features of candidate 'b' must be a mapping"),
    ],
)
def test_what_cannot_be_used_is_named(row, message: str) -> None:
    """The message names the feature and the candidate by its id, or by its index where it has none."""
    with pytest.raises(InvalidInput, match=message):
        entries([{}, row], ids=["a", "b"])
    with pytest.raises(InvalidInput, match=message.replace("'b' must", "1 must")):
        entries([{}, row])


def test_no_candidates_are_no_entries() -> None:
    """An empty list and candidates without features are fine."""
    assert entries([]).names == []
    found = entries([{}, {}])
    assert isinstance(found, Entries)
    assert found.counts.tolist() == [0, 0]
