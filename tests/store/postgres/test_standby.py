"""Standbys: they read, deliver what others append, and take over."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from penchant.errors import Locked
from penchant.store import Event
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.log import PostgresLog
from penchant.study import Study

pytestmark = pytest.mark.needs("postgres")
FILMS = {"Up": {"funny": 1.0}, "Heat": {"long": 2.0}}


def soon(what: Callable[[], bool]) -> None:
    """Wait until something is so, a minute at most: it takes one look of the standby."""
    until = time.monotonic() + 60
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_standby_reads_and_takes_over(address: PostgresAddress) -> None:
    """While another writes, appends raise `Locked`, and what it appends is read and delivered; then it writes."""
    delivered: list[Event] = []
    with PostgresLog.create(address) as first:
        standby = PostgresLog.open(address, standby=True)
        standby.subscribe(delivered.extend)
        assert (standby.is_writer, standby.is_standby, standby.term) == (False, True, 0)
        with pytest.raises(Locked, match="has been writing it since"):
            standby.append("e0", "note", {})
        with pytest.raises(Locked):
            standby.check_writable()
        assert "waits to take over" in str(standby.problem())
        soon(lambda: standby._committer is not None and standby._committer._delivered is not None)
        first.append("e1", "note", {})
        assert standby.last() == 1
        soon(lambda: len(delivered) == 1)
    soon(lambda: standby.is_writer)
    assert (standby.is_standby, standby.problem()) == (False, None)
    standby.append("e2", "note", {})
    assert [event.id for event in delivered] == ["e1", "e2"]
    standby.close()
    PostgresLog.open(address).close()


def test_a_study_that_takes_over_has_all_that_came_before(address: PostgresAddress) -> None:
    """An answer of the other process cannot be given twice, and its users keep their names."""
    with Study.create(address, ["tea", "coffee", "milk"], seed=1) as first:
        question = first.ask("ann")
        with Study.open(address, standby=True) as second:
            with pytest.raises(Locked):
                second.tell(question, "left")
            answer = first.tell(question, "left", event_id="a1")
            first._log.close()
            soon(lambda: second._log.is_writer)
            assert second.tell(question, "left", event_id="a1") == answer
            assert [found.id for found in second.answers()] == ["a1"]
            second.tell(second.ask("ann"), "right")


def test_a_coactive_study_that_takes_over_knows_the_users(address: PostgresAddress) -> None:
    """Somebody whom the other process has met has one key, not two."""
    with Study.create(address, kind="coactive", seed=1, per_user=True) as first:
        first.present(FILMS, user="ann")
        with Study.open(address, standby=True) as second:
            second.learner()
            first.present(FILMS, user="bob")
            first._log.close()
            soon(lambda: second._log.is_writer)
            second.present(FILMS, user="bob")
            assert sorted(second._log.side.users().values()) == ["ann", "bob"]
            assert len(second._state.by_user) == 2
