"""Comparisons in CSV and TSV: every way to name the columns, and every row that must be refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import Refusal, read_file
from tests.formats.saying import file, said

NO_OUTCOME = "outcome {!r} is neither one of left, right, tie, both_bad, skip nor one of the two items"
ABC = said(Preferences.from_pairs([("a", "b"), ("b", "c")]))


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
    assert said(penchant.read(file(tmp_path, "votes.csv", text))) == ABC


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
    assert said(reading.preferences) == said(want)
    assert (reading.skipped, reading.n_rows) == ({"skip": 1}, 5)


def test_scores_decide(tmp_path: Path) -> None:
    """The higher score wins, equal ones tie, and the side is known."""
    header = "date,home_team,away_team,home_score,away_score"
    text = f"{header}\n2024-01-31,a,b,2,1\n2024-02-01,a,b,0,0\n2024-02-01,a,b,1,9\n"
    reading = read_file(file(tmp_path, "games.csv", text), period="date")
    want = Preferences.from_answers(
        list("aaa"), list("bbb"), ["left", "tie", "right"], period=[738916, 738917, 738917]
    )
    assert said(reading.preferences) == said(want)
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


def test_given_columns_win_over_recognition(tmp_path: Path) -> None:
    """Each role can be given, also against what the names suggest."""
    path = file(tmp_path, "votes.csv", "winner,loser,x,y,how,n,who\np,q,a,b,tie,2,ann\n")
    reading = read_file(path, left="x", right="y", outcome="how", weight="n", judge="who")
    assert said(reading.preferences) == said(
        Preferences.from_answers(["a"], ["b"], ["tie"], weight=[2], judge=["ann"])
    )
    assert said(read_file(path, better="y", worse="x", weight="n").preferences)[0][2] == 2


def test_names_are_used_before_ids_and_the_ids_are_noted(tmp_path: Path) -> None:
    """Where two pairs of columns fit, the readable one counts, and a note names the other."""
    path = file(tmp_path, "votes.csv", "winner_id,winner_name,loser_id,loser_name\n7,ann,8,bob\n")
    reading = read_file(path)
    assert reading.preferences.items == ("ann", "bob")
    assert reading.notes == (
        "columns 'winner_id' and 'loser_id' are also there: name them with better= and worse= to use them",
    )
    assert read_file(path, better="winner_id", worse="loser_id").preferences.items == ("7", "8")


def test_a_file_without_a_header_needs_to_be_told(tmp_path: Path) -> None:
    """Two bare columns are refused with the words to say; with header=False the first is the better one."""
    path = file(tmp_path, "votes.csv", "a,b\nb,c\n")
    with pytest.raises(
        InvalidInput, match=r"got 'a', 'b': name them with better= .*header=False if the first line"
    ):
        read_file(path)
    reading = read_file(path, header=False)
    assert said(reading.preferences) == ABC
    assert reading.notes == ("the file has no header: its first column is taken for the better one",)
    assert said(read_file(path, header=False, better="2", worse="1").preferences)[0][0] == (
        frozenset("b"),
        frozenset("a"),
    )


def test_numbers_as_ids_are_sorted_by_value(tmp_path: Path) -> None:
    """Ids that are whole numbers are in the order of their values, as in a frame of numbers."""
    assert read_file(file(tmp_path, "votes.csv", "winner,loser\n10,9\n2,10\n")).preferences.items == (
        "2",
        "9",
        "10",
    )


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
        ("a,b,1,ann,left,more", "6 cells where the first line has 5"),
        ('a,"b"c,1,ann,left', "cells cannot be told apart (',' expected after '\"')"),
    ],
)
def test_a_bad_row_is_refused_by_line_and_the_others_stay(row: str, reason: str, tmp_path: Path) -> None:
    """One bad row among good ones is refused by its line with the reason, and nothing of it is kept."""
    text = f'left,right,weight,judge,outcome\na,"b\nb",1,ann,left\n\n{row}\na,c,2,bob,right\n'
    path = file(tmp_path, "votes.csv", text)
    reading = read_file(path)
    assert reading.refusals == (Refusal(5, reason),)
    assert reading.n_rows == 3
    assert reading.preferences.items == ("a", "b\nb", "c")
    assert len(reading.preferences) == 2
    with pytest.warns(PenchantWarning, match=r"votes.csv: 1 row refused: line 5: "):
        penchant.read(path)
    with pytest.raises(InvalidInput, match=r"votes.csv:5: .* \(1 row refused\): repair the file"):
        penchant.read(path, strict=True)


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
def test_a_file_of_bad_rows_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    """If no row can be used, the file is refused, and the reasons are in the message."""
    with pytest.raises(
        InvalidInput, match=rf"at least one usable row, got none \(1 row refused: line 2: {reason}"
    ):
        read_file(file(tmp_path, "votes.csv", text))


def test_the_warning_counts_all_and_names_three(tmp_path: Path) -> None:
    """Five refused rows are counted, three named."""
    path = file(tmp_path, "votes.csv", "winner,loser\na,b\n" + "a,a\n" * 5)
    with pytest.warns(
        PenchantWarning, match=r"5 rows refused: line 3: .*; line 4: .*; line 5: .*; and 2 more$"
    ):
        penchant.read(path)


def test_a_quote_that_is_never_closed_refuses_the_file(tmp_path: Path) -> None:
    """Nothing is half-read: a quote that swallows the rest is named by the line where it opens."""
    path = file(tmp_path, "votes.csv", 'winner,loser\na,b\n"a,b\na,c\n')
    with pytest.raises(InvalidInput, match=r"votes.csv:3: a quote must be closed again"):
        read_file(path)


def test_only_skips_are_no_preferences(tmp_path: Path) -> None:
    """Skips are counted and teach nothing."""
    with pytest.raises(InvalidInput, match="2 rows skipped: skip"):
        read_file(file(tmp_path, "votes.csv", "left,right,outcome\na,b,skip\na,c,Skipped\n"))


def test_words_that_are_also_items(tmp_path: Path) -> None:
    """Where "a" is a side and an item, the other rows decide; where they cannot, it must be said."""
    header = "left,right,outcome\n"
    items = read_file(file(tmp_path, "items.csv", header + "b,a,a\nc,a,c\n"), strict=True)
    assert said(items.preferences)[0][0] == (frozenset("a"), frozenset("b"))
    sides = read_file(file(tmp_path, "sides.csv", header + "b,a,a\nb,c,a\n"), strict=True)
    assert said(sides.preferences)[0][0] == (frozenset("b"), frozenset("a"))
    open_ = file(tmp_path, "open.csv", header + "b,a,a\n")
    with pytest.raises(InvalidInput, match="outcome 'a' must mean one thing"):
        read_file(open_)
    assert said(read_file(open_, outcome_is="item").preferences)[0][0][0] == {"a"}
    assert said(read_file(open_, outcome_is="side").preferences)[0][0][0] == {"b"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"better": "nobody", "worse": "loser"},
            "better must name a column, got 'nobody': the file has 'winner'",
        ),
        ({"better": "winner"}, "better must be given with its counterpart, got it alone: give worse= too"),
        ({"outcome": "winner", "left": "loser"}, "left must be given with its counterpart"),
        ({"colour": "red"}, "option 'colour' is not one of format 'pairs', which takes better, worse"),
        ({"format": "excel"}, "format must be one of pairs, jsonl, .*, got 'excel'"),
        (
            {"outcome_is": "thing", "better": "winner", "worse": "loser"},
            "outcome_is must be 'side' or 'item'",
        ),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Columns that are not there, halves of pairs, unknown options and formats are refused in words."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, "votes.csv", "winner,loser\na,b\n"), **options)


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Of two columns of one name none can be chosen."""
    with pytest.raises(InvalidInput, match="column 'winner' must be there once"):
        read_file(file(tmp_path, "votes.csv", "winner,loser,winner\na,b,c\n"))


def test_encodings(tmp_path: Path) -> None:
    """UTF-8, UTF-16 with a mark and gzipped files are read; Latin-1 is guessed and noted."""
    text = "winner,loser\nØrsted,café\n"
    for name, content in [
        ("utf8.csv", text.encode()),
        ("utf16.csv", text.encode("utf-16")),
        ("zipped.csv.gz", gzip.compress(text.encode())),
        ("latin.csv", text.encode("latin-1")),
    ]:
        reading = read_file(file(tmp_path, name, content))
        assert set(reading.preferences.items) == {"Ørsted", "café"}
        assert bool(reading.notes) == (name == "latin.csv")


def test_a_letter_may_be_cut_between_blocks(tmp_path: Path) -> None:
    """A file of several megabytes is UTF-8 also where a block ends inside a letter."""
    for shift in range(2):
        text = "winner,loser\n" + "x" * shift + "é" * (3 << 19) + ",b\n"
        reading = read_file(file(tmp_path, "long.csv", text.replace("é" * 65536, "é,b\né")))
        assert reading.notes == ()


def test_half_a_letter_of_utf16_is_refused(tmp_path: Path) -> None:
    """A file cut off inside a letter is refused in words."""
    with pytest.raises(InvalidInput, match="must be utf-16"):
        read_file(file(tmp_path, "votes.csv", "winner,loser\na,b\n".encode("utf-16")[:-1]))


def test_a_cell_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """A cell beyond the limit of the csv module is one refused row, not a failure."""
    reading = read_file(file(tmp_path, "votes.csv", f"winner,loser\na,b\na,{'x' * 200_000}\nb,c\n"))
    assert [refusal.line for refusal in reading.refusals] == [3]
    assert said(reading.preferences) == ABC


def test_a_broken_gzip_is_refused(tmp_path: Path) -> None:
    """A file cut off while it was copied is refused in words."""
    whole = gzip.compress(b"winner,loser\n" + b"a,b\n" * 10000)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_file(file(tmp_path, "votes.csv.gz", whole[:40]))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "got an empty file: write it anew"),
        ("blank.csv", b"\n \n", "got an empty file"),
        ("header.csv", b"winner,loser\n", "it has a header and no rows"),
        ("binary.csv", b"winner,loser\n\x00\x01\x02", "must be text, got bytes that are none"),
        ("one.csv", b"winner\na\n", "columns must say who was preferred, got 'winner'"),
    ],
)
def test_files_that_hold_nothing_are_refused(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    """Empty, blank, header alone, binary, a single column: each refused with what to do next."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, name, content))


def test_places_where_no_file_is_are_refused(tmp_path: Path) -> None:
    """A missing file, a folder and a missing folder are refused; a near name is suggested."""
    file(tmp_path, "votes.csv", "winner,loser\na,b\n")
    with pytest.raises(InvalidInput, match=r"got nothing there: did you mean .*votes.csv\?"):
        read_file(tmp_path / "vote.csv")
    with pytest.raises(InvalidInput, match="got a folder: name one file in it"):
        read_file(tmp_path)
    with pytest.raises(InvalidInput, match="no folder"):
        read_file(tmp_path / "nowhere" / "votes.csv")
