"""Commits in the session of the lock: what is kept of them, delivered and erased."""

from __future__ import annotations

import logging
from contextlib import closing

import psycopg
import pytest

from penchant.errors import CannotStore
from penchant.store import Event, SideRows
from penchant.store.postgres import committer, database
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.log import PostgresLog

pytestmark = pytest.mark.needs("postgres")


def test_a_commit_that_was_kept_though_it_failed_is_delivered_later(
    address: PostgresAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller hears that it may have been kept; subscribers get it with the next commit, without a gap."""
    delivered: list[Event] = []
    leave = database.Transaction.__exit__

    def kept_but_failed(self: database.Transaction, *error: object) -> None:
        leave(self, *error)
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    with PostgresLog.create(address) as log:
        log.subscribe(delivered.extend)
        log.append("e1", "note", {})
        with monkeypatch.context() as patch:
            patch.setattr(database.Transaction, "__exit__", kept_but_failed)
            with pytest.raises(CannotStore, match="server closed the connection"):
                log.append("e2", "note", {})
        assert log.last() == 2
        assert not log.append("e2", "note", {}).new
        log.append("e3", "note", {})
        assert [event.number for event in delivered] == [1, 2, 3]


def test_what_cannot_be_erased_now_is_erased_later(
    address: PostgresAddress, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody who reads the table holds it up; the append is kept, and the next commit tries again."""
    monkeypatch.setattr(committer, "_LOCK_PATIENCE", 10)
    with PostgresLog.create(address) as log:
        hash = log.side.hash(b"context")
        log.append_all([("e1", "note", {})], SideRows({hash: b"context"}))
        with closing(database.connect(address, write=True)) as reader, caplog.at_level(logging.WARNING):
            reader.execute("SELECT * FROM contexts")
            log.append_all([("e2", "note", {})], SideRows(erased_contexts=[hash]))
            assert "erased bytes are still in the tables" in caplog.text
            reader.rollback()
        assert log.side.contexts([hash]) == {}
        log.append("e3", "note", {})
        assert log._committer is not None
        assert log._committer._erasing is False
