"""The same work on many seeds, some at a time. A function and its tasks in; what it gave, in their order, out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from penchant.checks import whole
from penchant.threads import one_thread

Progress = Callable[[int, int], None]
"""Is called with how much is done, and of how much."""
Found = TypeVar("Found")


def each(
    work: Callable[..., Found],
    tasks: Sequence[tuple[Any, ...]],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Found]:
    """Return ``work(*task)`` of each task, in their order.

    Linear algebra stays on one thread whatever ``jobs`` is, so that results are the same to the last bit.

    Parameters
    ----------
    work : callable
        Of a module, not of another function, so that a process of its own can find it.
    tasks : sequence of tuples
        Large arrays among them are shared between the processes, not copied.
    jobs : int, default 1
        How many processes; 1 works in this one.
    progress : callable, optional
        Called with the number of tasks that are done and of all.

    Examples
    --------
    >>> each(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=whole("jobs", jobs, 1), return_as="generator", mmap_mode="c")
    found = []
    for result in parallel(delayed(_on_one_thread)(work, task) for task in tasks):
        found.append(result)
        if progress is not None:
            progress(len(found), len(tasks))
    return found


def _on_one_thread(work: Callable[..., Found], task: tuple[Any, ...]) -> Found:
    with one_thread():
        return work(*task)
