"""Find the files that paths, patterns and folders name."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from penchant.errors import InvalidInput

PARQUET = (".parquet", ".pq")
_PATTERN = frozenset("*?[")
_HIDDEN = (".", "_")


def paths_of(files: str | Path | Sequence[str | Path], argument: str = "files") -> list[Path]:
    """Return the files that paths, patterns and folders name, each once; those of a pattern or folder are sorted.

    A folder stands for the Parquet files inside. Those whose name, or that of a folder on the way, begins with a dot or
    an underscore are left out, since engines keep their own files there.

    Parameters
    ----------
    files : path, pattern such as "votes/*.csv", folder, or sequence of these
    argument : str
        What errors call them.

    Examples
    --------
    >>> paths_of(["votes.csv", "votes.csv"])
    [PosixPath('votes.csv')]
    """
    given = [files] if isinstance(files, str | Path) else list(files)
    paths = list(dict.fromkeys(path for name in given for path in _named(name, argument)))
    if not paths:
        raise InvalidInput.of(argument, "name at least one file", "none", "name some")
    return paths


def is_pattern(name: str | Path) -> bool:
    """Whether a name is a pattern of names, and not that of a file."""
    return not _PATTERN.isdisjoint(str(name)) and not Path(name).exists()


def _named(name: str | Path, argument: str) -> Iterable[Path]:
    path = Path(name)
    if path.is_dir():
        found = sorted(_parquet_in(path))
        if not found:
            raise InvalidInput.of(
                argument,
                "name a folder that holds Parquet files",
                repr(str(name)),
                f"give a pattern for others, such as {str(path / '*.csv')!r}",
            )
        return found
    if not is_pattern(name):
        return [path]
    matching = sorted(glob.glob(str(name), recursive=True))  # noqa: PTH207  (a pattern may be absolute)
    if not matching:
        raise InvalidInput.of(argument, "match at least one file", repr(str(name)), "correct the pattern")
    return map(Path, matching)


def _parquet_in(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        if path.suffix in PARQUET and path.is_file() and not any(part.startswith(_HIDDEN) for part in inside):
            yield path
