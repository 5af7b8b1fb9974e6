"""A file that a command was given. A path and options in; what was read, told, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penchant.cli.limits import limits
from penchant.cli.progress import busy
from penchant.cli.refusals import with_options

if TYPE_CHECKING:
    from penchant.formats import Reading, Refusal
    from penchant.worth.model import WorthModel

STUDY = "study"
_TOLD = 3


def read(path: Path, *, format: str | None, strict: bool, told: Mapping[str, Any]) -> Reading:
    """Read ``path``, be it a file of what people said or a study, with a sign of life if that takes long."""
    from penchant.formats import read_file

    with busy(f"reading {path.name}"):
        if format is None and holds_study(path):
            return _read_study(path)
        return read_file(path, format=format, strict=strict, limits=limits(), **told)


def files_read(path: Path, told: Mapping[str, Any]) -> list[Path]:
    """Return the files that `read` reads: ``path`` and perhaps the titles beside it."""
    from penchant.formats.movielens import TITLES

    return [path, *(path.with_name(name) for name in TITLES if told.get("titles"))]


def holds_study(path: Path) -> bool:
    """Whether ``path`` is a study's file, which is one of SQLite."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _read_study(path: Path) -> Reading:
    from penchant.formats import Reading
    from penchant.study import Study

    with Study.open(path, write=False) as study:
        said, answers = study.preferences(), study.answers()
    skips = len(answers) - len(said)
    return Reading(said, path, STUDY, len(answers), skipped={"skip": skips} if skips else {})


def model_of_study(path: Path) -> WorthModel:
    """Return the model that a study learns with."""
    from penchant.study import Study

    with Study.open(path, write=False) as study:
        return study.model()


def unused(reading: Reading) -> list[str]:
    """Return what is to be said about what was not used: how many rows, and the first few reasons."""
    from penchant.counts import counted

    lines = [f"Skipped: {counted(number, 'row')} ({kind})" for kind, number in reading.skipped.items()]
    lines += [f"Note: {with_options(note)}" for note in reading.notes]
    return lines + refused(reading.refusals, counted(reading.n_rows, "row"))


def refused(refusals: Sequence[Refusal], of: str) -> list[str]:
    """Return how many of the rows were refused, with the first few reasons; nothing if none was."""
    lines = [f"Refused: {len(refusals):,} of {of}"] if refusals else []
    lines += [f"  {refusal}" for refusal in refusals[:_TOLD]]
    if len(refusals) > _TOLD:
        lines.append(f"  … and {len(refusals) - _TOLD:,} more; --strict stops at them")
    return lines
