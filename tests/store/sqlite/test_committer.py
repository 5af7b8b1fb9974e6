"""Commits to the SQLite file: numbers in memory, ids that are taken, and commits that fail."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from penchant.errors import CannotStore
from penchant.store import Event, SQLiteLog, TokenRow
from penchant.store.entry import Entry
from penchant.store.sqlite import database
from penchant.store.sqlite.committer import SameFile
from tests.store.sqlite.files import change


def test_a_commit_that_was_kept_though_it_failed_is_delivered_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller hears that it may have been kept; subscribers get it with the next commit, without a gap."""
    delivered: list[Event] = []
    leave = database.Transaction.__exit__

    def kept_but_failed(self: database.Transaction, *error: object) -> None:
        leave(self, *error)
        raise sqlite3.OperationalError("disk I/O error")

    with SQLiteLog.create(path) as log:
        log.subscribe(delivered.extend)
        log.append("e1", "note", {})
        with monkeypatch.context() as patch:
            patch.setattr(database.Transaction, "__exit__", kept_but_failed)
            with pytest.raises(CannotStore, match="disk I/O error"):
                log.append_all([("e2", "note", {}), ("e3", "note", {})])
        assert [event.id for event in delivered] == ["e1"]
        assert log.last() == 3
        assert not log.append("e2", "note", {}).new
        log.append("e4", "note", {})
        assert delivered == list(log.events())
        assert [event.number for event in delivered] == [1, 2, 3, 4]


def test_events_and_tokens_share_a_commit(path: Path) -> None:
    """A token that is rejected fails no event, and events are delivered also where tokens are written with them."""
    delivered: list[Event] = []
    token = TokenRow("t1", "hash", "judge", "ann", 1.0)
    with SQLiteLog.create(path) as log:
        log.subscribe(delivered.extend)
        assert log._writer is not None
        assert log._committer is not None
        log.tokens.add(token)
        for number in (1, 2):
            results = log._committer(
                [log_entries(f"e{number}"), lambda _: int("none"), log_entries(f"e{number}")]
            )
            assert results[0][0].new
            assert isinstance(results[1], ValueError)
            assert not results[2][0].new
        assert [event.id for event in delivered] == ["e1", "e2"]
        assert log.tokens.list() == [token]


def log_entries(id: str) -> list[Entry]:
    return [Entry(id, "note", "{}")]


def test_a_number_that_was_taken_by_force_is_noticed(path: Path) -> None:
    """Where another program has added an event, the next append is numbered behind it."""
    with SQLiteLog.create(path) as log:
        log.append("e1", "note", {})
        change(path, "INSERT INTO events VALUES (2, 'other', 'note', 1, 0.5, '{}', '00')")
        assert log.append("e3", "note", {}).event.number == 3


# -- the file is where it was ------------------------------------------------------------------------------------


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
    file = SameFile(path)
    file.check()
    with pytest.raises(CannotStore, match="start again"):
        file.check(wal=True)
    with pytest.raises(CannotStore, match="start again"):
        file.check()
