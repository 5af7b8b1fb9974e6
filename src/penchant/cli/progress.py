"""A sign of life while something takes long. Work in; a moving bar on the terminal out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from penchant.text import visible

_PATIENCE = 0.7  # seconds before a bar is worth the flicker


Report = Callable[[str, int, int], None]
"""Is called with what is being done, how many steps of it are done, and how many there are at most."""


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Show ``doing`` with a moving bar and the time on the error output, if it is a terminal and takes long."""
    with _bar(doing, steps=False):
        yield


@contextmanager
def counting(doing: str) -> Iterator[Report]:
    """Do as `busy` does, and give a function that shows how many steps are done and of how many."""
    with _bar(doing, steps=True) as report:
        yield report


@contextmanager
def _bar(doing: str, *, steps: bool) -> Iterator[Report]:
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
