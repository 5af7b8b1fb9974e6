"""What a command shows on the terminal: lines, tables, the next command to type, and a bar while it works."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeVar

from penchant.cli.command import limits_typed
from penchant.progress import part, reported_to, step_done
from penchant.text import visible

if TYPE_CHECKING:
    from rich.table import Table

    from penchant.cli.places import StudyPlace
    from penchant.overview import Overview

T = TypeVar("T")

_ENDLESS = 10_000
_LIMITED = (
    "rank",
    "consensus",
    "check",
    "convert",
    "suggest",
    "fit",
    "predict",
    "evaluate",
    "learn",
    "present",
)
_WORDS = {
    *("item", "title", "ranks", "left", "right", "id", "role", "name"),
    *(
        "judge",
        "board",
        "kind",
        "finding",
        "model",
        "verdict",
        "result",
        "check",
        "found",
        "feature",
        "from",
        "effect",
    ),
    *("method", "first", ""),
}
"""The columns of words."""
_NARROWEST = 20  # columns
_NAME_WIDTH = 24
"""Columns that names need beside many numbers; longer ones are broken."""
_GAP = 2  # columns between two of a table
_SHARES = 1000  # of which a bar without counted steps is full
_PATIENCE = 0.7  # seconds before a bar is worth the flicker

Report = Callable[[str, int, int], None]
"""Is called with what is being done, how many steps of it are done, and how many there are at most."""


class Terminal:
    """The output of a command. What people wrote is shown as it is, never taken for markup or controls."""

    def __init__(self) -> None:
        from rich.console import Console

        self.is_screen = sys.stdout.isatty()
        has_width = self.is_screen or "COLUMNS" in os.environ
        self._console = Console(
            markup=False, emoji=False, highlight=False, width=None if has_width else _ENDLESS
        )

    def say(self, *lines: str, style: str | None = None) -> None:
        """Print lines; on a screen they are wrapped at words, with later parts as far in as the first."""
        for line in map(visible, lines):
            if not self.is_screen:
                self._console.print(line, soft_wrap=True)
                continue
            for piece in self._wrapped(line):
                self._console.print(piece, soft_wrap=True, style=style)

    def show(self, table: Table) -> None:
        """Print a table; lines that go elsewhere than to a screen have no blanks at their ends."""
        if self.is_screen:
            self._console.print(table)
            return
        with self._console.capture() as drawn:
            self._console.print(table)
        for line in drawn.get().splitlines():
            self._console.print(line.rstrip(), soft_wrap=True)

    def show_fitting(self, rows: list[dict[str, str]], *, always: Collection[str]) -> int:
        """Print a table of a column of names and columns of numbers, and return how many the screen has no room for.

        The columns ``always`` are among those that are shown. Headers are broken at words, numbers nowhere.
        """
        names = list(rows[0])
        if not self.is_screen:
            self.show(rows_table(rows))
            return 0
        least = {name: _least_width(name, [row[name] for row in rows]) for name in names}
        least[names[0]] = min(least[names[0]], _NAME_WIDTH)
        room = self._console.width - sum(least[name] + _GAP for name in names if name in always)
        shown = []
        for name in names:
            if name not in always:
                room -= least[name] + _GAP
            if name in always or room >= 0:
                shown.append(name)
        self.show(rows_table([{name: row[name] for name in shown} for row in rows], whole=True))
        return len(names) - len(shown)

    def next(self, words: list[str]) -> None:
        """Print what to type next, in one line that can be pasted, with the same limits if the command takes them.

        Nothing is printed of a command that would read the standard input, which is used up.
        """
        if "-" in words:
            return
        same = limits_typed() if words[0] in _LIMITED else []
        command = visible(f"Next: penchant {shlex.join([*words, *same])}")
        self._console.print(command, soft_wrap=True)

    def clear(self) -> None:
        """Empty the screen, if there is one."""
        if self.is_screen:
            self._console.clear()

    def _wrapped(self, line: str) -> list[str]:
        """Return a line in parts that fit the screen; words longer than it, paths for instance, stay whole."""
        from rich.cells import cell_len

        text = line.lstrip(" ")
        indent = " " * (len(line) - len(text))
        width = max(_NARROWEST, self._console.width - len(indent))
        parts = [""]
        for word in text.rstrip(" ").split(" "):
            if parts[-1].strip() and cell_len(f"{parts[-1]} {word}") > width:
                parts.append(word)
            else:
                parts[-1] = f"{parts[-1]} {word}" if parts[-1] else word
        return [f"{indent}{part}".rstrip() for part in parts]


def _least_width(name: str, cells: list[str]) -> int:
    """Return the width of a column whose header is broken at words."""
    from rich.cells import cell_len

    return max(map(cell_len, map(visible, [*cells, *name.split(" ")])))


def rows_table(rows: list[dict[str, str]], *, whole: bool = False) -> Table:
    """Return rows with the same columns as a table; columns of words are aligned left, all others right.

    Where numbers are kept ``whole``, headers above them are broken at all words.
    """
    from rich.table import Table

    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in rows[0]:
        words, header = name in _WORDS or (whole and name == next(iter(rows[0]))), visible(name)
        table.add_column(
            header.replace(" ", "\n") if whole and not words else header,
            justify="left" if words else "right",
            overflow="fold",
            no_wrap=whole and not words,
        )
    for row in rows:
        table.add_row(*map(visible, row.values()))
    return table


def overview_table(overview: Overview) -> Table:
    """Return what was found as a table, one row a check."""
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for check, found in overview.rows():
        table.add_row(check, visible(found))
    return table


@contextmanager
def working(doing: str) -> Iterator[None]:
    """Show ``doing`` as `busy` does, with the steps that the work inside reports (`penchant.progress`)."""
    if not sys.stderr.isatty():
        yield
        return
    with busy(doing) as show, reported_to(partial(show, doing)):
        step_done(0, 1)  # 0 % until the first step
        yield


@contextmanager
def opened(open: Callable[..., AbstractContextManager[T]], file: StudyPlace, **how: Any) -> Iterator[T]:
    """Open a study, and show the progress of that."""
    with working(f"opening {file.name}"):
        study = open(file, **how)
    with study as opened:
        yield opened


@contextmanager
def working_with(
    doing: str, open: Callable[..., AbstractContextManager[T]], file: StudyPlace, **how: Any
) -> Iterator[T]:
    """Show ``doing`` as `working` does: half of it is to open a study, the other half what the block does with it."""
    with working(doing):
        with part(0, 2):
            study = open(file, **how)
        with study as opened, part(1, 2):
            yield opened


def drawn(draw: Callable[[], Any], to: Path) -> Path:
    """Draw a chart and write it to a file, and show the progress of that: half of it is to compute the chart."""
    with working("drawing"):
        with part(0, 2):
            chart = draw()
        step_done(1, 2)
        from penchant.plots import save_chart

        return save_chart(chart, to)


@contextmanager
def busy(doing: str, *, steps: bool = False) -> Iterator[Report]:
    """Show ``doing`` with a moving bar and the time on the error output, if it is a terminal and takes long.

    The function that it gives shows how many ``steps`` are done and of how many, the percentage and the time left.
    """
    if not sys.stderr.isatty():
        yield lambda _doing, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    counted = [MofNCompleteColumn()] if steps else []
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *counted,
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(visible(doing), total=None)

    def show(now: str, done: int, total: int) -> None:
        # Stages count in units of their own, and the time left is forgotten where the total changes.
        of, reached = (total, float(done)) if steps else (_SHARES, _SHARES * done / max(total, 1))
        bar.update(task, description=visible(now), completed=reached, total=of)

    start = Timer(_PATIENCE, bar.start)
    start.daemon = True
    start.start()
    try:
        yield show
    finally:
        start.cancel()
        start.join()
        bar.stop()
