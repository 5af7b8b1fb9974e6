"""The lock that lets one process at a time write a log."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakSet

from penchant.errors import CannotStore, Locked

_TRIES = 10
_PAUSE = 0.01  # seconds between two tries


class WriterLock:
    """The right to write ``path``, held until `release` or the end of the process, whichever is first.

    It is an ``flock`` of the file ``path.lock``, whose text names the holder. The lock counts only while the
    locked file is the one that has that name, so that it can be removed without letting two processes in.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "study.db"
    >>> lock = WriterLock(path)
    >>> WriterLock(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    penchant.errors.Locked: study.db must have one writer at a time, and process ... on ... has been
    writing it since ... UTC: stop that one first, or open the log with write=False to read beside it
    >>> lock.release()
    >>> WriterLock(path).release()
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._path = path.with_name(f"{path.name}.lock")
        self._file = self._taken()
        _held.add(self)

    def check(self) -> None:
        """Take the lock again if somebody removed its file; raise `Locked` if another process has it by now."""
        if self in _held and not _is_at(self._file, self._path):
            lost, self._file = self._file, self._taken()
            os.close(lost)

    def _taken(self) -> int:
        for attempt in range(_TRIES):
            file = _opened(self._path)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(file, self._path):  # else its last holder has just removed it
                    _sign(file)
                    return file
            except BlockingIOError:
                if attempt == _TRIES - 1:
                    holder = _holder(file)
                    os.close(file)
                    raise Locked(
                        f"{self._name} must have one writer at a time, and {holder}: stop that one first, "
                        "or open the log with write=False to read beside it"
                    ) from None
            os.close(file)
            time.sleep(_PAUSE)  # a reader that looks whether the lock is held holds it for a moment
        raise Locked(f"{self._name} must have one writer at a time, and its lock changes hands: try again")

    def release(self, *, remove: bool = False) -> None:
        """Give the right back, and remove the file if wished; giving it back again does nothing."""
        if self in _held:
            _held.discard(self)
            if remove:
                self._path.unlink(missing_ok=True)
            os.close(self._file)


# A lock belongs to all processes that share its open file: a forked child must not keep it from the next writer.
_held: WeakSet[WriterLock] = WeakSet()


def _release_all() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_release_all)


def _opened(path: Path) -> int:
    """Open the file of a lock, or make it; any other file of that name is left alone."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        file = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise CannotStore(f"{path} must be the file of a lock, got a symbolic link: remove it") from None
    content = os.pread(file, 4096, 0) if stat.S_ISREG(os.fstat(file).st_mode) else b"no file"
    if content.strip() and not content.startswith(b'{"pid":'):
        os.close(file)
        raise CannotStore(
            f"{path} must be the file of a lock, got something else: choose another name for the log"
        )
    return file


def is_held(path: Path) -> bool:
    """Return whether some process holds the lock of ``path``."""
    try:
        file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))  # noqa: PTH116 - in half the time of Path.stat
    except FileNotFoundError:
        return False


def _sign(file: int) -> None:
    """Write who holds the lock, for others to read; on a full disk the lock holds without it."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    text = json.dumps({"pid": os.getpid(), "host": platform.node(), "since": now}).encode()
    with suppress(OSError):
        os.pwrite(file, text, 0)
        os.ftruncate(file, len(text))


def _holder(file: int) -> str:
    try:
        who = json.loads(os.pread(file, 4096, 0))
        return f"process {who['pid']} on {who['host']} has been writing it since {who['since']} UTC"
    except (ValueError, LookupError, TypeError):  # the holder is just signing
        return "another process has just begun to write it"
