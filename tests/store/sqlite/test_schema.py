"""Moving a log of an older schema: whole or not at all, and without what the old one should not have kept."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from penchant.errors import CannotLoad, CannotStore
from penchant.store import SideRows, SQLiteLog, inspect
from penchant.store.sqlite import database
from penchant.store.sqlite import schema as sqlite_schema

FIRST = Path(__file__).with_name("schema-1.sql")
STUDY = Path(__file__).parents[2] / "fixtures" / "study-schema-1.db"
SECOND = STUDY.with_name("study-schema-2.db")
THIRD = STUDY.with_name("study-schema-3.db")
SECRET = b"8dc21348ff9887e11a3225f324f37381bb38c243772cf424fd42be4341b97314"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "study.db"
    shutil.copyfile(STUDY, place)
    place.chmod(0o600)
    return place


@pytest.fixture
def second(tmp_path: Path) -> Path:
    place = tmp_path / "second.db"
    shutil.copyfile(SECOND, place)
    place.chmod(0o600)
    return place


def rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as driver:
        return driver.execute("SELECT number, id, kind, time, content FROM events ORDER BY number").fetchall()


def test_the_first_schema_opens_for_ever(tmp_path: Path) -> None:
    """A log of schema 1 is read as it was written, and goes on."""
    path = tmp_path / "study.db"
    with closing(sqlite3.connect(path)) as driver:
        driver.executescript(FIRST.read_text(encoding="utf-8"))
    path.chmod(0o600)
    with SQLiteLog.open(path, write=False) as log:
        assert log.last() == 2
    with SQLiteLog.open(path) as log:
        first, second = log.events()
        assert (first.number, first.id, first.kind, first.time) == (1, "e1", "answer", 1000000000.25)
        assert (first.content, first.version) == ({"better": "tea", "sure": 0.5, "worse": "caffè"}, 1)
        assert second.content == {"of": "e1"}
        assert not log.append("e2", "undo", {"of": "e1"}).new
        assert log.append("e3", "note", {}).event.number == 3
        assert log.tokens.list() == []


def test_events_stay_and_the_secret_goes(path: Path) -> None:
    """Every event is kept but for the secret, of which no byte is left in the file or beside it."""
    assert SECRET in path.read_bytes()
    before = rows(path)
    SQLiteLog.open(path).close()
    after = rows(path)
    assert after[1:] == before[1:]
    assert str(after[0][4]).replace(",", ", ") == str(before[0][4]).replace(
        f'"secret":"{SECRET.decode()}",', ""
    ).replace(",", ", ")
    for file in path.parent.iterdir():
        assert SECRET not in file.read_bytes(), file.name


def test_a_reader_reads_a_moved_copy_and_leaves_the_file(path: Path) -> None:
    """Opened for reading, the file stays of the old schema to the byte, and the secret is not seen."""
    before = path.read_bytes()
    with SQLiteLog.open(path, write=False) as log:
        created = next(iter(log.events()))
        assert "secret" not in created.content
        copy = log._source
        assert copy.exists()
    assert not copy.exists()
    assert path.read_bytes() == before


def test_a_new_file_and_a_moved_one_are_alike(path: Path, second: Path, tmp_path: Path) -> None:
    """All define the same tables, indexes and triggers, and each has a salt of its own."""
    third = tmp_path / "third.db"
    shutil.copyfile(THIRD, third)
    third.chmod(0o600)
    for place in (path, second, third):
        SQLiteLog.open(place).close()
    SQLiteLog.create(path.with_name("new.db")).close()
    salts = set()
    for place in (path, second, third, path.with_name("new.db")):
        with closing(sqlite3.connect(place)) as driver:
            assert sqlite_schema.definitions(driver) == sqlite_schema.expected()
            salts |= set(driver.execute("SELECT salt FROM erasure"))
    assert len(salts) == 4


def test_moving_twice_is_moving_once(path: Path) -> None:
    """A second process that waited for the first finds nothing left to do."""
    SQLiteLog.open(path).close()
    before = rows(path)
    database.move(path)
    assert rows(path) == before


def test_a_move_that_fails_leaves_the_old_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong in the middle, the file is of the old schema and can be moved later."""
    before = rows(path)
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_schema.table, "add", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            SQLiteLog.open(path)
    assert rows(path) == before
    with closing(sqlite3.connect(path)) as driver:
        assert driver.execute("PRAGMA user_version").fetchone() == (1,)
    SQLiteLog.open(path).close()


def test_killed_in_the_middle_it_is_the_old_or_the_new(path: Path) -> None:
    """Killed before the commit of the move, the log is of the old schema; killed after it, of the new."""
    code = (
        "import os, sys\nfrom penchant.store import SQLiteLog\n"
        "from penchant.store.sqlite import database, schema as sqlite_schema\n"
        "module, name = (sqlite_schema.table, 'add') if sys.argv[2] == 'before' else (database, 'checkpoint')\n"
        "setattr(module, name, lambda *_: os.kill(os.getpid(), 9))\nSQLiteLog.open(sys.argv[1])"
    )
    for moment, schema in (("before", 1), ("after", sqlite_schema.SCHEMA)):
        done = subprocess.run([sys.executable, "-c", code, str(path), moment], check=False, timeout=60)
        assert done.returncode == -9
        with closing(sqlite3.connect(path)) as driver:
            assert driver.execute("PRAGMA user_version").fetchone() == (schema,)
    with SQLiteLog.open(path) as log:
        assert log.last() == len(rows(STUDY))


def test_the_second_schema_opens_for_ever(second: Path) -> None:
    """Its events and tokens stay as they are, it can be inspected and read before it is moved, and it goes on."""
    before = second.read_bytes()
    assert inspect(second).sound
    with SQLiteLog.open(second, write=False) as log:
        events, tokens = list(log.events()), log.tokens.list()
        assert log.snapshots.get("belief") is None
    assert second.read_bytes() == before
    assert len(events) > 5
    with SQLiteLog.open(second) as log:
        assert (list(log.events()), log.tokens.list()) == (events, tokens)
        log.snapshots.put("belief", 1, "code", b"state")
        assert log.append("next", "note", {}).event.number == len(events) + 1
    with SQLiteLog.open(second, write=False) as log:
        assert log.snapshots.get("belief") == (1, "code", b"state")
    assert inspect(second).sound


def test_a_move_of_the_second_schema_is_whole_or_not_at_all(
    second: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it fails before its commit, the file is of the old schema and can be moved later."""
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_schema, "SCHEMA", "4 5")
        with pytest.raises(CannotStore):
            database.move(second)
    assert database.schema_of(second) == 2
    assert inspect(second).sound
    SQLiteLog.open(second).close()
    assert database.schema_of(second) == sqlite_schema.SCHEMA


def test_the_third_schema_opens_for_ever(tmp_path: Path) -> None:
    """Its events, tokens and snapshots stay as they are; contexts can be kept once it is moved."""
    path = tmp_path / "third.db"
    shutil.copyfile(THIRD, path)
    path.chmod(0o600)
    assert inspect(path).sound
    with SQLiteLog.open(path, write=False) as log:
        events, tokens, snapshot = list(log.events()), log.tokens.list(), log.snapshots.get("belief")
    assert database.schema_of(path) == 3
    assert snapshot is not None
    assert len(events) == 11
    with SQLiteLog.open(path) as log:
        assert (list(log.events()), log.tokens.list(), log.snapshots.get("belief")) == (
            events,
            tokens,
            snapshot,
        )
        hash = log.side.hash(b"context")
        log.append_all([("next", "note", {"context": hash})], SideRows({hash: b"context"}))
    with SQLiteLog.open(path, write=False) as log:
        assert log.side.context(hash) == b"context"
    assert inspect(path).sound


def test_the_first_schema_cannot_be_inspected(path: Path) -> None:
    """It has no checksums; the error says what to do."""
    with pytest.raises(CannotLoad, match="schema of 2 to 4 to be inspected, got 1: open it once for writing"):
        inspect(path)
