"""Keep numbers in temporary files: columns that are read and written in parts, and sorted runs of sums of pairs.

Temporary files have no name (or are deleted when they are closed, where a system has no such files), so that a process
that is interrupted or killed leaves none behind.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from penchant.errors import Argument, InvalidInput, NoSpace, Text
from penchant.preferences.pair_sums import TIE, PairSums, merged, smallest_kind

_LEAST_READ = 1 << 10


class Column:
    """Numbers in an array, or in a temporary file if ``folder`` is given, read and written in parts.

    Parameters
    ----------
    values : array of shape (n,)
        The first numbers; `append` adds others to a file.
    folder : path, optional
    """

    def __init__(self, values: NDArray[Any], folder: Path | None = None) -> None:
        self.dtype, self._array, self._file = values.dtype, values, None
        self._length = len(values)
        if folder is not None:
            self._file, self._length = _File(folder), 0
            self._array = values[:0]
            self.append(values)

    def __len__(self) -> int:
        return self._length

    @property
    def folder(self) -> Path | None:
        """The folder of the temporary file; None where the numbers are in memory."""
        return None if self._file is None else self._file.folder

    def append(self, values: NDArray[Any]) -> None:
        """Add numbers at the end of a file."""
        self.write(self._length, values)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the numbers from ``start`` to ``stop``."""
        if self._file is None:
            return self._array[start:stop]
        return self._file.read(self.dtype, start, stop)

    def write(self, start: int, values: NDArray[Any]) -> None:
        """Replace the numbers from ``start`` on."""
        if self._file is None:
            self._array[start : start + len(values)] = values
            return
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype), start * self.dtype.itemsize)
        self._length = max(self._length, start + len(values))


class _File:
    """A temporary file without a name; errors of writing name the folder and what to do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        except OSError as error:
            raise _cannot_write(folder, error) from error
        weakref.finalize(self, self._file.close)  # which deletes it

    def write(self, values: NDArray[Any], at: int) -> None:
        view, done = _bytes_of(values), 0
        try:
            self._file.seek(at)
            while done < len(view):
                done += self._file.write(view[done:]) or 0
        except OSError as error:
            raise _cannot_write(self.folder, error) from error

    def read(self, dtype: np.dtype[Any], start: int, stop: int) -> NDArray[Any]:
        values = np.empty(stop - start, dtype)
        view, done = _bytes_of(values), 0
        self._file.seek(start * dtype.itemsize)
        while done < len(view):
            count = self._file.readinto(view[done:])  # type: ignore[attr-defined]
            if not count:
                raise EOFError("a temporary file is shorter than what was written to it")
            done += count
        return values


def _bytes_of(values: NDArray[Any]) -> memoryview:
    return values.view(np.uint8).data if len(values) else memoryview(b"")


def _cannot_write(folder: Path, error: OSError) -> Exception:
    remedy = Text("free some, or give another ", Argument("folder"), " or more ", Argument("memory"))
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        reason = os.strerror(error.errno).lower()
        return NoSpace.of(
            "folder", "have space for the temporary files of the counts", f"{folder} ({reason})", remedy
        )
    remedy = Text("give another ", Argument("folder"), " or more ", Argument("memory"))
    return InvalidInput.of("folder", "be a folder that can be written to", f"{folder} ({error})", remedy)


class Run:
    """Sums in the order of their pairs, as records in one temporary file.

    Parameters
    ----------
    blocks : iterable of PairSums
        In the order of their pairs, without a pair twice.
    kinds : sequence of dtype or None
        The type of each column of weights; None for one that is 0 throughout.
    folder : path
    """

    def __init__(
        self, blocks: Iterable[PairSums], kinds: Sequence[np.dtype[Any] | None], folder: Path
    ) -> None:
        self.kinds = tuple(kinds)
        fields = [("key", np.dtype(np.int64))]
        fields += [(str(code), kind) for code, kind in enumerate(self.kinds) if kind is not None]
        self._records = Column(np.empty(0, np.dtype(fields)), folder)
        for block in blocks:
            records = np.zeros(len(block), self._records.dtype)
            records["key"] = block.keys
            for code, column in enumerate(block.weight):
                if column is not None:
                    records[str(code)] = column
            self._records.append(records)

    @classmethod
    def of(cls, sums: PairSums, folder: Path) -> Run:
        """Write sums that are in memory."""
        return cls([sums], [None if column is None else column.dtype for column in sums.weight], folder)

    def __len__(self) -> int:
        return len(self._records)

    def read(self, start: int, stop: int) -> PairSums:
        """Return the sums of the pairs from ``start`` to ``stop``."""
        records = self._records.read(start, min(stop, len(self)))
        columns = (
            None if kind is None else np.ascontiguousarray(records[str(code)])
            for code, kind in enumerate(self.kinds)
        )
        return PairSums(np.ascontiguousarray(records["key"]), tuple(columns))


def merged_blocks(runs: Sequence[Run], size: int) -> Iterator[PairSums]:
    """Yield the sums of all runs in the order of their pairs, with about ``size`` pairs in memory at a time."""
    each = max(size // len(runs), _LEAST_READ)
    heads = [run.read(0, each) for run in runs]
    places = [len(head) for head in heads]
    while any(map(len, heads)):
        # All pairs up to the lowest last one of a run that goes on are in memory.
        last = [
            int(head.keys[-1]) for head, run, at in zip(heads, runs, places, strict=True) if at < len(run)
        ]
        ready = [
            int(np.searchsorted(head.keys, min(last), side="right")) if last else len(head) for head in heads
        ]
        yield merged([_part(head, slice(0, stop)) for head, stop in zip(heads, ready, strict=True)])
        for number, (run, stop) in enumerate(zip(runs, ready, strict=True)):
            heads[number] = _part(heads[number], slice(stop, None))
            if not len(heads[number]):
                heads[number] = run.read(places[number], places[number] + each)
                places[number] += len(heads[number])


def _part(sums: PairSums, part: slice) -> PairSums:
    columns = tuple(None if column is None else column[part] for column in sums.weight)
    return PairSums(sums.keys[part], columns)


def merged_kinds(runs: Sequence[Run]) -> list[np.dtype[Any] | None]:
    """Return the types that hold the sums over all runs; None for a column that is 0 in all of them."""
    found: list[np.dtype[Any] | None] = []
    for code in range(TIE + 1):
        kinds = [kind for run in runs if (kind := run.kinds[code]) is not None]
        if not kinds or any(kind.kind == "f" for kind in kinds):
            found.append(np.dtype(np.float64) if kinds else None)
        else:
            found.append(smallest_kind(sum(np.iinfo(kind).max for kind in kinds)))
    return found
