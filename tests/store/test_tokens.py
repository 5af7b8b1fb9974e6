"""The table of tokens: found by hash, changed and removed, and checked against damage."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from penchant.errors import Damaged
from penchant.store import SQLiteLog, TokenRow

TOKEN = TokenRow("t1", "hash of a token", "judge", "ann", made=1.0e9)


@pytest.mark.parametrize("write", [True, False])
def test_a_token_is_found_by_its_hash_until_it_is_removed(tmp_path: Path, write: bool) -> None:
    """Tokens can be added, used and removed, also where the log is open for reading."""
    SQLiteLog.create(tmp_path / "study.db").close()
    with SQLiteLog.open(tmp_path / "study.db", write=write) as log:
        log.tokens.add(TOKEN)
        assert log.tokens.find(TOKEN.hash) == TOKEN
        log.tokens.touch([TOKEN], 1.5e9)
        assert log.tokens.list() == [replace(TOKEN, used=1.5e9)]
        assert log.tokens.remove(TOKEN.id)
        assert not log.tokens.remove(TOKEN.id)
        assert log.tokens.find(TOKEN.hash) is None


def test_a_token_that_is_used_after_its_removal_stays_removed(tmp_path: Path) -> None:
    """Recording the use of a removed token does not bring it back."""
    with SQLiteLog.create(tmp_path / "study.db") as log:
        log.tokens.touch([TOKEN], 1.5e9)
        assert log.tokens.list() == []


def test_the_use_of_many_tokens_is_one_write_and_no_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are recorded at once, and whoever looks for a token next need not read all of them again."""
    rows = [replace(TOKEN, id=f"t{number}", hash=f"h{number}") for number in range(5)]
    with SQLiteLog.create(tmp_path / "study.db") as log:
        for row in rows:
            log.tokens.add(row)
        assert log.tokens.find("h3", within=60) == rows[3]
        written: list[object] = []
        write = log.tokens._write
        monkeypatch.setattr(log.tokens, "_write", lambda work: written.append(work) or write(work))
        monkeypatch.setattr(log.tokens, "_read_all", lambda: pytest.fail("all tokens were read again"))
        log.tokens.touch(rows, 1.5e9)
        log.tokens.touch([], 1.6e9)
        assert len(written) == 1
        assert log.tokens.find("h3", within=60) == replace(rows[3], used=1.5e9)
        assert log.tokens.list() == [replace(row, used=1.5e9) for row in rows]


def test_tokens_are_read_again_only_after_some_were_added_or_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server with hundreds of judges does not read all of their tokens again and again; a revoked one is noticed."""
    rows = [replace(TOKEN, id=f"t{number}", hash=f"h{number}", made=1e9 + number) for number in range(5)]
    with SQLiteLog.create(tmp_path / "study.db") as log:
        for row in rows:
            log.tokens.add(row)
        read: list[int] = []
        read_all = log.tokens._read_all
        monkeypatch.setattr(log.tokens, "_read_all", lambda: read.append(1) or read_all())
        found = [log.tokens.find("h4", within=1e-9) for _ in range(5)]
        assert (found, len(read)) == ([rows[4]] * 5, 1)
        with SQLiteLog.open(tmp_path / "study.db", write=False) as another:
            another.tokens.remove("t4")
            another.tokens.add(replace(rows[4], id="t5", hash="h5", made=2e9))
        assert log.tokens.find("h4", within=1e-9) is None
        assert log.tokens.find("h5", within=1e-9) is not None
        assert len(read) == 2
        log.tokens.remove("t5")
        assert log.tokens.find("h5", within=60) is None


def test_tokens_are_listed_in_the_order_of_their_making(tmp_path: Path) -> None:
    """The first made comes first, whichever was added first; equal times are ordered by id."""
    rows = [replace(TOKEN, id=id, hash=id, made=made) for id, made in [("c", 2.0), ("b", 1.0), ("a", 2.0)]]
    with SQLiteLog.create(tmp_path / "study.db") as log:
        for row in rows:
            log.tokens.add(row)
        assert [row.id for row in log.tokens.list()] == ["b", "a", "c"]


def test_two_tokens_cannot_share_a_hash(tmp_path: Path) -> None:
    """The second one is rejected, and the log goes on."""
    with SQLiteLog.create(tmp_path / "study.db") as log:
        log.tokens.add(TOKEN)
        with pytest.raises(IntegrityError):
            log.tokens.add(replace(TOKEN, id="t2"))
        assert log.append("e", "note", {}).new
        assert log.tokens.list() == [TOKEN]


@pytest.mark.parametrize("change", ["role = 'owner'", "made = 'yesterday'", "expires = 1.0"])
def test_a_changed_token_is_reported_as_damaged(tmp_path: Path, change: str) -> None:
    """A row that does not match its checksum gives nobody access."""
    path = tmp_path / "study.db"
    with SQLiteLog.create(path) as log:
        log.tokens.add(TOKEN)
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        driver.execute(f"UPDATE tokens SET {change}")
    with SQLiteLog.open(path) as log, pytest.raises(Damaged, match="a token must match its checksum"):
        log.tokens.find(TOKEN.hash)
