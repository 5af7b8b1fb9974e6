"""`penchant judges`: the judges of a study or of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from tests.cli.test_study import run as run_with_input
from tests.cli.typed import run, written


@pytest.fixture
def judged(study: Path) -> Path:
    """Two judges, three answers each."""
    for judge, lines in (("ann", "left\nleft\nright\n"), ("bob", "right\nleft\nright\n")):
        run_with_input("compare", study, "--judge", judge, input=lines)
    return study


def test_judges_of_a_study_are_set_aside_and_taken_back(judged: Path) -> None:
    """The answers of a judge who is set aside do not count until they are taken back."""
    assert {row["judge"]: row["counts"] for row in json.loads(run("judges", judged, "--json").out)} == {
        "ann": True,
        "bob": True,
    }
    assert run("judges", judged).last == f"Next: penchant check {judged}"  # there is no finding
    done = run("judges", "set-aside", judged, "bob")
    assert done.out.startswith("bob: set aside; 3 answers")
    assert done.last == f"Next: penchant judges take-back {judged} bob"
    with CompareStudy.open(judged, write=False) as study:
        assert {answer.question.judge for answer in study.answers()} == {"ann"}
    assert "set aside" in run("judges", "list", judged).out.lower()
    assert run("judges", "take-back", judged, "bob", "--json").out == '{"judge": "bob", "counts": true}\n'
    with CompareStudy.open(judged, write=False) as study:
        assert len(study.answers()) == 6
    assert run("judges", "set-aside", judged, "carol").status == 2


def test_judges_of_a_file_are_listed(tmp_path: Path) -> None:
    """Any file of answers that names judges has the same table."""
    rows = "".join(f"a,b,left,ann\nb,c,left,ann\na,c,{side},bob\n" for side in ("left", "right") * 5)
    file = written(tmp_path / "a.csv", f"left,right,outcome,judge\n{rows}")
    done = run("judges", file)
    assert done.status == 0, done.err
    assert {"ann", "bob"} <= set(done.out.split())
    nobody = run("judges", "list", written(tmp_path / "n.csv", "winner,loser\na,b\n"))
    assert nobody.status == 2
    assert "must say who answered" in nobody.err


def test_programs_pace_and_pictures_of_a_file(tmp_path: Path) -> None:
    """--program names a program, --seconds the pace; the table, JSON, CSV and picture hold the same judges."""
    rows = "".join(f"a,b,left,ann,2\nb,c,left,bob,4\na,b,{side},bot,0.1\n" for side in ("left", "right") * 5)
    file = written(tmp_path / "a.csv", f"left,right,outcome,judge,secs\n{rows}")
    words = ["--program", "bot", "--seconds", "secs"]
    done = run("judges", file, *words, "--plot", tmp_path / "j.svg", "--csv", tmp_path / "j.csv")
    assert done.status == 0, done.err
    assert "bot, a program, agrees with people in 50 %" in done.out
    assert "<svg" in (tmp_path / "j.svg").read_text()
    found = {row["judge"]: row for row in json.loads(run("judges", file, *words, "--json").out)}
    assert (found["bot"]["program"], found["bot"]["agreement"], found["ann"]["seconds"]) == (True, 0.5, 2)
    assert (tmp_path / "j.csv").read_text().startswith("judge,answers,reliability,")
    assert "--program must name judges" in run("judges", file, "--program", "eve").err
    assert "--seconds must name a column" in run("judges", file, "--seconds", "pace").err
    assert "--seconds must name a column of numbers" in run("judges", file, "--seconds", "judge").err


def test_judges_of_a_study_have_a_pace(judged: Path) -> None:
    """The times of a study give the pace of its judges, and a program is named there too."""
    done = run("judges", judged, "--program", "bob")
    assert "pace" in done.out
    assert "bob, a program, " in done.out
    assert "leave it out: a study knows it" in run("judges", judged, "--seconds", "x").err
