"""Step five, inside: one writer at a time. A file in; the right to write beside it, or who has it, out."""

from __future__ import annotations

import fcntl
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakSet

from penchant.errors import Locked


class WriterLock:
    """The right to write ``path``, held until `release` or the end of the process, whichever is first.

    It is an ``flock`` of the file ``path.lock``, whose text names the holder. That file stays when the lock
    goes: removing it would let two processes hold two files of one name.

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
        self._file = os.open(
            path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666
        )
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(self._file)
            os.close(self._file)
            raise Locked(
                f"{path.name} must have one writer at a time, and {holder}: stop that one first, "
                "or open the log with write=False to read beside it"
            ) from None
        _sign(self._file)
        _held.add(self)

    def release(self) -> None:
        """Give the right back; giving it back again does nothing."""
        if self in _held:
            _held.discard(self)
            os.close(self._file)


# A lock belongs to all processes that share its open file: a forked child must not keep it from the next writer.
_held: WeakSet[WriterLock] = WeakSet()


def _release_all() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_release_all)


def _sign(file: int) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    text = json.dumps({"pid": os.getpid(), "host": platform.node(), "since": now}).encode()
    os.pwrite(file, text, 0)
    os.ftruncate(file, len(text))


def _holder(file: int) -> str:
    try:
        who = json.loads(os.pread(file, 4096, 0))
        return f"process {who['pid']} on {who['host']} has been writing it since {who['since']} UTC"
    except (ValueError, LookupError, TypeError):  # the holder is just signing
        return "another process has just begun to write it"
