"""Count the comparisons of a large file for ``penchant rank``, instead of reading them into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penchant.cli.command import bytes_typed, limits, limits_typed
from penchant.cli.inputs import called, file_or_input, holds_study
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import busy
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.formats import Counted

_ON_DISK_NOTE = (
    "the different pairs did not fit into that memory: scores are the mode, and intervals come from the curvature "
    "there, for which the pairs are read from disk again and again, several times as long as for the scores"
)
MODELS = (None, "bradley-terry", "thurstone")
"""What can be fitted to counts; None is the choice by what the rows are."""
_LARGE_NOTE = (
    "the file is large: its comparisons were counted, not read (--memory sets how much memory that may take)"
)


def count(
    file: StudyPlace,
    memory: str | None,
    *,
    needs_rows: str | None,
    format: str | None,
    strict: bool,
    columns: Mapping[str, Any],
) -> Counted | None:
    """Count a file if ``memory`` was typed, or else if that is possible; None where it has to be read.

    Parameters
    ----------
    memory : str or None
        What was typed: a number of bytes, with a unit or without.
    needs_rows : str or None
        The option among those typed that counts are not enough for.
    format, strict, columns
        How the file is read.
    """
    from penchant.formats import count_files
    from penchant.formats.counting import UNLIMITED, CannotCount
    from penchant.preferences.pair_counts import MEMORY

    most = MEMORY if memory is None else bytes_typed(memory)
    if not most:
        remedy = "give for instance 2GB"
        raise InvalidInput.of("--memory", "be a number of bytes above 0", repr(memory), remedy)
    if not isinstance(file, Path) or holds_study(file):
        if memory is None:
            return None
        remedy = "leave it out"
        raise InvalidInput.of("--memory", "be given for a file of comparisons", "a study", remedy)
    if needs_rows is not None:
        if memory is None:
            return None
        remedy = "leave one of them out"
        raise InvalidInput.of(
            "--memory", f"not be given with {needs_rows}, which needs all rows", memory, remedy
        )
    found = limits()
    if not any(word.startswith("bytes=") for word in limits_typed()):
        found = replace(found, bytes=UNLIMITED)
    doing = f"counting {called(file)}"
    try:
        with busy(doing) as shown, file_or_input(file) as place:
            counted = count_files(
                place,
                memory=most,
                format=format,
                strict=strict,
                limits=found,
                progress=lambda done, size: shown(doing, done, size),
                **columns,
            )
    except CannotCount:
        if memory is None:
            return None
        raise
    added = (_LARGE_NOTE,) if memory is None else ()
    on_disk = (_ON_DISK_NOTE,) if counted.counts.on_disk else ()
    return replace(counted, notes=(*added, *counted.notes, *on_disk))
