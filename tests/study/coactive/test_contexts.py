"""Contexts: what callers may give, what is rejected by name, and the bytes that come back."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from penchant.coactive.encoding import NamedMatrix
from penchant.errors import Damaged, InvalidInput, UnknownItem
from penchant.study.coactive.contexts import (
    DenseCandidates,
    ItemCandidates,
    NamedCandidates,
    decoded,
    read_context,
)
from penchant.study.items import Item

NAMES = st.text("abc=", min_size=1, max_size=3)
NUMBERS = st.floats(-1e9, 1e9)


class Known:
    """Three items, of which the last is retired."""

    item_numbers: Mapping[str, int] = MappingProxyType({"a": 0, "b": 1, "c": 2})
    item_ids = ("a", "b", "c")
    retired: Mapping[str, None] = MappingProxyType({"c": None})


def test_items_are_stored_by_number() -> None:
    """Two bytes a candidate, and the ids come back."""
    found = read_context(["b", "a"], Known())
    assert isinstance(found, ItemCandidates)
    assert found.content == b"i2\x01\x00\x00\x00"
    again = decoded(found.content, Known())
    assert (list(again.ids), again.numbers.tolist()) == (["b", "a"], [1, 0])  # type: ignore[union-attr]
    large = ItemCandidates(np.array([2**16]), Known())
    assert len(large.content) == 6


def test_candidates_are_found_by_id() -> None:
    """One by one or all at once, their indices are the same; one that is not there is a KeyError."""
    ids = [f"i{k}" for k in range(10)]
    known = SimpleNamespace(item_ids=ids, item_numbers={id: k for k, id in enumerate(ids)}, retired={})
    found = ItemCandidates(np.arange(0, 10, 2), known)
    assert list(found.ids) == ids[::2]
    assert (found.size, found.named(np.array([4, 0]))) == (5, ("i8", "i0"))
    assert found.indices(["i4", "i0"]) == [2, 0]
    assert found.indices(ids[::2]) == [0, 1, 2, 3, 4]
    for stranger in (["i1"], ["x"], [*ids[::2], "i1"], [*ids[::2], "x"]):
        with pytest.raises(KeyError):
            found.indices(stranger)


@given(st.dictionaries(st.text(min_size=1), st.dictionaries(NAMES, NUMBERS), min_size=1, max_size=5))
def test_named_features_come_back(context: dict[str, dict[str, float]]) -> None:
    """Every value that is not 0 comes back under its name and candidate, to the last bit."""
    found = read_context(context, Known())
    assert isinstance(found, NamedCandidates)
    again = decoded(found.content, Known())
    assert isinstance(again, NamedCandidates)
    assert again.content == found.content
    matrix = again.features()
    for row, (id, features) in enumerate(context.items()):
        assert again.ids[row] == id
        dense = matrix.values.toarray()[row]
        assert dict(zip(matrix.names, dense, strict=True)) == {
            name: features.get(name, 0) for name in matrix.names
        }


@pytest.mark.parametrize(
    "context",
    [
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        csr_array([[1.0, 2.0], [3.0, 4.0]]),
        {"0": [1, 2], "1": np.array([3.0, 4.0])},
        pd.DataFrame({"x": [1.0, 3.0], "y": [2.0, 4.0]}, index=["0", "1"]),
        NamedMatrix(np.array([[1.0, 2.0], [3.0, 4.0]]), ["x", "y"]),
    ],
)
def test_matrices_come_back(context: Any) -> None:
    """Arrays, sparse matrices, rows by id and tables give the same numbers, and so do their bytes."""
    found = read_context(context, Known())
    assert isinstance(found, DenseCandidates)
    again = decoded(found.content, Known())
    assert isinstance(again, DenseCandidates)
    assert again.values.tolist() == [[1, 2], [3, 4]]
    assert list(again.ids) == ["0", "1"]
    assert list(again.features(["x", "y"]).names) == ["x", "y"]


@pytest.mark.parametrize(
    ("context", "error", "message"),
    [
        (None, InvalidInput, "context must hold candidates, got None"),
        ("a", InvalidInput, "context must hold candidates, got 'a'"),
        (5, InvalidInput, "context must hold candidates, got 5"),
        ([], InvalidInput, "context must hold at least one candidate, got none"),
        ({}, InvalidInput, "context must hold at least one candidate, got none"),
        (np.zeros((0, 2)), InvalidInput, r"one row a candidate and at least one, got shape \(0, 2\)"),
        (np.zeros(2), InvalidInput, r"got shape \(2,\)"),
        (["a", "b", "a"], InvalidInput, "context must hold each candidate once, got 'a' twice: remove"),
        (["a", "z"], UnknownItem, "candidate 'z' must be an item of this study, got an unknown one: add it"),
        (["a", 3], InvalidInput, "candidate 1 must be the id of an item, got 3"),
        (["a", "c"], InvalidInput, "candidate 'c' must be an item that is not retired"),
        ({3: {}}, InvalidInput, "the id of candidate 0 must be a text, got 3"),
        ({"a": {"x": float("nan")}}, InvalidInput, "feature 'x' of candidate 'a' must be a number"),
        ({"a": {"x": 1.0}, "b": [1.0]}, InvalidInput, "features of candidate 'a' must be all"),
        ({"a": [1.0], "b": [1.0, 2.0]}, InvalidInput, "features of all candidates must be of one length"),
        ({"a": [1.0], "b": ["x"]}, InvalidInput, "feature 1 of candidate 'b' must be a number"),
        (pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "a"]), InvalidInput, "'a' twice"),
        (
            pd.DataFrame({"x": [1.0], "kind": ["tea"]}),
            InvalidInput,
            r"column 'kind' of the context must be numbers, got others: leave it out, or give table.to_dict\('index'\)",
        ),
        ({"a": Item("a", "A")}, InvalidInput, r"give ids alone: list\(study.items\)"),
    ],
)
def test_what_cannot_be_used_is_named(context: Any, error: type[Exception], message: str) -> None:
    """Missing candidates, repeats, unknown and retired items, and wrong numbers are rejected by name."""
    with pytest.raises(error, match=message):
        read_context(context, Known())


def test_columns_without_names_are_numbered() -> None:
    """A matrix has the names of the study, or 1, 2, …; another number of columns is rejected."""
    found = read_context(np.ones((1, 2)), Known())
    assert isinstance(found, DenseCandidates)
    assert found.features([]).names == ["1", "2"]
    with pytest.raises(InvalidInput, match="context must have 3 columns, one a feature of the study, got 2"):
        found.features(["x", "y", "z"])


@pytest.mark.parametrize(
    "content", [b"", b"q123", b"s\xff\xff\xff\xff", b"i2\x09\x00", b"d\x02\x00\x00\x00[]"]
)
def test_other_bytes_are_reported(content: bytes) -> None:
    """What is in no form that is known here raises, and quotes nothing."""
    with pytest.raises(Damaged, match="a form that is known here"):
        decoded(content, Known())


@pytest.mark.parametrize("wrong", ["x", "1.5", None, [2.0]])
def test_what_is_no_number_is_named(wrong: Any) -> None:
    """By its candidate and column, also where NumPy would read a text as a number."""
    with pytest.raises(InvalidInput, match="feature 2 of candidate 'b' must be a number"):
        read_context({"a": [1.0, 2], "b": [True, wrong]}, Known())
    assert isinstance(
        read_context({"a": [1.0, 2], "b": [np.float64(1.0), np.int64(2)]}, Known()), DenseCandidates
    )
