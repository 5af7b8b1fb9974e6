"""Connections to the SQLite file of a log, and the checks before they are used."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import CannotLoad, InvalidInput, PenchantWarning
from penchant.store import SQLiteLog
from penchant.store.sqlite import database
from tests.store.sqlite.files import change


def test_a_reader_cannot_write(path: Path) -> None:
    """The connections that read are read-only for SQLite itself, and never checkpoint."""
    SQLiteLog.create(path).close()
    readers = database.readers(path)
    with readers.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar() == 0
        with pytest.raises(Exception, match="readonly"):
            connection.exec_driver_sql("INSERT INTO events VALUES (1, 'e', 'note', 1, 0, '{}', '')")
    readers.dispose()


def test_the_wal_stays_small(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer checkpoints as it goes, so that the WAL does not grow with the log."""
    monkeypatch.setattr(database, "CHECKPOINT_PAGES", 10)
    with SQLiteLog.create(path) as log:
        for number in range(60):
            log.append(f"e{number}", "note", {"text": "x" * 3000})
        assert database.beside(path, "-wal").stat().st_size < 40 * 4200


def test_what_a_commit_rests_on(path: Path) -> None:
    """The file is in WAL mode and says whose it is; a commit is synced in full."""
    SQLiteLog.create(path).close()
    connection = database.writer(path)
    driver: Any = connection.connection.driver_connection
    found = {
        name: driver.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "application_id", "user_version")
    }
    connection.close()
    assert found == {"journal_mode": "wal", "synchronous": 2, "application_id": 0x50454E43, "user_version": 4}


def test_creating_never_overwrites(path: Path) -> None:
    """A file, or the WAL of a file that was moved away, is rejected by name and left as it is."""
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


@pytest.mark.parametrize("write", [True, False])
def test_files_of_others_are_rejected(path: Path, write: bool) -> None:
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


@pytest.mark.parametrize("schema", [0, 5])
def test_a_newer_schema_is_rejected(path: Path, schema: int) -> None:
    """A log written by a later version says so, and what to do."""
    SQLiteLog.create(path).close()
    change(path, f"PRAGMA user_version={schema}")
    with pytest.raises(CannotLoad, match=rf"schema of 1 to 4, got {schema}: .* upgrade Penchant"):
        SQLiteLog.open(path)


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
