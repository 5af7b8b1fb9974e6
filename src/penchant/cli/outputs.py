"""The last step, inside: files that a command is to write. Paths in; a refusal before anything takes time out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from penchant.errors import InvalidInput


def check_outputs(file: Path, outputs: Iterable[Path | None], pictures: Iterable[Path | None] = ()) -> None:
    """Refuse outputs and pictures that clash with one another or with the input; None is one not asked for."""
    drawn = [picture for picture in pictures if picture is not None]
    wanted = [out for out in outputs if out is not None] + drawn
    for place, out in enumerate(wanted):
        if out.resolve() in (file.resolve(), *(other.resolve() for other in wanted[:place])):
            raise InvalidInput(f"{out} must be a file of its own, got it twice: write to another file")
        if not out.parent.is_dir():
            raise InvalidInput(
                f"{out.parent} must be a folder, got none: make it, or correct the path of {out.name}"
            )
    for picture in drawn:
        from penchant.plots.saving import picture_kind

        picture_kind(picture)
