"""Every store keeps the store's contract, and the contract bites: each promise has a log that breaks it."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import CannotStore, Closed, Conflict, InvalidInput
from penchant.store import Appended, Event, EventLog, SQLiteLog
from tests.contract.store import StoreContract
from tests.postgresql import Server


class TestSQLiteLog(StoreContract):
    Log: type[SQLiteLog] = SQLiteLog

    def create(self, folder: Path, **settings: Any) -> EventLog:
        return self.Log.create(folder / "study.db", **settings)

    def reopen(self, folder: Path, **settings: Any) -> EventLog:
        return self.Log.open(folder / "study.db", **settings)


@pytest.mark.needs("postgres")
class TestPostgresLog(StoreContract):
    @pytest.fixture(autouse=True)
    def database(self, postgres: Server) -> None:
        self.server = postgres
        self.addresses: dict[Path, str] = {}

    def address(self, folder: Path) -> str:
        return self.addresses.setdefault(folder, self.server.address())

    def create(self, folder: Path, **settings: Any) -> EventLog:
        from penchant.store.postgres.log import PostgresLog

        return PostgresLog.create(self.address(folder), **settings)

    def reopen(self, folder: Path, **settings: Any) -> EventLog:
        from penchant.store.postgres.log import PostgresLog

        return PostgresLog.open(self.address(folder), **settings)

    def stored(self, folder: Path) -> bytes:
        return self.server.files()


class LosesAnEvent(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        ((id, kind, content),) = entries
        if id == "e2":
            return [Appended(Event(self.last() + 1, id, kind, 1234.5, content), new=True)]
        return super().append_all([(id, kind, content)])


class AcknowledgesBeforeTheCommit(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        ((id, kind, content),) = entries
        later = threading.Timer(0.1, super().append_all, [[(id, kind, content)]])
        later.start()
        self.__dict__.setdefault("later", []).append(later)
        return [Appended(Event(self.last() + 1, id, kind, 0.0, content), new=True)]

    def close(self) -> None:
        for later in getattr(self, "later", []):
            later.join()
        super().close()


class LeavesAGap(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        return [replace(one, event=after_a_gap(one.event)) for one in super().append_all(entries)]

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        return map(after_a_gap, super().events(after, upto))


def after_a_gap(event: Event) -> Event:
    return event._replace(number=event.number + (event.number > 1))


class NumbersBackwards(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        appended = super().append_all(entries)
        return [replace(one, event=one.event._replace(number=161 - one.event.number)) for one in appended]


class HasAClockOfItsOwn(SQLiteLog):
    def __init__(self, path: Path, lock: Any, clock: Any) -> None:
        super().__init__(path, lock, time.time)


class CallsAllNew(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        return [replace(one, new=True) for one in super().append_all(entries)]


class CountsTwice(SQLiteLog):
    crowd = threading.Lock()

    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        ((id, kind, content),) = entries
        with self.crowd:
            again = f"{id} again {time.monotonic_ns()}"
            return super().append_all([(again if self.get(id) else id, kind, content)])


class AcceptsConflicts(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        entries = list(entries)
        try:
            return super().append_all(entries)
        except Conflict:
            return [Appended(next(self.events()), new=False)]


class DropsRepeatsInABatch(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        return super().append_all({entry[0]: entry for entry in entries}.values())


class AppendsOneByOne(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        return [super(AppendsOneByOne, self).append_all([entry])[0] for entry in entries]


class RefusesBystanders(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        if entries[0][0] == "e4":
            raise Conflict("somebody else's")
        return super().append_all(entries)


class ShowsTheUnwritten(SQLiteLog):
    unwritten = 0

    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        self.unwritten = len(entries)
        appended = super().append_all(entries)
        self.unwritten = 0
        return appended

    def last(self) -> int:
        return super().last() + self.unwritten

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        return super().events(after, SQLiteLog.last(self) if upto is None else upto)


class MissesOne(SQLiteLog):
    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        writes = self._writer is not None
        return (event for event in super().events(after, upto) if writes or event.number != 50)


class RepeatsTheKnown(SQLiteLog):
    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        return super().events(max(after - 1, 0), upto)


class FindsLoosely(SQLiteLog):
    def get(self, id: str) -> Event | None:
        return super().get(id) or super().get(id.lower())


class ChangesAnEvent(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        entries = list(entries)
        self.__dict__.setdefault("given", {}).update({id: content for id, _, content in entries})
        return super().append_all(entries)

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        return (event._replace(content=self.given[event.id]) for event in super().events(after, upto))


class TakesAnything(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        entries = list(entries)
        try:
            return super().append_all(entries)
        except InvalidInput:
            return super().append_all(
                [("e", "note", {"text": repr(entries)[:100].encode("ascii", "replace").decode()})]
            )


class DeliversRepeats(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        appended = super().append_all(entries)
        old = [one.event for one in appended if not one.new]
        if old:
            self._subscribers.deliver(old)
        return appended


class FailsWithItsSubscriber(SQLiteLog):
    def subscribe(self, subscriber: Any) -> Any:
        self.__dict__["subscriber"] = subscriber
        return lambda: None

    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        appended = super().append_all(entries)
        self.__dict__["subscriber"]([one.event for one in appended])
        return appended


class StopsForGood(SQLiteLog):
    stopped = False

    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        if self.stopped:
            raise CannotStore("stopped")
        try:
            return super().append_all(entries)
        except CannotStore:
            self.stopped = True
            raise


class AlwaysWell(SQLiteLog):
    def problem(self) -> str | None:
        return None


class LeavesEarly(SQLiteLog):
    def close(self) -> None:
        threading.Thread(target=super().close).start()


class AnswersWhenClosed(SQLiteLog):
    def last(self) -> int:
        try:
            return super().last()
        except Closed:
            return 0


class AppendsWhenever(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        return super().append_all(entries, side)


class WritesTheEventsAlone(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        return super().append_all(entries)


class LeavesDeletedBytes(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        assert self._committer is not None
        self._committer.finish_erasing = lambda: None  # type: ignore[method-assign]
        return super().append_all(entries, side)


class ErasesTwice(SQLiteLog):
    def append_all(self, entries: Any, side: Any = None, *, after: Any = None) -> list[Appended]:
        try:
            appended = super().append_all(entries, side)
        finally:
            super().append_all([(f"more {self.last()}", "note", {})], side)
        return appended


FAULTS: dict[str, type[SQLiteLog]] = {
    "test_what_was_appended_is_there_again": LosesAnEvent,
    "test_an_append_returns_after_its_commit": AcknowledgesBeforeTheCommit,
    "test_numbers_have_no_gaps": LeavesAGap,
    "test_numbers_follow_the_order_of_acknowledgement": NumbersBackwards,
    "test_time_is_the_logs_own": HasAClockOfItsOwn,
    "test_the_same_again_changes_nothing": CallsAllNew,
    "test_the_same_id_counts_once_in_a_crowd": CountsTwice,
    "test_other_content_under_the_same_id_is_a_conflict": AcceptsConflicts,
    "test_a_batch_is_appended_whole": DropsRepeatsInABatch,
    "test_a_batch_with_a_fault_leaves_nothing": AppendsOneByOne,
    "test_one_batchs_conflict_is_no_others_concern": RefusesBystanders,
    "test_events_that_were_decided_too_early_are_not_appended": AppendsWhenever,
    "test_what_is_not_committed_is_not_seen": ShowsTheUnwritten,
    "test_readers_work_beside_the_writer": MissesOne,
    "test_events_can_be_read_in_parts": RepeatsTheKnown,
    "test_get_finds_by_id": FindsLoosely,
    "test_events_never_change": ChangesAnEvent,
    "test_only_json_is_taken": TakesAnything,
    "test_only_shallow_json_is_taken": TakesAnything,
    "test_only_printable_names_are_taken": TakesAnything,
    "test_new_events_are_delivered_once_and_in_order": DeliversRepeats,
    "test_a_subscriber_that_raises_fails_no_append": FailsWithItsSubscriber,
    "test_what_events_cite_is_there_with_them": WritesTheEventsAlone,
    "test_what_is_erased_is_gone": LeavesDeletedBytes,
    "test_what_comes_with_no_new_event_changes_nothing": ErasesTwice,
    "test_after_a_failed_commit_it_goes_on": StopsForGood,
    "test_problem_tells_what_is_wrong_now": AlwaysWell,
    "test_closing_waits_for_what_was_accepted": LeavesEarly,
    "test_closed_is_closed": AnswersWhenClosed,
}

CLAUSES = sorted(name for name in vars(StoreContract) if name.startswith("test_"))


def test_each_clause_has_its_planted_fault() -> None:
    """No promise of the contract goes without a log that breaks it."""
    assert sorted(FAULTS) == CLAUSES


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_planted_fault_is_found(clause: str, tmp_path: Path) -> None:
    """The clause, which the honest log passes, fails for the one with the fault."""
    suite = TestSQLiteLog()
    suite.Log = FAULTS[clause]
    test = getattr(suite, clause)
    example = {"content": {"x": (1, 2)}, "name": "a\nb"}
    given = {name: example[name] for name in inspect.signature(test).parameters if name in example}
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        test(tmp_path, **given)
