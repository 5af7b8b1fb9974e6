"""Make a log's SQLite file, or put one in the place of another: whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection

from penchant.errors import InvalidInput
from penchant.store.committer import Clock, write_first
from penchant.store.entry import Entry
from penchant.store.side import SideRows
from penchant.store.sqlite import schema
from penchant.store.sqlite.database import (
    DRIVER_ERRORS,
    PRIVATE,
    beside,
    checkpoint,
    connect,
    sync,
    writing,
)


def build(
    path: Path,
    entries: Sequence[Entry],
    clock: Clock,
    rows: SideRows | None = None,
    salt: bytes | None = None,
) -> None:
    """Make a log of ``entries``, and what they cite, at ``path``, whole or not at all; the caller holds the lock."""
    for taken in (path, beside(path, "-wal")):
        if taken.exists() and (taken == path or taken.stat().st_size):
            raise InvalidInput(
                f"{path} must not exist yet, but {taken.name} does: open the log that is there, "
                "choose another name, or move it away"
            )
    fill(path, lambda connection: write_first(connection, entries, clock, rows, salt))


def fill(path: Path, write: Callable[[Connection], None], *, keep: bool = False) -> None:
    """Make a log whose empty tables ``write`` fills, within a transaction; it appears whole or not at all."""
    with (
        replacement(path, keep=keep) as new,
        writing(path),
        closing(connect(new, "rw")) as driver,
    ):
        driver.execute("PRAGMA journal_mode=WAL")
        with schema.transaction(driver) as connection:
            schema.make(connection)
            write(connection)


@contextmanager
def replacement(path: Path, *, keep: bool = False) -> Iterator[Path]:
    """Let the caller write a new database, then put it at ``path``; nothing is changed if that fails.

    With ``keep``, what was there stays as ``PATH.replaced``, or ``PATH.replaced-2`` and so on.
    """
    new = beside(path, f".new-{secrets.token_hex(4)}")
    try:
        with writing(path):
            os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
        yield new
        with writing(path):
            if keep and path.exists():
                _keep(path)
            # The WAL goes first: one that is left beside another database would be taken for its own.
            _remove(path, "-wal", "-shm")
            new.rename(path)
            sync(path.parent)
    except BaseException:
        _remove(new, "", "-journal", "-wal", "-shm")
        raise


def _keep(path: Path) -> None:
    """Give a log that is to be replaced a second name, with all of its events in the file if that can be done."""
    with suppress(*DRIVER_ERRORS), closing(connect(path, "rw")) as driver:
        checkpoint(driver, "TRUNCATE")
    number = 1
    while (kept := beside(path, ".replaced" if number == 1 else f".replaced-{number}")).exists():
        number += 1
    wal = beside(path, "-wal")
    if wal.exists() and wal.stat().st_size:
        os.link(wal, beside(kept, "-wal"))
    os.link(path, kept)
    sync(path.parent)


def _remove(path: Path, *suffixes: str) -> None:
    for suffix in suffixes:
        beside(path, suffix).unlink(missing_ok=True)
