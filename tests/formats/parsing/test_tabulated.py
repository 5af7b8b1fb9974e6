"""Preferences as tables, and what a format cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import FORMATS, read_file, write_file
from tests.formats import strategies
from tests.formats.files import again
from tests.formats.strategies import pairs_of


@settings(max_examples=25)
@given(strategies.rankings() | strategies.choices() | strategies.grades())
def test_a_table_holds_the_pairs_of_rankings_and_says_so(preferences: Preferences) -> None:
    """Rankings become their pairs, each with the row's weight; that they belonged together is listed."""
    if not preferences.statements.n_comparisons:
        return
    with again(preferences, "votes.csv") as (reading, written, _):
        assert pairs_of(reading.preferences) == pairs_of(preferences)
        if (preferences.statements.sizes > 2).any():
            assert any("which pairs belong together" in what for what in written.lost)


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    """`write` warns with the same list that `write_file` returns."""
    preferences = Preferences.from_rankings([["b", "a", "c"]], judge=["ann"], items=["c", "a", "b", "z"])
    with pytest.warns(PenchantWarning, match="pairs cannot carry everything: which pairs belong together"):
        written = penchant.write(preferences, tmp_path / "votes.csv")
    assert written.lost == (
        "which pairs belong together: 1 row written out as pairs",
        "1 item that no row mentions",
        "the order of the items: they are sorted on reading",
    )
    clicks = Preferences.from_clicks(["x", "y"], ["y"])
    assert write_file(clicks, tmp_path / "clicks.jsonl").lost == (
        "source: which rows came from one page of results",
    )


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_lists_sides_and_sources_it_cannot_carry(name: str, tmp_path: Path) -> None:
    """For each format: either the sides come back or they are listed."""
    preferences = Preferences.from_pairs([("a", "b")], better_on_left=[False])
    written = write_file(preferences, tmp_path / "votes", format=name)
    reading = read_file(tmp_path / "votes", format=name)
    kept = reading.preferences.better_on_left is not None
    assert kept != any("sides" in what for what in written.lost)


def test_what_cannot_be_written_is_rejected(tmp_path: Path) -> None:
    """Not preferences, no rows, an id with a NUL: each rejected with a message."""
    with pytest.raises(InvalidInput, match="must be a Preferences, got list"):
        write_file([("a", "b")], tmp_path / "votes.csv")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="at least one row"):
        write_file(Preferences.from_pairs([("a", "b")])[:0], tmp_path / "votes.csv")
    with pytest.raises(InvalidInput, match="without NUL to be written as pairs, got 'a\\\\x00': rename it"):
        write_file(Preferences.from_pairs([("a\0", "b")]), tmp_path / "votes.csv")
    with pytest.raises(
        InvalidInput, match="must not be read as missing to be written as pairs, got 'NaN': rename"
    ):
        write_file(Preferences.from_pairs([("NaN", "b")]), tmp_path / "votes.csv")
