"""Write LETOR text that is larger than memory to a matrix on disk, which `RankSVM` learns from without a copy.

The text is read once, in blocks. What stays in memory is a block of rows, and the grade and query of every row.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import struct
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any
from warnings import warn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from penchant.checks import Floats, Ints, shown
from penchant.counts import counted
from penchant.errors import InvalidInput, NoSpace, PenchantWarning
from penchant.formats.parsing.letor_rows import GradedRows
from penchant.formats.parsing.reading import Findings, rejected_in_short
from penchant.formats.parsing.source import Limits, Progress, Source

UNLIMITED = 2**62
"""The bytes of a file, unless a limit is given."""
_FEATURES, _GRADES, _QUERIES, _LABELS = "features.npy", "grades.npy", "queries.npy", "labels.json"
_HEADER = 128  # bytes, which hold the shape of any matrix
_VALUES = 1 << 20  # features that are collected before their rows are written
_CELLS = 1 << 22  # cells of the matrix that are in memory at once


@dataclass(frozen=True, eq=False)
class MappedRows:
    r"""Graded rows whose features are on disk.

    Attributes
    ----------
    X : numpy.memmap of shape (n_rows, n_features)
    grades : ndarray of shape (n_rows,)
    qid : int array of shape (n_rows,)
        The query of each row. One whose label is no whole number is ``-1 - k``, where its label is ``labels[k]``.
    labels : tuple of str

    Examples
    --------
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "train.txt").write_text("2 qid:7 1:0.5 3:0.25\n0 qid:7 2:1\n")
    >>> rows = map_letor(place / "train.txt", place / "train")
    >>> MappedRows.open(place / "train")
    MappedRows: 2 rows × 3 float32, 1 query
    """

    X: Any
    grades: Floats
    qid: Ints
    labels: tuple[str, ...] = ()

    @classmethod
    def open(cls, folder: str | Path) -> MappedRows:
        """Return the rows that `map_letor` wrote into a folder."""
        place = Path(folder)
        try:
            return cls(
                np.load(place / _FEATURES, mmap_mode="r"),
                np.load(place / _GRADES),
                np.load(place / _QUERIES),
                tuple(json.loads((place / _LABELS).read_text(encoding="utf-8"))),
            )
        except (OSError, ValueError) as error:
            raise InvalidInput.of(
                "folder",
                "be one that penchant.scale.map_letor wrote",
                f"{place} ({type(error).__name__})",
                "write it with map_letor",
            ) from error

    def __len__(self) -> int:
        return len(self.grades)

    def __repr__(self) -> str:
        n_queries, width = len(np.unique(self.qid)), self.X.shape[1]
        return (
            f"MappedRows: {counted(len(self), 'row')} × {width:,} {self.X.dtype}, "
            f"{n_queries:,} {'query' if n_queries == 1 else 'queries'}"
        )


def map_letor(
    path: str | Path,
    folder: str | Path,
    *,
    dtype: DTypeLike = np.float32,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> MappedRows:
    r"""Write the rows of LETOR text, which may be larger than memory, into a folder, and return them memory-mapped.

    `RankSVM` with the linear kernel learns from the matrix, and predicts, without a copy of it. It takes 4 bytes (8 in
    double precision) for each row and feature, those that are 0 included; memory holds 16 bytes for each row.

    Parameters
    ----------
    path : path
        LETOR or SVMlight text, plain or packed.
    folder : path
        To be made; `MappedRows.open` opens it again.
    dtype : {"float32", "float64"}
    limits : Limits, optional
        As in `penchant.read`; the bytes of the file are not limited unless given.
    progress : callable, optional
        Called with the bytes of the file that were read so far, and with their number.

    Examples
    --------
    >>> from penchant.rankers import RankSVM
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "train.txt").write_text("2 qid:7 1:0.5 3:0.25\n0 qid:7 2:1\n1 qid:8 1:1\n0 qid:8 3:2\n")
    >>> rows = map_letor(place / "train.txt", place / "train")
    >>> rows.X[0].tolist()
    [0.5, 0.0, 0.25]
    >>> RankSVM().fit(rows.X, rows.grades, qid=rows.qid).coef_.shape
    (3,)
    """
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise InvalidInput.of("dtype", "be float32 or float64", shown(dtype), "give one of them")
    place = Path(folder)
    if place.exists():
        raise InvalidInput.of("folder", "not exist yet", str(place), "name another, or delete it")
    if not place.absolute().parent.is_dir():
        raise InvalidInput.of("folder", "be made inside a folder that exists", str(place), "make that first")
    findings = Findings(Source.of(path, limits or Limits(bytes=UNLIMITED), progress), "letor")
    own = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.absolute().parent))
    try:
        _write(findings, own, kind)
        own.rename(place)
    except OSError as error:
        raise _cannot_write(place, error) from error
    finally:
        shutil.rmtree(own, ignore_errors=True)
    if findings.refusals:
        warn(
            f"{findings.source.path}: {rejected_in_short(sorted(findings.refusals))}",
            PenchantWarning,
            stacklevel=2,
        )
    return MappedRows.open(place)


def _write(findings: Findings, folder: Path, kind: np.dtype[Any]) -> None:
    with (folder / _FEATURES).open("w+b") as file:
        rows = _WrittenRows(findings, Matrix(file, kind))
        rows.read()
        if not len(rows):
            raise findings.no_rows()
        rows.write()
    rows.matrix.finish(folder / _FEATURES, rows.highest)
    np.save(folder / _GRADES, rows.grades)
    np.save(folder / _QUERIES, rows.numbers)
    (folder / _LABELS).write_text(json.dumps(rows.labels, ensure_ascii=False), encoding="utf-8")


class _WrittenRows(GradedRows):
    """Rows whose features are written to a matrix while the text is read."""

    def __init__(self, findings: Findings, matrix: Matrix) -> None:
        super().__init__(findings)
        self.matrix, self._limits = matrix, findings.source.limits
        self._path = findings.source.path
        self.documents = None  # ids of documents would stay in memory

    @property
    def numbers(self) -> Ints:
        """The number of each row's query, negative where its label is text."""
        return self._queries.trimmed()

    @property
    def labels(self) -> list[str]:
        """The labels of queries that are text."""
        return list(self._labels)

    def _add_rows(self, block: bytes, ends: Ints, spans: Ints, grades: Floats, queries: Ints) -> None:
        super()._add_rows(block, ends, spans, grades, queries)
        if self._values.size >= _VALUES:
            self.write()

    def _add_line(self, number: int, line: str) -> None:
        super()._add_line(number, line)
        if self._values.size >= _VALUES:
            self.write()

    def write(self) -> None:
        """Write the rows that are in memory."""
        if self.highest > self._limits.columns:
            raise self._limits.reject("columns", f"the highest feature of {self._path}", self.highest)
        n_values = self._values.size
        ends = self._ends.array[: self._ends.size]
        self.matrix.append(
            np.append(0, ends), self._columns.array[:n_values], self._values.array[:n_values], self.highest
        )
        self._values.size = self._columns.size = self._ends.size = 0


class Matrix:
    """A matrix in a file of NumPy's format, whose rows are appended before their number and width are known.

    Parameters
    ----------
    file : binary file
        Empty, open for writing.
    kind : dtype
    """

    def __init__(self, file: IO[bytes], kind: np.dtype[Any]) -> None:
        self._file, self._kind = file, kind
        self._parts: list[tuple[int, int]] = []  # rows and width
        self.n_rows = 0
        file.write(bytes(_HEADER))

    def append(self, starts: Ints, columns: NDArray[Any], values: Floats, width: int) -> None:
        """Append sparse rows; ``starts`` are the places of their values, and one more."""
        at_once = max(1, _CELLS // max(width, 1))
        bounds = [*range(0, len(starts) - 1, at_once), len(starts) - 1]
        for first, last in pairwise(bounds):
            part = slice(starts[first], starts[last])
            block = np.zeros((last - first, width), self._kind)
            row = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
            with np.errstate(over="ignore"):
                block[row, columns[part]] = values[part]
            self._check(block, values[part], row, columns[part])
            self._file.write(block.data if block.size else b"")
            self.n_rows += last - first
        if self._parts and self._parts[-1][1] == width:
            self._parts[-1] = (self._parts[-1][0] + len(starts) - 1, width)
        else:
            self._parts.append((len(starts) - 1, width))

    def _check(self, block: NDArray[Any], values: Floats, row: Ints, columns: NDArray[Any]) -> None:
        if np.isfinite(block).all():
            return
        at = int(np.argmax(~np.isfinite(block[row, columns])))
        raise InvalidInput.of(
            f"feature {columns[at] + 1} of row {self.n_rows + row[at]:,}",
            "fit into single precision",
            f"{values[at]:g}",
            "scale the feature, or write it in double precision",
        )

    def finish(self, path: Path, width: int) -> None:
        """Give the file at ``path``, which was closed, its header; rows that are narrower than others get zeros."""
        if any(part_width != width for _, part_width in self._parts):
            wide = path.with_suffix(".wide")
            with path.open("rb") as narrow, wide.open("wb") as file:
                file.write(bytes(_HEADER))
                narrow.seek(_HEADER)
                for n_rows, own in self._parts:
                    self._widen(narrow, file, n_rows, own, width)
            wide.replace(path)
        with path.open("r+b") as file:
            file.write(self._header(width))

    def _widen(self, narrow: IO[bytes], file: IO[bytes], n_rows: int, own: int, width: int) -> None:
        at_once = max(1, _CELLS // max(width, 1))
        for start in range(0, n_rows, at_once):
            count = min(at_once, n_rows - start)
            block = np.zeros((count, width), self._kind)
            given = narrow.read(count * own * self._kind.itemsize)
            block[:, :own] = np.frombuffer(given, self._kind).reshape(count, own)
            file.write(block.data)

    def _header(self, width: int) -> bytes:
        shape = self.n_rows, width
        text = f"{{'descr': '{self._kind.str}', 'fortran_order': False, 'shape': {shape}, }}"
        start = b"\x93NUMPY\x01\x00" + struct.pack("<H", _HEADER - 10)
        return start + text.encode().ljust(_HEADER - 11) + b"\n"


def _cannot_write(folder: Path, error: OSError) -> Exception:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        came = f"{folder} ({os.strerror(error.errno).lower()})"
        return NoSpace.of("folder", "have space for the matrix", came, "free some, or give another folder")
    return InvalidInput.of(
        "folder", "be a folder that can be written to", f"{folder} ({error})", "give another"
    )
