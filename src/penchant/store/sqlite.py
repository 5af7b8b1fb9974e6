"""Step five: the log in one SQLite file. A path in; an `EventLog` out, written by one process, read by many."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine

from penchant.errors import CannotLoad, CannotStore, Closed
from penchant.store import sqlite_file, table
from penchant.store.entry import Entry, checked
from penchant.store.lock import WriterLock
from penchant.store.log import Appended, Content, Event, EventLog
from penchant.store.writer import Writer

Clock = Callable[[], float]


class SQLiteLog(EventLog):
    """The log of one study in one SQLite file; made by `create` or `open`.

    A single thread writes: it commits all appends that wait together, with one sync, and then acknowledges
    them; it alone checkpoints. A lock on ``FILE.lock`` keeps a second writer out, and goes with the process
    that holds it. Reading uses connections of its own, which cannot write and do not wait for the writer.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> log = SQLiteLog.create(Path(folder.name) / "study.db", clock=lambda: 1.0e9)
    >>> log.append("e1", "answer", {"better": "tea", "worse": "coffee"}).new
    True
    >>> log.append("e1", "answer", {"better": "tea", "worse": "coffee"}).new
    False
    >>> list(log.events())
    [Event(number=1, id='e1', kind='answer', time=1000000000.0, content={'better': 'tea', 'worse': 'coffee'})]
    >>> log.close()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, lock: WriterLock | None, clock: Clock) -> None:
        self.path = path
        self._process = os.getpid()
        self._closing = threading.Lock()
        self._readers = sqlite_file.readers(path)
        self._writer: Writer | None = None
        connection = None
        if lock is not None:
            with sqlite_file.in_words(path):
                connection = sqlite_file.writer(path)
            self._writer = Writer(path.name, partial(_commit, connection, clock))
        # Also at the end of the program, or when nobody can reach the log any more.
        self._close = weakref.finalize(
            self, _let_go, self._process, self._writer, connection, self._readers, lock
        )
        try:
            self.last()  # the first read recovers what a crash left behind
            sqlite_file.sync_wal(path)
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, path: str | Path, *, clock: Clock = time.time) -> Self:
        """Make a new log and open it for writing.

        Parameters
        ----------
        path : str or Path
            Where no file is yet.
        clock : callable, default `time.time`
            What the events' times are taken from.
        """
        path = Path(path).resolve()
        if not path.parent.is_dir():
            raise CannotLoad(f"{path} must lie in a folder that exists: make {path.parent} first")
        with _locked(path) as lock:
            sqlite_file.build(path)
            return cls(path, lock, clock)

    @classmethod
    def open(cls, path: str | Path, *, write: bool = True, clock: Clock = time.time) -> Self:
        """Open the log that is at ``path``.

        Parameters
        ----------
        path : str or Path
        write : bool, default True
            Whether to append: one writer at a time, any number of readers beside it.
        clock : callable, default `time.time`
            What the events' times are taken from.
        """
        path = Path(path).resolve()
        sqlite_file.check(path)
        if not write:
            return cls(path, None, clock)
        with _locked(path) as lock:
            return cls(path, lock, clock)

    def append_all(self, entries: Iterable[tuple[str, str, Content]]) -> list[Appended]:  # noqa: D102
        self._check_open()
        if self._writer is None:
            raise CannotStore(
                f"{self.path.name} must be open for writing to append to it, and is open for reading: "
                "open it with write=True"
            )
        batch = checked(entries)
        return self._writer.write(batch) if batch else []

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:  # noqa: D102
        last = self.last()
        return self._pages(after, last if upto is None else min(upto, last))

    def _pages(self, after: int, upto: int) -> Iterator[Event]:
        # Events never change, so that pages are as good as one long read, which would hold up checkpoints.
        while after < upto:
            with self._reading() as connection:
                page = table.read(connection, after, upto)
            if [event.number for event in page] != list(range(after + 1, after + 1 + len(page))) or not page:
                raise CannotLoad(
                    f"{self.path} must hold events 1 to {upto} without gaps, and one after {after} is missing: "
                    "something else has altered the file, restore it from a copy"
                )
            yield from page
            after = page[-1].number

    def get(self, id: str) -> Event | None:  # noqa: D102
        with self._reading() as connection:
            return table.get(connection, id)

    def last(self) -> int:  # noqa: D102
        with self._reading() as connection:
            return table.last(connection)

    def close(self) -> None:  # noqa: D102
        with self._closing:
            self._close()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._check_open()
        with sqlite_file.in_words(self.path), self._readers.connect() as connection:
            yield connection

    def _check_open(self) -> None:
        if not self._close.alive:
            raise Closed(f"{self.path.name} must be open to be used, it is closed: open it again")
        if os.getpid() != self._process:
            raise Closed(
                f"{self.path.name} must be used by the process that opened it, {self._process}, "
                f"this is {os.getpid()}: open it again in here"
            )


@contextmanager
def _locked(path: Path) -> Iterator[WriterLock]:
    """Take the lock for whoever opens the log, and give it back where that fails."""
    lock = WriterLock(path)
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


def _commit(connection: Connection, clock: Clock, batches: Sequence[Sequence[Entry]]) -> list[table.Outcome]:
    with connection.begin():
        return table.append(connection, batches, clock)


def _let_go(
    process: int,
    writer: Writer | None,
    connection: Connection | None,
    readers: Engine,
    lock: WriterLock | None,
) -> None:
    if os.getpid() != process:
        return
    if writer is not None:
        writer.close()
    readers.dispose()  # before the writer's connection: the last to close tidies up, and must be able to write
    if connection is not None:
        sqlite_file.finish(connection)
    if lock is not None:
        lock.release()
