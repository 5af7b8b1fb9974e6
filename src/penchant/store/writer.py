"""Step five, inside: many appenders, one writer. Batches from any thread in; one commit for all that wait out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from penchant.errors import CannotStore, Closed
from penchant.store.entry import Entry
from penchant.store.log import Appended
from penchant.store.table import Outcome

Commit = Callable[[Sequence[Sequence[Entry]]], list[Outcome]]


@dataclass(frozen=True)
class Waiting:
    """A batch in the queue, and where its appender waits."""

    batch: Sequence[Entry]
    done: Future[list[Appended]] = field(default_factory=Future)


class Writer:
    """A thread that commits whatever waits, together, and only then tells those who wait.

    Parameters
    ----------
    name : str
        What messages call the log.
    commit : callable
        Takes batches and returns what became of each once they are on disk. Whatever it raises is the end:
        the writer fails all that wait and takes nothing more.
    """

    def __init__(self, name: str, commit: Commit) -> None:
        self._name = name
        self._commit = commit
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._door = threading.Lock()  # what is let in is let in before the end is decided, or not at all
        self._closed = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=f"writer of {name}", daemon=True)
        self._thread.start()

    def write(self, batch: Sequence[Entry]) -> list[Appended]:
        """Hand in a batch and return what became of it when it is on disk."""
        waiting = Waiting(batch)
        with self._door:
            if self._failure is not None:
                raise self._refusal()
            if self._closed:
                raise Closed(f"{self._name} must be open to append to, it is closed: open it again")
            self._queue.put(waiting)
        return waiting.done.result()

    def close(self) -> None:
        """Let nothing more in, and return when what was let in is written."""
        with self._door:
            self._closed = True
            self._queue.put(None)
        # The garbage collector may close a forgotten log from any thread, this one too.
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        ending = False
        while not ending:
            waiting, ending = self._take()
            if not waiting:
                continue
            try:
                outcomes = self._commit([one.batch for one in waiting])
            except BaseException as error:
                self._fail(waiting, error)
                return
            for one, outcome in zip(waiting, outcomes, strict=True):
                _tell(one, outcome)

    def _take(self) -> tuple[list[Waiting], bool]:
        """Wait for the first, then take all that wait; and say whether the end was among them."""
        taken = [self._queue.get()]
        try:
            while taken[-1] is not None:
                taken.append(self._queue.get_nowait())
        except Empty:
            pass
        return [one for one in taken if one is not None], taken[-1] is None

    def _fail(self, waiting: list[Waiting], error: BaseException) -> None:
        with self._door:
            self._failure = error
        while True:
            try:
                one = self._queue.get_nowait()
            except Empty:
                break
            waiting += [one] if one is not None else []
        for one in waiting:
            _tell(one, self._refusal())

    def _refusal(self) -> CannotStore:
        cause = getattr(self._failure, "orig", None) or self._failure  # SQLAlchemy wraps the driver's words
        reason = str(cause) or type(cause).__name__
        refusal = CannotStore(
            f"{self._name} must be on disk before an append returns, and could not be written ({reason[:200]}): "
            "make room or repair the disk, open the log again, and append what was not acknowledged once more "
            "under the same id"
        )
        refusal.__cause__ = self._failure
        return refusal


def _tell(one: Waiting, outcome: Outcome | CannotStore) -> None:
    if isinstance(outcome, Exception):
        one.done.set_exception(outcome)
    else:
        one.done.set_result(outcome)
