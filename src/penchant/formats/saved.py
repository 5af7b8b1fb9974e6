"""Preferences as `penchant.save` writes them; nothing is lost."""

from __future__ import annotations

from pathlib import Path

from penchant.errors import InvalidInput
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.source import Source
from penchant.preferences import Preferences
from penchant.saving import load, save

NAME = "penchant"


def read(source: Source) -> Reading:
    """Read preferences that `penchant.save` or this format wrote; nothing is lost."""
    value = load(source.path, limit=source.limits.bytes)
    if not isinstance(value, Preferences):
        raise InvalidInput(
            f"{source.path} must hold saved preferences, got a {type(value).__name__}: open it with penchant.load"
        )
    return Findings(source, NAME).reading(value, len(value))


def write(preferences: Preferences, path: Path) -> Written:
    """Write preferences so that reading gives equal ones."""
    save(preferences, path)
    return Written(path, NAME, len(preferences))
