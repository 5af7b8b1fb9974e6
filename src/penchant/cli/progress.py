"""The last step, inside: a sign of life while something takes long. Work in; a moving bar on the terminal out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from penchant.text import visible

_PATIENCE = 0.7  # seconds before a bar is worth the flicker


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Show ``doing`` with a moving bar and the time on the error output, if it is a terminal and takes long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(visible(doing), total=None)
    start = Timer(_PATIENCE, bar.start)
    start.daemon = True
    start.start()
    try:
        yield
    finally:
        start.cancel()
        start.join()
        bar.stop()
