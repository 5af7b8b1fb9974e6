"""`penchant check` and `penchant convert`: what is in a file, and the same in another format."""

from __future__ import annotations

import json
from pathlib import Path

import penchant
from penchant import Preferences
from penchant.overview import Overview
from tests.cli.typed import run, written

ANSWERS = "left,right,outcome,judge\na,b,left,x\nb,c,tie,y\nc,a,right,x\na,b,right,y\nb,c,skip,x\n,c,left,x\n"
THREE = "left,right,outcome,judge\na,b,left,x\nb,c,tie,y\nc,a,right,x\n"


def test_each_check_is_a_line(tmp_path: Path) -> None:
    """How it was read, what was not used, every check of the overview, and what to type next."""
    file = written(tmp_path / "a.csv", ANSWERS)
    said = run("check", file)
    assert said.status == 0
    assert said.out.startswith(
        "a.csv, read as pairs (left = left, right = right, outcome = outcome, judge = judge)"
    )
    assert "Skipped: 1 row (skip)\nRefused: 1 of 6 rows\n  line 7: left is empty\n" in said.out
    answers = [line.split(",") for line in ANSWERS.split()[1:5]]
    left, right, outcome, judge = map(list, zip(*answers, strict=True))
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    for check, found in Overview.of(Preferences.from_answers(left, right, outcome, judge=judge)).rows():
        assert f"{check} {found}" in lines
    assert said.last == f"Next: penchant rank {file}"


def test_nothing_refused_is_told_too(tmp_path: Path) -> None:
    """Also what is in order is said."""
    said = run("check", written(tmp_path / "g.csv", "winner,loser\na,b\n"))
    assert "Refused: none of 1 row\n" in said.out


def test_problems_in_the_data_are_no_failure(tmp_path: Path) -> None:
    """Groups that were never compared and unbeaten items are found, with status 0."""
    said = run("check", written(tmp_path / "g.csv", "winner,loser\na,b\nx,y\n"))
    assert said.status == 0
    assert "no, 2 groups never compared with one another: a, b | x, y" in said.out
    assert "unbeaten: a, x; winless: b, y" in said.out


def test_json_has_it_all(tmp_path: Path) -> None:
    """With --json the same is told for programs, all refusals included."""
    told = json.loads(run("check", written(tmp_path / "a.csv", ANSWERS), "--json").out)
    assert told["refused"] == [{"line": 7, "reason": "left is empty"}]
    assert told["skipped"] == {"skip": 1}
    assert (told["format"], told["rows"], told["statements"], told["ties"]) == ("pairs", 6, 4, 1)
    assert told["left"]["decided"] == 3


def test_files_that_do_not_compare_are_checked(tmp_path: Path) -> None:
    """Columns can be named as for ranking, and the next command repeats them."""
    file = written(tmp_path / "g.csv", "good,bad\na,b\n")
    said = run("check", file, "--better", "good", "--worse", "bad")
    assert said.last == f"Next: penchant rank {file} --better good --worse bad"


def test_there_and_back_is_the_same(tmp_path: Path) -> None:
    """What JSONL carries comes back from it, and nothing is lost."""
    file, out = written(tmp_path / "a.csv", THREE), tmp_path / "a.jsonl"
    said = run("convert", file, out)
    assert said.status == 0, said.err
    assert f"Written: 3 rows as jsonl to {out}\nLost: nothing\n" in said.out
    assert said.last == f"Next: penchant rank {out}"
    assert penchant.read(out) == penchant.read(file)


def test_what_a_format_cannot_carry_is_listed(tmp_path: Path) -> None:
    """PrefLib knows no judges and no sides; that is told, a line each."""
    said = run("convert", written(tmp_path / "a.csv", THREE), tmp_path / "a.toi")
    assert said.status == 0, said.err
    lost = [line for line in said.out.splitlines() if line.startswith("Lost: ")]
    assert any("judge" in line for line in lost)


def test_it_does_not_overwrite_unless_forced(tmp_path: Path) -> None:
    """A file that is there stays, unless --force is typed; the input itself stays even then."""
    file, out = written(tmp_path / "a.csv", THREE), written(tmp_path / "b.jsonl", "mine")
    said = run("convert", file, out)
    assert (said.status, said.out) == (2, "")
    assert said.err == f"penchant: {out} must not exist yet, got a file: give --force to overwrite it\n"
    assert out.read_text() == "mine"
    assert run("convert", file, out, "--force").status == 0
    assert run("convert", file, file, "--force").status == 2
    assert file.read_text() == THREE


def test_formats_can_be_named(tmp_path: Path) -> None:
    """--from and --to name formats that endings do not; the next command names it too."""
    file = written(tmp_path / "answers", THREE)
    said = run("convert", file, tmp_path / "out", "--from", "pairs", "--to", "jsonl")
    assert said.status == 0, said.err
    assert said.last == f"Next: penchant rank {tmp_path / 'out'} --format jsonl"
    assert "--from or --to" in run("convert", file, tmp_path / "x.nope").err


def test_refused_rows_are_told(tmp_path: Path) -> None:
    """What was not used is not in the new file, and that is said; --strict writes nothing then."""
    file, out = written(tmp_path / "a.csv", THREE + "a,,left,x\n"), tmp_path / "a.jsonl"
    assert run("convert", file, out, "--strict").status == 2
    assert not out.exists()
    said = run("convert", file, out)
    assert "Refused: 1 of 4 rows\n  line 5: right is empty\n" in said.out
