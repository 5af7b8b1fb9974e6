"""Indices in events: lists or text, and nothing else."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.study.coactive.indices import (
    chosen,
    compact,
    expanded,
    from_json,
    has_repeats,
    is_order,
    to_json,
)


@given(st.sampled_from([1, 2**16 - 1, 2**24 - 1, 2**32 - 1]), st.data())
def test_indices_come_back(largest: int, data: st.DataObject) -> None:
    """Whatever their number and size, they come back from JSON and from bytes."""
    indices = data.draw(st.lists(st.integers(0, largest), max_size=300))
    array = np.array(indices, dtype=np.int64)
    found = from_json(to_json(array))
    assert found is not None
    assert found.tolist() == expanded(compact(array)).tolist() == indices


@pytest.mark.parametrize(
    "value",
    [
        [-1],
        [True],
        ["0"],
        [1.0],
        [2**32],
        5,
        None,
        "not Base64",
        "AAA==",
        "3:AAAAAA==",
        "3:-",
        "1:x:AA==",
        "1:9:AA==",
        "1:4:Dw==",
        "1:04:AA==",
        "2:4:AA==",
        "1:AA==",
        "1:",
    ],
)
def test_other_things_are_no_indices(value: Any) -> None:
    """Negative and large numbers, booleans, floats and damaged text are rejected."""
    assert from_json(value) is None


def test_an_order_holds_each_candidate_once() -> None:
    """A repeat, a gap and nothing at all are no orders."""
    assert is_order(np.array([2, 0, 1]))
    for wrong in ([], [0, 0], [1, 2], [0, 2]):
        assert not is_order(np.array(wrong, dtype=np.int64))
    assert not is_order(None)


@given(st.lists(st.integers(0, 400), max_size=300), st.sampled_from([1, 10_000]))
def test_repeats_are_found(indices: list[int], scale: int) -> None:
    """Short and long lists, of small and of large numbers."""
    assert has_repeats(np.array(indices, dtype=np.int64) * scale) == (len(set(indices)) < len(indices))


@pytest.mark.parametrize("indices", [[], [1], [2, 0]])
def test_values_are_chosen(indices: list[int]) -> None:
    """None, one and several."""
    assert chosen("abc", np.array(indices, dtype=np.int64)) == tuple("abc"[index] for index in indices)


def test_texts_of_events_of_version_1_are_read() -> None:
    """There indices above 65,535 had 32 bits each, and teams 16."""
    for indices in (np.arange(70_000), np.arange(200) % 2):
        found = from_json(b64encode(compact(indices)).decode())
        assert found is not None
        assert found.tolist() == indices.tolist()
