"""The bar while runs are played."""

from __future__ import annotations

import sys
from io import StringIO

import pytest

from penchant.coactive import PreferencePerceptron, RankingMap
from penchant.simulate import StrictRanking, play, progress_bar
from tests.simulate.tables import web


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def played() -> int:
    with progress_bar("perceptron") as progress:
        return play(
            PreferencePerceptron(RankingMap(), 3), StrictRanking(), web(5, 3), runs=3, progress=progress
        ).n_runs


def test_a_bar_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is done, and of how much."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert played() == 3
    assert "perceptron" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()


def test_nothing_is_drawn_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or a pipe stays empty."""
    monkeypatch.setattr(sys, "stderr", pipe := StringIO())
    assert played() == 3
    assert pipe.getvalue() == ""


def test_a_bar_goes_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor is shown again, and the error passes."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ZeroDivisionError), progress_bar() as progress:
        progress(1, 0 // 0)
    assert terminal.getvalue().rindex("\x1b[?25h") > terminal.getvalue().rindex("\x1b[?25l")
