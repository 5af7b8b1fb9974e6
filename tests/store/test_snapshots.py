"""The table of snapshots: replaced in place, gone where damaged, and no part of the log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import CannotStore, Closed, InvalidInput
from penchant.store import Snapshot, SQLiteLog, inspect, snapshots
from penchant.store.snapshots import checksum
from tests.store.sqlite.files import change

STATE = bytes(range(256)) * 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with SQLiteLog.create(tmp_path / "study.db", [("e1", "note", {})]) as log:
        log.snapshots.put("belief", 1, "code 1", STATE)
    return tmp_path / "study.db"


def test_a_snapshot_is_there_again_and_is_replaced(path: Path) -> None:
    """It is read after opening again, the next one of its name takes its place, and others stay."""
    with SQLiteLog.open(path) as log:
        assert log.snapshots.get("belief") == Snapshot(1, "code 1", STATE)
        log.snapshots.put("other", 0, "", b"")
        log.snapshots.put("belief", 7, "code 2", STATE[::-1])
    with SQLiteLog.open(path, write=False) as log:
        assert log.snapshots.get("belief") == (7, "code 2", STATE[::-1])
        assert log.snapshots.get("other") == (0, "", b"")
        assert log.snapshots.get("nothing") is None


def test_a_large_state_is_written_in_parts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All parts together are the state; without one of them there is none; the parts of the one before are gone."""
    monkeypatch.setattr(snapshots, "PART", 1000)
    with SQLiteLog.open(path) as log:
        for number in (2, 3):
            log.snapshots.put("belief", number, "code", STATE)
        assert log.snapshots.get("belief") == Snapshot(3, "code", STATE)
    assert inspect(path).sound
    assert len(rows(path)) == 12
    change(path, "DELETE FROM snapshots WHERE part = 5")
    assert not inspect(path).sound
    with SQLiteLog.open(path) as log:
        assert log.snapshots.get("belief") is None


def test_an_incomplete_snapshot_leaves_the_one_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where writing stopped in the middle, the old state is there; the next one removes what is left of both."""
    monkeypatch.setattr(snapshots, "PART", 1000)
    with SQLiteLog.open(path) as log:
        with monkeypatch.context() as patch:
            patch.setattr(snapshots, "checksum", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                log.snapshots.put("belief", 2, "code 2", STATE)
        assert log.snapshots.get("belief") == Snapshot(1, "code 1", STATE)
        assert inspect(path).sound
        log.snapshots.put("belief", 3, "code 3", b"new")
        assert log.snapshots.get("belief") == Snapshot(3, "code 3", b"new")
    assert len(rows(path)) == 2


def rows(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as driver:
        return driver.execute("SELECT part FROM snapshots").fetchall()


def test_a_snapshot_can_be_deleted(path: Path) -> None:
    """Deleting it leaves the events, and deleting it again does nothing."""
    with SQLiteLog.open(path) as log:
        log.snapshots.delete("belief")
        log.snapshots.delete("belief")
        assert log.snapshots.get("belief") is None
        assert log.last() == 1


@pytest.mark.parametrize(
    "damage",
    [
        "state = zeroblob(10240)",
        "state = 'text'",
        "number = 2",
        "number = 'one'",
        "fingerprint = 'code 2'",
        "fingerprint = CAST(x'ff' AS TEXT)",
        "checksum = '00'",
    ],
)
def test_a_damaged_snapshot_counts_as_none(path: Path, damage: str) -> None:
    """The log opens without it, the inspection reports it, and the next one takes its place."""
    change(path, f"UPDATE snapshots SET {damage}")
    assert inspect(path).problems == ("the snapshots: 1 damaged, which count as none",)
    with SQLiteLog.open(path) as log:
        assert log.snapshots.get("belief") is None
        assert [event.id for event in log.events()] == ["e1"]
        log.snapshots.put("belief", 1, "code 1", STATE)
        assert log.snapshots.get("belief") == Snapshot(1, "code 1", STATE)
    assert inspect(path).sound


def test_a_snapshot_of_another_name_does_not_pass_for_it(path: Path) -> None:
    """The checksum covers the name."""
    change(path, "UPDATE snapshots SET name = 'other'")
    with SQLiteLog.open(path) as log:
        assert log.snapshots.get("other") is None
    assert checksum("a", 1, "", b"") != checksum("b", 1, "", b"")


def test_a_backup_holds_the_snapshots(path: Path) -> None:
    """A copy and a restored copy need not compute anew what the log had computed."""
    with SQLiteLog.open(path) as log:
        log.backup(path.with_name("copy.db"))
    SQLiteLog.restore(path.with_name("copy.db"), path.with_name("restored.db"))
    with SQLiteLog.open(path.with_name("restored.db")) as log:
        assert log.snapshots.get("belief") == Snapshot(1, "code 1", STATE)


def test_only_the_writer_changes_snapshots(path: Path) -> None:
    """A reader, and a closed log, reject it with what to do."""
    with SQLiteLog.open(path, write=False) as log, pytest.raises(CannotStore, match="write=True"):
        log.snapshots.put("belief", 1, "", b"")
    with pytest.raises(Closed):
        log.snapshots.get("belief")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("belief", 1, "", "text"), "state must be at most 536870912 bytes, got str"),
        ((1, 1, "", b""), "name and fingerprint must be strings"),
        (("belief", -1, "", b""), "number must be the number of an event, or 0, got -1"),
        (("belief", 2**63, "", b""), "number must be"),
        (("belief", 1.5, "", b""), "number must be"),
    ],
)
def test_what_is_no_snapshot_is_rejected(path: Path, values: tuple[Any, ...], message: str) -> None:
    """It is rejected before it reaches the writer, where it would fail the appends of others."""
    with SQLiteLog.open(path) as log:
        with pytest.raises(InvalidInput) as caught:
            log.snapshots.put(*values)
        assert message in str(caught.value)
        assert log.snapshots.get("belief") == Snapshot(1, "code 1", STATE)
