"""Indices in events: lists or text, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.study.coactive.indices import compact, expanded, from_json, is_order, to_json


@given(st.lists(st.integers(0, 2**32 - 1), max_size=300))
def test_indices_come_back(indices: list[int]) -> None:
    """Whatever their number and size, they come back from JSON and from bytes."""
    array = np.array(indices, dtype=np.int64)
    found = from_json(to_json(array))
    assert found is not None
    assert found.tolist() == expanded(compact(array)).tolist() == indices


@pytest.mark.parametrize("value", [[-1], [True], ["0"], [1.0], [2**32], 5, None, "not Base64", "AAA=="])
def test_other_things_are_no_indices(value: Any) -> None:
    """Negative and large numbers, booleans, floats and damaged text are rejected."""
    assert from_json(value) is None


def test_an_order_holds_each_candidate_once() -> None:
    """A repeat, a gap and nothing at all are no orders."""
    assert is_order(np.array([2, 0, 1]))
    for wrong in ([], [0, 0], [1, 2], [0, 2]):
        assert not is_order(np.array(wrong, dtype=np.int64))
    assert not is_order(None)
