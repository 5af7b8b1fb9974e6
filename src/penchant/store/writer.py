"""The writer: appends that wait are committed together, by one of the threads that wait."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection

from penchant.errors import CannotStore, Closed, NoSpace
from penchant.store.entry import Entry
from penchant.store.side import Batch

Work = Sequence[Entry] | Batch | Callable[[Connection], Any]
"""What one caller wants written: events, events with what they cite, or other statements of the same transaction."""
Commit = Callable[[Sequence[Work]], Sequence[Any]]


class Pending:
    """Work in the queue, and later its result."""

    __slots__ = ("_error", "_result", "_writer", "done", "work")

    def __init__(self, work: Work, writer: Writer) -> None:
        self.work = work
        self._writer = writer
        self._result: Any = None
        self._error: BaseException | None = None
        self.done = False

    def finish(self, result: Any) -> None:
        """Set the result; an exception is raised to the caller."""
        if isinstance(result, BaseException):
            self._error = result
        else:
            self._result = result
        self.done = True

    def result(self) -> Any:
        """Wait for the result and return it, or raise what went wrong."""
        self._writer.write(self)
        if not self.done:
            self.finish(
                CannotStore("the log must be on disk before an append returns, and writing was interrupted")
            )
        if self._error is not None:
            try:
                raise self._error
            finally:
                del self  # the error's traceback holds this frame: no cycle may keep the caller's log
        return self._result


class Writer:
    """Commits all work that waits in one transaction.

    There is no thread for it: of those that wait for a result, the first commits for all of them, and the others wait
    until it has. A thread alone commits its own work, without the cost of handing it to another one.

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
    reason : callable
        What messages say about an exception.
    remedy : str
        What to do first where a commit failed.
    """

    def __init__(
        self,
        name: str,
        commit: Commit,
        is_full: Callable[[BaseException], bool],
        *,
        reason: Callable[[BaseException], str] = lambda cause: str(cause) or type(cause).__name__,
        remedy: str = "free space or repair the disk",
    ) -> None:
        self._name = name
        self._commit = commit
        self._is_full = is_full
        self._reason, self._remedy = reason, remedy
        self._queue: deque[Pending] = deque()
        self._entry = threading.Lock()  # work is either queued before the end or rejected
        self._closed = False
        self._committing = threading.Lock()
        self._leader: int | None = None
        self.failure: CannotStore | None = None
        """Why the last commit failed; None when it succeeded."""

    def submit(self, work: Work) -> Pending:
        """Queue work, which is written when its result is waited for; an empty batch tests whether writing works."""
        if threading.get_ident() == self._leader:
            raise CannotStore(
                f"{self._name} must not be appended to during a commit, which would wait for itself: "
                "let a subscriber hand its work to a thread of its own"
            )
        pending = Pending(work, self)
        with self._entry:
            if self._closed:
                raise Closed(f"{self._name} must be open to append to, it is closed: open it again")
            self._queue.append(pending)
        return pending

    def write(self, pending: Pending) -> None:
        """Return once ``pending`` has its result: commit all that waits, unless another thread has done so."""
        with self._committing:
            if not pending.done:
                self._write()

    def close(self) -> None:
        """Accept nothing more, and return when what was accepted is written."""
        with self._entry:
            self._closed = True
        # The garbage collector may close a forgotten log from any thread, also from one that commits.
        if threading.get_ident() != self._leader:
            with self._committing:
                self._write()

    def _write(self) -> None:
        waiting = [self._queue.popleft() for _ in range(len(self._queue))]
        if not waiting:
            return
        self._leader = threading.get_ident()
        try:
            results = self._commit([request.work for request in waiting])
        except BaseException as error:
            self.failure = self._failure(error)
            for request in waiting:
                request.finish(self._failure(error))
            if not isinstance(error, Exception):  # the thread is interrupted: the others have their errors
                raise
        else:
            self.failure = None
            for request, result in zip(waiting, results, strict=True):
                request.finish(result)
        finally:
            self._leader = None

    def _failure(self, error: BaseException) -> CannotStore:
        cause = getattr(error, "orig", None) or error  # SQLAlchemy wraps the driver's exception
        reason = self._reason(cause)[:200]
        kind = NoSpace if self._is_full(cause) else CannotStore
        failure = kind(
            f"{self._name} must be on disk before an append returns, and could not be written ({reason}): "
            f"{self._remedy}, then append what was not acknowledged again under the same id"
        )
        failure.__cause__ = error
        return failure
