"""Contributions of features to the difference of two scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from penchant.coactive import ScoreDifference
from penchant.errors import InvalidInput, UnknownItem

NAMES = ("a", "b", "c")
ROW = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@given(first=ROW, second=ROW, weights=ROW, sparse=st.booleans())
def test_contributions_are_weights_times_differences(first, second, weights, sparse: bool) -> None:
    """They add up to the difference of the scores, are sorted by size, and leave out what contributes nothing."""
    X = np.array([first, second], dtype=float)
    found = ScoreDifference.between(
        csr_array(X) if sparse else X, np.array(weights, dtype=float), NAMES, 0, 1
    )
    parts = {name: w * (x - y) for name, w, x, y in zip(NAMES, weights, first, second, strict=True)}
    assert dict(found.contributions) == {name: part for name, part in parts.items() if part}
    assert found.difference == sum(parts.values())
    sizes = [abs(value) for _, value in found.contributions]
    assert sizes == sorted(sizes, reverse=True)
    assert found.to_frame().shape == (len(sizes), 2)


def test_candidates_must_be_there() -> None:
    """A row that is none is rejected."""
    for a, b, error in (
        (0, 2, UnknownItem),
        (5, 0, UnknownItem),
        (-1, 0, InvalidInput),
        (0.5, 0, InvalidInput),
    ):
        with pytest.raises(error):
            ScoreDifference.between(np.eye(2), np.ones(2), ("a", "b"), a, b)
