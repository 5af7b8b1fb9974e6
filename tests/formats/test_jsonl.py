"""JSONL files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import read_file
from tests.formats.files import EVERYTHING, again, lines, only_about_items
from tests.formats.strategies import file, rows_of


def test_a_list_of_objects_is_rejected(tmp_path: Path) -> None:
    """A JSON file with one list says to write an entry a line."""
    with pytest.raises(InvalidInput, match="one JSON object a line, got a list"):
        read_file(file(tmp_path, "votes.json", '[{"winner": "a", "loser": "b"}]'))


def test_no_object_can_be_used(tmp_path: Path) -> None:
    """A file of nothing but rejected lines is rejected."""
    with pytest.raises(InvalidInput, match=r"got none \(1 row rejected: line 1: columns must say"):
        read_file(lines(tmp_path, {"this": 1}))


@given(EVERYTHING)
def test_everything_survives_jsonl(preferences: Preferences) -> None:
    """Comparisons, answers, rankings, choices, grades and ratings come back row by row."""
    with again(preferences, "votes.jsonl") as (reading, written, _):
        assert rows_of(reading.preferences) == rows_of(preferences)
        assert only_about_items(written.lost)
