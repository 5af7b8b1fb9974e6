"""The zip archive of a saved file: write its members, and read those of a file that may be hostile.

Members are stored as they are. Compression would make bytes depend on the zlib at hand, and a zip whose
members are all stored cannot be a bomb: together they are no larger than the file.
"""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from penchant.errors import CannotLoad

Members = dict[str, list[bytes | memoryview]]

JSON_SIZE = 64 * 2**20
DIRECTORY_SIZE = 16 * 2**20
"""Bytes of a zip's list of members, enough for 200,000 of them."""
JSON_VALUES = 2_000_000
"""Values of a JSON text: each takes some eighty bytes of memory, however short it is written."""
UNIX = 3
DAMAGE = (
    ArithmeticError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,  # also RecursionError, and NotImplementedError for a zip's rarer features
    TypeError,
    ValueError,
    struct.error,
)


@contextmanager
def raising_cannot_load(what: str) -> Iterator[None]:
    """Raise `CannotLoad` for any exception that damaged bytes cause in a parser."""
    try:
        yield
    except CannotLoad:
        raise
    except DAMAGE as error:
        reason = str(error)[:200] or type(error).__name__
        raise CannotLoad(
            f"{what} cannot be read ({reason}): it is damaged or was altered, save it anew"
        ) from error


def parsed(text: bytes) -> Any:
    """Return a JSON text as values, if there are not too many of them nor nested too deep."""
    values = count_values(text)
    if values > JSON_VALUES:
        raise CannotLoad(
            f"text, lists and dicts must hold at most {JSON_VALUES:,} values, got up to {values:,}: "
            "do not trust the file"
        )
    return json.loads(text)


def count_values(text: bytes) -> int:
    """Return how many values a JSON text has at most, without making them."""
    return 1 + sum(text.count(sign) for sign in (b",", b"[", b"{"))


def write(file: IO[bytes], members: Members) -> None:
    """Write ``members`` as a zip that depends on nothing but them: no clock, no user, no machine."""
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name, parts in members.items():
            info = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = UNIX
            info.external_attr = 0o644 << 16
            info.file_size = sum(len(part) for part in parts)
            with archive.open(info, "w") as member:
                for part in parts:
                    member.write(part)


class _Directory:
    """A file from which a zip's directory is read: many empty members would take far more memory than bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.limit: int | None = DIRECTORY_SIZE

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, unless more are wanted than a directory has."""
        if self.limit is not None and size > self.limit:
            raise CannotLoad(
                f"the directory of the file must have at most {self.limit} bytes, got {size}: do not trust it"
            )
        return self._file.read(size)


class Archive:
    """A zip that may be hostile; each member can be taken once.

    Parameters
    ----------
    file : binary file, seekable
    limit : int
        The largest file to accept, in bytes.
    """

    def __init__(self, file: IO[bytes], limit: int) -> None:
        size = file.seek(0, io.SEEK_END)
        if size > limit:
            raise CannotLoad(f"the file must have at most {limit} bytes, got {size}: give a larger limit=")
        guarded = _Directory(file)
        with raising_cannot_load("the file"):
            self._zip = ZipFile(guarded)
        guarded.limit = None
        members = self._zip.infolist()
        self.unread = {info.filename: info for info in members}
        if len(self.unread) < len(members):
            raise CannotLoad("the file holds a name twice: it was altered, save it anew")
        for info in members:
            if info.compress_type != ZIP_STORED or info.compress_size != info.file_size or info.flag_bits:
                raise CannotLoad(
                    f"{info.filename[:60]!r} is compressed, encrypted or oddly named, "
                    "which Penchant never writes: do not trust the file"
                )
        if sum(info.file_size for info in members) > size:
            raise CannotLoad("the file claims to hold more than its own size: it was altered, save it anew")

    def reject_other_members(self, pattern: str) -> None:
        """Raise `CannotLoad` if a member not yet read has a name that does not match ``pattern``."""
        for name in self.unread:
            if not re.fullmatch(pattern, name, re.ASCII):
                raise CannotLoad(
                    f"the file holds {name[:60]!r}, which Penchant never writes: do not trust it"
                )

    @contextmanager
    def open(self, name: str) -> Iterator[tuple[IO[bytes], int]]:
        """Open member ``name``, and give its size; raise `CannotLoad` if it is damaged."""
        info = self.unread.pop(name, None)
        if info is None:
            raise CannotLoad(f"the file holds no {name}, or refers to it twice: it was altered, save it anew")
        with raising_cannot_load(name), self._zip.open(info) as member:
            yield member, info.file_size

    def read(self, name: str, limit: int) -> bytes:
        """Return member ``name`` whole, if it has at most ``limit`` bytes."""
        with self.open(name) as (member, size):
            if size > limit:
                raise CannotLoad(f"{name} must have at most {limit} bytes, got {size}: do not trust the file")
            return member.read()
