"""What SQLite would silently leave out of a write-ahead log."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from penchant.errors import Damaged, PenchantWarning
from penchant.store import SQLiteLog
from penchant.store.sqlite import wal as sqlite_wal

PAGE = 4096
WRITER = """
import os, sys
from penchant.store import SQLiteLog
log = SQLiteLog.create(sys.argv[1])
for number in range(12):
    log.append_all([(f"e{number}-{part}", "note", {"text": "x" * 700}) for part in range(1 + number % 3)])
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose writer was killed: all of its events are in the WAL."""
    path = tmp_path_factory.mktemp("wal") / "study.db"
    done = subprocess.run([sys.executable, "-c", WRITER, str(path)], check=False, timeout=60)
    assert done.returncode == -9
    return path


def copied(killed: Path, folder: Path) -> Path:
    for suffix in ("", "-wal"):
        shutil.copy(f"{killed}{suffix}", folder / f"study.db{suffix}")
    return folder / "study.db"


def flip(path: Path, place: int, bits: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= bits
    path.write_bytes(content)


def parts(wal: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    raw = np.fromfile(wal, dtype=np.uint8)
    header = raw[:32].view(">u4").astype(np.uint32)
    frames = raw[32:].reshape(-1, 24 + PAGE)
    return header, frames, np.ascontiguousarray(frames[:, :24]).view(">u4").astype(np.uint32)


def checksum(words: np.ndarray, first: int = 0, second: int = 0) -> tuple[int, int]:
    """SQLite's checksum, word by word as its documentation has it."""
    for left, right in words.reshape(-1, 2).tolist():
        first = (first + left + second) % 2**32
        second = (second + right + first) % 2**32
    return first, second


def test_checksums_are_those_of_the_definition() -> None:
    """The weighted sum equals the loop of the definition, for any words."""
    words = np.random.default_rng(3).integers(0, 2**32, (4, 514), dtype=np.uint32)
    assert sqlite_wal._checksums(words).tolist() == [list(checksum(row)) for row in words]


def test_all_frames_of_a_sound_wal_are_valid(killed: Path) -> None:
    """The frames that SQLite recovers are those that are found valid here."""
    wal = Path(f"{killed}-wal")
    header, frames, heads = parts(wal)
    assert sqlite_wal.valid_frames(header, frames, heads) == len(frames)
    assert sqlite_wal.unread_commits(wal, PAGE) == 0


def test_a_damaged_frame_is_found_where_it_is(killed: Path, tmp_path: Path) -> None:
    """A flipped bit anywhere in a frame makes that frame, and no earlier one, invalid."""
    wal = Path(f"{killed}-wal")
    size = 24 + PAGE
    luck = random.Random(5)
    for _ in range(40):
        place = luck.randrange(32, wal.stat().st_size)
        copy = tmp_path / "wal"
        shutil.copy(wal, copy)
        flip(copy, place, 1 << luck.randrange(8))
        assert sqlite_wal.valid_frames(*parts(copy)) == (place - 32) // size


def test_sqlite_reads_just_the_valid_frames(killed: Path, tmp_path: Path) -> None:
    """What is counted as valid is what SQLite itself recovers."""
    for number in (0, 3, 7):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = copied(killed, folder)
        flip(Path(f"{path}-wal"), 32 + number * (24 + PAGE) + 100, 4)
        with closing(sqlite3.connect(path)) as driver:
            driver.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            _, recovered, _ = driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        heads = parts(Path(f"{killed}-wal"))[2]
        ends = np.flatnonzero(heads[:number, 1])
        assert recovered == (ends[-1] + 1 if ends.size else 0)


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("place", [0, 9, 14, 17, 22, 30, 32 + 5, 32 + 10, 32 + 500, 32 + 2 * (24 + PAGE) + 9])
def test_damage_at_the_beginning_is_reported(killed: Path, tmp_path: Path, place: int, write: bool) -> None:
    """A flipped bit in the header or an early frame would lose nearly all; it is reported as damage."""
    path = copied(killed, tmp_path)
    flip(Path(f"{path}-wal"), place, 1)
    with pytest.raises(Damaged, match=r"transactions at its end do not.*restore a backup"):
        SQLiteLog.open(path, write=write)


def test_damage_in_the_last_transaction_is_a_warning(killed: Path, tmp_path: Path) -> None:
    """It looks like the write that a crash cut short, so that the log opens without it, and warns."""
    path = copied(killed, tmp_path)
    wal = Path(f"{path}-wal")
    flip(wal, wal.stat().st_size - 100, 1)
    with pytest.warns(PenchantWarning, match="last transaction in study.db-wal is incomplete"):
        log = SQLiteLog.open(path)
    assert log.last() == 24 - 3
    log.close()


def test_a_write_that_was_cut_short_is_no_damage(killed: Path, tmp_path: Path) -> None:
    """A WAL whose last transaction lacks its end opens without a word: nobody was told of it."""
    path = copied(killed, tmp_path)
    wal = Path(f"{path}-wal")
    content = wal.read_bytes()
    wal.write_bytes(content[: -(24 + PAGE) // 2])
    with SQLiteLog.open(path) as log:
        assert log.last() == 24 - 3


def test_frames_of_an_earlier_use_are_no_damage(tmp_path: Path) -> None:
    """A WAL that was begun anew keeps old frames at its end; they are not mistaken for lost ones."""
    path = tmp_path / "study.db"
    code = WRITER.replace(
        "os.kill",
        "import sqlite3\nsqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(RESTART)').fetchall()\n"
        "log.append('last', 'note', {})\nos.kill",
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=60)
    assert done.returncode == -9
    header, frames, heads = parts(Path(f"{path}-wal"))
    assert sqlite_wal.valid_frames(header, frames, heads) < len(frames)
    with SQLiteLog.open(path) as log:
        assert log.last() == 25
