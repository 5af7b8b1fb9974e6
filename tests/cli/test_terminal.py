"""What a command shows: tables and lines that a terminal cannot obey, and a bar while it works."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penchant.cli import terminal
from penchant.progress import reported_to, step_done


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
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    with terminal.busy("reading [red]games.csv"):
        time.sleep(0.5)
    assert "reading [red]games.csv" in shown.getvalue()


def test_quick_work_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends before the patience does leaves no trace."""
    shown = screen(monkeypatch)
    with terminal.busy("reading"):
        pass
    assert shown.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe or a log there is no bar, however long it takes."""
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    with terminal.busy("reading"):
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_what_goes_wrong_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside ends the bar and is not swallowed."""
    screen(monkeypatch)
    with pytest.raises(ZeroDivisionError), terminal.busy("dividing"):
        _ = 1 / 0


def test_steps_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is done, how many steps of it are done and of how many, on a terminal; nothing elsewhere."""
    with terminal.busy("learning", steps=True) as report:
        report("weighing", 1, 2)
    assert capsys.readouterr() == ("", "")
    shown = screen(monkeypatch)
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    with terminal.busy("learning", steps=True) as report:
        report("weighing [red]scales", 7, 25)
        time.sleep(0.5)
    assert "weighing [red]scales" in shown.getvalue()
    assert "7/25" in shown.getvalue()


def test_work_that_reports_its_steps_moves_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar stands at the share of steps that are done, whatever does the work."""
    shown = screen(monkeypatch)
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    moved: list[tuple[str, int, int]] = []
    with terminal.working("fitting"):
        step_done(3, 8)
        time.sleep(0.3)
    assert "fitting" in shown.getvalue()

    @contextmanager
    def watched(doing: str) -> Iterator[terminal.Report]:
        yield lambda *step: moved.append(step)

    monkeypatch.setattr(terminal, "busy", watched)
    with terminal.working("fitting"):
        step_done(3, 8)
    assert moved == [("fitting", 0, 1), ("fitting", 3, 8)]


def test_lines_and_tables_show_what_people_wrote(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control characters are escaped, markup is text, and words stand on the left of their column."""
    monkeypatch.delenv("COLUMNS", raising=False)
    shown = terminal.Terminal()
    shown.say("a\x1b[2J [red]b[/red]")
    shown.show(terminal.rows_table([{"item": "\x07tea", "score": "1.50"}, {"item": "[b]", "score": "-1"}]))
    assert capsys.readouterr().out.splitlines() == [
        r"a\x1b[2J [red]b[/red]",
        "item     score",
        r"\x07tea   1.50",
        "[b]         -1",
    ]


class Output(Screen):
    """A standard output that says it is a terminal."""


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lines_wrap_at_words_on_a_screen(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is longer than the screen, words and paths stay whole, and later parts are as far in as the first."""
    shown = Output()
    monkeypatch.setattr("sys.stdout", shown)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    words = ["comparisons", "of", "one", "judge", "go", "together"] * 8
    path = "/a/" + "long/" * 50 + "path.png"
    screen = terminal.Terminal()
    screen.say("  " + " ".join(words), path, "")
    screen.next(["rank", path])
    lines = shown.getvalue().split("\n")
    assert [word for line in lines[:-4] for word in line.split()] == words
    assert all(
        line.startswith("  ") and len(line) <= columns and line == line.rstrip() for line in lines[:-4]
    )
    assert lines[-4:] == [path, "", f"Next: penchant rank {path}", ""]


def test_a_pipe_gets_no_padding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines of tables end with their last sign, lines of text are whole, and nothing is drawn or coloured."""
    monkeypatch.delenv("COLUMNS", raising=False)
    shown = terminal.Terminal()
    shown.show(terminal.rows_table([{"rank": "1", "item": "tea"}, {"rank": "2", "item": "green tea"}]))
    shown.say("word " * 100 + "end", style="bold")
    shown.clear()
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["rank  item", "   1  tea", "   2  green tea", "word " * 100 + "end"]


def test_the_next_command_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    """Words with spaces are quoted."""
    terminal.Terminal().next(["rank", "my file.csv"])
    assert capsys.readouterr().out == "Next: penchant rank 'my file.csv'\n"


def test_a_picture_is_drawn_in_two_halves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """To compute the chart, with the steps of that, and to write it: there is a percentage."""
    import altair as alt

    steps: list[tuple[int, int]] = []

    @contextmanager
    def noted(_doing: str) -> Iterator[None]:
        with reported_to(lambda done, total: steps.append((done, total))):
            yield

    def draw() -> alt.Chart:
        step_done(1, 4)
        return alt.Chart(alt.Data(values=[{"x": 1}])).mark_point().encode(x="x:Q")

    monkeypatch.setattr(terminal, "working", noted)
    assert terminal.drawn(draw, tmp_path / "chart.svg").exists()
    assert steps == [(25, 200), (1, 2)]


def test_nothing_is_proposed_that_reads_the_standard_input_again(capsys: pytest.CaptureFixture[str]) -> None:
    """It is used up, and a command pasted into a terminal would wait for it."""
    terminal.Terminal().next(["rank", "-", "--plot", "ranking.png"])
    assert capsys.readouterr().out == ""
    terminal.Terminal().next(["rank", "votes.csv"])
    assert capsys.readouterr().out == "Next: penchant rank votes.csv\n"


def test_of_many_columns_those_are_shown_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and words are never broken; what is always shown is, and the others are counted."""
    boards = [f"from {number} to 2026" for number in range(2001, 2013)]
    rows = [
        {
            "item": "an item whose name goes on",
            "all": "1.61",
            **dict.fromkeys(boards, "-0.28 ▼"),
            "trend": "+0.12",
        }
    ]
    for width, hidden in ((40, 12), (80, 8), (200, 0)):
        shown = Screen()
        monkeypatch.setattr("sys.stdout", shown)
        monkeypatch.setenv("COLUMNS", str(width))
        assert terminal.Terminal().show_fitting(rows, always=("item", "all", "trend")) == hidden
        text = re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue())
        assert max(map(len, text.splitlines())) <= width
        assert text.count("-0.28 ▼") == text.count("2026") == 12 - hidden
        assert "1.61" in text
        assert "+0.12" in text
    lines_of_pipe = io.StringIO()
    monkeypatch.setattr("sys.stdout", lines_of_pipe)
    monkeypatch.delenv("COLUMNS")
    assert terminal.Terminal().show_fitting(rows, always=("item",)) == 0
    assert lines_of_pipe.getvalue().startswith("item                         all  from 2001 to 2026")


def test_the_time_left_is_kept_when_a_stage_counts_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of several units are shares of one bar, which starts at 0 %; a bar of counted steps keeps its numbers."""
    from rich.progress import Progress

    screen(monkeypatch)
    updates: list[tuple[float, float]] = []

    def noted(_self: Progress, _task: int, *, completed: float, total: float, **_rest: object) -> None:
        updates.append((completed, total))

    monkeypatch.setattr(Progress, "update", noted)
    with terminal.working("fitting"):
        step_done(1, 4)
        step_done(30, 100)
    assert updates == [(0, 1000), (250, 1000), (300, 1000)]
    updates.clear()
    with terminal.busy("playing", steps=True) as show:
        show("playing", 3, 7)
    assert updates == [(3, 7)]
