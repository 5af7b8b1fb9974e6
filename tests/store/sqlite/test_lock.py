"""The lock that lets one process at a time write a log."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from penchant.errors import CannotStore, Locked
from penchant.store import SQLiteLog
from penchant.store.sqlite.lock import WriterLock, is_held
from tests.store.sqlite.files import python


def test_the_lock_goes_with_its_process(path: Path) -> None:
    """A process that ends without closing leaves no lock, and its event is there."""
    python(
        "import os, sys\nfrom penchant.store import SQLiteLog\n"
        "log = SQLiteLog.create(sys.argv[1])\nlog.append('e', 'note', {})\nos._exit(0)",
        path,
    )
    with SQLiteLog.open(path) as log:
        assert log.last() == 1


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
