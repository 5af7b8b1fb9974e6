"""The part of the log's contract that its base class implements; `tests.contract.store` holds the clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import Connection

from penchant.store import Appended, Event, EventLog, SideRows
from penchant.store.entry import NewEvent
from penchant.store.subscribers import Subscriber


class ListLog(EventLog):
    """The smallest log: it implements the abstract methods and nothing else."""

    def __init__(self) -> None:
        self.kept: list[Event] = []
        self.is_closed = False

    def append_all(
        self, entries: Iterable[NewEvent], side: SideRows | None = None, *, after: int | None = None
    ) -> list[Appended]:
        new = [Event(len(self.kept) + 1, entry[0], entry[1], 0.0, entry[2]) for entry in entries]
        self.kept += new
        return [Appended(event, new=True) for event in new]

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        return iter(self.kept[after:upto])

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        raise NotImplementedError

    def get(self, id: str) -> Event | None:
        return next((event for event in self.kept if event.id == id), None)

    def last(self) -> int:
        return len(self.kept)

    @property
    def is_writer(self) -> bool:
        return True

    def at_one_moment(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def problem(self) -> str | None:
        return None

    def check_writable(self) -> None:
        return None

    def close(self) -> None:
        self.is_closed = True


def test_append_is_append_all_of_one_event() -> None:
    """A store implements `append_all`; `append` returns the result of its only entry."""
    log = ListLog()
    appended = log.append("e", "note", {"text": "tea"})
    assert appended == Appended(Event(1, "e", "note", 0.0, {"text": "tea"}), new=True)
    assert log.kept == [appended.event]


def test_leaving_the_context_closes_the_log_also_after_an_error() -> None:
    """``with log`` closes it at the end, and lets an exception through."""
    with pytest.raises(KeyError), ListLog() as log:
        raise KeyError("stop")
    assert log.is_closed
