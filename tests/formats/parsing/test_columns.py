"""Roles of columns by their names, and words for outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import read_file
from penchant.formats.parsing.columns import columns_among
from tests.formats.files import ABC
from tests.formats.strategies import file, rows_of


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser\na,b\nb,c\n",
        "Winner;Loser\na;b\nb;c\n",
        "loser\twinner\nb\ta\nc\tb\n",
        "id,BETTER,worse\n1,a,b\n2,b,c",
        "chosen,rejected\r\na,b\r\n\r\nb,c\r\n",
        "\ufeffwinner_name,loser_name,score\na,b,6-1\nb,c,\n",
        ' winner , loser \n a , b \n "b", "c"\n',
        "preferred,other\na,b\nb,c\n",
    ],
)
def test_who_won_and_who_lost_is_recognised(text: str, tmp_path: Path) -> None:
    """Names, capitals, separators, marks, ends of lines and spaces around cells do not matter."""
    assert rows_of(penchant.read(file(tmp_path, "votes.csv", text))) == ABC


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("left,right,outcome", ["left", "right", "tie", "both_bad", "skip"]),
        ("model_a,model_b,winner", ["model_a", "model_b", "tie", "tie (bothbad)", "skip"]),
        ("item_a,item_b,result", ["A", "B", "Draw", "bothbad", "Skipped"]),
        ("HomeTeam,AwayTeam,result", ["H", "A", "D", "neither", "skip"]),
        ("player 1,player 2,winner", ["1", "2", "draw", "Both Bad", "skip"]),
        ("white,black,result", ["1-0", "0-1", "1/2-1/2", "both bad", "skip"]),
        ("home_team,away_team,winner", ["ann", " bob", "tie", "both_bad", "skip"]),
    ],
)
def test_outcomes_in_the_usual_words(header: str, words: list[str], tmp_path: Path) -> None:
    """Sides, letters, results of chess, names of the items: five different answers stay five."""
    options = {"left": "white", "right": "black"} if "white" in header else {}
    rows = "".join(f"ann,bob,{word}\n" for word in words)
    reading = read_file(file(tmp_path, "votes.csv", f"{header}\n{rows}"), strict=True, **options)
    want = Preferences.from_answers(["ann"] * 4, ["bob"] * 4, ["left", "right", "tie", "both_bad"])
    assert rows_of(reading.preferences) == rows_of(want)
    assert (reading.skipped, reading.n_rows) == ({"skip": 1}, 5)


def test_given_columns_win_over_recognition(tmp_path: Path) -> None:
    """Each role can be given, also against what the names suggest."""
    path = file(tmp_path, "votes.csv", "winner,loser,x,y,how,n,who\np,q,a,b,tie,2,ann\n")
    reading = read_file(path, left="x", right="y", outcome="how", weight="n", judge="who")
    assert rows_of(reading.preferences) == rows_of(
        Preferences.from_answers(["a"], ["b"], ["tie"], weight=[2], judge=["ann"])
    )
    assert rows_of(read_file(path, better="y", worse="x", weight="n").preferences)[0][2] == 2


def test_names_are_used_before_ids_and_the_ids_are_noted(tmp_path: Path) -> None:
    """Where two pairs of columns fit, the readable one counts, and a note names the other."""
    path = file(tmp_path, "votes.csv", "winner_id,winner_name,loser_id,loser_name\n7,ann,8,bob\n")
    reading = read_file(path)
    assert reading.preferences.items == ("ann", "bob")
    assert reading.notes == (
        "columns 'winner_id' and 'loser_id' are also there: name them with better= and worse= to use them",
    )
    assert read_file(path, better="winner_id", worse="loser_id").preferences.items == ("7", "8")


def test_a_column_that_is_there_twice_is_rejected(tmp_path: Path) -> None:
    """Of two columns of one name none can be chosen."""
    with pytest.raises(InvalidInput, match="column 'winner' must be there once"):
        read_file(file(tmp_path, "votes.csv", "winner,loser,winner\na,b,c\n"))


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("question,left,right,choice,imported,live", True),
        ("left,right,choice,live", False),
        ("question,left,right,choice,live", False),
        ("question,better,worse,Imported,LIVE", True),
    ],
)
def test_what_counts_is_recognised_in_exported_answers_alone(header: str, named: bool) -> None:
    """Elsewhere a column that is called live may mean anything, unless it is named."""
    names = header.split(",")
    live = next(name for name in names if name.lower() == "live")
    found, given = columns_among(names), columns_among(names, {"live": live})
    assert found is not None
    assert given is not None
    assert ("live" in found.named) == named
    assert given.named["live"] == live


def test_rows_that_do_not_count_are_skipped(tmp_path: Path) -> None:
    """Also where they could not be used; an empty cell counts, and a word that says neither is rejected."""
    text = "winner,loser,kept\na,b,yes\nb,a,no\na,,false\nb,c,\nb,a,perhaps\n"
    reading = read_file(file(tmp_path, "votes.csv", text), live="kept")
    assert rows_of(reading.preferences) == ABC
    assert (reading.skipped, reading.n_rows) == ({"does not count": 2}, 5)
    (refusal,) = reading.refusals
    assert refusal.reason == "live must be true, false or empty, got 'perhaps'"
    with pytest.raises(InvalidInput, match="1 row skipped: does not count"):
        read_file(file(tmp_path, "none.csv", "winner,loser,kept\na,b,0\n"), live="kept")
