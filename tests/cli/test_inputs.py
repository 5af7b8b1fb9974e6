"""What commands read: regular files, tables, and rows that are not used."""

from __future__ import annotations

import json
import os
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from penchant.cli.inputs import (
    file_or_input,
    files_read,
    holds_study,
    read,
    read_as,
    read_features,
    read_table,
    unused,
)
from penchant.errors import InvalidInput
from penchant.study import CompareStudy
from tests.cli.test_outputs import GAMES
from tests.cli.typed import run, written


def test_files_that_are_no_regular_ones_are_rejected(tmp_path: Path) -> None:
    """A pipe as data, model, items or links is one line, and never waited for."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    games, out = written(tmp_path / "g.csv", GAMES), tmp_path / "out"
    for words in (
        ["rank", pipe],
        ["convert", pipe, out],
        ["fit", "ranker", pipe, "--save", out],
        ["predict", pipe, games],
        ["learn", pipe, "--save", out],
        ["present", pipe, games],
        ["suggest", games, "--items", pipe],
        ["suggest", games, "--links", pipe],
        ["new", out, pipe],
    ):
        done = run(*words)
        assert (done.status, done.out) == (2, "")
        assert "must be a regular file, got a pipe" in done.err
    assert not out.exists()


def test_a_study_is_read_like_a_file(tmp_path: Path) -> None:
    """Its answers are the preferences, its skips are counted, and only SQLite files are taken for one."""
    path = tmp_path / "drinks.db"
    with CompareStudy.create(path, ["tea", "coffee", "milk"], seed=1) as study:
        for choice in ("left", "skip", "tie"):
            study.tell(study.ask("ann"), choice)
    reading = read(path)
    assert (reading.format, len(reading.preferences), dict(reading.skipped)) == ("study", 2, {"skip": 1})
    assert unused(reading) == ["Skipped: 1 row (skip)"]
    assert not holds_study(tmp_path)
    assert not holds_study(written(tmp_path / "g.csv", GAMES))


def test_rows_that_are_not_used_are_counted_with_the_first_reasons(tmp_path: Path) -> None:
    """Three reasons are shown, and --strict is named for the others."""
    lines = unused(read(written(tmp_path / "g.csv", "winner,loser\na,b\n" + ",c\n" * 5)))
    assert lines[0] == "Rejected: 5 of 6 rows"
    assert lines[1] == "  line 3: winner is empty"
    assert lines[4] == "  … and 2 more; --strict stops at them"


def test_the_titles_beside_a_file_are_read_only_where_they_are_asked_for() -> None:
    """So that no output is written over them."""
    assert files_read(Path("ml/ratings.dat"), {}) == [Path("ml/ratings.dat")]
    assert Path("ml/movies.dat") in files_read(Path("ml/ratings.dat"), {"titles": True})


def test_the_way_a_file_was_read_can_be_typed_again() -> None:
    """Columns by name, flags either way, and the format."""
    columns = {"better": "good", "left_score": "home", "header": False, "titles": True}
    words = ["--format", "pairs", "--better", "good", "--left-score", "home", "--no-header", "--titles"]
    assert read_as(columns, "pairs") == words
    assert read_as({}, None) == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.txt", "id,x\na,1\n", "must be a table that ends in .csv or .tsv"),
        ("t.csv", "", "must hold at least one row, got an empty file"),
        ("t.csv", "id,x\na,1,2\nb,1,2\n", "must have 2 cells as the first one, got more"),
        ("t.csv", "id,x\n,1\n", "row 1 of .* must have an id, got none"),
    ],
)
def test_tables_that_cannot_be_read_are_rejected(name: str, text: str, message: str, tmp_path: Path) -> None:
    """With the file, and the row where there is one."""
    with pytest.raises(InvalidInput, match=message):
        read_table(written(tmp_path / name, text), ids=1)


def test_ids_keep_their_zeros_and_words_are_no_features(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column of words is left out and named; one that was excluded is not mentioned."""
    features = read_features(written(tmp_path / "t.csv", "id,x,y,colour\n007,1,5,red\n08,2,6,blue\n"), ["y"])
    assert features.index.tolist() == ["007", "08"]
    assert features.columns.tolist() == ["x"]
    assert capsys.readouterr().err == "Left out: colour (no numbers)\n"
    with pytest.raises(InvalidInput, match=r"--without must name a column of .*, got 'z'"):
        read_features(tmp_path / "t.csv", ["z"])


def test_a_dash_is_the_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its bytes are a file for as long as they are read; any other path is itself."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"\x00tea\n")))
    with file_or_input(Path("-")) as place:
        assert place.read_bytes() == b"\x00tea\n"
    assert not place.exists()
    with file_or_input(tmp_path) as place:
        assert place == tmp_path


def test_the_standard_input_is_read_as_a_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """- stands for the input in every command that reads: comparisons, tables of features and documents."""
    votes, file = "winner,loser\na,b\nb,c\na,c\nc,a\n", tmp_path / "votes.csv"
    written(file, votes)
    assert run("rank", "-", "--json", input=votes).out == run("rank", file, "--json").out
    assert run("convert", "-", "-", "--to", "jsonl", input=votes).out.count("better") == 4
    assert run("check", "-", input=votes).out.startswith("the input, read as pairs")
    items = "id\tprice\nx\t1\ny\t2\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(items.encode())))
    assert read_table(Path("-"), ids=1).columns.tolist() == ["id", "price"]
    documents = written(tmp_path / "d.letor", "1 qid:1 1:1.0\n0 qid:1 1:0.0\n" * 5)
    saved = tmp_path / "model"
    run("fit", "ranker", documents, "--save", saved)
    assert run("predict", saved, "-", input=documents.read_text()).out == run("predict", saved, documents).out


@pytest.mark.parametrize(
    "text", ["", "winner,loser\n", "winner,loser\na\n", "winner,loser\na,b\x00\n", "tea"]
)
def test_errors_name_the_standard_input(text: str) -> None:
    """The file to which it is copied is gone when the message is read."""
    done = run("rank", "-", input=text)
    assert done.status == 2
    assert done.err.startswith("penchant: the input ")
    assert "/input" not in done.err


def test_text_among_numbers_is_named(tmp_path: Path) -> None:
    """A cell like $15k in a column of numbers is named with its column, row and value."""
    votes = written(tmp_path / "v.csv", "winner,loser\nx,y\ny,z\n")
    items = written(tmp_path / "i.csv", "id,price,colour\nx,10,red\ny,$15k,blue\nz,12,red\n")
    done = run("fit", "utility", votes, "--items", items)
    assert done.status == 2
    assert (
        "price of y must be a number, as in most rows, got '$15k': correct the cell, or give --without price"
        in (done.err)
    )


def test_missing_ids_are_rejected_with_their_lines(tmp_path: Path) -> None:
    """nan, None and an empty cell in a column of items are missing, not items; a judge of that name is nobody."""
    text = "winner,loser,judge\na,b,nan\nnan,b,x\na,None,x\n,b,x\nb,a,x\n"
    done = run("check", written(tmp_path / "v.csv", text))
    assert "Rejected: 3 of 5 rows" in done.out
    assert "line 3: winner is missing, got 'nan'" in done.out
    assert "line 4: loser is missing, got 'None'" in done.out
    assert "line 5: winner is empty" in done.out
    found = json.loads(run("check", tmp_path / "v.csv", "--json").out)
    assert (found["items"], found["judges"]) == (2, 1)


def test_only_a_near_name_is_suggested(tmp_path: Path) -> None:
    """votes.csv is meant by vote.csv; names.csv is not meant by games.csv."""
    written(tmp_path / "votes.csv", "winner,loser\na,b\n")
    assert "did you mean" in run("rank", tmp_path / "vote.csv").err
    assert "did you mean" not in run("rank", tmp_path / "items.csv").err
