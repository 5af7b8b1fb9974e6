"""A log's file appears whole or not at all, also where it replaces another."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

from penchant.errors import InvalidInput
from penchant.store import SQLiteLog
from penchant.store.sqlite.replacing import build, fill, replacement


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_nothing_is_left_of_a_file_that_could_not_be_filled(tmp_path: Path) -> None:
    """Neither the file nor what was written beside it."""

    def write(connection: Connection) -> None:
        raise ValueError("no events")

    with pytest.raises(ValueError, match="no events"):
        fill(tmp_path / "study.db", write)
    assert names(tmp_path) == []


def test_what_is_replaced_is_kept_under_a_free_name(path: Path) -> None:
    """A second one that is replaced does not take the name of the first."""
    SQLiteLog.create(path, [("e1", "note", {})]).close()
    for number in (1, 2):
        with replacement(path, keep=True) as new:
            new.write_bytes(str(number).encode())
    assert path.read_bytes() == b"2"
    assert path.with_name(f"{path.name}.replaced-2").read_bytes() == b"1"
    with SQLiteLog.open(path.with_name(f"{path.name}.replaced")) as kept:
        assert kept.last() == 1


def test_a_new_log_takes_no_name_that_is_in_use(path: Path) -> None:
    """Neither that of a file nor that of a WAL, whose events would be read as its own."""
    wal = path.with_name(f"{path.name}-wal")
    for taken in (path, wal):
        taken.write_bytes(b"something")
        with pytest.raises(InvalidInput, match=f"but {taken.name} does"):
            build(path, [], lambda: 0.0)
        taken.unlink()
