"""Copies of a log's SQLite file: backups, restored backups, and private ones of files that cannot be written."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from penchant.errors import Argument, CannotLoad, InvalidInput, Locked, Text
from penchant.store.sqlite import database
from penchant.store.sqlite import schema as sqlite_schema
from penchant.store.sqlite.replacing import replacement
from penchant.store.sqlite.schema import SCHEMA
from penchant.store.tokens import TokenRow, replace_all

_TRIES = 5


def copy(source: Path, target: Path, *, keep: bool = False, tokens: Sequence[TokenRow] | None = None) -> None:
    """Copy a log, also while it is written; the copy appears whole or not at all.

    A file that it replaces is removed, or with ``keep`` renamed to ``TARGET.replaced``. The copy gets ``tokens``
    in place of its own, unless there are none to give.
    """
    with (
        replacement(target, keep=keep) as new,
        database.writing(target),
        closing(database.connect(source, "ro")) as driver,
        closing(database.connect(new, "rw")) as copied,
    ):
        driver.backup(copied)
        with sqlite_schema.transaction(copied) as connection:
            replace_all(connection, tokens)


_COMPANIONS = ("", "-wal", "-shm", "-journal", ".lock")
"""What belongs to a log: its file, and what stands beside it under the same name."""


def check_target(source: Path | None, target: Path, *, replace: bool) -> None:
    """Reject a target that is part of the source, if that is a file, that is in the way, or that is in no folder."""
    for suffix in _COMPANIONS:
        part = None if source is None else database.beside(source, suffix)
        if part is not None and (
            target == part or (target.exists() and part.exists() and target.samefile(part))
        ):
            raise InvalidInput(
                f"{target} must be another file than the log that is copied: choose another name"
            )
        other = database.beside(target, suffix)
        if suffix not in ("", ".lock") and not target.exists() and other.exists() and other.stat().st_size:
            raise InvalidInput(
                f"{other} must belong to a log, and there is none: move it away, or choose another name"
            )
    if not target.parent.is_dir():
        raise InvalidInput(f"{target} must lie in a folder that exists: make {target.parent} first")
    if target.exists() and not replace:
        remedy = Text("choose another name, or give ", Argument("replace", True))
        raise InvalidInput.of(str(target), "not exist yet", "a file", remedy)


def private(path: Path) -> TemporaryDirectory[str] | None:
    """Return a folder with a copy to read in place of ``path``, or None where that can be read itself.

    SQLite must write beside a log to read it. Where it cannot, on a read-only file system, and where the log is of
    an older schema, which only its writer may change, a copy that is deleted after use is read instead.
    """
    try:
        if database.schema_of(path) == SCHEMA:
            return None
    except CannotLoad as trouble:
        cannot_write = isinstance(trouble.__cause__, sqlite3.Error) and not os.access(path.parent, os.W_OK)
        if not cannot_write:
            raise
    folder = TemporaryDirectory(prefix="penchant-")  # readable by its owner alone
    try:
        copied = Path(folder.name) / path.name
        _copy_files(path, copied)
        database.check_wal(copied)
        if database.schema_of(copied) != SCHEMA:
            database.move(copied)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _copy_files(path: Path, copied: Path) -> None:
    """Copy the database and its WAL, and make sure that nobody wrote meanwhile."""
    wal, copied_wal = database.beside(path, "-wal"), database.beside(copied, "-wal")
    for _ in range(_TRIES):
        before = _state(path), _state(wal)
        shutil.copyfile(path, copied)
        if wal.exists():
            shutil.copyfile(wal, copied_wal)
        if (_state(path), _state(wal)) == before:
            return
        copied_wal.unlink(missing_ok=True)
    raise Locked(f"{path.name} must rest while it is copied, and is being written: try again")


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns
