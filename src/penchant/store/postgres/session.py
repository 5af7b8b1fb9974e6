"""The session that may write a study: it holds the advisory lock, and its term stands in the database."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import RLock

from sqlalchemy import Connection, bindparam, literal_column, select, text, update

from penchant.errors import CannotStore, Locked, PenchantError
from penchant.store.postgres import database
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.schema import lock_key, writers
from penchant.store.statement import Statement

_PAUSE = 0.05  # seconds between two tries
_BEGIN = Statement(
    update(writers)
    .values(term=writers.c.term + literal_column("1"), process=bindparam("who", type_=writers.c.process.type))
    .returning(writers.c.term),
    ["who"],
)
_TERM = Statement(select(writers.c.term).with_for_update(read=True))
_WHO = Statement(select(writers.c.process))


class Session:
    """The right to write a study, which goes with the connection that holds it.

    The lock is the server's: it is free as soon as the server notices that the session has ended, and no commit can be
    made without the session. Each holder begins a term. A commit reads the term under a row lock, so that one of an
    earlier term fails also where something between the two has passed the statements to another session.

    Attributes
    ----------
    using : RLock
        Held while statements run on the connection.
    term : int
        The term that this session has begun; 0 where it does not hold the lock.
    """

    def __init__(self, address: PostgresAddress) -> None:
        self.address = address
        self.using = RLock()
        self.term = 0
        self._connection: Connection | None = None
        self._driver: database.Driver | None = None

    def connected(self) -> Connection:
        """Return the connection, made anew where there is none."""
        with self.using:
            if self._connection is None:
                self._connection = database.writer(self.address)
                self._driver = database.driver_of(self._connection)
            return self._connection

    def lock(self, patience: float = 0.0) -> bool:
        """Take the lock if it is free within so many seconds; return whether it is held."""
        until = time.monotonic() + patience
        with self.using, self.kept_or_lost():
            connection = self.connected()
            query = text("SELECT pg_try_advisory_lock(:key)")
            while True:
                with connection.begin():
                    held = bool(connection.scalar(query, {"key": lock_key(self.address)}))
                if held or time.monotonic() >= until:
                    return held
                time.sleep(_PAUSE)

    def acquire(self, patience: float = 0.0) -> bool:
        """Take the lock if it is free, and begin a term; return whether this session may write."""
        with self.using:
            if self.term:
                return True
            if not self.lock(patience):
                return False
            self.begin_term()
            return True

    def begin_term(self) -> None:
        """Record that this session writes from here on; it holds the lock."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        who = f"process {os.getpid()} on {platform.node()} has been writing it since {now} UTC"
        with self.using, self.kept_or_lost():
            connection = self.connected()
            with connection.begin():
                ((term,),) = _BEGIN.run(connection, (who,)).fetchall()
            self.term = int(term)

    def check_term(self, connection: Connection) -> None:
        """Raise `CannotStore` unless the term is the current one, which it then is until the transaction ends."""
        rows = _TERM.run(connection).fetchall()
        if rows != [(self.term,)]:
            self.term = 0
            raise CannotStore("another process has begun to write the study")

    def holds(self) -> bool:
        """Return whether this session may write: the server has not ended it."""
        if not self.term:
            return False
        if not self.using.acquire(blocking=False):
            return True  # a commit is under way, which finds out
        try:
            connection, driver = self._connection, self._driver
            if connection is None or driver is None:
                return False
            if not connection.invalidated and database.is_quiet(driver):
                return True
            with suppress(PenchantError), self.kept_or_lost(), connection.begin():
                connection.scalar(text("SELECT 1"))
            return bool(self.term)
        finally:
            self.using.release()

    def locked(self) -> Locked:
        """Return the error of who tries to write while another process does."""
        who = "another process is writing it"
        with suppress(PenchantError), self.using, self.kept_or_lost():
            connection = self.connected()
            with connection.begin():
                rows = _WHO.run(connection).fetchall()
            who = str(rows[0][0]) if rows and rows[0][0] else who
        return Locked(
            f"study {self.address.name} must have one writer at a time, and {who}: stop that one first, open the study "
            "with write=False to read beside it, or with standby=True to take over when it ends"
        )

    def lose(self) -> None:
        """Let go of the connection, and with it of the lock."""
        with self.using:
            self.term = 0
            connection, self._connection = self._connection, None
            driver, self._driver = self._driver, None
            if connection is not None and not connection.invalidated:
                with suppress(*database.DRIVER_ERRORS):
                    connection.invalidate()
            if connection is not None:
                with suppress(*database.DRIVER_ERRORS):
                    connection.close()
            if driver is not None:
                driver.close()

    def close(self) -> None:
        """Release the lock, so that the next process need not wait until the server has noticed, and disconnect."""
        with self.using:
            if self.term and self._driver is not None:
                driver = self._driver
                with suppress(*database.DRIVER_ERRORS):
                    driver.rollback()
                    driver.execute("SELECT pg_advisory_unlock(%s)", (lock_key(self.address),))
                    driver.commit()
            self.lose()

    @contextmanager
    def kept_or_lost(self) -> Iterator[None]:
        """Run statements after which the session goes on; where they fail it is lost, with an error in words."""
        with database.writing(self.address):
            try:
                yield
            except BaseException:
                self.lose()
                raise
