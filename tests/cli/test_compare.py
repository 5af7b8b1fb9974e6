"""`penchant compare`: questions on the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.cli import compare
from penchant.study import Study
from tests.cli.test_study import run


def test_compare_reads_lines_where_there_is_no_terminal(study: Path) -> None:
    """Answers come a line each, words that mean nothing are named, and everything is kept."""
    done = run("compare", study, input="left\nup\nright\nundo\ntie\nboth bad\nskip\n")
    assert done.exit_code == 0, done.output
    assert "'up' is none of the keys" in done.output
    with Study.open(study, write=False) as kept:
        assert [answer.choice for answer in kept.answers()] == ["left", "tie", "both_bad", "skip"]


def test_keys_of_a_terminal_are_answers(
    study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arrows, digits and letters answer, z takes back, and Ctrl-C ends; an undo with nothing left is explained."""
    keys = iter(["z", "\x1b[D", "2", "\x1b[B", "B", "x", "s", "z", "\x03"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.getchar", lambda: next(keys))
    compare.compare(study)
    shown = capsys.readouterr().out
    assert "'x' is none of the keys" in shown
    assert "taken back" in shown
    with Study.open(study, write=False) as kept:
        assert [answer.choice for answer in kept.answers()] == ["left", "right", "tie", "both_bad"]
