"""Show the progress of simulated runs as a bar on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Is called with how much is done, and of how much."""


@contextmanager
def progress_bar(doing: str = "playing") -> Iterator[Progress]:
    """Give a ``progress`` that draws a bar with the time left, on a terminal's error output or in a notebook.

    Elsewhere nothing is drawn. The bar goes when the block ends, also by an error.

    Parameters
    ----------
    doing : str
        What stands before the bar.

    Examples
    --------
    >>> from penchant.coactive import PreferencePerceptron, RankingMap
    >>> from penchant.simulate import StrictRanking, WebSearch, play
    >>> web = WebSearch.synthetic(n_queries=20, n_documents=5, n_features=3)
    >>> with progress_bar("perceptron") as progress:
    ...     record = play(PreferencePerceptron(RankingMap(), 3), StrictRanking(), web, progress=progress)
    >>> record.n_runs
    20
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    drawn = console.is_terminal or console.is_jupyter
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not drawn) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
