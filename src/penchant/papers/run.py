"""How an experiment is run: its size, seed, data and processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from penchant.checks import whole
from penchant.papers.result import Size
from penchant.threads import one_thread

Progress = Callable[[int, int], None]
"""Called with the number of finished tasks and the number of all tasks."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Run:
    """How an experiment is run.

    Attributes
    ----------
    size : {"quick", "default", "full"}
        Seconds, about a minute, or the size of the papers.
    seed : int
        Of everything that is drawn.
    data : path, optional
        A folder with the sets that the experiment reads, as `penchant.papers.sources` describes it. None:
        made-up stand-ins of the same shape.
    progress : callable, optional
        Called with the number of finished tasks and the number of all tasks.
    jobs : int
        How many processes share the tasks. Results are the same with any number, except for CPU times.
    """

    size: Size = "default"
    seed: int = 0
    data: str | Path | None = None
    progress: Progress | None = None
    jobs: int = 1

    @property
    def folder(self) -> Path | None:
        """The folder of the data as an absolute path."""
        return None if self.data is None else Path(self.data).resolve()

    def source(self, name: str) -> str:
        """Return the name of a set, or that of its stand-in.

        Examples
        --------
        >>> Run().source("sushi"), Run(data="sets").source("sushi")
        ('a made-up stand-in for sushi', 'sushi')
        """
        return name if self.data is not None else f"a made-up stand-in for {name}"

    def each(
        self, work: Callable[..., Found], tasks: Sequence[tuple[Any, ...]], *, alone: bool = False
    ) -> list[Found]:
        """Return ``work(*task)`` of each task, in their order.

        Linear algebra stays on one thread whatever ``jobs`` is, so that results are the same to the last bit.

        Parameters
        ----------
        work : callable
            A function at the top level of a module, which another process can import.
        tasks : sequence of tuples
            Large arrays among them are shared between the processes, not copied.
        alone : bool
            Whether to work in this process whatever ``jobs`` is, for tasks shorter than the start of a process.

        Examples
        --------
        >>> Run().each(divmod, [(7, 2), (9, 4)])
        [(3, 1), (2, 1)]
        """
        from joblib import Parallel, delayed

        jobs = whole("jobs", self.jobs, 1)
        parallel = Parallel(n_jobs=1 if alone else jobs, return_as="generator", mmap_mode="c")
        found = []
        for result in parallel(delayed(_on_one_thread)(work, task) for task in tasks):
            found.append(result)
            if self.progress is not None:
                self.progress(len(found), len(tasks))
        return found


def _on_one_thread(work: Callable[..., Found], task: tuple[Any, ...]) -> Found:
    with one_thread():
        return work(*task)
