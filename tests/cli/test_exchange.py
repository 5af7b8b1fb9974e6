"""`penchant export` and `import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from tests.cli.test_study import run as run_with_input
from tests.cli.typed import run, written

ANSWERS = "left,right,outcome,judge\nTea,Milk,left,ann\nMilk,Water,tie,bob\nTea,Water,skip,bob\n"


@pytest.fixture
def answered(study: Path) -> Path:
    run_with_input("compare", study, input="left\nright\nundo\nleft\ntie\n")
    return study


def test_a_study_comes_back_from_its_events(answered: Path) -> None:
    """Exported and imported, by file or by pipe, it ranks the same to the byte."""
    out, copy, piped = (answered.parent / name for name in ("events.jsonl", "copy.db", "piped.db"))
    done = run("export", answered, out)
    assert done.last == f"Next: penchant import COPY.db {out}"
    text = run("export", answered, "-").out
    assert text == out.read_text()
    again = run("export", answered, out, "--json")
    assert json.loads(again.out) == {"file": str(out), "what": "events"}
    assert run("import", copy, out).status == 0
    assert run("import", piped, "-", input=text).status == 0
    expected = run("rank", answered, "--json").out
    assert run("rank", copy, "--json").out == run("rank", piped, "--json").out == expected


def test_answers_and_ranking_are_tables(answered: Path) -> None:
    """As files and printed; answers that were taken back are there and marked."""
    text = run("export", answered, "-", "--what", "answers").out
    rows = text.splitlines()
    assert rows[0].startswith("id,question,left,right,choice,judge")
    assert [row.rsplit(",", 1)[1] for row in rows[1:]] == ["true", "false", "true", "true"]
    run("export", answered, answered.parent / "a.csv", "--what", "answers")
    assert (answered.parent / "a.csv").read_text() == text
    run("export", answered, answered.parent / "r.jsonl", "--what", "ranking")
    ranked = [json.loads(line) for line in (answered.parent / "r.jsonl").read_text().splitlines()]
    assert ranked == json.loads(run("rank", answered, "--json").out)["items"]


def test_answers_that_do_not_count_stay_out(answered: Path) -> None:
    """Ranked, as the start of a study and added to one, exported answers are those that count."""
    run_with_input("compare", answered, "--judge", "bob", input="left\nleft\nright\n")
    assert run("judges", "set-aside", answered, "bob").status == 0
    out, items = answered.parent / "a.csv", answered.parent / "items.csv"
    run("export", answered, out, "--what", "answers")
    expected = scores(run("rank", answered, "--json").out)
    ranked = run("rank", out)
    assert "Skipped: 4 rows (does not count)" in ranked.out + ranked.err
    assert scores(run("rank", out, "--json").out) == pytest.approx(expected, abs=1e-4)
    started, added = answered.parent / "started.db", answered.parent / "added.db"
    assert run("new", started, items, "--answers", out).status == 0
    assert run("new", added, items).status == 0
    assert run("import", added, out).status == 0
    with CompareStudy.open(answered, write=False) as study:
        kept = sorted((a.question.left, a.question.right, a.choice) for a in study.answers())
    for place in (started, added):
        with CompareStudy.open(place, write=False) as study:
            assert sorted((a.question.left, a.question.right, a.choice) for a in study.answers()) == kept
        assert scores(run("rank", place, "--json").out) == pytest.approx(expected, abs=1e-9)


def scores(text: str) -> dict[str, float]:
    return {row["item"]: row["score"] for row in json.loads(text)["items"]}


def test_answers_are_added_to_a_study(study: Path) -> None:
    """Skips are reported and left out, and one undo takes all of them back."""
    old = written(study.parent / "old.csv", ANSWERS)
    done = run("import", study, old)
    assert done.out.startswith(f"{study}: 2 answers;")
    assert "Skipped: 1 row (skip)" in done.err
    undo = done.last.removeprefix("Next: penchant ").split()
    assert run(*undo).out.split(" (")[1].startswith("0 answers")
    more = run("import", study, "-", "--json", input=ANSWERS)
    run("undo", study, json.loads(more.out)["import"])
    assert json.loads(run("check", study, "--json").out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["export", "STUDY", "out.csv"], "must be one of .jsonl, .ndjson for events"),
        (["export", "STUDY", "out.xls", "--what", "answers"], "must be one of .csv, .jsonl, .parquet"),
        (["export", "STUDY", "out.jsonl", "--what", "all"], "--what must be one of events, answers, ranking"),
        (["export", "STUDY", "STUDY"], "which is also read"),
        (["export", "STUDY", "-", "--json"], "must not both be printed"),
        (["import", "STUDY", "juice.csv"], "answers must be about items of the study, got 1 other: 'Juice'"),
        (["import", "new.db", "juice.csv"], "juice.csv must hold the events of a study"),
        (["import", "new.db", "none.jsonl"], "none.jsonl"),
    ],
)
def test_wrong_files_are_named(
    study: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    """One line, status 2, and no file is left behind."""

    def files() -> set[str]:
        return {path.name for path in study.parent.iterdir() if not path.name.startswith(f"{study.name}-")}

    monkeypatch.chdir(study.parent)
    written(Path("juice.csv"), "winner,loser\nJuice,Tea\n")
    before = files()
    done = run(*(str(study) if word == "STUDY" else word for word in words))
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert files() == before


def test_what_a_file_must_hold_is_named(study: Path) -> None:
    """Answers need a study, events a new file; each message has the command that works."""
    folder = study.parent
    old = written(folder / "old.csv", ANSWERS)
    new = folder / "new.db"
    done = run("import", new, old)
    assert f"{old} must hold the events of a study, since {new} does not exist" in done.err
    assert f"penchant new {new} --answers {old}" in done.err
    assert run("import", new, "-", input=ANSWERS).err.startswith("penchant: the input must hold the events")
    assert not new.exists()
    run("export", study, folder / "events.jsonl")
    again = run("import", study, folder / "events.jsonl")
    assert f"must hold answers or presentations, since {study} is a study, got events" in again.err
    assert "be a study, or not exist yet" in run("import", old, folder / "events.jsonl").err
