"""The log in an SQLite file: one writer, many readers, and files that are not what they should be."""

from __future__ import annotations

import gc
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from penchant.errors import CannotLoad, Closed, Damaged, InvalidInput, Locked
from penchant.store import SQLiteLog, table
from penchant.store.sqlite import database
from tests.store.sqlite.files import change, force, python

# -- one writer -----------------------------------------------------------------------------------------------


def test_a_write_that_changes_nothing_reaches_the_file(path: Path) -> None:
    """Whether writing works is seen by writing: SQLite leaves out what would stay as it is."""
    with SQLiteLog.create(path) as log:
        log.append("e", "note", {})
        wal = database.beside(path, "-wal")
        before = wal.stat().st_size
        assert log._writer is not None
        log._writer.submit([]).result()
        assert wal.stat().st_size > before
        assert log.last() == 1
    with SQLiteLog.open(path) as log:
        assert log.append("f", "note", {}).event.number == 2


def test_a_second_writer_rejects_and_names_the_first(path: Path) -> None:
    """In the same process or another, by opening or creating: who writes is named, and what to do."""
    with SQLiteLog.create(path) as log:
        words = rf"process {os.getpid()} on .+ has been writing it since .+ UTC: stop .*write=False"
        with pytest.raises(Locked, match=words):
            SQLiteLog.open(path)
        with pytest.raises(Locked, match=words):
            SQLiteLog.create(path)
        said = python(
            "import sys\nfrom penchant.store import SQLiteLog\nfrom penchant.errors import Locked\n"
            "try: SQLiteLog.open(sys.argv[1])\nexcept Locked as refusal: print(refusal)\n"
            "print(SQLiteLog.open(sys.argv[1], write=False).last())",
            path,
        )
        assert re.search(words, said)
        assert said.endswith("\n0\n")
        assert log.append("e", "note", {}).new


def test_a_second_name_of_the_file_is_no_way_around_the_lock(path: Path) -> None:
    """A symbolic link leads to the same lock."""
    link = path.with_name("link.db")
    with SQLiteLog.create(path):
        link.symlink_to(path)
        with pytest.raises(Locked):
            SQLiteLog.open(link)


def test_a_log_that_nobody_holds_is_closed(path: Path) -> None:
    """Dropping the log without closing it gives the lock back."""
    log = SQLiteLog.create(path)
    log.append("e", "note", {})
    del log
    gc.collect()
    SQLiteLog.open(path).close()


def test_a_program_that_forgets_to_close_ends(path: Path) -> None:
    """It neither hangs nor leaves a WAL behind."""
    python(
        "import sys\nfrom penchant.store import SQLiteLog\n"
        "log = SQLiteLog.create(sys.argv[1])\nlog.append('e', 'note', {})",
        path,
    )
    assert sorted(file.name for file in path.parent.iterdir()) == ["study.db", "study.db.lock"]


def test_a_forked_child_rejects_and_keeps_no_lock(path: Path) -> None:
    """A child says that it must open the log for itself; while it lives on, its parent's lock can pass on."""
    said = python(
        "import os, signal, sys\nfrom penchant.store import SQLiteLog\nfrom penchant.errors import Closed\n"
        "log = SQLiteLog.create(sys.argv[1])\n"
        "said, ready = os.pipe()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    try: log.append('e', 'note', {})\n"
        "    except Closed as refusal: os.write(ready, str(refusal).encode())\n"
        "    signal.pause()\n"
        "print(os.read(said, 9999).decode())\n"
        "log.append('f', 'note', {})\n"
        "log.close()\n"
        "SQLiteLog.open(sys.argv[1]).close()\n"
        "os.kill(child, 9)\n"
        "print(SQLiteLog.open(sys.argv[1], write=False).last())",
        path,
    )
    assert re.search(
        r"used by the process that opened it, \d+, this is \d+: open it again in here\n1\n", said
    )


# -- readers --------------------------------------------------------------------------------------------------


def test_an_idle_reader_does_not_hold_up_the_writer(path: Path) -> None:
    """A half-read iterator holds no snapshot: the WAL is emptied beside it."""
    with SQLiteLog.create(path) as log, SQLiteLog.open(path, write=False) as reader:
        log.append_all([(f"e{k}", "note", {}) for k in range(1000)])
        reading = reader.events()
        next(reading)
        with closing(sqlite3.connect(path)) as driver:
            assert driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
        assert len(list(reading)) == 999


# -- files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a b", "ä?x=1#y%20", "-", "study.db-wal.db"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    """Names that mean something in an address are taken as they are."""
    with SQLiteLog.create(tmp_path / name) as log, SQLiteLog.open(tmp_path / name, write=False) as reader:
        log.append("e", "note", {})
        assert reader.last() == 1
    SQLiteLog.open(tmp_path / name).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, f"{name}.lock"])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET content='{}' WHERE number=1",
        "DELETE FROM events",
        "INSERT INTO events VALUES (5, 'new', 'note', 1, 0, '{}', '')",
        "INSERT OR REPLACE INTO events VALUES (1, 'new', 'note', 1, 0, '{}', '')",
        "INSERT OR REPLACE INTO events VALUES (3, 'e1', 'note', 1, 0, '{}', '')",
    ],
)
def test_other_programs_cannot_change_the_past_by_mistake(path: Path, statement: str) -> None:
    """Whoever opens the file with SQLite itself is rejected, too."""
    with SQLiteLog.create(path) as log:
        log.append_all([("e1", "note", {"x": 1}), ("e2", "note", {"x": 2})])
        before = list(log.events())
        with pytest.raises(sqlite3.IntegrityError, match=r"events (are never|have the next)"):
            change(path, statement)
        assert list(log.events()) == before


def test_a_gap_that_was_made_by_force_is_found(path: Path) -> None:
    """A log that lost an event to another program is reported instead of being read without it."""
    with SQLiteLog.create(path) as log:
        log.append_all([(f"e{k}", "note", {}) for k in range(1, 4)])
    force(path, "events_are_never_deleted", "DELETE FROM events WHERE number=2")
    with SQLiteLog.open(path, write=False) as log, pytest.raises(Damaged, match="one after 0 is missing"):
        list(log.events())


def test_a_tail_that_was_cut_off_is_found(path: Path) -> None:
    """A log whose last events are gone is reported, though the rest has no gap."""
    with SQLiteLog.create(path) as log:
        log.append_all([(f"e{k}", "note", {}) for k in range(1, 4)])
    force(path, "events_are_never_deleted", "DELETE FROM events WHERE number=3")
    for write in (True, False):
        with pytest.raises(Damaged, match=r"must hold 3 events, got 2: .* restore a backup"):
            SQLiteLog.open(path, write=write)


def test_a_missing_trigger_is_found(path: Path) -> None:
    """A file whose definitions another program changed is rejected."""
    SQLiteLog.create(path).close()
    change(path, "DROP TRIGGER events_are_never_changed")
    with pytest.raises(Damaged, match=r"must define the tables that Penchant makes.*restore a backup"):
        SQLiteLog.open(path)


def test_a_damaged_file_is_rejected(path: Path) -> None:
    """Pages overwritten in the middle of the file are reported, not raised as the driver's exception."""
    with SQLiteLog.create(path) as log:
        log.append_all([(f"e{k}", "note", {"text": "x" * 200}) for k in range(1, 400)])
    content = bytearray(path.read_bytes())
    content[4096:-1] = b"\xa5" * (len(content) - 4097)
    path.write_bytes(content)
    for write in (True, False):
        with pytest.raises(CannotLoad, match=r": .*restore"):
            SQLiteLog.open(path, write=write)


def test_a_changed_event_is_found_by_its_checksum(path: Path) -> None:
    """Every field of an event is covered: what was changed is reported with the event's number."""
    for column, value in [
        ("id", "'x'"),
        ("kind", "'other'"),
        ("version", "7"),
        ("time", "1.5"),
        ("content", "'{\"x\":2}'"),
        ("checksum", "'00'"),
    ]:
        place = path.with_name(f"{column}.db")
        with SQLiteLog.create(place) as log:
            log.append_all([(f"e{k}", "note", {"x": 1}) for k in range(1, 4)])
        force(place, "events_are_never_changed", f"UPDATE events SET {column}={value} WHERE number=2")
        with SQLiteLog.open(place) as log, pytest.raises(Damaged, match=r"event 2 must match its checksum"):
            list(log.events())


def test_content_that_is_no_json_is_reported(path: Path) -> None:
    """An event with a right checksum over something else than a JSON object is reported, not raised raw."""
    for content in ("{", "[]", "[" * 100_000):
        place = path.with_name(f"{len(content)}.db")
        SQLiteLog.create(place).close()
        record = table.Record(1, "e", "note", 0.0, content)
        connection = database.writer(place)
        with connection.begin():
            table.add(connection, [record])
        connection.close()
        with SQLiteLog.open(place) as log, pytest.raises(Damaged, match=r"event 1 must be a JSON object"):
            list(log.events())


# -- privacy --------------------------------------------------------------------------------------------------


# -- creating -------------------------------------------------------------------------------------------------


def test_a_log_is_made_with_its_first_events_or_not_at_all(path: Path) -> None:
    """Events that cannot be stored leave no file, no lock and nothing in the way of the next try."""
    for entries in (
        [("e", "note", {}), ("e", "note", {"x": 1})],
        [("e", "note", {"x": float("nan")})],
        [("e", "note", {"x": "x" * 2**21})],
    ):
        with pytest.raises(InvalidInput):
            SQLiteLog.create(path, entries)
        assert list(path.parent.iterdir()) == []
    with SQLiteLog.create(path, [("e", "note", {}), ("f", "note", {}, 2)]) as log:
        assert [(event.id, event.version) for event in log.events()] == [("e", 1), ("f", 2)]


def test_an_iterator_of_a_closed_log_says_so(path: Path) -> None:
    """Closing in the middle of reading ends the reading with words."""
    log = SQLiteLog.create(path)
    log.append_all([(f"e{k}", "note", {}) for k in range(1001)])
    reading = log.events()
    next(reading)
    log.close()
    with pytest.raises(Closed):
        list(reading)


def test_events_of_another_log_keep_their_times(path: Path) -> None:
    """A log made from the events of another holds the same events, and goes on with its own clock."""
    with SQLiteLog.create(path, clock=iter([1.5, 0.5, 9.0]).__next__) as log:
        for id in ("e1", "e2", "e3"):
            log.append_all([(id, "note", {"id": id}, 2)])
        events = list(log.events())
    with SQLiteLog.create(path.with_name("copy.db"), events, clock=lambda: 20.0) as copy:
        assert list(copy.events()) == events
        assert copy.append("e4", "note", {}).event.time == 20.0
    rows = [(event.id, event.kind, event.content, event.version, event.time) for event in events[1:]]
    with SQLiteLog.create(
        path.with_name("part.db"), [*rows, ("new", "note", {})], clock=lambda: 30.0
    ) as part:
        assert [(event.number, event.id, event.time) for event in part.events()] == [
            (1, "e2", 0.5),
            (2, "e3", 9.0),
            (3, "new", 30.0),
        ]
        with pytest.raises(InvalidInput, match="perhaps a version, got 5 values"):
            part.append_all([("e", "note", {}, 1, 2.0)])  # type: ignore[list-item]
