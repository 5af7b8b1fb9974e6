"""`penchant new`, and what a new study ranks; Python and the command line agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from penchant.cli import app
from penchant.study import CompareStudy
from tests.cli.conftest import DRINKS
from tests.cli.typed import run as typed
from tests.cli.typed import written


def run(*words: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=input, env={"COLUMNS": "100"})


def test_every_way_shows_the_same_numbers(study: Path) -> None:
    """Python and the command line, as table and as JSON, tell the same ranking; the file is not written to."""
    run("compare", study, input="left\nright\nleft\ntie\nleft\nright\n")
    with CompareStudy.open(study) as opened:
        expected = json.loads(opened.rank().to_json())
        beside = json.loads(run("rank", study, "--json").output)  # also while somebody writes
    assert json.loads(run("rank", study, "--json").output) == expected == beside
    table = run("rank", study)
    assert "the study's own" in table.output
    assert f"{expected['items'][0]['score']:.2f}" in table.output
    assert run("check", study).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("new", "there.db", "items.csv"), "there.db"),
        (("new", "new.db", "no-such-file.csv"), "no-such-file.csv"),
        (("new", "new.db", "one.txt"), "at least 2 items, got 1"),
        (("new", "new.db", "items.csv", "--model", "elo"), "one of bradley-terry, thurstone"),
        (("ask", "items.csv"), "items.csv"),
        (("ask", "no-such.db"), "no-such.db"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    """Missing, wrong and existing files are named, with status 2, and nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text(DRINKS)
    Path("one.txt").write_text("only\n")
    Path("there.db").write_text("something else\n")
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not Path("new.db").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("new", "new.db", "items.csv", "--top", "4"), "--top must be a whole number from 1 to 3, got 4"),
        (("new", "new.db", "items.csv", "--title", "a\x1b"), "--title must not hold control characters"),
        (("ask", "drinks.db", "--judge", "x" * 101), "--judge must be a name of 1 to 100 characters"),
    ],
)
def test_errors_name_what_was_typed(
    study: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    """An argument of the library is the option of the command."""
    monkeypatch.chdir(study.parent)
    done = run(*words)
    assert done.exit_code == 2
    assert message in done.output


def test_columns_of_answers_that_are_not_stored_are_named(tmp_path: Path) -> None:
    """Whether answers start a study or are added to one, from CSV or JSONL; without such columns nothing is said."""
    header, row = "left,right,outcome,judge,period,mood,place", "Tea,Milk,left,ann,3,good,home"
    csv = written(tmp_path / "old.csv", f"{header}\n{row}\n")
    fields = dict(zip(header.split(","), row.split(","), strict=True))
    jsonl = written(tmp_path / "old.jsonl", json.dumps({**fields, "period": 3}) + "\n")
    expected = "Not stored: period, mood, place ("
    for number, old in enumerate((csv, jsonl)):
        study = tmp_path / f"{number}.db"
        assert expected in typed("new", study, "--answers", old).err
        assert expected in typed("import", study, old).err
    short = written(tmp_path / "short.csv", "left,right,outcome\nTea,Milk,left\n")
    assert "Not stored" not in typed("import", tmp_path / "0.db", short).err


def test_a_study_starts_from_answers_given_elsewhere(tmp_path: Path) -> None:
    """Its items are those of the file of items, or without one those of the answers; a skip is reported."""
    old = written(
        tmp_path / "old.csv",
        "left,right,outcome,judge\nTea,Milk,left,ann\nMilk,Tea,both_bad,bob\nMilk,Tea,skip,bob\n",
    )
    items = written(tmp_path / "items.csv", DRINKS)
    done = typed("new", tmp_path / "all.db", items, "--answers", old)
    assert done.out.startswith(f"{tmp_path / 'all.db'}: 4 items, 2 answers; 2 of 4 items not seen yet")
    assert "Skipped: 1 row (skip)" in done.err
    found = json.loads(typed("new", tmp_path / "two.db", "--answers", old, "--json").out)
    assert (found["items"], found["answers"]) == (2, 2)
    with CompareStudy.open(tmp_path / "two.db", write=False) as study:
        assert list(study.items) == ["Milk", "Tea"]
        assert [answer.choice for answer in study.answers()] == ["left", "both_bad"]
    few = written(tmp_path / "few.txt", "Tea\nWater\n")
    wrong = typed("new", tmp_path / "few.db", few, "--answers", old)
    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "got 1 other: 'Milk'" in wrong.err
    assert typed("new", tmp_path / "none.db").status == 2
    assert not (tmp_path / "few.db").exists()


def test_items_come_from_the_input_and_links_from_a_table(tmp_path: Path) -> None:
    """Columns that no model uses are kept and named; linked items are learned from their links."""
    links = written(tmp_path / "links.csv", "citing,cited\nb,a\nc,b\n")
    text = "id,title,year\na,A,2001\nb,B,2002\nc,C,2003\n"
    done = typed("new", tmp_path / "s.db", "-", "--links", links, input=text)
    assert done.status == 0, done.err
    assert "Kept, not used by the model: year (--features names those that are)" in done.out
    assert "Model: linked-gp" in done.out
    worth = ["--features", "year", "--model", "thurstone"]
    unused = typed("new", tmp_path / "w.db", "-", "--links", links, *worth, input=text)
    assert "Kept, not used by the model: year, links" in unused.out
    with CompareStudy.open(tmp_path / "s.db", write=False) as study:
        assert study.items["b"].links == {"a": 1.0}
        assert study.items["b"].fields == {"year": "2002"}
    wrong = typed("new", tmp_path / "n.db", "-", "--links", links, input="id,title\na,A\nb,B\n")
    assert "links.csv:3: pairs must be of items of the study, got 'c'" in wrong.err


def test_a_ranking_shows_titles(tmp_path: Path) -> None:
    """Beside the ids, where they differ; the model is the study's, unless another is named."""
    items = written(tmp_path / "items.csv", "id,title\na,First\nb,Second\nc,Third\n")
    typed("new", tmp_path / "s.db", items)
    typed("compare", tmp_path / "s.db", input="left\nleft\nleft\n")
    done = typed("rank", tmp_path / "s.db")
    assert {"item", "title", "Second"} <= set(done.out.split())
    with CompareStudy.open(tmp_path / "s.db", write=False) as study:
        assert all(line in done.out.splitlines() for line in study.verdict())
    other = typed("rank", tmp_path / "s.db", "--model", "thurstone", "--matrix", tmp_path / "m.html")
    assert "Model: Thurstone" in other.out
    picture = typed("rank", tmp_path / "s.db", "--plot", tmp_path / "r.html", "--csv", tmp_path / "r.csv")
    assert f"Picture: {tmp_path / 'r.html'}" in picture.out
    assert (tmp_path / "r.csv").read_text() == typed("rank", tmp_path / "s.db", "--csv", "-").out
