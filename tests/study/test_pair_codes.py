"""Sorted codes of pairs against a plain set of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.study.pair_codes import PairCodes

CODES = st.integers(0, 2**62)


@given(
    st.lists(CODES),
    st.lists(st.tuples(st.booleans(), CODES | st.integers(0, 5))),
    st.lists(CODES, max_size=3),
)
def test_codes_are_a_sorted_set(first: list[int], steps: list[tuple[bool, int]], few: list[int]) -> None:
    """After any steps it holds what a set holds, in rising order; a copy and an array do not change with it."""
    codes, expected = PairCodes(first), set(first)
    joined, array, before = codes.joined(few), codes.sorted(), sorted(expected)
    for is_added, code in steps:
        (codes.add if is_added else codes.discard)(code)
        (expected.add if is_added else expected.discard)(code)
        assert (code in codes) is is_added
    assert list(codes) == sorted(expected)
    assert len(codes) == len(expected)
    np.testing.assert_array_equal(codes.sorted(), sorted(expected))
    assert array.tolist() == before
    assert list(joined) == sorted({*before, *few})
