"""Commit what waits in the queue of the writer to PostgreSQL, in the session that holds the lock of the study."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from sqlalchemy import Connection

from penchant.errors import PenchantError
from penchant.store import side, table
from penchant.store.committer import Clock, Committer
from penchant.store.postgres import database
from penchant.store.postgres.session import Session
from penchant.store.subscribers import Subscribers
from penchant.store.writer import Work

_ERASABLE = ", ".join(f'"{each.name}"' for each in (*table.SIDE_TABLES, table.snapshots))
_LOCK_PATIENCE = 2000  # milliseconds that the tables of erased rows are waited for

PATIENCE = 1.0
"""Seconds that a lock is waited for which its holder is just giving back."""

_log = logging.getLogger("penchant.store")


class PostgresCommitter(Committer):
    """Commits work in one session; where that has ended, the lock is taken anew or another process has it."""

    taken = psycopg.IntegrityError

    def __init__(self, session: Session, clock: Clock, subscribers: Subscribers) -> None:
        super().__init__(clock, subscribers)
        self._session = session
        self._term = 0  # in which `last` was read
        self._erasing: bool | None = None

    def __call__(self, works: Sequence[Work]) -> list[Any]:
        """Return the result of each work once all of them are on disk."""
        with self._session.using:
            return super().__call__(works)

    def _ready(self) -> Connection:
        if not self._session.acquire(PATIENCE):
            raise self._session.locked()
        if self._term != self._session.term:  # others may have written before it
            self.last, self._erasing, self._term = None, None, self._session.term
        return self._session.connected()

    def _fail(self) -> None:
        """Keep the session where it is as before, and let go of one that the server has ended."""
        self.last = None
        if not self._session.holds():
            self._session.lose()

    def _transaction(self, connection: Connection, *, plain: bool) -> AbstractContextManager[Any]:
        return database.Transaction(connection) if plain else connection.begin()

    def _begun(self, connection: Connection) -> None:
        self._session.check_term(connection)

    def _erased(self) -> None:
        self._erasing = True

    def last_of_term(self) -> int | None:
        """Return the number of the last event where this session has written or read it in its term."""
        return self.last if self._term == self._session.term else None

    def deliver(self, connection: Connection, last: int) -> None:
        """Give subscribers what other processes have appended up to event ``last``."""
        if self._delivered is None or not self._subscribers:
            self._delivered = last
            return
        events = self._missed(connection, last)
        self._delivered = max(last, self._delivered)
        if events:
            self._subscribers.deliver(events)

    def finish_erasing(self) -> None:
        """Write the tables of erased rows anew, without them; where that fails, after the next commit again.

        Rows that are deleted stay in the files of their tables until something else is written there.
        """
        if self._erasing is False:
            return
        connection = self._session.connected()
        try:
            if self._erasing is None:
                with connection.begin():
                    self._erasing = side.is_pending(connection)
            if self._erasing:
                _rebuild(database.driver_of(connection))
                with connection.begin():
                    side.set_done(connection)
                self._erasing = False
        except (*database.DRIVER_ERRORS, PenchantError) as error:
            why = database.reason(self._session.address, error)
            _log.warning("erased bytes are still in the tables of %s: %s", self._session.address, why)
            self._fail()


def _rebuild(driver: database.Driver) -> None:
    driver.rollback()
    driver.autocommit = True
    try:
        driver.execute(f"SET lock_timeout = {_LOCK_PATIENCE}; ")
        driver.execute(f"VACUUM (FULL) {_ERASABLE}".encode())
        driver.execute("RESET lock_timeout")
    finally:
        if not driver.closed:
            driver.autocommit = False
