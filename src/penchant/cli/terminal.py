"""What a command shows on the terminal: lines, tables, the next command to type, and a bar while it works."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from penchant.cli.command import limits_typed
from penchant.text import visible

if TYPE_CHECKING:
    from rich.table import Table

    from penchant.overview import Overview

_ENDLESS = 10_000
_LIMITED = ("rank", "check", "convert", "suggest", "fit", "predict", "evaluate", "learn", "present")
_WORDS = {
    *("item", "title", "ranks", "left", "right", "id", "role", "name"),
    *("judge", "finding", "model", "verdict", "result", "check", "found", "feature", "from", "effect", ""),
}
"""The columns of words."""
_PATIENCE = 0.7  # seconds before a bar is worth the flicker

Report = Callable[[str, int, int], None]
"""Is called with what is being done, how many steps of it are done, and how many there are at most."""


class Terminal:
    """The output of a command. What people wrote is shown as it is, never taken for markup or controls."""

    def __init__(self) -> None:
        from rich.console import Console

        has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
        self._console = Console(
            markup=False, emoji=False, highlight=False, width=None if has_width else _ENDLESS
        )

    def say(self, *lines: str) -> None:
        """Print lines, which the terminal may wrap."""
        for line in lines:
            self._console.print(visible(line), soft_wrap=True)

    def show(self, table: Table) -> None:
        """Print a table."""
        self._console.print(table)

    def next(self, words: list[str]) -> None:
        """Print what to type next, with the same limits if the command takes them."""
        same = limits_typed() if words[0] in _LIMITED else []
        self.say(f"Next: penchant {shlex.join([*words, *same])}")


def rows_table(rows: list[dict[str, str]]) -> Table:
    """Return rows with the same columns as a table; columns of words are aligned left, all others right."""
    from rich.table import Table

    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(visible(name), justify="left" if name in _WORDS else "right", overflow="fold")
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
def busy(doing: str, *, steps: bool = False) -> Iterator[Report]:
    """Show ``doing`` with a moving bar and the time on the error output, if it is a terminal and takes long.

    The function that it gives shows how many ``steps`` are done and of how many.
    """
    if not sys.stderr.isatty():
        yield lambda _doing, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counted = [MofNCompleteColumn()] if steps else []
    columns = TextColumn("{task.description}", markup=False), BarColumn(), *counted, TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(visible(doing), total=None)
    start = Timer(_PATIENCE, bar.start)
    start.daemon = True
    start.start()
    try:
        yield lambda now, done, total: bar.update(task, description=visible(now), completed=done, total=total)
    finally:
        start.cancel()
        start.join()
        bar.stop()
