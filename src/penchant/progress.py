"""Progress of long work, reported to whoever waits for it without passing through the arguments of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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


def step_done(done: int, total: int) -> None:
    """Report that ``done`` of at most ``total`` steps are done; nothing happens where nobody waits."""
    progress = _waiting.get()
    if progress is not None:
        progress(done, total)
