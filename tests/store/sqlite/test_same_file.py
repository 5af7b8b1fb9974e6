"""A log whose file was removed or replaced while it is open acknowledges nothing more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from penchant.errors import CannotStore
from penchant.store import SQLiteLog
from penchant.store.sqlite.same_file import SameFile


def test_nothing_is_acknowledged_once_the_file_is_gone(path: Path) -> None:
    """An event that is written to a file without a name is lost with the process: it is rejected, each time."""
    log = SQLiteLog.create(path)
    log.append("e1", "note", {})
    assert log.problem() is None
    path.unlink()
    assert "removed" in str(log.problem())
    for _ in range(2):
        with pytest.raises(CannotStore, match="removed"):
            log.append("e2", "note", {})
    assert "removed" in str(log.problem())
    log.close()


def test_nothing_is_written_to_a_file_that_took_its_place(path: Path) -> None:
    """The other file stays as it is."""
    log = SQLiteLog.create(path)
    log.append("e1", "note", {})
    other = path.with_name("other.db")
    SQLiteLog.create(other, [("o1", "note", {})]).close()
    before = other.read_bytes()
    other.replace(path)
    with pytest.raises(CannotStore, match="replaced"):
        log.append("e2", "note", {})
    log.close()
    assert path.read_bytes() == before


def test_a_file_that_is_put_back_is_written_again(path: Path) -> None:
    """A mistake that is mended in time costs nothing."""
    with SQLiteLog.create(path) as log:
        log.append("e1", "note", {})
        aside = path.rename(path.with_name("aside.db"))
        with pytest.raises(CannotStore, match="moved"):
            log.append("e2", "note", {})
        aside.rename(path)
        assert log.append("e2", "note", {}).new
        assert log.problem() is None
    with SQLiteLog.open(path, write=False) as log:
        assert [event.id for event in log.events()] == ["e1", "e2"]


def test_a_wal_that_is_removed_costs_no_acknowledged_event(path: Path, tmp_path: Path) -> None:
    """What it held is moved into the file at once; nothing more is taken until the log is opened again."""
    log = SQLiteLog.create(path)
    log.append("e1", "note", {})
    log.append("e2", "note", {})
    path.with_name(f"{path.name}-wal").unlink()
    for _ in range(2):
        with pytest.raises(CannotStore, match="start again"):
            log.append("e3", "note", {})
    copy = shutil.copy(path, tmp_path / "copy.db")  # as a crash would leave it
    log.close()
    for file in (path, copy):
        with SQLiteLog.open(file) as log:
            assert [event.id for event in log.events()] == ["e1", "e2"]
            assert log.append("e3", "note", {}).new


def test_a_wal_is_missed_only_after_a_commit(path: Path) -> None:
    """Before that there may be none."""
    path.write_bytes(b"")
    place = SameFile(path)
    place.check()
    with pytest.raises(CannotStore, match="start again"):
        place.check(wal=True)
    with pytest.raises(CannotStore, match="start again"):
        place.check()
