"""CSV and TSV files of comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import read_file
from tests.formats import strategies
from tests.formats.files import ABC, again, only_about_items
from tests.formats.strategies import file, rows_of


def test_a_file_without_a_header_needs_to_be_told(tmp_path: Path) -> None:
    """Two bare columns are rejected with the words to say; with header=False the first is the better one."""
    path = file(tmp_path, "votes.csv", "a,b\nb,c\n")
    with pytest.raises(
        InvalidInput, match=r"got 'a', 'b': name them with better= .*header=False if the first line"
    ):
        read_file(path)
    reading = read_file(path, header=False)
    assert rows_of(reading.preferences) == ABC
    assert reading.notes == ("the file has no header: its first column is taken for the better one",)
    assert rows_of(read_file(path, header=False, better="2", worse="1").preferences)[0][0] == (
        frozenset("b"),
        frozenset("a"),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("winner,loser,tie\na,b,maybe\n", "tie must be true, false or empty, got 'maybe'"),
        ("winner,loser,better_on_left\na,b,2\n", "better_on_left must be true, false or empty, got '2'"),
        (
            "winner,loser,period\na,b,1.5\n",
            "period must be a whole number or a date like 2024-12-31, got '1.5'",
        ),
        ("winner,loser,period\na,b,2024-13-01\n", "period must be .* got '2024-13-01'"),
        ("home,away,home_score,away_score\na,b,2,x\n", "away_score must be a number, got 'x'"),
    ],
)
def test_a_file_of_bad_rows_is_rejected(text: str, reason: str, tmp_path: Path) -> None:
    """If no row can be used, the file is rejected, and the reasons are in the message."""
    with pytest.raises(
        InvalidInput, match=rf"at least one usable row, got none \(1 row rejected: line 2: {reason}"
    ):
        read_file(file(tmp_path, "votes.csv", text))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"better": "nobody", "worse": "loser"},
            "better must name a column, got 'nobody': the file has 'winner'",
        ),
        ({"better": "winner"}, "better must be given with its counterpart, got it alone: give worse= too"),
        ({"outcome": "winner", "left": "loser"}, "left must be given with its counterpart"),
        (
            {"colour": "red"},
            "colour must not be given for the format pairs, got 'red': give some of better=, worse=,",
        ),
        ({"format": "excel"}, "format must be one of pairs, jsonl, .*, got 'excel'"),
        (
            {"outcome_is": "thing", "better": "winner", "worse": "loser"},
            "outcome_is must be 'side' or 'item'",
        ),
    ],
)
def test_wrong_options_are_rejected(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Columns that are not there, halves of pairs, unknown options and formats are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, "votes.csv", "winner,loser\na,b\n"), **options)


@settings(max_examples=25)
@given(strategies.answers())
def test_answers_as_shown_lose_nothing_in_a_table(preferences: Preferences) -> None:
    """Answers with their sides are written as left, right, outcome, and both_bad stays one row."""
    with again(preferences, "votes.csv") as (reading, written, path):
        assert path.read_text(encoding="utf-8").startswith("left,right,outcome")
        assert rows_of(reading.preferences) == rows_of(preferences)
        assert only_about_items(written.lost)


def test_formulas_are_quoted_in_the_file(tmp_path: Path) -> None:
    """What a spreadsheet would execute stands behind an apostrophe; numbers stand as they are."""
    pairs = [("=cmd()", "-1"), ("@SUM(A1)", "+1.5"), ("-x", "\t=1")]
    penchant.write(Preferences.from_pairs(pairs), tmp_path / "votes.csv")
    text = (tmp_path / "votes.csv").read_text(encoding="utf-8")
    assert text == "better,worse\n'=cmd(),-1\n'@SUM(A1),+1.5\n'-x,\"'\t=1\"\n"
    assert rows_of(penchant.read(tmp_path / "votes.csv")) == rows_of(Preferences.from_pairs(pairs))


@pytest.mark.parametrize("outcome", ["left", "right", "tie", "both_bad"])
def test_answers_about_items_called_like_outcomes_survive(outcome: str, tmp_path: Path) -> None:
    """In the columns and words that `write` uses, an outcome is never taken for an item of that name."""
    for left, right in (("tea", outcome), (outcome, "tea")):
        answers = Preferences.from_answers([left], [right], [outcome])
        penchant.write(answers, tmp_path / "votes.csv")
        assert rows_of(penchant.read(tmp_path / "votes.csv")) == rows_of(answers)
    named = penchant.read(tmp_path / "votes.csv", outcome_is="item")
    assert rows_of(named) == rows_of(Preferences.from_answers([outcome], ["tea"], ["left"]))
