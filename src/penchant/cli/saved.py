"""Saved models. The path of a file in; what ``penchant fit`` or ``learn`` saved out."""

from __future__ import annotations

from pathlib import Path

from penchant.cli.limits import limits


def load_model(path: Path) -> object:
    """Load a regular file that Penchant saved, up to the usual size or the limit that was typed."""
    from penchant.formats.parsing.source import require_file
    from penchant.saving import MAXIMUM_SIZE, load

    return load(require_file(path), limit=max(MAXIMUM_SIZE, limits().bytes))
