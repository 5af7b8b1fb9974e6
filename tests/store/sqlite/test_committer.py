"""Commits to the SQLite file: numbers in memory, ids that are taken, and commits that fail."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from penchant.errors import CannotStore
from penchant.store import Event, SQLiteLog, TokenRow
from penchant.store.entry import Entry
from penchant.store.sqlite import database
from tests.store.sqlite.files import change


def test_a_commit_that_was_kept_though_it_failed_is_delivered_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller hears that it may have been kept; subscribers get it with the next commit, without a gap."""
    delivered: list[Event] = []
    leave = database.Transaction.__exit__

    def kept_but_failed(self: database.Transaction, *error: object) -> None:
        leave(self, *error)
        raise sqlite3.OperationalError("disk I/O error")

    with SQLiteLog.create(path) as log:
        log.subscribe(delivered.extend)
        log.append("e1", "note", {})
        with monkeypatch.context() as patch:
            patch.setattr(database.Transaction, "__exit__", kept_but_failed)
            with pytest.raises(CannotStore, match="disk I/O error"):
                log.append_all([("e2", "note", {}), ("e3", "note", {})])
        assert [event.id for event in delivered] == ["e1"]
        assert log.last() == 3
        assert not log.append("e2", "note", {}).new
        log.append("e4", "note", {})
        assert delivered == list(log.events())
        assert [event.number for event in delivered] == [1, 2, 3, 4]


def test_events_and_tokens_share_a_commit(path: Path) -> None:
    """A token that is rejected fails no event, and events are delivered also where tokens are written with them."""
    delivered: list[Event] = []
    token = TokenRow("t1", "hash", "judge", "ann", 1.0)
    with SQLiteLog.create(path) as log:
        log.subscribe(delivered.extend)
        assert log._writer is not None
        assert log._committer is not None
        log.tokens.add(token)
        for number in (1, 2):
            results = log._committer(
                [log_entries(f"e{number}"), lambda _: int("none"), log_entries(f"e{number}")]
            )
            assert results[0][0].new
            assert isinstance(results[1], ValueError)
            assert not results[2][0].new
        assert [event.id for event in delivered] == ["e1", "e2"]
        assert log.tokens.list() == [token]


def log_entries(id: str) -> list[Entry]:
    return [Entry(id, "note", "{}")]


def test_a_number_that_was_taken_by_force_is_noticed(path: Path) -> None:
    """Where another program has added an event, the next append is numbered behind it."""
    with SQLiteLog.create(path) as log:
        log.append("e1", "note", {})
        change(path, "INSERT INTO events VALUES (2, 'other', 'note', 1, 0.5, '{}', '00')")
        assert log.append("e3", "note", {}).event.number == 3
