"""Comparisons from the cells of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import Refusal, read_file
from tests.formats.strategies import file, rows_of

NO_OUTCOME = "outcome {!r} is neither one of left, right, tie, both_bad, skip nor one of the two items"


def test_scores_decide(tmp_path: Path) -> None:
    """The higher score wins, equal ones tie, and the side is known."""
    header = "date,home_team,away_team,home_score,away_score"
    text = f"{header}\n2024-01-31,a,b,2,1\n2024-02-01,a,b,0,0\n2024-02-01,a,b,1,9\n"
    reading = read_file(file(tmp_path, "games.csv", text), period="date")
    want = Preferences.from_answers(
        list("aaa"), list("bbb"), ["left", "tie", "right"], period=[738916, 738917, 738917]
    )
    assert rows_of(reading.preferences) == rows_of(want)
    assert reading.columns == {
        "left": "home_team",
        "right": "away_team",
        "left_score": "home_score",
        "right_score": "away_score",
        "period": "date",
    }


def test_everything_that_a_row_may_carry(tmp_path: Path) -> None:
    """Weight, judge, tie, side and period are read where their columns are there."""
    text = "winner,loser,weight,worker,tie,better_on_left,period\na,b,2.5,ann,false,true,3\nb,c,1,,yes,,4\n"
    want = Preferences.from_pairs(
        [("a", "b"), ("b", "c")],
        weight=[2.5, 1],
        judge=["ann", None],
        tie=[False, True],
        better_on_left=[True, None],
        period=[3, 4],
    )
    assert read_file(file(tmp_path, "votes.csv", text)).preferences == want


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("b,,1,ann,left", "right is empty"),
        ("  ,b,1,ann,left", "left is empty"),
        ("b,b,1,ann,left", "'b' is compared with itself"),
        ("a,b,0,ann,left", "weight must be a number above 0, got '0'"),
        ("a,b,-1,ann,left", "weight must be a number above 0, got '-1'"),
        ("a,b,nan,ann,left", "weight must be a number above 0, got 'nan'"),
        ("a,b,inf,ann,left", "weight must be a number above 0, got 'inf'"),
        ("a,b,,ann,left", "weight must be a number above 0, got ''"),
        ("a,b,1,ann,", "the outcome is empty"),
        (
            "a,b,1,ann,maybe",
            NO_OUTCOME.format("maybe"),
        ),
        (
            "a,b,1,ann,c",
            NO_OUTCOME.format("c"),
        ),
        ("a,b,1", "3 cells where the first line has 5"),
        ("a", "1 cell where the first line has 5"),
        ("a,b,1,ann,left,more", "6 cells where the first line has 5"),
        ('a,"b"c,1,ann,left', "cells cannot be separated (',' expected after '\"')"),
    ],
)
def test_a_bad_row_is_rejected_by_line_and_the_others_stay(row: str, reason: str, tmp_path: Path) -> None:
    """One bad row among good ones is rejected by its line with the reason, and nothing of it is kept."""
    text = f'left,right,weight,judge,outcome\na,"b\nb",1,ann,left\n\n{row}\na,c,2,bob,right\n'
    path = file(tmp_path, "votes.csv", text)
    reading = read_file(path)
    assert reading.refusals == (Refusal(5, reason),)
    assert reading.n_rows == 3
    assert reading.preferences.items == ("a", "b\nb", "c")
    assert len(reading.preferences) == 2
    with pytest.warns(PenchantWarning, match=r"votes.csv: 1 row rejected: line 5: "):
        penchant.read(path)
    with pytest.raises(InvalidInput, match=r"votes.csv:5: .* \(1 row rejected\): repair the file"):
        penchant.read(path, strict=True)


def test_only_skips_are_no_preferences(tmp_path: Path) -> None:
    """Skips are counted and teach nothing."""
    with pytest.raises(InvalidInput, match="2 rows skipped: skip"):
        read_file(file(tmp_path, "votes.csv", "left,right,outcome\na,b,skip\na,c,Skipped\n"))


def test_words_that_are_also_items(tmp_path: Path) -> None:
    """Where "a" is a side and an item, the other rows decide; where they cannot, it must be said."""
    header = "left,right,outcome\n"
    items = read_file(file(tmp_path, "items.csv", header + "b,a,a\nc,a,c\n"), strict=True)
    assert rows_of(items.preferences)[0][0] == (frozenset("a"), frozenset("b"))
    sides = read_file(file(tmp_path, "sides.csv", header + "b,a,a\nb,c,a\n"), strict=True)
    assert rows_of(sides.preferences)[0][0] == (frozenset("b"), frozenset("a"))
    open_ = file(tmp_path, "open.csv", header + "b,a,a\n")
    with pytest.raises(InvalidInput, match="outcome 'a' must mean one thing"):
        read_file(open_)
    assert rows_of(read_file(open_, outcome_is="item").preferences)[0][0][0] == {"a"}
    assert rows_of(read_file(open_, outcome_is="side").preferences)[0][0][0] == {"b"}
