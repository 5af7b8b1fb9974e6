"""Step five, inside: an SQLite file as a log must have it. A path in; checked connections to it out.

Nothing here opens the database file but SQLite itself: closing a second descriptor of it would drop the locks
that SQLite holds through the first.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import cast

from sqlalchemy import Connection, Engine, NullPool, QueuePool, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from penchant.errors import CannotLoad, InvalidInput
from penchant.store.table import metadata

APPLICATION = 0x50454E43  # "PENC"
SCHEMA = 1
SYNCHRONOUS = "FULL"  # in WAL mode, NORMAL would acknowledge what a loss of power takes back
PATIENCE = 30.0  # seconds, with another program that writes to the file
CHECKPOINT_PAGES = 1000
WAL_SIZE = 64 * 2**20  # bytes that the WAL file keeps after a checkpoint

# The log keeps these promises by itself; the triggers keep other programs from breaking them by mistake.
TRIGGERS = (
    """CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed: append another'); END""",
    """CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted: append another'); END""",
    """CREATE TRIGGER events_come_in_order BEFORE INSERT ON events
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM events)
        OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'events have the next number and an id of their own'); END""",
)


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a file that it cannot read into `CannotLoad`."""
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError) as error:
        reason = str(getattr(error, "orig", None) or error)
        raise CannotLoad(
            f"{path} must be a readable SQLite file in a folder that can be written to, and SQLite says "
            f"{reason!r}: check the path and the disk, or restore the file from a copy"
        ) from error


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open ``path`` with the driver: ``mode`` is ``ro``, ``rw`` or ``rwc``; transactions are for the caller."""
    return sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )


def build(path: Path) -> None:
    """Make an empty log at ``path``, whole or not at all; the caller holds the lock."""
    for taken in (path, beside(path, "-wal")):
        if taken.exists() and (taken == path or taken.stat().st_size):
            raise InvalidInput(
                f"{path} must not exist yet, but {taken.name} does: open the log that is there, "
                "choose another name, or move it away"
            )
    new = beside(path, ".new")
    for leftover in ("-wal", "-shm", ".new", ".new-journal", ".new-wal", ".new-shm"):
        beside(path, leftover).unlink(missing_ok=True)
    with in_words(path):
        _fill(new)
    new.rename(path)
    sync(path.parent)


def _fill(path: Path) -> None:
    with closing(connect(path, "rwc")) as driver:
        driver.execute("PRAGMA journal_mode=WAL")
        driver.execute("BEGIN")
        engine = create_engine("sqlite://", creator=lambda: driver, poolclass=NullPool)
        with engine.connect() as connection:
            metadata.create_all(connection, checkfirst=False)
            for trigger in TRIGGERS:
                connection.exec_driver_sql(trigger)
            connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
            connection.exec_driver_sql(f"PRAGMA user_version={SCHEMA}")
            connection.commit()


def check(path: Path) -> None:
    """Refuse ``path`` in words unless it is a log of a schema known here."""
    if not path.is_file():
        raise CannotLoad(f"{path} must be a file, there is none: correct the path, or create the log first")
    with in_words(path), closing(connect(path, "ro")) as driver:
        (application,) = driver.execute("PRAGMA application_id").fetchone()
        (schema,) = driver.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise CannotLoad(
            f"{path} must have been made by Penchant, and is the SQLite file of another program "
            f"(application {application}): correct the path, or create a log under another name"
        )
    if not 1 <= schema <= SCHEMA:
        raise CannotLoad(
            f"{path} must have a schema of 1 to {SCHEMA}, got {schema}: "
            "it was written by a newer version, upgrade Penchant to open it"
        )


def readers(path: Path) -> Engine:
    """Return an engine of read-only connections, as many as there are readers."""

    def connection() -> sqlite3.Connection:
        driver = connect(path, "ro")
        driver.execute("PRAGMA wal_autocheckpoint=0")
        return driver

    return create_engine("sqlite://", creator=connection, poolclass=QueuePool, max_overflow=-1)


def writer(path: Path) -> Connection:
    """Return the one connection that writes; each commit of it is on disk when it returns."""
    driver = connect(path, "rw")
    try:
        _set_up_writing(path, driver)
        checkpoint(driver, "PASSIVE")
    except BaseException:
        driver.close()
        raise
    engine = create_engine("sqlite://", creator=lambda: driver, poolclass=NullPool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine.connect()


def _set_up_writing(path: Path, driver: sqlite3.Connection) -> None:
    (mode,) = driver.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise CannotLoad(f"{path} must allow SQLite's WAL mode, got {mode!r}: move it to a local disk")
    driver.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
    driver.execute("PRAGMA fullfsync=1")  # where fsync alone leaves data in the drive's cache
    driver.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    driver.execute(f"PRAGMA journal_size_limit={WAL_SIZE}")


def finish(connection: Connection) -> None:
    """Empty the WAL if no reader needs it, and close the connection that wrote."""
    driver = cast("sqlite3.Connection", connection.connection.driver_connection)
    with suppress(sqlite3.Error):  # what is not moved now is safe in the WAL, and is moved the next time
        checkpoint(driver, "TRUNCATE")
    connection.close()


def checkpoint(driver: sqlite3.Connection, kind: str) -> None:
    """Move what the WAL holds into the file, and sync both, as far as readers let it without waiting."""
    driver.execute("PRAGMA busy_timeout=0")
    driver.execute(f"PRAGMA wal_checkpoint({kind})").fetchall()
    driver.execute(f"PRAGMA busy_timeout={int(1000 * PATIENCE)}")


def sync_wal(path: Path) -> None:
    """Sync the WAL of a log that has just been opened.

    A process that was killed between writing and syncing leaves events that are whole but not yet safe; they
    must be safe before anybody is told of them.
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
