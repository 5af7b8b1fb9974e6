"""What can still be read of a damaged log, and where the damage is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from penchant.errors import CannotLoad
from penchant.store import SQLiteLog, inspect
from tests.store.sqlite.test_wal import copied, flip, killed

__all__ = ["killed"]  # a fixture


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "study.db"
    SQLiteLog.create(
        place, [(f"e{k}", "note", {"text": f"mark-{k}-" + "x" * 100}) for k in range(1, 1201)]
    ).close()
    return place


def test_a_sound_log_is_sound(path: Path) -> None:
    """All events are counted and nothing is wrong, also while it is written."""
    found = inspect(path)
    assert (found.sound, found.expected, found.readable) == (True, 1200, ((1, 1200),))
    assert str(found) == "sound: all 1,200 events match their checksums"
    with SQLiteLog.open(path) as log:
        log.append("more", "note", {})
        assert inspect(path).readable == ((1, 1201),)


def test_damaged_events_are_named_and_the_others_counted(path: Path) -> None:
    """A flipped byte in two events leaves three runs that can be read."""
    for number in (100, 700):
        flip(path, path.read_bytes().index(f"mark-{number}-".encode()) + 20, 1)
    found = inspect(path)
    assert found.readable == ((1, 99), (101, 699), (701, 1200))
    assert found.problems == (
        "event 100: does not match its checksum",
        "event 700: does not match its checksum",
    )
    assert str(found).startswith(
        "damaged: 1,198 of 1,200 events can be read (numbers 1–99, 101–699, 701–1200)"
    )


def test_text_that_is_no_unicode_is_located(path: Path) -> None:
    """Bytes that are not UTF-8 lose one event, not the page of events that it was read with."""
    place = path.read_bytes().index(b"mark-300-")
    content = bytearray(path.read_bytes())
    content[place] = 0xFF
    path.write_bytes(content)
    assert inspect(path).readable == ((1, 299), (301, 1200))


def test_a_lost_page_is_reported(path: Path) -> None:
    """Where a page is overwritten, its events are missing, the rest is counted, and SQLite's words are kept."""
    content = bytearray(path.read_bytes())
    page = content.index(b"mark-600-") // 4096
    content[page * 4096 : (page + 1) * 4096] = bytes(4096)
    path.write_bytes(content)
    found = inspect(path)
    assert not found.sound
    assert 1000 < found.n_readable < 1200
    assert found.problems[0].startswith("the file:")


def test_lost_transactions_of_the_wal_are_reported(killed: Path, tmp_path: Path) -> None:
    """A WAL that SQLite would stop reading in the middle is a problem of its own."""
    path = copied(killed, tmp_path)
    flip(Path(f"{path}-wal"), 32 + 8 * (24 + 4096) + 100, 1)
    found = inspect(path)
    assert any("write-ahead log" in problem for problem in found.problems)


def test_what_is_no_log_cannot_be_inspected(tmp_path: Path) -> None:
    """No file, and a file of something else, are errors."""
    with pytest.raises(CannotLoad, match="there is none"):
        inspect(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("better,worse\n" * 100)
    with pytest.raises(CannotLoad, match="readable SQLite file"):
        inspect(tmp_path / "text.db")


def test_a_count_that_is_absurd_takes_no_longer(path: Path) -> None:
    """Only rows that are there are read: a count of 2⁶² is reported as a gap."""
    with closing(sqlite3.connect(path)) as driver:
        driver.execute("UPDATE tail SET number = 1 << 62")
        driver.commit()
    found = inspect(path)
    assert found.readable == ((1, 1200),)
    assert found.problems == (f"events 1201–{1 << 62}: missing",)
