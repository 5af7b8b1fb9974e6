"""A log in one SQLite file, written by one process and read by many."""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from sqlalchemy import Connection, Engine

from penchant.errors import CannotLoad, CannotStore, PenchantWarning
from penchant.store.committer import Clock
from penchant.store.entry import DatedEvent, NewEvent, checked
from penchant.store.side import SideRows, SideTables
from penchant.store.snapshots import SnapshotTable
from penchant.store.sql_log import SQLLog
from penchant.store.sqlite import copies, database, replacing
from penchant.store.sqlite.committer import SQLiteCommitter
from penchant.store.sqlite.lock import WriterLock, is_held
from penchant.store.sqlite.schema import SCHEMA
from penchant.store.tokens import TokenRow, TokenTable, replace_all
from penchant.store.writer import Writer

FREE_BYTES = 2**17
"""Bytes that must be free before a log that could not be written is reported as writable: enough for a few events."""


class SQLiteLog(SQLLog):
    """The log of one study in one SQLite file; made by `create` or `open`.

    One thread writes at a time: it commits all appends that wait together, with one sync, and then they are
    acknowledged; checkpoints are part of commits. A lock on ``FILE.lock`` keeps a second writer out, and goes with
    the process that holds it. Reading uses connections of its own, which cannot write and do not wait for the writer.
    The file, and what SQLite puts beside it, can be read by the user who made it and by nobody else.

    Attributes
    ----------
    path : Path
    tokens : TokenTable
        Who may use the study. It can be changed also where the log is open for reading.
    side : SideTables
        What events cite and can be erased: contexts, the names of users, and the checkpoint.
    snapshots : SnapshotTable
        States that were computed from the events; they can be read where the log is open for reading, not changed.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> log = SQLiteLog.create(Path(folder.name) / "study.db", clock=lambda: 1.0e9)
    >>> log.append("e1", "answer", {"better": "tea", "worse": "coffee"}).new
    True
    >>> log.append("e1", "answer", {"better": "tea", "worse": "coffee"}).new
    False
    >>> [(event.number, event.id, event.content["better"]) for event in log.events()]
    [(1, 'e1', 'tea')]
    >>> log.close()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, lock: WriterLock | None, clock: Clock) -> None:
        super().__init__()
        self.path = path
        self.name, self.place = path.name, str(path)
        copy = None if lock is not None else copies.private(path)
        self._source = path if copy is None else Path(copy.name) / path.name
        self._readers = database.readers(self._source)
        self._committer = None if lock is None else SQLiteCommitter(path, clock, lock, self._subscribers)
        self._writer = (
            None if self._committer is None else Writer(path.name, self._committer, database.is_full)
        )
        self.tokens = TokenTable(self._reading, self._write_tokens)
        self.side = SideTables(self._reading)
        self.snapshots = SnapshotTable(self._reading, lambda work: self._to_write().submit(work).result())
        # Also at the end of the program, or when nobody can reach the log any more.
        self._close = weakref.finalize(
            self, _let_go, self._process, self._writer, self._committer, self._readers, lock, copy
        )
        try:
            self._check()
            if self._committer is not None:  # an erasure that a crash interrupted
                self._committer.finish_erasing()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Report a file that is damaged, as far as that can be seen without reading every event."""
        database.check_definitions(self._source)
        with self._reading() as connection:  # the first read recovers what a crash left behind
            self._check_count(connection)
        if self._writer is not None:
            database.sync_wal(self.path)

    @classmethod
    def create(
        cls,
        path: str | Path,
        entries: Iterable[NewEvent | DatedEvent] = (),
        side: SideRows | None = None,
        *,
        salt: bytes | None = None,
        clock: Clock = time.time,
    ) -> Self:
        """Make a new log and open it for writing.

        Parameters
        ----------
        path : str or Path
            Where no file is yet.
        entries : iterable of (id, kind, content), (id, kind, content, version), or with the time behind, or Event
            The first events. The file appears with all of them or not at all. Those that carry a time, as events of
            another log do, keep it; all of them are numbered anew.
        side : SideRows, optional
            What they cite.
        salt : bytes, optional
            The salt of the log that they come from, with which they cite contexts; otherwise a new one.
        clock : callable, default `time.time`
            What the events' times are taken from.
        """
        path = Path(path).resolve()
        batch = checked(entries, dated=True)
        if not path.parent.is_dir():
            raise CannotLoad(f"{path} must lie in a folder that exists: make {path.parent} first")
        with _locked(path, new=not path.exists()) as lock:
            replacing.build(path, batch, clock, side, salt)
            return cls(path, lock, clock)

    @classmethod
    def open(cls, path: str | Path, *, write: bool = True, clock: Clock = time.time) -> Self:
        """Open the log that is at ``path``.

        Parameters
        ----------
        path : str or Path
        write : bool, default True
            Whether to append: one writer at a time, any number of readers beside it. A log of an older schema is
            moved to this one when it is opened for writing; a reader reads a copy that was moved.
        clock : callable, default `time.time`
            What the events' times are taken from.
        """
        path = Path(path).resolve()
        if not path.is_file():
            raise CannotLoad(
                f"{path} must be a file, there is none: correct the path, or create the log first"
            )
        if not write:
            if os.access(path.parent, os.W_OK) and not is_held(path):
                database.check_wal(path)
            log = cls(path, None, clock)
        else:
            log = cls._open_to_write(path, clock)
        database.check_mode(path)
        return log

    @classmethod
    def _open_to_write(cls, path: Path, clock: Clock) -> Self:
        if not os.access(path.parent, os.W_OK):
            raise CannotStore(
                f"{path} must lie in a folder that can be written to, got a read-only one: open it with "
                "write=False, or copy it elsewhere"
            )
        schema = database.schema_of(path)
        with _locked(path) as lock:
            database.check_wal(path)
            database.check_pages(path)
            if schema != SCHEMA:
                database.move(path)
            return cls(path, lock, clock)

    @property
    def is_writer(self) -> bool:
        """Whether the log is open for writing."""
        return self._writer is not None

    def _last_written(self) -> int | None:
        return None if self._committer is None else self._committer.last

    def problem(self) -> str | None:  # noqa: D102
        self._check_open()
        if self._writer is None or self._committer is None:
            return f"{self.path.name} is open for reading"
        if self._writer.failure is None:
            return self._misplaced(self._committer)
        if database.free_bytes(self.path) < FREE_BYTES:
            return f"the disk has less than {FREE_BYTES // 2**10} KiB free"
        try:
            self._writer.submit([]).result()
        except CannotStore as trouble:
            cause = trouble.__cause__ or trouble
            return str(getattr(cause, "orig", None) or cause)
        return None

    @staticmethod
    def _misplaced(committer: SQLiteCommitter) -> str | None:
        try:
            committer.check_file()
        except CannotStore as trouble:
            return str(trouble)
        return None

    def backup(self, path: str | Path, *, replace: bool = False) -> None:
        """Copy the log, tokens and snapshots included, to another file while it is used.

        Parameters
        ----------
        path : str or Path
            Where the copy is to be; it appears whole or not at all.
        replace : bool, default False
            Whether a file that is there may be replaced.
        """
        self._check_open()
        target = Path(path).resolve()
        copies.check_target(self.path, target, replace=replace)
        with _locked(target, new=not target.exists()) as lock:
            copies.copy(self._source, target)
        lock.release(remove=True)

    @classmethod
    def restore(cls, source: str | Path, path: str | Path, *, replace: bool = False) -> None:
        """Put the log of a backup at ``path``, after reading all of it; what it replaces is kept beside it.

        The tokens of a log that is replaced stay as they are now: one that was revoked since the backup was made
        does not work again. Where they cannot be read, those of the backup are taken, with a warning.

        Parameters
        ----------
        source : str or Path
            The backup, which stays as it is.
        path : str or Path
            Where the log is to be.
        replace : bool, default False
            Whether a log that is there may be replaced; it is kept as ``PATH.replaced`` (or ``-2`` and so on).
        """
        source, target = Path(source).resolve(), Path(path).resolve()
        copies.check_target(source, target, replace=replace)
        with cls.open(source, write=False) as log:
            database.check_pages(log._source)
            for _ in log.events():  # every checksum
                pass
            with _locked(target, new=not target.exists()) as lock:
                copies.copy(log._source, target, keep=True, tokens=_tokens_now(target))
            lock.release(remove=True)

    @classmethod
    def fill(
        cls, path: Path, copy: Callable[[Connection], None], *, replace: bool = False, keep: bool = False
    ) -> None:
        """Make a log whose tables ``copy`` fills; what it replaces is kept beside it with ``keep``, and its tokens."""
        target = path.resolve()
        copies.check_target(None, target, replace=replace)
        with _locked(target, new=not target.exists()) as lock:
            tokens = _tokens_now(target) if keep else None

            def write(connection: Connection) -> None:
                copy(connection)
                replace_all(connection, tokens)

            replacing.fill(target, write, keep=keep)
        lock.release(remove=True)

    @contextmanager
    def at_one_moment(self) -> Iterator[Connection]:  # noqa: D102
        with self._reading() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._check_open()
        with database.reading(self.path), self._readers.connect() as connection:
            yield connection

    def _write_tokens(self, work: Callable[[Connection], Any]) -> Any:
        self._check_open()
        if self._writer is not None:
            return self._writer.submit(work).result()
        if self._source != self.path:
            raise CannotStore(
                f"{self.path.name} must be writable to change its tokens, and only a copy of it is read: open it "
                "with write=True on a disk that can be written"
            )
        with database.writing(self.path):
            connection = database.writer(self.path, checkpoints=False)
            try:
                with connection.begin():
                    return work(connection)
            finally:
                connection.close()


def _tokens_now(path: Path) -> list[TokenRow] | None:
    """Return the tokens of a log that is about to be replaced; None where there is none, or none can be read."""
    if not path.exists():
        return None
    try:
        with SQLiteLog.open(path, write=False) as log:
            return log.tokens.list()
    except CannotLoad:
        warnings.warn(
            f"the tokens of {path.name} cannot be read, and those of the backup are taken: tokens that were revoked "
            "since then work again, see penchant tokens list",
            PenchantWarning,
            stacklevel=3,
        )
        return None


@contextmanager
def _locked(path: Path, *, new: bool = False) -> Iterator[WriterLock]:
    """Take the lock for whoever opens the log, and give it back where that fails.

    A lock that was taken to make a ``new`` file leaves nothing behind where none was made.
    """
    with database.writing(path):
        lock = WriterLock(path)
    try:
        yield lock
    except BaseException:
        lock.release(remove=new and not path.exists())
        raise


def _let_go(
    process: int,
    writer: Writer | None,
    committer: SQLiteCommitter | None,
    readers: Engine,
    lock: WriterLock | None,
    copy: TemporaryDirectory[str] | None,
) -> None:
    if os.getpid() != process:
        return
    if writer is not None:
        writer.close()
    readers.dispose()  # before the writer's connection: the last to close tidies up, and must be able to write
    if committer is not None:
        committer.close()
    if lock is not None:
        lock.release()
    if copy is not None:
        copy.cleanup()
