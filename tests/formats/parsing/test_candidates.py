"""Candidates of a line: taken as a whole where all is as usual, as they are one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.formats.parsing import candidates
from penchant.formats.parsing.candidates import CandidateParser, one_by_one
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits

LIMITS = Limits(field=40)
NAMES = st.sampled_from(["price", "colour", "colour=red", "new", "é", "", " ", "x" * 50, "\ud800"])
VALUES = st.one_of(
    st.floats(allow_nan=False),
    st.integers(-5, 5),
    st.sampled_from([10**400, True, None, "red", "", "x" * 300, "\ud800", [1]]),
)
FEATURES = st.one_of(
    st.dictionaries(NAMES, VALUES, max_size=4), st.lists(st.floats(-1, 1), max_size=2), st.none()
)
IDS = st.sampled_from(["a", "b", "c", "é", 3, "", " ", "y" * 50, None, True])
CANDIDATES = st.one_of(
    st.fixed_dictionaries({"id": IDS, "features": FEATURES}), st.just("text"), st.just([0])
)


def outcome(parse, value) -> object:
    """What parsing gives: the candidates, with the kinds of their values, or the message."""
    try:
        items, features, form, _ = parse(value)
    except Wrong as wrong:
        return str(wrong)
    return items, [[(name, type(x), x) for name, x in row.items()] for row in features], form


@given(st.lists(st.lists(CANDIDATES, max_size=3), min_size=1, max_size=4))
def test_a_line_as_a_whole_is_what_its_candidates_are_one_by_one(lines) -> None:
    """Whatever stood in the lines before: the same candidates, or the same message."""
    parser = CandidateParser(LIMITS)
    for line in lines:
        assert outcome(parser.parse, line) == outcome(lambda value: one_by_one(value, LIMITS), line)


@pytest.mark.parametrize("remembered", [0, 1, 100_000])
def test_names_may_be_forgotten(remembered, monkeypatch) -> None:
    """A log with a new name on every line needs no more memory than the limit."""
    monkeypatch.setattr(candidates, "_REMEMBERED", remembered)
    parser = CandidateParser(LIMITS)
    for line in range(5):
        features = {f"f{line}": 1, "kind": f"k{line}"}
        found = parser.parse([{"id": "a", "features": features}])
        assert found == (("a",), ({f"f{line}": 1.0, "kind": f"k{line}"},), None, 4)
    assert max(len(parser._names), len(parser._categories)) <= max(2, remembered)
