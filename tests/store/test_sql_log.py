"""What the logs in SQL share: pages without gaps, and messages that name the log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from penchant.errors import CannotStore, Closed, Damaged
from penchant.store import SQLiteLog
from penchant.store import table as tables


def test_pages_follow_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that take several pages come in their order, from any number to any other."""
    monkeypatch.setattr(tables, "PAGE", 2)
    with SQLiteLog.create(tmp_path / "study.db", [(f"e{k}", "note", {}) for k in range(1, 8)]) as log:
        assert [event.number for event in log.events()] == [1, 2, 3, 4, 5, 6, 7]
        assert [event.number for event in log.events(2, 5)] == [3, 4, 5]


def test_an_event_that_is_missing_is_reported_by_its_place(tmp_path: Path) -> None:
    """What another program has deleted from the middle is found where the log is read."""
    path = tmp_path / "study.db"
    with SQLiteLog.create(path, [(f"e{k}", "note", {}) for k in range(1, 6)]) as log:
        with closing(sqlite3.connect(path)) as driver:
            driver.execute("DROP TRIGGER events_are_never_deleted")
            driver.execute("DELETE FROM events WHERE number = 3")
            driver.commit()
        with pytest.raises(
            Damaged, match=r"must hold events 1 to 5 without gaps, and one after 0 is missing"
        ):
            list(log.events())


def test_messages_name_the_log(tmp_path: Path) -> None:
    """One that is open for reading, and one that is closed, say so."""
    path = tmp_path / "study.db"
    SQLiteLog.create(path).close()
    log = SQLiteLog.open(path, write=False)
    for append in (lambda: log.append("e1", "note", {}), log.check_writable):
        with pytest.raises(
            CannotStore, match=r"study\.db must be open for writing .*: open it with write=True"
        ):
            append()
    log.close()
    with pytest.raises(Closed, match=r"study\.db must be open to be used, it is closed: open it again"):
        log.last()
