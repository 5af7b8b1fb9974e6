"""Commit what waits in the queue of the writer to the SQLite file of a log."""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from penchant.errors import CannotStore
from penchant.store import side
from penchant.store.committer import Clock, Committer
from penchant.store.sqlite import database
from penchant.store.sqlite.lock import WriterLock
from penchant.store.subscribers import Subscribers

_log = logging.getLogger("penchant.store")


class SQLiteCommitter(Committer):
    """Commits work over one connection, and over a new one after a failure; then delivers the new events."""

    taken = sqlite3.IntegrityError

    def __init__(self, path: Path, clock: Clock, lock: WriterLock, subscribers: Subscribers) -> None:
        super().__init__(clock, subscribers)
        self._path = path
        self._lock = lock
        # Whether erased bytes may stand in the file; None: to be read from it.
        self._erasing: bool | None = None
        # Whether only the WAL, and pages that it replaces, may still hold erased bytes.
        self._rebuilt = False
        with database.reading(path):
            self._connection: Connection | None = database.writer(path)
        self._file = SameFile(path)

    def _ready(self) -> Connection:
        self._lock.check()
        self.check_file()
        if self._connection is None:
            self._connection = database.writer(self._path)
        return self._connection

    def _fail(self) -> None:
        self.close()  # what the failed commit left behind in it is nobody's to guess

    def _transaction(self, connection: Connection, *, plain: bool) -> AbstractContextManager[Any]:
        return database.Transaction(connection) if plain else connection.begin()

    def _begun(self, connection: Connection) -> None:
        """Check nothing: the lock of the file was checked before."""

    def _erased(self) -> None:
        self._erasing, self._rebuilt = True, False

    def check_file(self) -> None:
        """Raise `CannotStore` where what is written now could not be found again under the name of the file."""
        self._file.check(wal=self.last is not None)

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
                # Once: a reader that stays must not make every commit write the whole file.
                self._rebuilt = True
            if self._erasing and database.empty_wal(connection):
                with connection.begin():
                    side.set_done(connection)
                self._erasing = self._rebuilt = False
        except (sqlite3.Error, SQLAlchemyError) as error:
            _log.warning("erased bytes are still in %s: %s", self._path.name, getattr(error, "orig", error))

    def close(self) -> None:
        """Empty the WAL as far as possible, and close the connection; the next commit opens another."""
        self.last = None
        if self._connection is not None:
            connection, self._connection = self._connection, None
            database.finish(connection)


class SameFile:
    """Stop writes that nobody will find: a file that was removed while it is open can be written to, and is lost.

    Parameters
    ----------
    path : Path
        Of a file that is open for writing.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "study.db"
    >>> _ = path.write_bytes(b"")
    >>> file = SameFile(path)
    >>> file.check()
    >>> path.unlink()
    >>> file.check()
    Traceback (most recent call last):
    penchant.errors.CannotStore: study.db was moved, removed or replaced while it was open: put it back
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self._path, self._wal = path, database.beside(path, "-wal")
        self._names = str(path), str(self._wal)
        self._found = _identity(self._names[0])
        self._lost = False

    def check(self, *, wal: bool = False) -> None:
        """Raise `CannotStore` unless the file has its name, and with ``wal`` unless there is a WAL beside it.

        A WAL that was removed once stays missed: readers still read the old one, which no other process can see.
        """
        file, log = self._names
        if _identity(file) != self._found:
            raise CannotStore(
                f"{self._path.name} was moved, removed or replaced while it was open: put it back"
            )
        self._lost = self._lost or (wal and _identity(log) is None)
        if self._lost:
            raise CannotStore(f"{self._wal.name} was moved or removed while it was in use: start again")


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - in half the time of Path.stat
    except OSError:
        return None
    return found.st_dev, found.st_ino
