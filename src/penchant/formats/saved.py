"""Preferences as Penchant saves them. A file in, everything that was in them out; and back."""

from __future__ import annotations

from pathlib import Path

from penchant.errors import InvalidInput
from penchant.formats.files import Source
from penchant.formats.format import Format
from penchant.formats.reading import Findings, Reading, Written
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


def looks_like(source: Source) -> bool:
    """Whether the file is a zip, as saved ones are."""
    return source.head.startswith(b"PK\x03\x04")


def write(preferences: Preferences, path: Path) -> Written:
    """Write preferences so that reading gives equal ones."""
    save(preferences, path)
    return Written(path, NAME, len(preferences))


FORMAT = Format(
    NAME,
    "preferences as Penchant saves them, lossless",
    (".penchant", ".zip"),
    looks_like,
    read,
    write,
    is_text=False,
)
