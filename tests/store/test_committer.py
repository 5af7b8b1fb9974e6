"""What committers of all databases share: the event that a batch must follow."""

from __future__ import annotations

from pathlib import Path

from penchant.errors import CannotStore
from penchant.store import SideRows, SQLiteLog
from penchant.store.entry import Entry
from penchant.store.side import Batch


def entries(*ids: str) -> list[Entry]:
    return [Entry(id, "note", "{}") for id in ids]


def test_one_that_came_too_late_fails_no_other(tmp_path: Path) -> None:
    """In one commit, a batch that must follow another event is left out with what it cites; the others are kept."""
    with SQLiteLog.create(tmp_path / "study.db") as log:
        assert log._committer is not None
        for late in (5, 7):
            results = log._committer(
                [
                    Batch(entries(f"a{late}"), SideRows(users={"k": "ann"}), after=late),
                    entries(f"b{late}"),
                    lambda _: "done",
                ]
            )
            assert isinstance(results[0], CannotStore)
            assert results[1][0].new
            assert results[2] == "done"
        assert [event.id for event in log.events()] == ["b5", "b7"]
        assert log.side.users() == {}


def test_a_batch_without_a_place_follows_whatever_is_last(tmp_path: Path) -> None:
    """Only a batch that names an event is compared with the last one."""
    with SQLiteLog.create(tmp_path / "study.db") as log:
        assert log._committer is not None
        for number in (1, 2):
            (appended,) = log._committer(
                [Batch(entries(f"e{number}"), SideRows(users={f"k{number}": f"u{number}"}))]
            )
            assert appended[0].event.number == number
        assert log.side.users() == {"k1": "u1", "k2": "u2"}
