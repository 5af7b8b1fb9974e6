"""What the logs in SQL share: reading in pages, and appending through one writer, whatever the database."""

from __future__ import annotations

import os
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from sqlalchemy import Connection, Engine

from penchant.errors import CannotStore, Closed, Damaged
from penchant.store import table
from penchant.store.entry import NewEvent, checked
from penchant.store.event import Appended, Event
from penchant.store.log import EventLog
from penchant.store.side import Batch, SideRows
from penchant.store.subscribers import Subscriber, Subscribers
from penchant.store.writer import Writer


class SQLLog(EventLog):
    """A log whose tables are those of `penchant.store.table`; a subclass connects to one kind of database.

    The subclass sets ``name``, ``place``, the tables beside the events, and in its constructor what is named below.
    ``_close`` closes everything, once, also when nobody can reach the log any more.
    """

    _readers: Engine
    _writer: Writer | None
    _close: weakref.finalize  # type: ignore[type-arg]

    def __init__(self) -> None:
        self._process = os.getpid()
        self._closing = threading.Lock()
        self._subscribers = Subscribers()

    @property
    def _title(self) -> str:
        """What messages about its use call the log."""
        return self.name

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """Return a context with a connection to read from."""

    @abstractmethod
    def _last_written(self) -> int | None:
        """Return the number of the last event where this log has just written or read it, else None."""

    def append_all(  # noqa: D102
        self, entries: Iterable[NewEvent], side: SideRows | None = None, *, after: int | None = None
    ) -> list[Appended]:
        writer = self._to_write()
        batch = checked(entries)
        work = batch if side is None and after is None else Batch(batch, side, after)
        appended: list[Appended] = writer.submit(work).result() if batch else []
        return appended

    def _to_write(self) -> Writer:
        """Return the writer, or raise why nothing can be written."""
        self._check_open()
        if self._writer is None:
            raise CannotStore(
                f"{self._title} must be open for writing to append to it, and is open for reading: "
                "open it with write=True"
            )
        return self._writer

    def check_writable(self) -> None:  # noqa: D102
        writer = self._to_write()
        if writer.failure is not None:
            writer.submit([]).result()

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:  # noqa: D102
        last = self.last()
        return self._pages(after, last if upto is None else min(upto, last))

    def _pages(self, after: int, upto: int) -> Iterator[Event]:
        # Events never change, so that pages are as good as one long read, which would hold up checkpoints.
        while after < upto:
            with self._reading() as connection:
                page = table.read(connection, after, upto)
            if not page or [event.number for event in page] != list(range(after + 1, after + 1 + len(page))):
                raise Damaged(
                    f"{self.place} must hold events 1 to {upto} without gaps, and one after {after} is missing: "
                    "another program has altered it, restore a backup"
                )
            yield from page
            after = page[-1].number

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:  # noqa: D102
        self._check_open()
        return self._subscribers.add(subscriber)

    def get(self, id: str) -> Event | None:  # noqa: D102
        with self._reading() as connection:
            return table.get(connection, id)

    def last(self) -> int:  # noqa: D102
        self._check_open()
        number = self._last_written()
        if number is not None:
            return number
        with self._reading() as connection:
            return table.last(connection)

    def close(self) -> None:  # noqa: D102
        with self._closing:
            self._close()

    def _check_count(self, connection: Connection) -> None:
        """Report a log from whose end events were cut off, or to which others were added."""
        last, counted = table.counted(connection)
        if last != counted:
            raise Damaged(
                f"{self.place} must hold {max(counted, 0)} events, got {last}: see what can still be read with "
                "penchant check, or restore a backup"
            )

    def _check_open(self) -> None:
        if not self._close.alive:
            raise Closed(f"{self._title} must be open to be used, it is closed: open it again")
        if os.getpid() != self._process:
            raise Closed(
                f"{self._title} must be used by the process that opened it, {self._process}, "
                f"this is {os.getpid()}: open it again in here"
            )
