"""Copies: backups while the log is written, restored ones, and files that cannot be written beside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penchant.errors import CannotLoad, CannotStore, Damaged, InvalidInput, PenchantWarning
from penchant.store import SQLiteLog, TokenRow
from tests.store.sqlite.test_wal import copied, flip, killed

__all__ = ["killed"]  # a fixture


def log_of(path: Path, n_events: int) -> SQLiteLog:
    return SQLiteLog.create(path, [(f"e{number}", "note", {"number": number}) for number in range(n_events)])


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Mount a folder read-only at another place: as root, permissions alone keep nobody from writing."""
    place = folder.with_name(f"{folder.name}-read-only")
    place.mkdir()
    subprocess.run(["mount", "--bind", str(folder), str(place)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


mounts = pytest.mark.skipif(
    os.geteuid() != 0 and not os.environ.get("PENCHANT_FULL"), reason="only root may mount: run it as root"
)


def test_a_backup_is_whole_while_the_log_is_written(tmp_path: Path) -> None:
    """A copy that is made beside a busy writer holds a prefix of the log, and all that was there before."""
    with log_of(tmp_path / "study.db", 50) as log:
        stop = threading.Event()

        def write() -> None:
            number = 50
            while not stop.is_set():
                log.append(f"e{number}", "note", {"number": number})
                number += 1

        writing = threading.Thread(target=write)
        writing.start()
        try:
            for turn in range(3):
                before = log.last()
                log.backup(tmp_path / f"copy-{turn}.db")
                with SQLiteLog.open(tmp_path / f"copy-{turn}.db") as copy:
                    numbers = [event.content["number"] for event in copy.events()]
                assert len(numbers) >= before
                assert numbers == list(range(len(numbers)))
        finally:
            stop.set()
            writing.join()


def test_a_backup_holds_the_tokens_and_is_private(tmp_path: Path) -> None:
    """Whoever could use the log can use the copy; nobody else can read it."""
    with log_of(tmp_path / "study.db", 3) as log:
        log.tokens.add(TokenRow("t-1", "aa", "judge", "ann", 1.0))
        log.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    with SQLiteLog.open(tmp_path / "copy.db", write=False) as copy:
        assert [row.hash for row in copy.tokens.list()] == ["aa"]


def test_a_backup_replaces_only_when_told(tmp_path: Path) -> None:
    """A file that is there is left alone unless it may be replaced; the log itself is never the target."""
    with log_of(tmp_path / "study.db", 3) as log:
        log.backup(tmp_path / "copy.db")
        log.append("more", "note", {})
        with pytest.raises(
            InvalidInput, match=r"must not exist yet, got a file: choose another name, or give replace=True"
        ):
            log.backup(tmp_path / "copy.db")
        log.backup(tmp_path / "copy.db", replace=True)
        (tmp_path / "link.db").hardlink_to(tmp_path / "study.db")
        for same in ("study.db", "link.db", "study.db-wal", "study.db-shm", "study.db.lock"):
            with pytest.raises(InvalidInput, match="another file than the log that is copied"):
                log.backup(tmp_path / same, replace=True)
        (tmp_path / "other.db-wal").write_bytes(b"precious")
        with pytest.raises(InvalidInput, match=r"other.db-wal must belong to a log, and there is none"):
            log.backup(tmp_path / "other.db")
        assert (tmp_path / "other.db-wal").read_bytes() == b"precious"
        with pytest.raises(InvalidInput, match=r"folder that exists: make .*nowhere"):
            log.backup(tmp_path / "nowhere" / "copy.db")
    with SQLiteLog.open(tmp_path / "copy.db") as copy:
        assert copy.last() == 4
    assert not list(tmp_path.glob("*.new*"))


def test_a_restored_backup_is_the_log_again(tmp_path: Path) -> None:
    """All events are there and it goes on; what it replaced is kept beside it."""
    path, backup = tmp_path / "study.db", tmp_path / "copy.db"
    with log_of(path, 5) as log:
        log.backup(backup)
        log.append("later", "note", {})
    with pytest.raises(InvalidInput, match="must not exist yet"):
        SQLiteLog.restore(backup, path)
    SQLiteLog.restore(backup, path, replace=True)
    with SQLiteLog.open(path) as log:
        assert log.last() == 5
        assert log.append("again", "note", {}).event.number == 6
    with SQLiteLog.open(tmp_path / "study.db.replaced") as old:
        assert old.last() == 6
    SQLiteLog.restore(backup, tmp_path / "elsewhere.db")
    with SQLiteLog.open(tmp_path / "elsewhere.db") as log:
        assert log.last() == 5


def test_each_replaced_log_is_kept(tmp_path: Path) -> None:
    """Restoring again keeps what the first restore kept, and events that were in a WAL are in the kept file."""
    path, backup = tmp_path / "study.db", tmp_path / "copy.db"
    with log_of(path, 2) as log:
        log.backup(backup)
    for turn in range(2):
        with SQLiteLog.open(path) as log:
            log.append(f"turn-{turn}", "note", {})
        SQLiteLog.restore(backup, path, replace=True)
    for turn, name in enumerate(("study.db.replaced", "study.db.replaced-2")):
        with SQLiteLog.open(tmp_path / name) as old:
            assert [event.id for event in old.events()] == ["e0", "e1", f"turn-{turn}"]


def test_a_restore_that_is_cut_off_loses_nothing(killed: Path, tmp_path: Path) -> None:
    """Wherever a crash stops it, all events are in the log or in the one that was kept."""
    backup = tmp_path / "copy.db"
    log_of(backup, 2).close()
    for number, name in enumerate(("link", "unlink", "rename")):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = copied(killed, folder)
        code = (
            "import os, sys, pathlib\nfrom penchant.store import SQLiteLog\n"
            "def die(*_, **__): os.kill(os.getpid(), 9)\n"
            f"setattr({'os' if name == 'link' else 'pathlib.Path'}, {name!r}, die)\n"
            "SQLiteLog.restore(sys.argv[1], sys.argv[2], replace=True)"
        )
        done = subprocess.run([sys.executable, "-c", code, str(backup), str(path)], check=False, timeout=60)
        assert done.returncode == -9
        found = []
        for place in (path, Path(f"{path}.replaced")):
            if place.exists():
                with SQLiteLog.open(place) as log:
                    found.append(log.last())
        assert max(found) == 24


def test_restoring_revives_no_revoked_token(tmp_path: Path) -> None:
    """Tokens stay as they are now; where those cannot be read, the backup's are taken with a warning."""
    path, backup = tmp_path / "study.db", tmp_path / "copy.db"
    with log_of(path, 2) as log:
        for name in ("kept", "revoked"):
            log.tokens.add(TokenRow(name, name, "judge", name, 1.0))
        log.backup(backup)
        log.tokens.remove("revoked")
        log.tokens.add(TokenRow("later", "later", "judge", "later", 2.0))
    SQLiteLog.restore(backup, path, replace=True)
    with SQLiteLog.open(path) as log:
        assert [row.id for row in log.tokens.list()] == ["kept", "later"]
    path.write_bytes(b"damaged" * 1000)
    with pytest.warns(PenchantWarning, match="tokens that were revoked since then work again"):
        SQLiteLog.restore(backup, path, replace=True)
    with SQLiteLog.open(path) as log:
        assert {row.id for row in log.tokens.list()} == {"kept", "revoked"}


def test_a_damaged_backup_is_not_restored(tmp_path: Path) -> None:
    """A backup with a flipped byte in an event is rejected, and the log that is there stays."""
    path, backup = tmp_path / "study.db", tmp_path / "copy.db"
    with log_of(path, 200) as log:
        log.backup(backup)
    content = backup.read_bytes()
    flip(backup, content.index(b'"number":150'), 1)
    with pytest.raises(Damaged):
        SQLiteLog.restore(backup, path, replace=True)
    with SQLiteLog.open(path) as log:
        assert log.last() == 200
    assert not (tmp_path / "study.db.replaced").exists()


@mounts
def test_a_log_on_a_read_only_file_system_is_read(tmp_path: Path) -> None:
    """All events are read, nothing is written there, and appending says why it cannot be."""
    folder = tmp_path / "disk"
    folder.mkdir()
    log_of(folder / "study.db", 700).close()
    with read_only(folder) as place:
        with SQLiteLog.open(place / "study.db", write=False) as log:
            assert [event.number for event in log.events()] == list(range(1, 701))
            copy = log._source
            assert copy.parent.stat().st_mode & 0o777 == 0o700
            with pytest.raises(CannotStore, match="only a copy of it is read"):
                log.tokens.add(TokenRow("t-1", "aa", "judge", "ann", 1.0))
        assert not copy.exists()
        with pytest.raises(
            CannotStore, match=r"folder that can be written to, got a read-only one: .*write=False"
        ):
            SQLiteLog.open(place / "study.db")


@mounts
def test_events_in_a_wal_on_a_read_only_file_system_are_read(killed: Path, tmp_path: Path) -> None:
    """A log whose writer was killed has its events in the WAL; they are neither missed nor mistaken."""
    folder = tmp_path / "disk"
    folder.mkdir()
    copied(killed, folder)
    with read_only(folder) as place, SQLiteLog.open(place / "study.db", write=False) as log:
        assert log.last() == 24
    shutil.rmtree(tmp_path / "disk-read-only")
    wal = folder / "study.db-wal"
    flip(wal, 40, 1)
    with read_only(folder) as place, pytest.raises(Damaged):
        SQLiteLog.open(place / "study.db", write=False)


@mounts
def test_an_old_log_on_a_read_only_file_system_is_read(tmp_path: Path) -> None:
    """A log of the first schema is moved in the copy alone; its mode is warned of."""
    folder = tmp_path / "disk"
    folder.mkdir()
    shutil.copyfile(Path(__file__).parents[2] / "fixtures" / "study-schema-1.db", folder / "study.db")
    (folder / "study.db").chmod(0o644)
    with (
        read_only(folder) as place,
        pytest.warns(PenchantWarning, match="other users"),
        SQLiteLog.open(place / "study.db", write=False) as log,
    ):
        assert "secret" not in next(iter(log.events())).content


@mounts
def test_other_files_on_a_read_only_file_system_are_rejected(tmp_path: Path) -> None:
    """What is no log is no log there either."""
    folder = tmp_path / "disk"
    folder.mkdir()
    (folder / "study.db").write_bytes(b"better,worse\n" * 100)
    (folder / "study.db").chmod(0o600)
    with read_only(folder) as place, pytest.raises(CannotLoad, match="must be a readable SQLite file"):
        SQLiteLog.open(place / "study.db", write=False)
