"""Open files for the format readers: a path in; bounded bytes and text in any encoding, or an error, out."""

from __future__ import annotations

import codecs
import gzip
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, cast

from penchant.errors import Argument, InvalidInput, Text
from penchant.formats.limits import DEFAULT, Limits
from penchant.saving import replacing

_HEAD = 1 << 16
_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_LINE_END = re.compile(rb"[\r\n]")
LATIN = "the file is not UTF-8 and was read as Latin-1: save it as UTF-8 if letters look wrong"


@dataclass(frozen=True)
class Source:
    """A regular file that is not empty, gzipped or not, and the limits within which it is read."""

    path: Path
    limits: Limits = DEFAULT

    @classmethod
    def of(cls, path: str | Path, limits: Limits | None = None) -> Source:
        """Return the file at ``path``, or say why there is none to read."""
        source = cls(require_file(path), limits or DEFAULT)
        if not source.first_lines:
            raise InvalidInput(f"{source.path} must hold at least one row, got an empty file: write it anew")
        return source

    @cached_property
    def ending(self) -> str:
        """The ending of the name, in small letters, before that of a gzipped file."""
        return ending_of(self.path)

    @cached_property
    def head(self) -> bytes:
        """The first bytes."""
        with self.open_bytes() as file:
            return file.read(_HEAD)

    @cached_property
    def first_lines(self) -> tuple[str, ...]:
        """The first lines that are not blank, as far as they are needed to recognise a format."""
        text = self.head.decode(_marked(self.head) or "utf-8", errors="replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return tuple(lines[:20])

    @cached_property
    def encoding(self) -> str:
        """UTF-8 with or without a mark, UTF-16 with one, else Latin-1; bytes that are no text are refused."""
        marked = _marked(self.head)
        if marked == "utf-16":
            return marked
        decoder, encoding = codecs.getincrementaldecoder("utf-8")(), marked or "utf-8"
        with self.open_bytes() as file:
            while block := file.read(_BLOCK):
                if b"\0" in block:
                    remedy = Text("export it as CSV or JSONL, or give its ", Argument("format"))
                    raise InvalidInput.of(str(self.path), "be text", "bytes that are none", remedy)
                encoding = encoding if encoding == "latin-1" else _still(decoder, block, encoding)
        return encoding if encoding == "latin-1" else _still(decoder, b"", encoding, final=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about the encoding."""
        return (LATIN,) if self.encoding == "latin-1" else ()

    @contextmanager
    def open_bytes(self, *, lines: bool = False) -> Iterator[IO[bytes]]:
        """Give the bytes of the file, unpacked, up to the limits; ``lines`` also bounds the length of each line."""
        try:
            with self.path.open("rb") as file:
                zipped = file.read(2) == _GZIP
                file.seek(0)
                unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if zipped else file
                bounded = _Bounded(unpacked, self.path, self.limits, lines=lines)
                yield BufferedReader(bounded, min(_BLOCK, self.limits.line))
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidInput(f"{self.path} cannot be read ({error}): repair it or copy it anew") from error

    @contextmanager
    def open_text(self, newline: str | None = None) -> Iterator[IO[str]]:
        """Give the text of the file; ``newline=""`` keeps the ends of lines as they are."""
        encoding = self.encoding
        with self.open_bytes(lines=True) as file:
            try:
                yield TextIOWrapper(file, encoding=encoding, newline=newline)
            except UnicodeError as error:
                raise InvalidInput(f"{self.path} must be {encoding} ({error}): save it as UTF-8") from error


class _Bounded(RawIOBase):
    """A stream that ends in an error where a file or one of its lines is longer than the limits allow.

    Lines are not counted inside a block, which is no longer than a line may be.
    """

    def __init__(self, file: IO[bytes], path: Path, limits: Limits, *, lines: bool) -> None:
        self._file, self._path, self._limits, self._lines = file, path, limits, lines
        self._total = self._unfinished = self._n_lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = self._file.read(min(len(buffer), self._limits.line))
        self._total += len(block)
        if self._total > self._limits.bytes:
            raise self._limits.reject("bytes", f"bytes of {self._path}, unpacked,")
        if self._lines:
            self._count_lines(block)
        buffer[: len(block)] = block
        return len(block)

    def _count_lines(self, block: bytes) -> None:
        first = _LINE_END.search(block)
        self._unfinished += len(block) if first is None else first.start()
        if self._unfinished > self._limits.line:
            raise self._limits.reject("line", f"bytes of line {self._n_lines + 1:,} of {self._path}")
        if first is not None:
            self._n_lines += block.count(b"\n") or block.count(b"\r")
            self._unfinished = len(block) - max(block.rfind(b"\n"), block.rfind(b"\r")) - 1


def require_file(path: str | Path) -> Path:
    """Return ``path`` if a regular file is there: reading a pipe or a device might never end."""
    place = Path(path)
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        raise InvalidInput(f"{place} must be a file, got nothing there: {_suggestion(place)}") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{place} must be a file that can be read ({error}): correct the path") from None
    if stat.S_ISDIR(mode):
        raise InvalidInput(f"{place} must be a file, got a folder: name one file in it")
    if not stat.S_ISREG(mode):
        raise InvalidInput(f"{place} must be a regular file, got {_kind(mode)}: copy its contents to a file")
    return place


def _kind(mode: int) -> str:
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def ending_of(path: Path) -> str:
    """Return for instance ".csv" for ``votes.CSV.gz``."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _marked(head: bytes) -> str | None:
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def _still(decoder: codecs.IncrementalDecoder, block: bytes, encoding: str, final: bool = False) -> str:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return "latin-1"
    return encoding


def _suggestion(place: Path) -> str:
    if not place.parent.is_dir():
        return f"correct the path, {place.parent} is no folder"
    there = [entry.name for entry in place.parent.iterdir()]
    close = get_close_matches(place.name, there, n=1)
    return f"did you mean {place.with_name(close[0])}?" if close else "correct the path"


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write to that takes the place of ``path`` once it is complete; gzipped if it ends in .gz."""
    if not path.parent.is_dir():
        raise InvalidInput(
            f"{path} must be a file that can be written, got a file in {path.parent}, which is no folder: "
            "correct the path"
        )
    with replacing.replaced(path) as file:
        if path.name.lower().endswith(".gz"):
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as zipped:
                yield cast("IO[bytes]", zipped)
        else:
            yield file


@contextmanager
def replaced_text(path: Path) -> Iterator[IO[str]]:
    """Give a UTF-8 text file to write to, as `replaced` does; ends of lines are written as they are."""
    with replaced(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()
