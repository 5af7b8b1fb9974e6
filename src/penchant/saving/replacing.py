"""Replace a file whole or not at all: write a temporary file beside it, then rename.

All of Penchant's files are written through `replaced`. It writes through symbolic links, keeps the mode and, where
allowed, the owner of the file that it replaces, and leaves the old file if anything fails, a full disk included.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from penchant.errors import InvalidInput

UNFINISHED = ".part"
"""The ending of temporary files; only a killed process leaves one behind."""


@contextmanager
def replaced(path: str | Path) -> Iterator[IO[bytes]]:
    """Give a binary file to write to that takes the place of ``path`` once it is complete, and only then.

    A character device or a pipe cannot be replaced and is written to as it is.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "scores.txt"
    >>> with replaced(place) as file:
    ...     _ = file.write(b"1.5")
    >>> place.read_text()
    '1.5'
    """
    old = _status(Path(path))
    if old is not None and not stat.S_ISREG(old.st_mode):
        with _opened_stream(Path(path), old.st_mode) as file:
            yield file
        return
    target = _target(Path(path))
    unfinished = target.with_name(f".{secrets.token_hex(8)}{UNFINISHED}")
    try:
        with unfinished.open("xb") as file:
            if old is not None:
                _adopt(unfinished, old)
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def replace_text(path: str | Path, text: str) -> None:
    """Write ``text`` as UTF-8 in place of the file at ``path``, whole or not at all."""
    with replaced(path) as file:
        file.write(text.encode("utf-8", errors="surrogateescape"))


def _target(path: Path) -> Path:
    """Return the file behind all symbolic links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise InvalidInput(f"{path} must be a file, got a link to itself: remove the link") from None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _opened_stream(path: Path, mode: int) -> IO[bytes]:
    """Open a character device, or a pipe that somebody reads: without a reader, writing would never end."""
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        what = "a folder" if stat.S_ISDIR(mode) else "a device or socket"
        raise InvalidInput(f"{path} must be a file that can be written, got {what}: correct the path")
    try:
        descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise InvalidInput(
            f"{path} must be a pipe that is read, got one without a reader: start it first"
        ) from None
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _adopt(unfinished: Path, old: os.stat_result) -> None:
    """Give the new file the mode and owner of the old one; who may not change the owner keeps the mode only."""
    if hasattr(os, "chown"):
        own = unfinished.stat()
        if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
            with suppress(OSError):
                os.chown(unfinished, old.st_uid, old.st_gid)
    unfinished.chmod(stat.S_IMODE(old.st_mode))
