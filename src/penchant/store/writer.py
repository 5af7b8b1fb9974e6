"""The writer thread: appends that wait are committed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

from sqlalchemy import Connection

from penchant.errors import CannotStore, Closed, NoSpace
from penchant.store.entry import Entry
from penchant.store.side import Batch

Work = Sequence[Entry] | Batch | Callable[[Connection], Any]
"""What one caller wants written: events, events with what they cite, or other statements of the same transaction."""
Commit = Callable[[Sequence[Work]], Sequence[Any]]


class Pending:
    """Work in the queue, and later its result.

    A lock that is released once costs a tenth of a future, of which an append would need nothing else.
    """

    __slots__ = ("_done", "_error", "_result", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    def finish(self, result: Any) -> None:
        """Wake the caller with a result; an exception is raised there."""
        if isinstance(result, BaseException):
            self._error = result
        else:
            self._result = result
        self._done.release()

    def done(self) -> bool:
        """Return whether the result is there."""
        return not self._done.locked()

    def result(self) -> Any:
        """Wait for the result and return it, or raise what went wrong."""
        with self._done:
            pass
        if self._error is not None:
            try:
                raise self._error
            finally:
                del self  # the error's traceback holds this frame: no cycle may keep the caller's log
        return self._result


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
        self._queue: SimpleQueue[Pending | None] = SimpleQueue()
        self._entry = threading.Lock()  # work is either queued before the end or rejected
        self._closed = False
        self.failure: CannotStore | None = None
        """Why the last commit failed; None when it succeeded."""
        self._thread = threading.Thread(target=self._run, name=f"writer of {name}", daemon=True)
        self._thread.start()

    def submit(self, work: Work) -> Pending:
        """Queue work, which will have a result; an empty batch of events tests whether writing works."""
        if threading.get_ident() == self._thread.ident:
            raise CannotStore(
                f"{self._name} must be appended to by another thread than its writer, which would wait for itself: "
                "let a subscriber hand its work to a thread of its own"
            )
        pending = Pending(work)
        with self._entry:
            if self._closed:
                raise Closed(f"{self._name} must be open to append to, it is closed: open it again")
            self._queue.put(pending)
        return pending

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

    def _write(self, waiting: list[Pending]) -> None:
        try:
            results = self._commit([request.work for request in waiting])
        except BaseException as error:  # the thread must outlive every failure: others wait for it
            self.failure = self._failure(error)
            for request in waiting:
                request.finish(self._failure(error))
            return
        self.failure = None
        for request, result in zip(waiting, results, strict=True):
            request.finish(result)

    def _take(self) -> tuple[list[Pending], bool]:
        """Wait for the first request, then take all that wait; also return whether the end was among them."""
        taken = [self._queue.get()]
        while taken[-1] is not None and not self._queue.empty():  # nobody else takes from it
            taken.append(self._queue.get())
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
