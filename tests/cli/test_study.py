"""The loop on the command line: new, ask, tell, undo, compare, rank, serve."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from penchant.cli import app
from penchant.study import Study

DRINKS = "title,text\nTea,green\nCoffee,black\nWater,\nMilk,\n"


def run(*words: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=input, env={"COLUMNS": "100"})


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "items.csv").write_text(DRINKS)
    done = run("new", tmp_path / "drinks.db", tmp_path / "items.csv", "--title", "Drinks")
    assert done.exit_code == 0, done.output
    assert "4 items" in done.output
    return tmp_path / "drinks.db"


def test_ask_and_tell_go_round(study: Path) -> None:
    """A script asks as JSON and tells by id; the same id again changes nothing, another answer is refused."""
    asked = json.loads(run("ask", study, "--judge", "ann", "--json").output)
    assert asked["judge"] == "ann"
    for _ in range(2):
        told = run("tell", study, asked["question"], "left", "--id", "mine")
        assert told.output.startswith("mine: left (1 answer;")
    refused = run("tell", study, asked["question"], "right", "--id", "mine")
    assert refused.exit_code == 2
    assert "penchant:" in refused.output


def test_undo_and_undo_of_the_undo(study: Path) -> None:
    """An answer is taken back, and the taking back too."""
    question = json.loads(run("ask", study, "--json").output)["question"]
    run("tell", study, question, "left")
    undone = run("undo", study, "--id", "u")
    assert undone.output.startswith("u (0 answers")
    assert "(1 answer;" in run("undo", study, "u").output
    assert run("undo", study, "nothing").exit_code == 2


def test_compare_reads_lines_where_there_is_no_terminal(study: Path) -> None:
    """Answers come a line each, words that mean nothing are named, and everything is kept."""
    done = run("compare", study, input="left\nup\nright\nundo\ntie\nboth bad\nskip\n")
    assert done.exit_code == 0, done.output
    assert "'up' is none of the keys" in done.output
    with Study.open(study, write=False) as kept:
        assert [answer.choice for answer in kept.answers()] == ["left", "tie", "both_bad", "skip"]


def test_every_way_shows_the_same_numbers(study: Path) -> None:
    """Python and the command line, as table and as JSON, tell the same ranking; the file is not written to."""
    run("compare", study, input="left\nright\nleft\ntie\nleft\nright\n")
    with Study.open(study) as opened:
        expected = json.loads(opened.rank().to_json())
        beside = json.loads(run("rank", study, "--json").output)  # also while somebody writes
    assert json.loads(run("rank", study, "--json").output) == expected == beside
    table = run("rank", study)
    assert "the study's own" in table.output
    assert f"{expected['items'][0]['score']:.2f}" in table.output
    assert run("check", study).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    """Missing, wrong and existing files are named, with status 2, and nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text(DRINKS)
    Path("one.txt").write_text("only\n")
    Path("there.db").write_text("something else\n")
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert said in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not Path("new.db").exists()


def served(*words: object, cwd: Path) -> Any:
    return subprocess.Popen(
        [sys.executable, "-m", "penchant", *map(str, words)],
        cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_serving_ends_when_it_is_told_to(study: Path, end: int) -> None:
    """Without a terminal it prints where to look, answers there, and ends on SIGTERM and on Ctrl-C."""
    process = served("serve", study, "--port", 0, "--for", 60, cwd=study.parent)
    try:
        link = next(line for line in process.stdout if "/owner#" in line).split()[-1]
        with urllib.request.urlopen(f"{link.split('/owner')[0]}/v1/health", timeout=20) as answer:
            assert json.load(answer)["status"] == "ok"
        process.send_signal(end)
        rest = process.communicate(timeout=30)[0]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert "Stopped." in rest


@pytest.mark.slow("starts the whole demo twice, each time with a picture")
def test_the_demo_serves_and_keeps(tmp_path: Path) -> None:
    """`penchant demo --for 1` ranks, draws, serves and ends; the study is there the next time."""
    for _ in range(2):
        process = served("demo", "--out", "demo", "--for", 1, cwd=tmp_path)
        printed = process.communicate(timeout=120)[0]
        assert process.returncode == 0, printed
        assert "A letter from a friend" in printed
        assert "http://127.0.0.1:" in printed
        assert "Stopped." in printed
    assert (tmp_path / "demo" / "ranking.png").exists()
    with Study.open(tmp_path / "demo" / "pleasures.db", write=False) as kept:
        assert len(kept.items) == 12
