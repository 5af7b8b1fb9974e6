"""Progress of long work, reported to whoever waits for it without passing through the arguments of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import log

Progress = Callable[[int, int], None]
"""Is called with how many steps are done, and of how many at most."""

_waiting: ContextVar[Progress | None] = ContextVar("waiting", default=None)


@contextmanager
def reported_to(progress: Progress | None) -> Iterator[None]:
    """Call ``progress`` for each step that work in this block reports, in this thread; None keeps them quiet.

    Examples
    --------
    >>> with reported_to(lambda done, total: print(f"{done} of {total}")):
    ...     step_done(1, 3)
    1 of 3
    >>> step_done(2, 3)
    """
    token = _waiting.set(progress)
    try:
        yield
    finally:
        _waiting.reset(token)


@contextmanager
def part(place: int, count: int) -> Iterator[None]:
    """Report steps in this block as those of the part at ``place``, from 0, of ``count`` parts of equal length.

    Examples
    --------
    >>> with reported_to(lambda done, total: print(f"{done} of {total}")), part(1, 2):
    ...     step_done(1, 4)
    125 of 200
    """
    progress = _waiting.get()
    if progress is None:
        yield
        return
    whole = progress
    with reported_to(lambda done, total: whole(100 * place + 100 * done // max(total, 1), 100 * count)):
        yield


class Parts:
    """Parts of equal length of which the number is only estimated; those beyond it stay at the last place.

    Parameters
    ----------
    expected : int
        About how many there will be.

    Examples
    --------
    >>> with reported_to(lambda done, total: print(f"{done} of {total}")):
    ...     search = Parts(2)
    ...     for _ in range(3):
    ...         with search.next():
    ...             step_done(1, 2)
    50 of 200
    1 of 2
    150 of 200
    150 of 200
    """

    def __init__(self, expected: int) -> None:
        self._expected, self._done = expected, 0

    @contextmanager
    def next(self) -> Iterator[None]:
        """Report steps in this block as those of the next part, and its end unless it is the last that is expected."""
        with part(min(self._done, self._expected - 1), self._expected):
            yield
        self._done += 1
        if self._done < self._expected:
            step_done(self._done, self._expected)


def converging(error: float, first: float, goal: float) -> None:
    """Report an iteration that ends at an error of ``goal`` by how many orders of magnitude it has gone from ``first``.

    Examples
    --------
    >>> with reported_to(lambda done, total: print(f"{done} of {total}")):
    ...     converging(1e-3, 1e2, 1e-8)
    50 of 100
    """
    if _waiting.get() is None or not 0 < goal < first:
        return
    share = log(first / min(max(error, goal), first)) / log(first / goal)
    step_done(int(100 * share + 1e-9), 100)


def step_done(done: int, total: int) -> None:
    """Report that ``done`` of at most ``total`` steps are done; nothing happens where nobody waits."""
    progress = _waiting.get()
    if progress is not None:
        progress(done, total)
