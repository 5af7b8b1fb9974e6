"""The writer thread: appends that wait are committed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection

from penchant.errors import CannotStore, Closed, NoSpace
from penchant.store.entry import Entry

Work = Sequence[Entry] | Callable[[Connection], Any]
"""What one caller wants written: a batch of events, or other statements of the same transaction."""
Commit = Callable[[Sequence[Work]], Sequence[Any]]


@dataclass(frozen=True)
class Waiting:
    """Work in the queue, and the future on which its caller waits."""

    work: Work
    done: Future[Any] = field(default_factory=Future)


class Writer:
    """A thread that commits all work that waits in one transaction, and then returns the results to the callers.

    Parameters
    ----------
    name : str
        What messages call the log.
    commit : callable
        Takes a list of works and returns the result of each once they are on disk; a result that is an
        exception is raised to that caller alone. What it raises itself goes to every caller of that commit,
        as `CannotStore`; the next commit is tried again.
    is_full : callable
        Whether an exception means that the disk is full.
    """

    def __init__(self, name: str, commit: Commit, is_full: Callable[[BaseException], bool]) -> None:
        self._name = name
        self._commit = commit
        self._is_full = is_full
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._entry = threading.Lock()  # work is either queued before the end or rejected
        self._closed = False
        self.failure: CannotStore | None = None
        """Why the last commit failed; None when it succeeded."""
        self._thread = threading.Thread(target=self._run, name=f"writer of {name}", daemon=True)
        self._thread.start()

    def submit(self, work: Work) -> Future[Any]:
        """Queue work and return the future of its result; an empty batch of events tests whether writing works."""
        waiting = Waiting(work)
        with self._entry:
            if self._closed:
                raise Closed(f"{self._name} must be open to append to, it is closed: open it again")
            self._queue.put(waiting)
        return waiting.done

    def close(self) -> None:
        """Accept nothing more, and return when what was accepted is written."""
        with self._entry:
            self._closed = True
            self._queue.put(None)
        # The garbage collector may close a forgotten log from any thread, this one too.
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        ending = False
        while not ending:
            waiting, ending = self._take()
            if waiting:
                self._write(waiting)

    def _write(self, waiting: list[Waiting]) -> None:
        try:
            results = self._commit([request.work for request in waiting])
        except BaseException as error:  # the thread must outlive every failure: others wait for it
            self.failure = self._failure(error)
            for request in waiting:
                request.done.set_exception(self._failure(error))
            return
        self.failure = None
        for request, result in zip(waiting, results, strict=True):
            if isinstance(result, Exception):
                request.done.set_exception(result)
            else:
                request.done.set_result(result)

    def _take(self) -> tuple[list[Waiting], bool]:
        """Wait for the first request, then take all that wait; also return whether the end was among them."""
        taken = [self._queue.get()]
        try:
            while taken[-1] is not None:
                taken.append(self._queue.get_nowait())
        except Empty:
            pass
        return [request for request in taken if request is not None], taken[-1] is None

    def _failure(self, error: BaseException) -> CannotStore:
        cause = getattr(error, "orig", None) or error  # SQLAlchemy wraps the driver's exception
        reason = (str(cause) or type(cause).__name__)[:200]
        kind = NoSpace if self._is_full(cause) else CannotStore
        failure = kind(
            f"{self._name} must be on disk before an append returns, and could not be written ({reason}): "
            "free space or repair the disk, then append what was not acknowledged again under the same id"
        )
        failure.__cause__ = error
        return failure
