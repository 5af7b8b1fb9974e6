"""Read and write files within limits: `Limits`, `Source` to read bytes or text in any encoding, `replaced` to write."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import cached_property
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

from penchant.errors import Argument, InvalidInput, Text
from penchant.saving import replacing

_PYTHON_DIGITS = 4300  # CPython converts no longer text to an integer
_HEAD = 1 << 16
_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_BLOCK = 1 << 12  # packed bytes, of which each may become 32,768
_PACKED = (".gz", ".zst")
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_LINE_END = re.compile(rb"[\r\n]")
LATIN = "the file is not UTF-8 and was read as Latin-1: save it as UTF-8 if letters look wrong"

_NEAR = 0.85  # votes.csv and vote.csv are at 0.94, votes.csv and notes.csv at 0.89, games.csv and names.csv at 0.67


class NoRows(InvalidInput):
    """A file or table in which there is nothing to use; ``rejected`` says whether there were rows."""

    rejected: bool = False


@dataclass(frozen=True)
class Limits:
    """The most that a file may hold; files beyond it are rejected, or the row alone where that is possible.

    Attributes
    ----------
    bytes : int
        Bytes of a file, after unpacking, and of a matrix of features that a model needs written out.
    line : int
        Bytes of a line.
    field : int
        Characters of a cell, of an id and of a column's name.
    columns : int
        Columns of a table. Features of a LETOR file and items of an order file may be numbered higher only if the
        file holds enough values, see ``density``.
    density : int
        Features (items) that a LETOR (order) file may number for each value that it holds.
    values : int
        Values in one line of JSON.
    depth : int
        Lists and objects inside one another in JSON.
    digits : int
        Digits of a number.
    refused : int
        Rows that cannot be used; a file with more is taken to be in another format.

    Examples
    --------
    >>> Limits(bytes=4 * 10**9).bytes
    4000000000
    """

    bytes: int = 2**32
    line: int = 2**24
    field: int = 2**17
    columns: int = 100_000
    density: int = 10
    values: int = 1_000_000
    depth: int = 100
    digits: int = 1000
    refused: int = 1_000_000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if type(value) is not int or value < 1:
                raise InvalidInput(
                    f"limit {name} must be a whole number above 0, got {value!r}: give such a number"
                )
        if self.digits > _PYTHON_DIGITS:
            raise InvalidInput(
                f"limit digits must be at most {_PYTHON_DIGITS}, got {self.digits}: Python reads no longer numbers"
            )

    def highest(self, n_values: int) -> int:
        """Return the highest number of a feature or item in a file that holds ``n_values`` values."""
        return max(self.columns, self.density * n_values)

    def reject(self, name: str, what: str, came: int | None = None) -> InvalidInput:
        """Return the error about ``what``, of which there is more than the limit called ``name`` allows.

        Parameters
        ----------
        came : int, optional
            How much there is, where that is known.
        """
        return InvalidInput(self.excess(name, what, came))

    def excess(self, name: str, what: str, came: int | None = None) -> Text:
        """Return the message of `reject`, for a row that is rejected alone."""
        limit: int = getattr(self, name)
        got = "more" if came is None else f"{came:,}"
        enough = Argument(name, 2 * limit if came is None else came, part_of="limits")
        return Text(f"{what} must be at most {limit:,}, got {got}: give less, or ", enough)


DEFAULT = Limits()
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Source:
    """A regular file that is not empty, plain or packed by gzip or zstd, and the limits within which it is read.

    ``progress`` is called with the bytes of the file that were read so far and with their number.
    """

    path: Path
    limits: Limits = DEFAULT
    progress: Progress | None = None

    @classmethod
    def of(cls, path: str | Path, limits: Limits | None = None, progress: Progress | None = None) -> Source:
        """Return the file at ``path``; raise `InvalidInput` if it does not exist, is not regular or is empty."""
        source = cls(require_file(path), limits or DEFAULT, progress)
        if not source.first_lines:
            raise NoRows(f"{source.path} must hold at least one row, got an empty file: write it anew")
        return source

    @cached_property
    def head(self) -> bytes:
        """The first bytes."""
        with self.open_bytes() as file:
            return file.read(_HEAD)

    @cached_property
    def _marked_encoding(self) -> str | None:
        """The encoding that a byte order mark declares."""
        return next((name for mark, name in _MARKS.items() if self.head.startswith(mark)), None)

    @cached_property
    def first_lines(self) -> tuple[str, ...]:
        """The first lines that are not blank, as many as the recognition of a format needs."""
        text = self.head.decode(self._marked_encoding or "utf-8", errors="replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return tuple(lines[:20])

    @cached_property
    def encoding(self) -> str:
        """UTF-8 with or without a mark, UTF-16 with one, else Latin-1; binary files are rejected."""
        encoding = self._marked_encoding or "utf-8"
        if encoding == "utf-16":
            return encoding
        decoder = codecs.getincrementaldecoder("utf-8")()
        with self.open_bytes() as file:
            block = None
            while block != b"":
                block = file.read(_BLOCK)
                if b"\0" in block:
                    remedy = Text("export it as CSV or JSONL, or give its ", Argument("format"))
                    raise InvalidInput.of(str(self.path), "be text", "binary data", remedy)
                try:
                    if encoding != "latin-1" and not (
                        block.isascii() and block and not decoder.getstate()[0]
                    ):
                        decoder.decode(block, final=not block)
                except UnicodeDecodeError:
                    encoding = "latin-1"
        return encoding

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the result should know about the encoding, once the file was read as text."""
        return (LATIN,) if vars(self).get("encoding") == "latin-1" else ()

    @contextmanager
    def open_bytes(self, *, lines: bool = False) -> Iterator[IO[bytes]]:
        """Open the decompressed bytes, bounded by the limits; ``lines`` also bounds the length of each line."""
        try:
            with self.path.open("rb") as file:
                bounded = _Bounded(_unpacked(file, self.path), self.path, self.limits, lines=lines)
                if lines and self.progress is not None:
                    bounded.report(file, self.progress)
                yield BufferedReader(bounded, min(_BLOCK, self.limits.line))
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidInput(f"{self.path} cannot be read ({error}): repair it or copy it anew") from error

    @contextmanager
    def open_text(self, newline: str | None = None) -> Iterator[IO[str]]:
        """Open the file as text; ``newline=""`` keeps the ends of lines as they are."""
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
        self._report: Callable[[], None] | None = None

    def report(self, file: IO[bytes], progress: Progress) -> None:
        """Tell ``progress`` after each block how much of ``file`` was read."""
        size = os.fstat(file.fileno()).st_size
        self._report = lambda: progress(file.tell(), size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = self._file.read(min(len(buffer), self._limits.line))
        self._total += len(block)
        if self._total > self._limits.bytes:
            raise self._limits.reject("bytes", f"bytes of {self._path}, unpacked,")
        if self._lines:
            first = _LINE_END.search(block)
            self._unfinished += len(block) if first is None else first.start()
            if self._unfinished > self._limits.line:
                raise self._limits.reject("line", f"bytes of line {self._n_lines + 1:,} of {self._path}")
            if first is not None:
                self._n_lines += block.count(b"\n") or block.count(b"\r")
                self._unfinished = len(block) - max(block.rfind(b"\n"), block.rfind(b"\r")) - 1
        if self._report is not None:
            self._report()
        buffer[: len(block)] = block
        return len(block)


def _unpacked(file: IO[bytes], path: Path) -> IO[bytes]:
    """Return a file that was opened from its start, unpacked if it is packed."""
    start = file.read(4)
    file.seek(0)
    if start.startswith(_GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if start == _ZSTD:
        return cast("IO[bytes]", _Zstd(file, _zstandard(path)))
    return file


class _Zstd:
    """The unpacked bytes of a zstd file, one frame after the other; a frame that breaks off is an error."""

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file, self._zstandard = file, zstandard
        self._frame: Any = None
        self._left = b""

    def read(self, size: int) -> bytes:
        while not self._left:
            packed = self._file.read(_ZSTD_BLOCK)
            if not packed:
                if self._frame is not None:
                    raise EOFError("it ends in the middle of a frame")
                return b""
            self._left = self._unpack(packed)
        block, self._left = self._left[:size], self._left[size:]
        return block

    def _unpack(self, packed: bytes) -> bytes:
        found = []
        try:
            while packed:
                if self._frame is None:
                    self._frame = self._zstandard.ZstdDecompressor().decompressobj()
                found.append(self._frame.decompress(packed))
                packed = self._frame.unused_data
                if self._frame.eof:
                    self._frame = None
        except self._zstandard.ZstdError as error:
            raise OSError(str(error)) from error
        return b"".join(found)


def _zstandard(path: Path) -> Any:
    try:
        import zstandard
    except ImportError:
        raise InvalidInput(
            f"{path} must be unpacked by zstandard, got no such package: pip install 'penchant[zstd]', "
            "or pack it with gzip"
        ) from None
    return zstandard


def require_file(path: str | Path) -> Path:
    """Return ``path`` if it is a regular file: reading a pipe or a device might never end."""
    place = Path(path)
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        raise InvalidInput(f"{place} must be a file, got nothing there: {likely_path(place)}") from None
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
    name = Path(path.name.lower())
    return Path(name.stem).suffix if name.suffix in _PACKED else name.suffix


def likely_path(place: Path) -> str:
    """Return what to do about a path that leads nowhere: a file of a similar name in the same folder, if there is."""
    if not place.parent.is_dir():
        return f"correct the path, {place.parent} is no folder"
    names = [entry.name for entry in place.parent.iterdir()]
    close = get_close_matches(place.name, names, n=1, cutoff=_NEAR)
    return f"did you mean {place.with_name(close[0])}?" if close else "correct the path"


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write to that replaces ``path`` once it is complete; packed if the name ends in .gz or .zst."""
    if not path.parent.is_dir():
        raise InvalidInput(
            f"{path} must be a file that can be written, got a file in {path.parent}, which is no folder: "
            "correct the path"
        )
    with replacing.replaced(path) as file:
        if path.name.lower().endswith(".gz"):
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as zipped:
                yield cast("IO[bytes]", zipped)
        elif path.name.lower().endswith(".zst"):
            with _zstandard(path).ZstdCompressor().stream_writer(file, closefd=False) as packed:
                yield cast("IO[bytes]", packed)
        else:
            yield file


@contextmanager
def replaced_text(path: Path) -> Iterator[IO[str]]:
    """Open a UTF-8 text file to write to, as `replaced` does; ends of lines are written as they are."""
    with replaced(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()
