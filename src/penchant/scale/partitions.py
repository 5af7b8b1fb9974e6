"""Turn what a fit is given (dask collections, files or delayed readers) into named partitions.

A partition has a name by which errors call it: its file, or its number. It is read where it is used, and nothing here
touches the rows on the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput, PenchantError
from penchant.formats.parsing.paths import paths_of


class Partition(NamedTuple):
    """A partition: its name in messages, and its parts, which are a path or delayed objects."""

    name: str
    parts: tuple[Any, ...]


def partitions_of(data: Any) -> list[Partition]:
    """Return the partitions of ``data``.

    Parameters
    ----------
    data : dask array, dask DataFrame, path, glob pattern, or sequence of paths or of delayed objects
    """
    is_sequence = isinstance(data, Sequence) and len(data) > 0
    if isinstance(data, str | Path) or (is_sequence and all(isinstance(each, str | Path) for each in data)):
        return [_of_file(path) for path in paths_of(data, "data")]
    kind = _collection(data)
    if kind is not None:
        return [
            Partition(f"partition {number}", (piece,)) for number, piece in enumerate(_pieces(data, kind))
        ]
    if is_sequence and all(_is_delayed(each) for each in data):
        return [Partition(f"partition {number}", (each,)) for number, each in enumerate(data)]
    raise InvalidInput.of(
        "data",
        "be a dask array or DataFrame, files (a path, a pattern or a list), or a list of delayed objects",
        shown(data),
        "give one of these; what is in memory needs no cluster",
    )


def partitions_beside(data: Any, **beside: Any) -> list[Partition]:
    """Return the partitions of ``data``, each with the pieces of other collections that stand beside its rows.

    Parameters
    ----------
    data : as in `partitions_of`
    **beside : None, str, dask array, dask Series, or sequence of delayed objects
        A name is that of a column, and has no piece (None). The row chunks of an array become those of ``data``;
        anything else must have as many partitions.
    """
    partitions = partitions_of(data)
    columns: list[list[Any]] = []
    for name, other in beside.items():
        if other is None or isinstance(other, str):
            columns.append([None] * len(partitions))
            continue
        kind = _collection(other)
        if kind == "array" and _collection(data) == "array" and other.shape == data.shape[:1]:
            other = other.rechunk((data.chunks[0],))
        if kind is None and not (isinstance(other, Sequence) and all(map(_is_delayed, other))):
            raise InvalidInput.of(
                name,
                "be a dask array or Series, a list of delayed objects, or the name of a column",
                shown(other),
                "give da.from_array(…), or add it to the table as a column",
            )
        pieces = list(other) if kind is None else _pieces(other, kind)
        if len(pieces) != len(partitions):
            raise InvalidInput.of(
                name,
                f"have the {len(partitions):,} partitions of the features",
                f"{len(pieces):,}",
                "rechunk or repartition it, or name a column of the table",
            )
        columns.append(pieces)
    return [
        each._replace(parts=(*each.parts, *pieces))
        for each, pieces in zip(partitions, zip(*columns, strict=True), strict=True)
    ]


def _of_file(path: Path) -> Partition:
    if not path.exists():
        raise InvalidInput.of("data", "name files that exist", repr(str(path)), "correct the path")
    return Partition(str(path), (str(path),))


def _collection(data: Any) -> str | None:
    """Return "array" or "frame" for a dask array or DataFrame; None for anything else."""
    if not type(data).__module__.startswith("dask.") or _is_delayed(data):
        return None
    if hasattr(data, "rechunk"):
        return "array"
    return "frame" if hasattr(data, "map_partitions") else None


def _is_delayed(value: Any) -> bool:
    from dask.delayed import Delayed

    return isinstance(value, Delayed)


def _pieces(data: Any, kind: str) -> list[Any]:
    """Return the partitions as delayed objects; an array has all its columns in one chunk."""
    if kind == "frame":
        return list(data.to_delayed())
    if data.ndim == 2 and len(data.chunks[1]) > 1:
        data = data.rechunk({1: -1})
    return list(np.ravel(data.to_delayed()))


class named_errors:  # noqa: N801  (a context manager)
    """Turn an error of reading or checking a partition into one that begins with its name.

    Examples
    --------
    >>> with named_errors("part-3.csv"):
    ...     raise InvalidInput("grade of row 7 must be a number, got 'x': correct it")
    Traceback (most recent call last):
    penchant.errors.InvalidInput: part-3.csv: grade of row 7 must be a number, got 'x': correct it
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or not isinstance(error, Exception):
            return
        message = str(error)
        if isinstance(error, PenchantError):
            if message.startswith(self._name):
                return
            raise InvalidInput(f"{self._name}: {message}") from error
        if isinstance(error, FileNotFoundError | PermissionError):
            raise InvalidInput.of(
                self._name,
                "be a file that every worker can read under the same path",
                f"{type(error).__name__} on worker {_worker()}",
                "put the files into a folder that all workers share",
            ) from error
        raise InvalidInput(f"{self._name}: {type(error).__name__}: {message[:500]}") from error


def _worker() -> str:
    """Return the address of the worker that runs this."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return "(none)"
