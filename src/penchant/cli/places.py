"""Where a study is, as it is typed: a file, or the address of one in a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.store import PostgresAddress

    StudyPlace = Path | PostgresAddress
else:
    StudyPlace = Path  # Typer knows no unions

ADDRESS = "postgresql://USER@HOST/DATABASE?study=NAME"


def study_place(text: Any) -> StudyPlace:
    """Return the file or the address that was typed; an address that is wrong is reported without quoting it."""
    if not isinstance(text, str) or "://" not in text:
        return Path(text)
    from penchant.store import PostgresAddress

    try:
        return PostgresAddress.parse(text)
    except InvalidInput as wrong:
        # As a ValueError it would be reported with what was typed, passwords included.
        raise typer.BadParameter(str(wrong)) from None


def study_exists(place: StudyPlace) -> bool:
    """Return whether something is at a place: a file, or a study in a database."""
    if isinstance(place, Path):
        return place.exists()
    from penchant.store import exists

    return exists(place)
