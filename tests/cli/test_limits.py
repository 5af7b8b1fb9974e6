"""Limits as they are typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penchant.cli.limits import limits
from tests.cli.test_outputs import GAMES, LETOR, LOG
from tests.cli.typed import run, written


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("g.csv", GAMES, ["rank", "FILE"]),
        ("g.csv", GAMES, ["check", "FILE"]),
        ("g.csv", GAMES, ["convert", "FILE", "OUT"]),
        ("g.csv", GAMES, ["suggest", "FILE"]),
        ("g.csv", GAMES, ["fit", "FILE", "--model", "linked-gp"]),
        ("l.txt", LETOR, ["fit", "FILE", "--save", "OUT"]),
        ("l.csv", "grade,qid,x\n1,1,0.5\n0,1,0.25\n", ["fit", "FILE", "--save", "OUT"]),
        ("log.jsonl", LOG, ["learn", "FILE", "--save", "OUT"]),
        ("items.txt", "tea\ncoffee\nwater\nmilk\n", ["new", "OUT", "FILE"]),
    ],
)
def test_each_command_that_reads_takes_limits(name: str, text: str, words: list[str], tmp_path: Path) -> None:
    """A limit that the file exceeds is named with the option that raises it, and nothing is written."""
    places = {"FILE": written(tmp_path / name, text), "OUT": tmp_path / "out.jsonl"}
    said = run(*(places.get(word, word) for word in words), "--limit", "bytes=20")
    assert (said.status, said.out) == (2, "")
    assert "must be at most 20, got more: give less, or --limit bytes=40" in said.err
    assert said.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_raised_limit_is_kept_for_the_next_command(tmp_path: Path) -> None:
    """Several limits, with units, are taken, and stand in what to type next."""
    file = written(tmp_path / "g.csv", GAMES + f"a,{'x' * 140_000}\n")
    assert "Refused: 1 of 5 rows" in run("check", file).out
    said = run("check", file, "--limit", "field=1MB", "--limit", "bytes=4GiB")
    assert "Refused: none of 5 rows" in said.out
    assert said.last == f"Next: penchant rank {file} --limit field=1MB --limit bytes=4GiB"
    assert limits().field == 131_072


@pytest.mark.parametrize(
    "limit", ["bytes", "bytes=", "bytes=x", "bytes=1XB", "rows=3", "bytes=-1", "bytes=1e9"]
)
def test_a_limit_that_is_none_is_rejected(limit: str, tmp_path: Path) -> None:
    """An unknown name, no number, an unknown unit: one line that lists what there is."""
    said = run("check", written(tmp_path / "g.csv", GAMES), "--limit", limit)
    assert said.status == 2
    assert "--limit must be NAME=NUMBER with one of bytes, line, field" in said.err
    assert said.err.count("\n") == 1


def test_features_are_not_written_out_beyond_the_limit(tmp_path: Path) -> None:
    """A model that needs a dense matrix says how large it would be before it takes the memory."""
    rows = "".join(f"{i % 2} qid:1 {i + 1}:1 90000:1\n" for i in range(20))
    file = written(tmp_path / "l.txt", rows)
    said = run("fit", file, "--model", "ordinal", "--save", tmp_path / "m", "--limit", "bytes=10MB")
    assert said.status == 2
    assert "must be at most 10,000,000, got 14,400,000: give less, or --limit bytes=14400000" in said.err


def test_files_that_are_no_regular_ones_are_rejected(tmp_path: Path) -> None:
    """A pipe as data, model, items or links is one line, and never waited for."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    games, out = written(tmp_path / "g.csv", GAMES), tmp_path / "out"
    for words in (
        ["rank", pipe],
        ["convert", pipe, out],
        ["fit", pipe, "--save", out],
        ["predict", pipe, games],
        ["learn", pipe, "--save", out],
        ["present", pipe, games],
        ["suggest", games, "--items", pipe],
        ["suggest", games, "--links", pipe],
        ["new", out, pipe],
    ):
        said = run(*words)
        assert (said.status, said.out) == (2, "")
        assert "must be a regular file, got a pipe" in said.err
    assert not out.exists()
