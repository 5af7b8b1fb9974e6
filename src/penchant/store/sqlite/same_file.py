"""Whether the file of an open log is still where it was opened."""

from __future__ import annotations

import os
from pathlib import Path

from penchant.errors import CannotStore
from penchant.store.sqlite.database import beside


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
        self._path, self._wal = path, beside(path, "-wal")
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
