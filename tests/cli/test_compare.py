"""`penchant compare`: questions on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.cli import compare
from penchant.study import CompareStudy
from tests.cli.test_study import run
from tests.cli.test_terminal import Screen
from tests.cli.typed import run as typed


def test_compare_reads_lines_where_there_is_no_terminal(study: Path) -> None:
    """Answers come a line each, words that mean nothing are named, and everything is kept."""
    done = run("compare", study, input="left\nup\nright\nundo\ntie\nboth bad\nskip\n")
    assert done.exit_code == 0, done.output
    assert "'up' is none of the keys" in done.output
    with CompareStudy.open(study, write=False) as kept:
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
    with CompareStudy.open(study, write=False) as kept:
        assert [answer.choice for answer in kept.answers()] == ["left", "right", "tie", "both_bad"]


def test_a_screen_shows_one_question_at_a_time(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cleared before each question, which stands below title and last answer; the two sides have colours."""
    shown = Screen()
    keys = iter(["1", "q"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.getchar", lambda: next(keys))
    monkeypatch.setattr("sys.stdout", shown)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    compare.compare(study)
    _, first, second = shown.getvalue().split("\x1b[2J")
    assert "left; 1 answer" not in first
    assert "left; 1 answer" in second
    assert "Drinks" in second
    for part in (first, second):
        assert "\x1b[1;36m  left:" in part
        assert "\x1b[1;35m  right:" in part
        assert "← left" in part


class Script:
    """A standard input that prefers tea to all, and answers the question that was printed last."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def isatty(self) -> bool:
        return False

    def readline(self) -> str:
        left, right = (self.asked[-1][side]["id"] for side in ("left", "right"))
        return "left\n" if left == "Tea" or (right != "Tea" and left < right) else "right\n"


def test_a_script_answers_until_the_goal_is_reached(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends by itself when the study is settled."""
    typed("change", study, "--top", "1")
    script = Script()
    monkeypatch.setattr("sys.stdin", script)
    monkeypatch.setattr("penchant.cli.compare.print_json", script.asked.append)
    compare.compare(study, json=True, until_settled=True)
    with CompareStudy.open(study, write=False) as kept:
        found = kept.settled()
        assert found is not None
        assert found.enough
        assert kept.rank().top(1) == ("Tea",)
        assert kept.n_answers() == len(script.asked)


def test_questions_for_scripts_are_json(study: Path) -> None:
    """One a line, and nothing else is printed; what is no answer is reported on the error output."""
    done = typed("compare", study, "--json", "--judge", "script", input="nonsense\nleft\n")
    questions = [json.loads(line) for line in done.out.splitlines()]
    assert [question["judge"] for question in questions] == ["script"] * 2
    assert "'nonsense' is none of the keys" in done.err


def test_judges_see_question_instructions_and_texts(study: Path) -> None:
    """Before the first question, and below the titles."""
    typed("change", study, "--question", "Which is better?", "--instructions", "Take\nyour time.")
    done = typed("compare", study, input="undo\n")
    assert done.out.splitlines()[:4] == ["Drinks", "Take", "your time.", "Which is better?"]
    assert "undo needs an answer" in done.out
    assert "\\x" not in done.out
