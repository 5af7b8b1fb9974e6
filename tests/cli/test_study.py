"""`penchant new`, and what a new study ranks; Python and the command line agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from penchant.cli import app
from penchant.study import Study
from tests.cli.conftest import DRINKS


def run(*words: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=input, env={"COLUMNS": "100"})


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
