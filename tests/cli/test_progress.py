"""A sign of life: on a terminal, when it takes long, and never elsewhere."""

from __future__ import annotations

import io
import time

import pytest

from penchant.cli import progress


class Screen(io.StringIO):
    """An error output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Put a screen in the place of the error output; in a fixture, pytest would take it away again."""
    shown = Screen()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    return shown


def test_long_work_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes longer than the patience is named on the terminal, as it is written."""
    shown = screen(monkeypatch)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.busy("reading [red]games.csv"):
        time.sleep(0.5)
    assert "reading [red]games.csv" in shown.getvalue()


def test_quick_work_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends before the patience does leaves no trace."""
    shown = screen(monkeypatch)
    with progress.busy("reading"):
        pass
    assert shown.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe or a log there is no bar, however long it takes."""
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.busy("reading"):
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_what_goes_wrong_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside ends the bar and is not swallowed."""
    screen(monkeypatch)
    with pytest.raises(ZeroDivisionError), progress.busy("dividing"):
        _ = 1 / 0


def test_steps_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is done, how many steps of it are done and of how many, on a terminal; nothing elsewhere."""
    with progress.counting("learning") as report:
        report("weighing", 1, 2)
    assert capsys.readouterr() == ("", "")
    shown = screen(monkeypatch)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.counting("learning") as report:
        report("weighing [red]scales", 7, 25)
        time.sleep(0.5)
    assert "weighing [red]scales" in shown.getvalue()
    assert "7/25" in shown.getvalue()
