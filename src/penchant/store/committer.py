"""Commit the work that waits in one transaction, then deliver the new events: what every store in SQL shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from penchant.errors import CannotStore
from penchant.store import side, table
from penchant.store.entry import Entry
from penchant.store.event import Event
from penchant.store.side import Batch, SideRows
from penchant.store.subscribers import Subscribers
from penchant.store.writer import Work

Clock = Callable[[], float]


class Committer(ABC):
    """Commits work over one connection, and delivers the new events.

    Attributes
    ----------
    last : int or None
        The number of the last event; None where it must be read from the database, at first and after a failure.
    """

    taken: ClassVar[type[Exception]]
    """What the driver raises where an id or number is in the log already."""

    def __init__(self, clock: Clock, subscribers: Subscribers) -> None:
        self._clock = clock
        self._subscribers = subscribers
        self.last: int | None = None
        self._delivered: int | None = None

    def __call__(self, works: Sequence[Work]) -> list[Any]:
        """Return the result of each work once all of them are on disk."""
        try:
            results, last, new = self._committed(self._ready(), works)
        except BaseException:
            self._fail()
            raise
        self.last = last
        if new:
            self._subscribers.deliver(new)
        self.finish_erasing()
        return results

    @abstractmethod
    def _ready(self) -> Connection:
        """Return the connection that writes, or raise why nothing can be written."""

    @abstractmethod
    def _fail(self) -> None:
        """Let go of what a failed commit left behind."""

    @abstractmethod
    def _transaction(self, connection: Connection, *, plain: bool) -> AbstractContextManager[Any]:
        """Return a transaction; in a ``plain`` one only `Statement`s run."""

    @abstractmethod
    def finish_erasing(self) -> None:
        """Overwrite the bytes of what was erased; where that fails now, it is tried again after the next commit."""

    @abstractmethod
    def _begun(self, connection: Connection) -> None:
        """Check within the transaction that it may be committed."""

    @abstractmethod
    def _erased(self) -> None:
        """Remember that something is erased in this transaction."""

    def _committed(self, connection: Connection, works: Sequence[Work]) -> tuple[list[Any], int, list[Event]]:
        time = float(self._clock())
        try:
            return self._attempt(connection, works, time, self.last)
        except self.taken:  # an id is in the log already: look all of them up
            return self._attempt(connection, works, time, None)

    def _attempt(
        self, connection: Connection, works: Sequence[Work], time: float, after: int | None
    ) -> tuple[list[Any], int, list[Event]]:
        """Do all work in one transaction; return the results, the last number, and the events to be delivered."""
        plain = after is not None and not any(map(callable, works))
        with self._transaction(connection, plain=plain):
            self._begun(connection)
            before = table.last(connection) if after is None else after
            batches = [_entries(work, before) for work in works if not callable(work)]
            if not all(batches):
                table.touch(connection)
            outcomes, new = table.append(connection, batches, time, after) if batches else ([], [])
            missed = self._missed(connection, before) if self._subscribers else []
            following = iter(outcomes)
            results = [_isolated(connection, work) if callable(work) else next(following) for work in works]
            for place, work in enumerate(works):
                if isinstance(work, Batch):
                    results[place] = self._finished(connection, work, results[place], before, time)
        last = new[-1].number if new else before
        self._delivered = last
        return results, last, missed + [record.event() for record in new] if self._subscribers else []

    def _finished(self, connection: Connection, work: Batch, result: Any, before: int, time: float) -> Any:
        """Write what comes with events, unless they were there before or are in conflict; return their result."""
        if _is_behind(work, before):
            return CannotStore(
                f"events must follow event {work.after}, and the last one is {before}: read the log, then decide again"
            )
        new = not isinstance(result, Exception) and any(appended.new for appended in result)
        if new and work.side is not None:
            side.write(connection, work.side, result[-1].event.number, time)
            if work.side.erases:
                self._erased()
        return result

    def _missed(self, connection: Connection, last: int) -> list[Event]:
        """Return the events that a commit kept that was reported as failed, and that nobody was given."""
        missed: list[Event] = []
        after = last if self._delivered is None else self._delivered
        while after + len(missed) < last:
            missed += table.read(connection, after + len(missed), last)
        return missed


def write_first(
    connection: Connection, entries: Sequence[Entry], clock: Clock, rows: SideRows | None, salt: bytes | None
) -> None:
    """Write the first events of a new log, with what they cite, within the caller's transaction."""
    if entries:
        (outcome,), _ = table.append(connection, [entries], float(clock()))
        if isinstance(outcome, Exception):
            raise outcome
        if rows is not None:
            side.write(connection, rows, outcome[-1].event.number, float(clock()))
    side.start(connection, salt)


def _is_behind(work: Batch, last: int) -> bool:
    """Return whether events were decided upon when the log ended elsewhere."""
    return work.after is not None and work.after != last


def _entries(work: Sequence[Entry] | Batch, last: int) -> Sequence[Entry]:
    """Return the events to append: none of a batch that was to follow another event than the last."""
    if isinstance(work, Batch):
        return () if _is_behind(work, last) else work.entries
    return work


def _isolated(connection: Connection, work: Callable[[Connection], Any]) -> Any:
    """Return the result of other statements, or what is wrong with them: nobody else's events fail with them."""
    try:
        with connection.begin_nested():
            return work(connection)
    except (ValueError, TypeError, IntegrityError) as error:
        return error
