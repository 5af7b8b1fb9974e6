"""The result of reading, and the rows that were rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

import penchant
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import Limits, read_candidates, read_file
from tests.formats.files import LOG, VOTES
from tests.formats.strategies import file


def test_a_reading_tells_what_it_found(tmp_path: Path) -> None:
    """The repr has the rows, the columns, the skips, the refusals and the notes."""
    path = file(tmp_path, "votes.csv", b"left,right,outcome\na,b,left\na,b,skip\na,a,left\n")
    assert repr(read_file(path)).splitlines() == [
        "votes.csv: 3 rows read as pairs, Preferences: 1 comparison of 2 items, connected",
        "columns: left = left, right = right, outcome = outcome",
        "1 row skipped: skip",
        "1 row rejected: line 4: 'a' is compared with itself",
    ]


def test_rows_that_cannot_be_used_are_no_more_than_the_limit(tmp_path: Path) -> None:
    """A file of another kind is given up at some point instead of being listed row by row."""
    path = file(tmp_path, "x.csv", VOTES + "a,a\n" * 50)
    assert len(read_file(path, limits=Limits(refused=50)).refusals) == 50
    with pytest.raises(InvalidInput, match="that cannot be used as pairs must be at most 49, got more"):
        read_file(path, limits=Limits(refused=49))
    log = file(tmp_path, "log.jsonl", LOG + "\n{}" * 50)
    with pytest.raises(InvalidInput, match="that cannot be used must be at most 49"):
        list(read_candidates(log, limits=Limits(refused=49)))


def test_the_warning_counts_all_and_names_three(tmp_path: Path) -> None:
    """Five rejected rows are counted, three named."""
    path = file(tmp_path, "votes.csv", "winner,loser\na,b\n" + "a,a\n" * 5)
    with pytest.warns(
        PenchantWarning, match=r"5 rows rejected: line 3: .*; line 4: .*; line 5: .*; and 2 more$"
    ):
        penchant.read(path)
