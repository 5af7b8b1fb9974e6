"""Contexts, users and checkpoints beside the events: what is damaged is reported, and no erased byte stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from penchant.errors import Damaged, InvalidInput
from penchant.store import SideRows, SQLiteLog, inspect
from penchant.store.side import context_hash, is_pending
from penchant.store.sqlite import database
from tests.store.sqlite.files import change


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


def filled(path: Path) -> str:
    with SQLiteLog.create(path) as log:
        hash = log.side.hash(b"tea, coffee")
        log.append_all([("e1", "note", {})], SideRows({hash: b"tea, coffee"}, {"k": "ann"}, b"state"))
    return hash


def test_the_hash_depends_on_the_salt() -> None:
    """The same content has another hash in another log, so that a hash does not tell what it is of."""
    assert context_hash(b"a" * 32, b"tea") != context_hash(b"b" * 32, b"tea")
    assert context_hash(b"a" * 32, b"tea") == context_hash(b"a" * 32, b"tea")


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE contexts SET content = x'00'", "context"),
        ("UPDATE contexts SET content = 'text'", "context"),
        ("UPDATE users SET name = 'bob'", "user"),
        ("UPDATE checkpoints SET state = x'00'", "checkpoint"),
    ],
)
def test_what_is_damaged_is_reported_and_not_returned(path: Path, statement: str, what: str) -> None:
    """Each row has a checksum; reading a damaged one raises, and `inspect` names the table."""
    hash = filled(path)
    assert inspect(path).sound
    change(path, statement)
    with SQLiteLog.open(path, write=False) as log, pytest.raises(Damaged, match=f"{what} must match its"):
        {
            "context": lambda: log.side.context(hash),
            "user": log.side.users,
            "checkpoint": log.side.checkpoint,
        }[what]()
    (problem,) = inspect(path).problems
    assert what in problem


def test_a_log_without_a_salt_is_damaged(path: Path) -> None:
    """Without it no context can be checked."""
    filled(path)
    change(path, "DELETE FROM erasure")
    with SQLiteLog.open(path, write=False) as log, pytest.raises(Damaged, match="salt"):
        log.side.hash(b"tea")
    assert not inspect(path).sound


def test_only_bytes_are_kept(path: Path) -> None:
    """A context or checkpoint is bytes; anything else is rejected before it comes near the disk."""
    with pytest.raises(InvalidInput, match="be at most 536870912 bytes, got str"):
        SideRows(checkpoint="state")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="got list"):
        SideRows({"hash": [1]})  # type: ignore[dict-item]


def test_killed_before_the_bytes_are_gone_they_go_later(path: Path) -> None:
    """After kill -9 between the commit of an erasure and the end of it, the next commit ends it."""
    code = (
        "import os, sys\nfrom penchant.store import SQLiteLog, SideRows\n"
        "from penchant.store.sqlite import database\n"
        "log = SQLiteLog.create(sys.argv[1])\n"
        "log.append_all([('e1', 'note', {})], SideRows(users={'k': 'ann of the test'}))\n"
        "database.rebuild = lambda *_: os.kill(os.getpid(), 9)\n"
        "log.append_all([('e2', 'erased', {})], SideRows(erased_users=['k']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=False, timeout=60, env={**os.environ}
    )
    assert done.returncode == -9
    with SQLiteLog.open(path) as log:
        assert log.last() == 2
        assert log.side.users() == {}
        log.append("e3", "note", {})
        for file in path.parent.iterdir():
            assert b"ann of the test" not in file.read_bytes(), file.name


def test_a_reader_delays_the_end_of_an_erasure(path: Path) -> None:
    """Where a reader keeps the WAL in use, what was erased is deleted at once, and its bytes with a later commit."""
    with SQLiteLog.create(path) as log:
        log.append_all([("e1", "note", {})], SideRows(users={"k": "ann of the test"}))
        with log._reading() as connection:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql("SELECT count(*) FROM events").fetchall()
            log.append_all([("e2", "erased", {})], SideRows(erased_users=["k"]))
            assert log.side.users() == {}
            connection.exec_driver_sql("ROLLBACK")
        log.append("e3", "note", {})
        for file in path.parent.iterdir():
            assert b"ann of the test" not in file.read_bytes(), file.name


def test_an_erasure_has_a_transaction_of_its_own() -> None:
    """What is written together is merged; an erasure is not, whose checkpoint is the state after it."""
    first, second = SideRows({"a": b"1"}, {"k": "ann"}), SideRows({"b": b"2"})
    assert SideRows.merged([first, second]) == SideRows({"a": b"1", "b": b"2"}, {"k": "ann"})
    assert SideRows.merged([]) is None
    erasing = SideRows(erased_users=["k"])
    assert SideRows.merged([erasing]) is erasing
    with pytest.raises(InvalidInput, match="a transaction of its own"):
        SideRows.merged([first, erasing])


def test_killed_before_the_bytes_are_gone_they_go_at_opening(path: Path) -> None:
    """An erasure that was interrupted is ended when the log is next opened for writing, not only by an append."""
    with SQLiteLog.create(path) as log:
        log.append_all([("e1", "note", {})], SideRows(users={"k": "ann of the test"}))
        assert log._committer is not None
        log._committer.finish_erasing = lambda: None  # type: ignore[method-assign]
        log.append_all([("e2", "erased", {})], SideRows(erased_users=["k"]))
    with SQLiteLog.open(path):
        for file in path.parent.iterdir():
            assert b"ann of the test" not in file.read_bytes(), file.name
    with SQLiteLog.open(path) as log, log._reading() as connection:
        assert not is_pending(connection)


def test_a_reader_that_stays_does_not_make_each_commit_rebuild_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is built anew once for an erasure; what is tried again is only to empty the WAL."""
    rebuilt: list[int] = []
    rebuild = database.rebuild
    monkeypatch.setattr(database, "rebuild", lambda connection: [rebuilt.append(1), rebuild(connection)][1])
    with SQLiteLog.create(path) as log:
        log.append_all([("e1", "note", {})], SideRows(users={"k": "ann of the test"}))
        with log._reading() as connection:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql("SELECT count(*) FROM events").fetchall()
            log.append_all([("e2", "erased", {})], SideRows(erased_users=["k"]))
            for number in range(3, 8):
                log.append(f"e{number}", "note", {})
            connection.exec_driver_sql("ROLLBACK")
        log.append("e8", "note", {})
        assert len(rebuilt) == 1
        for file in path.parent.iterdir():
            assert b"ann of the test" not in file.read_bytes(), file.name
