"""The terminal. Results in; tables and lines that any terminal can show out."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from penchant.cli.limits import limits_typed
from penchant.text import visible

if TYPE_CHECKING:
    from penchant.overview import Overview
    from penchant.ranking import Ranking

_ENDLESS = 10_000
_LIMITED = ("rank", "check", "convert", "suggest", "fit", "predict", "evaluate", "learn", "present")
_WORDS = ("item", "ranks", "left", "right", "id", "role", "name")


class Terminal:
    """The output of a command. What people wrote is shown as it is, never taken for markup or controls."""

    def __init__(self) -> None:
        told = sys.stdout.isatty() or "COLUMNS" in os.environ
        self._console = Console(markup=False, emoji=False, highlight=False, width=None if told else _ENDLESS)

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


def ranking_table(ranking: Ranking, most: int | None = None) -> Table:
    """Return ``ranking``, or its best ``most`` items, as a table with one row an item."""
    return rows_table(ranking.rows(most))


def rows_table(rows: list[dict[str, str]]) -> Table:
    """Return rows with the same columns as a table; all but words stand on the right."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(visible(name), justify="left" if name in _WORDS else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(visible, row.values()))
    return table


def overview_table(overview: Overview) -> Table:
    """Return what was found as a table, one row a check."""
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for check, found in overview.rows():
        table.add_row(check, visible(found))
    return table
