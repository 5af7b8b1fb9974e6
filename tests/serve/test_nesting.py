"""The depth of JSON, against a parser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penchant.serve.nesting import is_deeper

VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='a"\\[]{}\n,:é', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('k"[]{}\\', max_size=3), inner, max_size=4)
    ),
    max_leaves=40,
)


def depth(value: Any) -> int:
    """The reference: how many lists and dictionaries are inside one another."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@example({"a": []}, 1, True, None)
@example([{"a": [{}]}], 3, True, None)
@given(VALUES, st.integers(1, 6), st.booleans(), st.sampled_from([None, 1]))
def test_json_is_as_deep_as_a_parser_finds(value: Any, limit: int, ascii: bool, indent: int | None) -> None:
    """Brackets in strings, escapes and empty strings do not count."""
    body = json.dumps(value, ensure_ascii=ascii, indent=indent).encode()
    assert is_deeper(body, limit) == (depth(value) > limit)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 21, b'{"a":' * 21, b"[{" * 11, b"[" * 60_000, b"[]" * 50 + b"[" * 21,
        b'"' + b"\\" * 2 + b'"' + b"[" * 21, b'["\\"", ' * 21,
    ],
)  # fmt: skip
def test_what_never_closes_is_deep(body: bytes) -> None:
    """Stack exhaustion: a parser opens brackets before it finds that they are not closed."""
    assert is_deeper(body, 20)


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"]" * 100, b"[}" * 100, b"[],[]" * 100, b'"' + b"[" * 100 + b'"']
)
def test_what_is_flat_or_stops_a_parser_at_once_is_not(body: bytes) -> None:
    """However many brackets there are."""
    assert not is_deeper(body, 20)
