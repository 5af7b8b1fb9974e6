"""Commit what waits in the queue of the writer to the SQLite file of a log."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from penchant.store import side, table
from penchant.store.entry import Entry
from penchant.store.event import Event
from penchant.store.side import Batch
from penchant.store.sqlite import database
from penchant.store.sqlite.lock import WriterLock
from penchant.store.sqlite.place import Place
from penchant.store.subscribers import Subscribers
from penchant.store.writer import Work

Clock = Callable[[], float]

_log = logging.getLogger("penchant.store")


class Committer:
    """Commits work over one connection, and over a new one after a failure; then delivers the new events.

    Attributes
    ----------
    last : int or None
        The number of the last event; None where it must be read from the file, at first and after a failure.
    """

    def __init__(self, path: Path, clock: Clock, lock: WriterLock, subscribers: Subscribers) -> None:
        self._path = path
        self._clock = clock
        self._lock = lock
        self._subscribers = subscribers
        self.last: int | None = None
        self._delivered: int | None = None
        self._erasing: bool | None = (
            None  # whether erased bytes may stand in the file; None: to be read from it
        )
        self._rebuilt = False  # whether only the WAL, and pages that it replaces, may still hold erased bytes
        with database.reading(path):
            self._connection: Connection | None = database.writer(path)
        self._place = Place(path)

    def __call__(self, works: Sequence[Work]) -> list[Any]:
        """Return the result of each work once all of them are on disk."""
        try:
            self._lock.check()
            self.check_place()
            results, last, new = self._committed(works)
        except BaseException:
            self.close()  # what the failed commit left behind in it is nobody's to guess
            raise
        self.last = last
        if new:
            self._subscribers.deliver(new)
        self.finish_erasing()
        return results

    def check_place(self) -> None:
        """Raise `CannotStore` where what is written now could not be found again under the name of the file."""
        self._place.check(wal=self.last is not None)

    def finish_erasing(self) -> None:
        """Overwrite the bytes of what was erased; where that fails now, it is tried again after the next commit."""
        connection = self._connection
        if connection is None or self._erasing is False:
            return
        try:
            if self._erasing is None:
                with connection.begin():
                    self._erasing = side.is_pending(connection)
            if self._erasing and not self._rebuilt:
                database.rebuild(connection)
                self._rebuilt = (
                    True  # once: a reader that stays must not make every commit write the whole file
                )
            if self._erasing and database.empty_wal(connection):
                with connection.begin():
                    side.set_done(connection)
                self._erasing = self._rebuilt = False
        except (sqlite3.Error, SQLAlchemyError) as error:
            _log.warning("erased bytes are still in %s: %s", self._path.name, getattr(error, "orig", error))

    def _committed(self, works: Sequence[Work]) -> tuple[list[Any], int, list[Event]]:
        if self._connection is None:
            self._connection = database.writer(self._path)
        time = float(self._clock())
        try:
            return self._attempt(self._connection, works, time, self.last)
        except sqlite3.IntegrityError:  # an id is in the log already: look all of them up
            return self._attempt(self._connection, works, time, None)

    def _attempt(
        self, connection: Connection, works: Sequence[Work], time: float, after: int | None
    ) -> tuple[list[Any], int, list[Event]]:
        """Do all work in one transaction; return the results, the last number, and the events to be delivered."""
        batches = [_entries(work) for work in works if not callable(work)]
        plain = after is not None and len(batches) == len(works)
        with database.Transaction(connection) if plain else connection.begin():
            before = table.last(connection) if after is None else after
            if not all(batches):
                table.touch(connection)
            outcomes, new = table.append(connection, batches, time, after) if batches else ([], [])
            missed = self._missed(connection, before) if self._subscribers else []
            following = iter(outcomes)
            results = [_isolated(connection, work) if callable(work) else next(following) for work in works]
            for work, result in zip(works, results, strict=True):
                if isinstance(work, Batch):
                    self._write_side(connection, work, result, time)
        last = new[-1].number if new else before
        self._delivered = last
        return results, last, missed + [record.event() for record in new] if self._subscribers else []

    def _write_side(self, connection: Connection, work: Batch, result: Any, time: float) -> None:
        """Write what comes with events, unless they were there before or are in conflict."""
        if isinstance(result, Exception) or not any(appended.new for appended in result):
            return
        side.write(connection, work.side, result[-1].event.number, time)
        if work.side.erases:
            self._erasing, self._rebuilt = True, False

    def _missed(self, connection: Connection, last: int) -> list[Event]:
        """Return the events that a commit kept that was reported as failed, and that nobody was given."""
        missed: list[Event] = []
        after = last if self._delivered is None else self._delivered
        while after + len(missed) < last:
            missed += table.read(connection, after + len(missed), last)
        return missed

    def close(self) -> None:
        """Empty the WAL as far as possible, and close the connection; the next commit opens another."""
        self.last = None
        if self._connection is not None:
            connection, self._connection = self._connection, None
            database.finish(connection)


def _entries(work: Sequence[Entry] | Batch) -> Sequence[Entry]:
    return work.entries if isinstance(work, Batch) else work


def _isolated(connection: Connection, work: Callable[[Connection], Any]) -> Any:
    """Return the result of other statements, or what is wrong with them: nobody else's events fail with them."""
    try:
        with connection.begin_nested():
            return work(connection)
    except (ValueError, TypeError, IntegrityError) as error:
        return error
