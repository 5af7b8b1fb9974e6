"""The log in an SQLite file: one writer, many readers, and files that are not what they should be."""

from __future__ import annotations

import errno
import gc
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import CannotLoad, CannotStore, Closed, Damaged, InvalidInput, Locked, PenchantWarning
from penchant.store import SQLiteLog, sqlite_file, table
from penchant.store.lock import WriterLock, is_held


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        for statement in statements:
            driver.execute(statement)


def force(path: Path, trigger: str, statement: str) -> None:
    """Do what a trigger forbids, and put the trigger back as it was."""
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        (text,) = driver.execute("SELECT sql FROM sqlite_schema WHERE name=?", (trigger,)).fetchone()
    change(path, f"DROP TRIGGER {trigger}", statement, text)


def python(code: str, *arguments: Any) -> str:
    """What a fresh interpreter prints that runs ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# -- one writer -----------------------------------------------------------------------------------------------


def test_a_second_writer_refuses_and_names_the_first(path: Path) -> None:
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


def test_the_lock_goes_with_its_process(path: Path) -> None:
    """A process that ends without closing leaves no lock, and its event is there."""
    python(
        "import os, sys\nfrom penchant.store import SQLiteLog\n"
        "log = SQLiteLog.create(sys.argv[1])\nlog.append('e', 'note', {})\nos._exit(0)",
        path,
    )
    with SQLiteLog.open(path) as log:
        assert log.last() == 1


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


def test_a_forked_child_refuses_and_keeps_no_lock(path: Path) -> None:
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


def test_a_lock_takes_no_other_file(path: Path) -> None:
    """A file, a link or a folder that has the lock's name is named and left as it is."""
    lock = path.with_name("study.db.lock")
    lock.write_text("[[package]]\n")
    with pytest.raises(CannotStore, match=r"study.db.lock must be the file of a lock, got something else"):
        SQLiteLog.create(path)
    assert lock.read_text() == "[[package]]\n"
    lock.unlink()
    victim = path.with_name("victim.txt")
    victim.write_text("")
    lock.symlink_to(victim)
    with pytest.raises(CannotStore, match="got a symbolic link: remove it"):
        SQLiteLog.create(path)
    assert victim.read_text() == ""
    assert not path.exists()


def test_a_lock_that_cannot_be_signed_is_a_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk nobody's name is in the lock; it holds all the same, and is given back."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        log = SQLiteLog.create(path)
        with pytest.raises(Locked, match="another process has just begun to write it"):
            SQLiteLog.open(path)
        log.close()
        SQLiteLog.open(path).close()


def test_a_lock_whose_file_was_removed_is_taken_again(path: Path) -> None:
    """The writer takes the lock anew with its next append; if another process was faster, it stops writing."""
    with SQLiteLog.create(path) as log:
        path.with_name("study.db.lock").unlink()
        log.append("e1", "note", {})
        with pytest.raises(Locked):
            SQLiteLog.open(path)
        path.with_name("study.db.lock").unlink()
        with SQLiteLog.open(path) as second:
            with pytest.raises(CannotStore, match="one writer at a time"):
                log.append("e2", "note", {})
            second.append("e3", "note", {})
        assert [event.id for event in log.events()] == ["e1", "e3"]


def test_looking_at_a_lock_keeps_nobody_out(path: Path) -> None:
    """Another thread that looks all the time whether the lock is held does not make opening fail."""
    SQLiteLog.create(path).close()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            is_held(path)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(100):
            WriterLock(path).release()
    finally:
        stop.set()
        looking.join()


# -- readers --------------------------------------------------------------------------------------------------


def test_a_reader_cannot_write(path: Path) -> None:
    """The connections that read are read-only for SQLite itself, and never checkpoint."""
    SQLiteLog.create(path).close()
    readers = sqlite_file.readers(path)
    with readers.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar() == 0
        with pytest.raises(Exception, match="readonly"):
            connection.exec_driver_sql("INSERT INTO events VALUES (1, 'e', 'note', 1, 0, '{}', '')")
    readers.dispose()


def test_an_idle_reader_does_not_hold_up_the_writer(path: Path) -> None:
    """A half-read iterator holds no snapshot: the WAL is emptied beside it."""
    with SQLiteLog.create(path) as log, SQLiteLog.open(path, write=False) as reader:
        log.append_all([(f"e{k}", "note", {}) for k in range(1000)])
        reading = reader.events()
        next(reading)
        with closing(sqlite3.connect(path)) as driver:
            assert driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
        assert len(list(reading)) == 999


def test_the_wal_stays_small(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer checkpoints as it goes, so that the WAL does not grow with the log."""
    monkeypatch.setattr(sqlite_file, "CHECKPOINT_PAGES", 10)
    with SQLiteLog.create(path) as log:
        for number in range(60):
            log.append(f"e{number}", "note", {"text": "x" * 3000})
        assert sqlite_file.beside(path, "-wal").stat().st_size < 40 * 4200


# -- files ----------------------------------------------------------------------------------------------------


def test_what_a_commit_rests_on(path: Path) -> None:
    """The file is in WAL mode and says whose it is; a commit is synced in full."""
    SQLiteLog.create(path).close()
    connection = sqlite_file.writer(path)
    driver: Any = connection.connection.driver_connection
    found = {
        name: driver.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "application_id", "user_version")
    }
    connection.close()
    assert found == {"journal_mode": "wal", "synchronous": 2, "application_id": 0x50454E43, "user_version": 2}


def test_creating_never_overwrites(path: Path) -> None:
    """A file, or the WAL of a file that was moved away, is refused by name and left as it is."""
    for name in ("study.db", "study.db-wal"):
        path.with_name(name).write_bytes(b"precious")
        with pytest.raises(
            InvalidInput, match=rf"must not exist yet, but {name} does: open .*, choose .*move"
        ):
            SQLiteLog.create(path)
        assert path.with_name(name).read_bytes() == b"precious"
        path.with_name(name).unlink()
    with pytest.raises(CannotLoad, match=r"folder that exists: make .*nowhere first"):
        SQLiteLog.create(path.parent / "nowhere" / "study.db")


def test_what_a_reader_left_is_no_hindrance(path: Path) -> None:
    """A reader that was the last leaves an empty WAL; deleting the log and creating another goes well."""
    SQLiteLog.create(path).close()
    SQLiteLog.open(path, write=False).close()
    assert path.with_name("study.db-wal").exists()
    path.unlink()
    SQLiteLog.create(path).close()


def test_what_a_crash_while_creating_left_is_no_hindrance(path: Path) -> None:
    """A half-made log lies under a name of chance; whatever other files are called, they are left alone."""
    other = dict.fromkeys(("study.db.new", "study.db.new-journal", "study.db.replaced"), b"precious")
    for name, content in other.items():
        path.with_name(name).write_bytes(content)
    with SQLiteLog.create(path) as log:
        assert log.append("e", "note", {}).event.number == 1
    for name, content in other.items():
        assert path.with_name(name).read_bytes() == content


@pytest.mark.parametrize("name", ["a b", "ä?x=1#y%20", "-", "study.db-wal.db"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    """Names that mean something in an address are taken as they are."""
    with SQLiteLog.create(tmp_path / name) as log, SQLiteLog.open(tmp_path / name, write=False) as reader:
        log.append("e", "note", {})
        assert reader.last() == 1
    SQLiteLog.open(tmp_path / name).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, f"{name}.lock"])


@pytest.mark.parametrize("write", [True, False])
def test_files_of_others_are_refused_in_words(path: Path, write: bool) -> None:
    """Nothing, a folder, no SQLite file, an empty one and another program's: each with what to do."""
    with pytest.raises(CannotLoad, match=r"must be a file, there is none: correct the path, or create"):
        SQLiteLog.open(path, write=write)
    with pytest.raises(CannotLoad, match="must be a file"):
        SQLiteLog.open(path.parent, write=write)
    path.write_bytes(b"better,worse\ntea,coffee\n" * 100)
    with pytest.raises(
        CannotLoad, match=r"must be a readable SQLite file, .*'file is not a database': check"
    ):
        SQLiteLog.open(path, write=write)
    path.write_bytes(b"")
    with pytest.raises(CannotLoad, match=r"another program \(application 0\): correct the path, or create"):
        SQLiteLog.open(path, write=write)
    change(path, "CREATE TABLE events (number)", "PRAGMA user_version=1")
    with pytest.raises(CannotLoad, match="another program"):
        SQLiteLog.open(path, write=write)
    assert not path.with_name("study.db.lock").exists()


@pytest.mark.parametrize("schema", [0, 3])
def test_a_newer_schema_is_refused_in_words(path: Path, schema: int) -> None:
    """A log written by a later version says so, and what to do."""
    SQLiteLog.create(path).close()
    change(path, f"PRAGMA user_version={schema}")
    with pytest.raises(CannotLoad, match=rf"schema of 1 to 2, got {schema}: .* upgrade Penchant"):
        SQLiteLog.open(path)


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
    """Whoever opens the file with SQLite itself is refused, too."""
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
        connection = sqlite_file.writer(place)
        with connection.begin():
            table.add(connection, [record])
        connection.close()
        with SQLiteLog.open(place) as log, pytest.raises(Damaged, match=r"event 1 must be a JSON object"):
            list(log.events())


# -- privacy --------------------------------------------------------------------------------------------------


def test_only_its_owner_can_read_it(path: Path) -> None:
    """The file, its lock and what SQLite puts beside it have mode 0600, whatever the umask."""
    before = os.umask(0)
    try:
        with SQLiteLog.create(path) as log:
            log.append("e", "note", {})
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("study.db", "study.db-wal", "study.db-shm", "study.db.lock"), 0o600)


@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_others_can_read_triggers_a_warning(path: Path, write: bool) -> None:
    """The warning holds the command that closes it, after which there is none."""
    SQLiteLog.create(path).close()
    path.chmod(0o644)
    with pytest.warns(PenchantWarning, match="can be read by other users") as caught:
        SQLiteLog.open(path, write=write).close()
    command = str(caught[0].message).partition(": ")[2]
    subprocess.run(shlex.split(command), check=True)
    SQLiteLog.open(path, write=write).close()


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
