"""`penchant check` and `penchant convert`: what is in a file, and the same in another format."""

from __future__ import annotations

import json
from pathlib import Path

import penchant
from penchant import Preferences
from penchant.overview import Overview
from penchant.study import CompareStudy
from tests.cli.typed import run, written
from tests.metrics.test_reliability import OBSERVERS

ANSWERS = "left,right,outcome,judge\na,b,left,x\nb,c,tie,y\nc,a,right,x\na,b,right,y\nb,c,skip,x\n,c,left,x\n"
THREE = "left,right,outcome,judge\na,b,left,x\nb,c,tie,y\nc,a,right,x\n"


def test_each_check_is_a_line(tmp_path: Path) -> None:
    """How it was read, what was not used, every check of the overview, and what to type next."""
    file = written(tmp_path / "a.csv", ANSWERS)
    done = run("check", file)
    assert done.status == 0
    assert done.out.startswith(
        "a.csv, read as pairs (left = left, right = right, outcome = outcome, judge = judge)"
    )
    assert "Skipped: 1 row (skip)\nRejected: 1 of 6 rows\n  line 7: left is empty\n" in done.out
    answers = [line.split(",") for line in ANSWERS.split()[1:5]]
    left, right, outcome, judge = map(list, zip(*answers, strict=True))
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    for check, found in Overview.of(Preferences.from_answers(left, right, outcome, judge=judge)).rows():
        assert f"{check} {found}" in lines
    assert done.last == f"Next: penchant rank {file}"


def test_nothing_rejected_is_told_too(tmp_path: Path) -> None:
    """Also what is in order is said."""
    done = run("check", written(tmp_path / "g.csv", "winner,loser\na,b\n"))
    assert "Rejected: none of 1 row\n" in done.out


def test_problems_in_the_data_are_no_failure(tmp_path: Path) -> None:
    """Groups that were never compared and unbeaten items are found, with status 0."""
    done = run("check", written(tmp_path / "g.csv", "winner,loser\na,b\nx,y\n"))
    assert done.status == 0
    assert "no, 2 groups never compared with one another: a, b | x, y" in done.out
    assert "unbeaten: a, x; winless: b, y" in done.out


def test_json_has_it_all(tmp_path: Path) -> None:
    """With --json the same is told for programs, all refusals included."""
    found = json.loads(run("check", written(tmp_path / "a.csv", ANSWERS), "--json").out)
    assert found["refused"] == [{"line": 7, "reason": "left is empty"}]
    assert found["skipped"] == {"skip": 1}
    assert (found["format"], found["rows"], found["statements"], found["ties"]) == ("pairs", 6, 4, 1)
    assert found["left"]["decided"] == 3


def test_files_that_do_not_compare_are_checked(tmp_path: Path) -> None:
    """Columns can be named as for ranking, and the next command repeats them."""
    file = written(tmp_path / "g.csv", "good,bad\na,b\n")
    done = run("check", file, "--better", "good", "--worse", "bad")
    assert done.last == f"Next: penchant rank {file} --better good --worse bad"


def test_there_and_back_is_the_same(tmp_path: Path) -> None:
    """What JSONL carries comes back from it, and nothing is lost."""
    file, out = written(tmp_path / "a.csv", THREE), tmp_path / "a.jsonl"
    done = run("convert", file, out)
    assert done.status == 0, done.err
    assert f"Written: 3 rows as jsonl to {out}\nLost: nothing\n" in done.out
    assert done.last == f"Next: penchant rank {out}"
    assert penchant.read(out) == penchant.read(file)


def test_what_a_format_cannot_carry_is_listed(tmp_path: Path) -> None:
    """PrefLib knows no judges and no sides; that is told, a line each."""
    done = run("convert", written(tmp_path / "a.csv", THREE), tmp_path / "a.toi")
    assert done.status == 0, done.err
    lost = [line for line in done.out.splitlines() if line.startswith("Lost: ")]
    assert any("judge" in line for line in lost)


def test_it_does_not_overwrite_unless_forced(tmp_path: Path) -> None:
    """A file that is there stays, unless --force is typed; the input itself stays even then."""
    file, out = written(tmp_path / "a.csv", THREE), written(tmp_path / "b.jsonl", "mine")
    done = run("convert", file, out)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"penchant: {out} must not exist yet, got a file: give --force to overwrite it\n"
    assert out.read_text() == "mine"
    assert run("convert", file, out, "--force").status == 0
    assert run("convert", file, file, "--force").status == 2
    assert file.read_text() == THREE


def test_formats_can_be_named(tmp_path: Path) -> None:
    """--from and --to name formats that endings do not; the next command names it too."""
    file = written(tmp_path / "answers", THREE)
    done = run("convert", file, tmp_path / "out", "--from", "pairs", "--to", "jsonl")
    assert done.status == 0, done.err
    assert done.last == f"Next: penchant rank {tmp_path / 'out'} --format jsonl"
    assert "or give --to" in run("convert", file, tmp_path / "x.nope").err
    assert "--to must be one of" in run("convert", file, tmp_path / "x.csv", "--to", "nope").err
    assert "--from must be one of" in run("convert", file, tmp_path / "x.csv", "--from", "nope").err


def test_rejected_rows_are_told(tmp_path: Path) -> None:
    """What was not used is not in the new file, and that is said; --strict writes nothing then."""
    file, out = written(tmp_path / "a.csv", THREE + "a,,left,x\n"), tmp_path / "a.jsonl"
    assert run("convert", file, out, "--strict").status == 2
    assert not out.exists()
    done = run("convert", file, out)
    assert "Rejected: 1 of 4 rows\n  line 5: right is empty\n" in done.out


def test_a_study_is_checked_by_its_own_checks(study: Path) -> None:
    """Below what any file of answers has; each check is there whether it passed or not, as in Python."""
    run("compare", study, input="left\nright\ntie\nleft\n")
    with CompareStudy.open(study, write=False) as opened:
        expected = opened.check()
    done = run("check", study)
    assert all(check.message in done.out for check in expected)
    found = json.loads(run("check", study, "--json").out)
    assert found["checks"] == json.loads(expected.to_json())["checks"]
    assert found["ok"] is expected.ok
    assert found["statements"] == 4


def test_ratings_are_checked_for_how_well_users_agree(tmp_path: Path) -> None:
    """Krippendorff's alpha on each scale, of his own example as a table of ratings; other files have none."""
    lines = [
        f"{user},{unit},{rating:g}"
        for user, row in enumerate(OBSERVERS)
        for unit, rating in enumerate(row)
        if rating == rating
    ]
    ratings = written(tmp_path / "ratings.csv", "user,item,rating\n" + "\n".join(lines) + "\n")
    words = "Krippendorff's alpha of the ratings: 0.743 (nominal), 0.815 (ordinal), 0.849 (interval)"
    assert words in run("check", ratings).out
    assert round(json.loads(run("check", ratings, "--json").out)["alpha"]["ordinal"], 3) == 0.815
    alone = written(tmp_path / "alone.csv", "user,item,rating\n1,a,3\n1,b,4\n")
    assert "Krippendorff's alpha of the ratings" not in run("check", alone).out
    votes = written(tmp_path / "votes.csv", "winner,loser\na,b\n")
    assert "alpha" not in json.loads(run("check", votes, "--json").out)
