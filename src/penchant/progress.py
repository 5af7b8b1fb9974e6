"""Progress of long work, reported to whoever waits for it without passing through the arguments of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import log
from typing import TypeVar

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Is called with how many steps are done, and of how many at most."""

_EVERY = 1024
"""Things between two reports."""
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


class _Forward:
    """Passes on the steps that do not go back, since work of several stages reports each of them from its beginning."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._furthest = progress, 0.0

    def __call__(self, done: int, total: int) -> None:
        if done >= self._furthest * total:
            self._furthest = done / total
            self._progress(done, total)


@contextmanager
def part(place: int, count: int) -> Iterator[None]:
    """Report steps in this block as those of the part at ``place``, from 0, of ``count`` parts of equal length.

    Steps that go back are left out.

    Examples
    --------
    >>> with reported_to(lambda done, total: print(f"{done} of {total}")), part(1, 2):
    ...     step_done(1, 4)
    ...     step_done(0, 4)
    125 of 200
    """
    progress = _waiting.get()
    if progress is None:
        yield
        return
    whole = _Forward(progress)
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
        progress = _waiting.get()
        self._progress = None if progress is None else _Forward(progress)

    @contextmanager
    def next(self) -> Iterator[None]:
        """Report steps in this block as those of the next part, and its end unless it is the last that is expected."""
        with reported_to(self._progress):
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


def with_progress(things: Iterable[T], total: int) -> Iterator[T]:
    """Yield things of which there are ``total``, and report now and then how many have been worked on.

    Examples
    --------
    >>> with reported_to(lambda done, total: print(f"{done} of {total}")):
    ...     sum(with_progress(range(2000), 2000))
    1024 of 2000
    1999000
    """
    for done, thing in enumerate(things):
        if done and done % _EVERY == 0:
            step_done(done, total)
        yield thing


def step_done(done: int, total: int) -> None:
    """Report that ``done`` of at most ``total`` steps are done; nothing happens where nobody waits."""
    progress = _waiting.get()
    if progress is not None:
        progress(done, total)
