"""Check the files that a command is to write, before it reads or computes anything."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from penchant.errors import InvalidInput

_BESIDE_STUDY = ("-wal", "-shm", "-journal")
_STUDY = (".db", ".sqlite", ".sqlite3")


def check_outputs(
    inputs: Iterable[Path | None], outputs: Iterable[Path | None], pictures: Iterable[Path | None] = ()
) -> None:
    """Reject outputs and pictures that are an input or one another, by whatever name; None is one not asked for.

    Symbolic links, hard links and relative paths to one file are that file.
    """
    read = [name for path in inputs if path is not None for name in (path, *_beside(path))]
    drawn = [picture for picture in pictures if picture is not None]
    wanted = [out for out in outputs if out is not None] + drawn
    for place, out in enumerate(wanted):
        for other in (*read, *wanted[:place]):
            if is_same_file(out, other):
                what = "also read" if other in read else "also written"
                raise InvalidInput(
                    f"{out} must be a file of its own, got {other}, which is {what}: write to another file"
                )
        if not out.parent.is_dir():
            raise InvalidInput(
                f"{out.parent} must be a folder, got none: make it, or correct the path of {out.name}"
            )
        if out.is_dir():
            raise InvalidInput(f"{out} must be the name of a file, got a folder: name a file in it")
    for picture in drawn:
        from penchant.plots.saving import picture_kind

        picture_kind(picture)


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, which need not be there yet."""
    try:
        return os.path.samestat(one.stat(), other.stat())
    except (OSError, ValueError):
        return one.resolve() == other.resolve()


def _beside(path: Path) -> list[Path]:
    """Return the files that SQLite keeps beside a study."""
    return [Path(f"{path}{end}") for end in _BESIDE_STUDY] if path.suffix.lower() in _STUDY else []
