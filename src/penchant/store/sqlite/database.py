"""Connections to the SQLite file of a log, checked before they are used.

Nothing here opens the database file but SQLite itself: closing a second descriptor of it would drop the locks
that SQLite holds through the first.
"""

from __future__ import annotations

import errno
import os
import shlex
import sqlite3
import stat
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import cast

from sqlalchemy import Connection, Engine, NullPool, QueuePool, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from penchant.errors import CannotLoad, CannotStore, Damaged, NoSpace, PenchantWarning
from penchant.store.sqlite import schema as sqlite_schema
from penchant.store.sqlite.wal import unread_commits

PRIVATE = 0o600
SYNCHRONOUS = "FULL"  # in WAL mode, NORMAL would acknowledge what a loss of power takes back
PATIENCE = 30.0  # seconds, with another program that writes to the file
CHECKPOINT_PAGES = 1000
WAL_SIZE = 64 * 2**20  # bytes that the WAL file keeps after a checkpoint


DRIVER_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What the driver raises about a damaged file: its own messages may quote bytes that are no text."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what SQLite reports about a file that it cannot read into `CannotLoad`."""
    try:
        yield
    except (*DRIVER_ERRORS, SQLAlchemyError) as error:
        # The driver quotes text that it cannot decode, and stored content is nobody's to read in a message.
        reason = str(getattr(error, "orig", None) or error).partition(" with text ")[0]
        reason = "text that is not UTF-8" if isinstance(error, UnicodeDecodeError) else reason
        raise CannotLoad(
            f"{path} must be a readable SQLite file, and SQLite says {reason!r}: check the path and the disk, "
            "or restore the file from a copy"
        ) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system reports about a file that it cannot write into `CannotStore`."""
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        cause = getattr(error, "orig", None) or error
        kind = NoSpace if is_full(cause) else CannotStore
        raise kind(
            f"{path} must be writable, got {str(cause)!r}: free space, or choose a folder that can be written to"
        ) from error


def is_full(error: BaseException) -> bool:
    """Return whether an exception means that the disk is full."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL or (
        isinstance(error, OSError) and error.errno in _DISK_FULL
    )


_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


def free_bytes(path: Path) -> int:
    """Return the number of free bytes on the disk of ``path``."""
    found = os.statvfs(path.parent)
    return found.f_bavail * found.f_frsize


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open ``path`` with the driver: ``mode`` is ``ro`` or ``rw``; transactions are for the caller."""
    return sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )


def schema_of(path: Path) -> int:
    """Return the schema of the log at ``path``, or report why it is none that can be read here."""
    with reading(path), closing(connect(path, "ro")) as driver:
        (application,) = driver.execute("PRAGMA application_id").fetchone()
        (schema,) = driver.execute("PRAGMA user_version").fetchone()
    if application != sqlite_schema.APPLICATION:
        raise CannotLoad(
            f"{path} must have been made by Penchant, and is the SQLite file of another program "
            f"(application {application}): correct the path, or create a log under another name"
        )
    if not 1 <= schema <= sqlite_schema.SCHEMA:
        raise CannotLoad(
            f"{path} must have a schema of 1 to {sqlite_schema.SCHEMA}, got {schema}: "
            "it was written by a newer version, upgrade Penchant to open it"
        )
    return int(schema)


def check_definitions(path: Path) -> None:
    """Report a log whose tables, indexes or triggers are not those that Penchant makes."""
    with reading(path), closing(connect(path, "ro")) as driver:
        if sqlite_schema.definitions(driver) != sqlite_schema.expected():
            raise Damaged(
                f"{path} must define the tables that Penchant makes, and does not: the file is damaged, or another "
                "program has changed it; restore a backup"
            )


def check_pages(path: Path) -> None:
    """Report a file in which tables and indexes contradict each other; it takes about 50 ms for 100,000 events."""
    with reading(path), closing(connect(path, "ro")) as driver:
        found = [row[0] for row in driver.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise Damaged(
            f"{path} must be a sound SQLite file, got {found[0]!r}: see what can still be read with "
            "penchant check, or restore a backup"
        )


def check_wal(path: Path) -> None:
    """Report a WAL that was damaged after it was written; nobody may be writing it."""
    with reading(path), closing(connect(path, "ro")) as driver:
        (page_size,) = driver.execute("PRAGMA page_size").fetchone()
    wal = beside(path, "-wal")
    unread = unread_commits(wal, page_size)
    if unread > 1:
        raise Damaged(
            f"{wal} must match its checksums, and {unread} transactions at its end do not: the file is damaged, and "
            "events in them cannot be read; see what can still be read with penchant check, or restore a backup"
        )
    if unread:
        warnings.warn(
            f"the last transaction in {wal.name} is incomplete and is not read: the computer stopped while it was "
            "written, before it was acknowledged, or the file is damaged",
            PenchantWarning,
            stacklevel=2,
        )


def check_mode(path: Path) -> None:
    """Warn of a log that other users of the computer can read; where they cannot, they cannot read its WAL either."""
    if _open_to_others(path):
        warnings.warn(
            f"{path.name} can be read by other users of this computer: chmod 600 {shlex.quote(str(path))}",
            PenchantWarning,
            stacklevel=2,
        )
        return
    for suffix in ("-wal", "-shm", ".lock"):
        place = beside(path, suffix)
        with suppress(OSError):  # gone meanwhile, or on a read-only file system
            if _open_to_others(place):
                place.chmod(PRIVATE)


def _open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def move(path: Path) -> None:
    """Move the log at ``path`` to the schema of this version; the caller holds the lock."""
    with writing(path), closing(connect(path, "rw")) as driver:
        _set_up_writing(path, driver)
        sqlite_schema.move(driver)
        checkpoint(driver, "TRUNCATE")


def readers(path: Path) -> Engine:
    """Return an engine of read-only connections, as many as there are readers."""

    def connection() -> sqlite3.Connection:
        driver = connect(path, "ro")
        driver.execute("PRAGMA wal_autocheckpoint=0")
        return driver

    return create_engine(
        "sqlite://", creator=connection, poolclass=QueuePool, max_overflow=-1, hide_parameters=True
    )


def writer(path: Path, *, checkpoints: bool = True) -> Connection:
    """Return a connection that writes; each commit of it is on disk when it returns.

    The one that appends events checkpoints too; others, which change tokens for a moment, leave that to it.
    """
    driver = connect(path, "rw")
    try:
        _set_up_writing(path, driver, CHECKPOINT_PAGES if checkpoints else 0)
        if checkpoints:
            checkpoint(driver, "PASSIVE")
    except BaseException:
        driver.close()
        raise
    engine = create_engine("sqlite://", creator=lambda: driver, poolclass=NullPool, hide_parameters=True)
    event.listen(engine, "begin", sqlite_schema.begin)
    return engine.connect()


def _set_up_writing(path: Path, driver: sqlite3.Connection, pages: int = CHECKPOINT_PAGES) -> None:
    (mode,) = driver.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise CannotLoad(f"{path} must allow SQLite's WAL mode, got {mode!r}: move it to a local disk")
    driver.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
    driver.execute("PRAGMA fullfsync=1")  # where fsync alone leaves data in the drive's cache
    driver.execute(f"PRAGMA wal_autocheckpoint={pages}")
    driver.execute(f"PRAGMA journal_size_limit={WAL_SIZE}")
    driver.execute("PRAGMA secure_delete=ON")


class Transaction:
    """A transaction that SQLAlchemy need not know of: it runs statements of the driver alone."""

    __slots__ = ("_driver",)

    def __init__(self, connection: Connection) -> None:
        self._driver = _driver(connection)

    def __enter__(self) -> None:
        self._driver.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self._driver.execute("COMMIT")
        else:
            self._driver.rollback()


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast("sqlite3.Connection", connection.connection.driver_connection)


def rebuild(connection: Connection) -> None:
    """Build the file anew, in the WAL, without what was deleted; it takes as long as copying the file.

    SQLite overwrites what it deletes, but not the copies that it left in unused parts of pages when it moved rows
    before.
    """
    _driver(connection).execute("VACUUM")


def empty_wal(connection: Connection) -> bool:
    """Move the WAL into the file and empty it; return whether that was done: a reader that is reading prevents it."""
    busy, _, _ = checkpoint(_driver(connection), "TRUNCATE")
    return not busy


def finish(connection: Connection) -> None:
    """Empty the WAL if no reader needs it, and close the connection that wrote."""
    driver = _driver(connection)
    with suppress(sqlite3.Error):  # what is not moved now is safe in the WAL, and is moved the next time
        checkpoint(driver, "TRUNCATE")
    connection.close()


def checkpoint(driver: sqlite3.Connection, kind: str) -> tuple[int, int, int]:
    """Move what the WAL holds into the file, and sync both, as far as readers let it without waiting.

    Return SQLite's own report: whether it was kept from it, and the pages in the WAL and those moved.
    """
    driver.execute("PRAGMA busy_timeout=0")
    (found,) = driver.execute(f"PRAGMA wal_checkpoint({kind})").fetchall()
    driver.execute(f"PRAGMA busy_timeout={int(1000 * PATIENCE)}")
    return cast("tuple[int, int, int]", found)


def sync_wal(path: Path) -> None:
    """Sync the WAL of a log that has just been opened.

    A process that was killed between writing and syncing leaves events that are whole but not yet safe; they
    must be safe before they are reported to anybody.
    """
    wal = beside(path, "-wal")
    if wal.exists():
        sync(wal)


def sync(path: Path) -> None:
    """Return when the file or folder is on disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def beside(path: Path, suffix: str) -> Path:
    """Return the path of the file that has this name and ``suffix`` after it."""
    return path.with_name(path.name + suffix)
