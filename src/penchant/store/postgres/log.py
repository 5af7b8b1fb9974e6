"""A log in a PostgreSQL database, written by one process at a time, read by many, and taken over when that one ends."""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from sqlalchemy import Connection, Engine, text

from penchant.errors import CannotStore, InvalidInput, PenchantWarning
from penchant.store.committer import Clock, write_first
from penchant.store.entry import DatedEvent, NewEvent, checked
from penchant.store.event import Appended
from penchant.store.postgres import database, schema
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.committer import PATIENCE, PostgresCommitter
from penchant.store.postgres.session import Session
from penchant.store.postgres.standby import Standby
from penchant.store.side import SideRows, SideTables
from penchant.store.snapshots import SnapshotTable
from penchant.store.sql_log import SQLLog
from penchant.store.subscribers import Subscriber
from penchant.store.tokens import TokenTable
from penchant.store.writer import Writer

_DURABLE_SETTINGS = ("fsync", "full_page_writes")
LARGEST = 2**28
"""Bytes of the largest context or checkpoint: the server sends them as text, of at most 1 GB."""


class PostgresLog(SQLLog):
    """The log of one study in a schema of a PostgreSQL database; made by `create` or `open`.

    The process that writes holds an advisory lock of the database, in the session in which it commits: a commit without
    the lock is not possible, and the lock is free when the session ends. Another process that is opened as ``standby``
    reads, and takes the lock as soon as it is free.

    Attributes
    ----------
    address : PostgresAddress
    """

    def __init__(
        self, address: PostgresAddress, session: Session | None, clock: Clock, *, standby: bool = False
    ) -> None:
        super().__init__()
        self.address, self.name, self.place = address, address.name, str(address)
        self._readers = database.readers(address)
        self._session = session
        self._committer = None if session is None else PostgresCommitter(session, clock, self._subscribers)
        self._writer = (
            None
            if self._committer is None
            else Writer(
                address.name,
                self._committer,
                database.is_full,
                reason=lambda cause: database.reason(address, cause),
                remedy="see whether the server runs and has space",
            )
        )
        self._standby = (
            Standby(session, self._committer)
            if standby and session is not None and self._committer is not None
            else None
        )
        self.tokens = TokenTable(self._reading, self._write_tokens)
        self.side = SideTables(self._reading)
        self.snapshots = SnapshotTable(self._reading, lambda work: self._to_write().submit(work).result())
        self._close = weakref.finalize(
            self, _let_go, self._process, self._standby, self._writer, session, self._readers
        )
        try:
            self._check()
            if session is not None:
                self._check_durable()
            if self._committer is not None and session is not None and session.term:
                self._committer.finish_erasing()
        except BaseException:
            self.close()
            raise
        if self._standby is not None:
            self._standby.start()

    def _check(self) -> None:
        """Report a schema that is damaged, as far as that can be seen without reading every event."""
        with self._reading() as connection:
            schema.check(connection, self.address)
            self._check_count(connection)

    def _check_durable(self) -> None:
        """Warn of a server that acknowledges commits before they are on disk."""
        with self._reading() as connection:
            off = [
                name
                for name in _DURABLE_SETTINGS
                if connection.scalar(text("SELECT current_setting(:name)"), {"name": name}) != "on"
            ]
        if off:
            warnings.warn(
                f"the server of {self.address} has {' and '.join(off)} switched off: what it acknowledges can be lost "
                "when its computer stops",
                PenchantWarning,
                stacklevel=2,
            )

    @classmethod
    def create(
        cls,
        address: PostgresAddress | str,
        entries: Iterable[NewEvent | DatedEvent] = (),
        side: SideRows | None = None,
        *,
        salt: bytes | None = None,
        clock: Clock = time.time,
    ) -> Self:
        """Make a new study in a database and open it for writing; the arguments are those of `SQLiteLog.create`.

        The role of the address needs the right to create a schema in the database.
        """
        address = _parsed(address)
        batch = checked(entries, dated=True)
        _check_size(side)
        return cls.made(
            address, lambda connection: write_first(connection, batch, clock, side, salt), clock=clock
        )

    @classmethod
    def made(
        cls, address: PostgresAddress, fill: Callable[[Connection], None], *, clock: Clock = time.time
    ) -> Self:
        """Make the tables of a new study and fill them, in one transaction; open it for writing."""
        session = Session(address)
        try:
            if not session.lock(PATIENCE):
                raise session.locked()
            with session.kept_or_lost():
                connection = session.connected()
                with connection.begin():
                    _check_new(connection, address)
                    schema.make(connection, address)
                    fill(connection)
            session.begin_term()
            return cls(address, session, clock)
        except BaseException:
            session.close()
            raise

    @classmethod
    def open(
        cls,
        address: PostgresAddress | str,
        *,
        write: bool = True,
        standby: bool = False,
        clock: Clock = time.time,
    ) -> Self:
        """Open the study of an address.

        Parameters
        ----------
        address : PostgresAddress or str
        write : bool, default True
            Whether to append: one writer at a time, any number of readers beside it.
        standby : bool, default False
            Whether to read while another process writes, and to write as soon as that has ended.
        clock : callable, default `time.time`
            What the events' times are taken from.
        """
        address = _parsed(address)
        if not (write or standby):
            return cls(address, None, clock)
        session = Session(address)
        try:
            with session.kept_or_lost():
                connection = session.connected()
                with connection.begin():
                    schema.check(connection, address)
            if not session.acquire(0.0 if standby else PATIENCE) and not standby:
                raise session.locked()
            return cls(address, session, clock, standby=standby)
        except BaseException:
            session.close()
            raise

    @staticmethod
    def exists(address: PostgresAddress) -> bool:
        """Return whether the database has a schema for the study."""
        with database.reading(address), database.reader_of_one_moment(address) as connection:
            return schema.exists(connection, address)

    @property
    def is_writer(self) -> bool:  # noqa: D102
        return self._session is not None and self._session.holds()

    @property
    def is_standby(self) -> bool:  # noqa: D102
        return self._standby is not None and not self.is_writer

    @property
    def term(self) -> int:  # noqa: D102
        return 0 if self._session is None else self._session.term

    @property
    def _title(self) -> str:
        return f"study {self.name}"

    def append_all(  # noqa: D102
        self, entries: Iterable[NewEvent], side: SideRows | None = None, *, after: int | None = None
    ) -> list[Appended]:
        _check_size(side)
        return super().append_all(entries, side, after=after)

    def _to_write(self) -> Writer:
        writer = super()._to_write()
        if self._standby is not None and self._session is not None and not self._session.holds():
            raise self._session.locked()
        return writer

    def _last_written(self) -> int | None:
        return None if self._committer is None or not self.is_writer else self._committer.last_of_term()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` as `EventLog.subscribe` does; a standby also gets what another process appends."""
        return super().subscribe(subscriber)

    def problem(self) -> str | None:  # noqa: D102
        self._check_open()
        if self._writer is None or self._session is None:
            return f"study {self.name} is open for reading"
        if self._standby is not None and not self._session.holds():
            return f"study {self.name} is written by another process, and this one waits to take over"
        if self._writer.failure is None and self._session.holds():
            return None
        try:
            self._writer.submit([]).result()
        except CannotStore as trouble:
            return database.reason(self.address, trouble.__cause__ or trouble)
        return None

    @contextmanager
    def at_one_moment(self) -> Iterator[Connection]:  # noqa: D102
        self._check_open()
        with database.reading(self.address), database.reader_of_one_moment(self.address) as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._check_open()
        with database.reading(self.address), self._readers.connect() as connection:
            yield connection

    def _write_tokens(self, work: Callable[[Connection], Any]) -> Any:
        self._check_open()
        if self._writer is not None and self.is_writer:
            return self._writer.submit(work).result()
        with database.writing(self.address):
            connection = database.writer(self.address)
            try:
                with connection.begin():
                    return work(connection)
            finally:
                connection.close()


def _parsed(address: PostgresAddress | str) -> PostgresAddress:
    return PostgresAddress.parse(address) if isinstance(address, str) else address


def _check_new(connection: Connection, address: PostgresAddress) -> None:
    if schema.exists(connection, address):
        raise InvalidInput(
            f"{address} must not exist yet, but schema {address.schema} does: open the study that is there, "
            "choose another name, or drop the schema"
        )
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        raise InvalidInput.of(
            str(address), "be in a database whose encoding is UTF8", encoding, "create one with that encoding"
        )


def _check_size(side: SideRows | None) -> None:
    if side is None:
        return
    largest = max(map(len, (*side.contexts.values(), side.checkpoint or b"")))
    if largest > LARGEST:
        raise InvalidInput.of(
            "a context or checkpoint",
            f"be at most {LARGEST} bytes in PostgreSQL",
            f"{largest} bytes",
            "shorten it",
        )


def _let_go(
    process: int, standby: Standby | None, writer: Writer | None, session: Session | None, readers: Engine
) -> None:
    if os.getpid() != process:
        return
    if standby is not None:
        standby.stop()
    if writer is not None:
        writer.close()
    readers.dispose()
    if session is not None:
        session.close()
