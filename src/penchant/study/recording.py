"""The state of a study as the fold of its log: calls that record events, of which one commit writes many."""

from __future__ import annotations

import gc
import json
import os
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from hashlib import blake2b
from secrets import token_hex
from threading import RLock
from typing import Any, Protocol, TypeVar, cast
from weakref import WeakSet

from penchant.errors import CannotStore, InvalidInput
from penchant.progress import with_progress
from penchant.store import Closing, Event, EventLog, SideRows
from penchant.store.entry import Entry, NewEvent, checked, checked_id
from penchant.store.subscribers import Subscriber
from penchant.store.table import already_used
from penchant.study.events import ITEMS, newest
from penchant.study.items import Item, item_parts
from penchant.study.requests import Request, Requests

T = TypeVar("T")


class Folded(Protocol):
    """What the states of all kinds of studies have."""

    number: int
    settings: dict[str, Any]
    items: dict[str, Item]
    retired: dict[str, None]

    def apply(self, event: Event) -> None:
        """Fold the next event."""

    def has_event(self, event_id: str) -> bool:
        """Return whether an event of this id was folded."""

    def check_whole(self) -> None:
        """Reject a log that does not hold a whole study."""


class Recording(Closing):
    """What studies of all kinds share: the state, and how calls of many threads change it and are written."""

    _state: Folded

    def __init__(self, log: EventLog, *, clock: Callable[[], float] = time.time) -> None:
        self._log = log
        self._clock = clock
        self._lock = RLock()
        self._requests = Requests()
        self._batch: list[Entry] = []  # events that are folded and not yet on disk
        self._side: list[SideRows] = []  # what they cite
        self._base = 0  # the event that they follow
        self._term = log.term  # in which the state was folded
        self._stale = False  # whether the state may hold what the log does not
        self._busy = False  # whether requests are served, or a commit is under way
        self._joined = False  # whether a call of `together` runs: its events are written with those of others
        self._forked = False  # whether this is the copy of a study in a process that was forked off
        self._state = self._begin()
        with _paused_collector():
            for event in with_progress(log.events(), log.last()):
                self._state.apply(event)
        if not self._state.settings:
            raise InvalidInput(
                "the log must begin with how the study was made, got none: make it with Study.create"
            )
        self._state.check_whole()
        _open.add(self)

    def revision(self) -> int:
        """Return the number of the last event: what the study reports changes only with it."""
        with self._lock:
            self._catch_up()
            return self._state.number

    @cached_property
    def identity(self) -> str:
        """A digest of how and when the study was made, which no other study has; its copies share it."""
        first = next(self._log.events(0, 1))
        made = json.dumps([first.time, first.content], sort_keys=True)
        return blake2b(made.encode(), digest_size=16).hexdigest()

    def has_event(self, event_id: str) -> bool:
        """Return whether the log has an event of this id."""
        with self._lock:
            self._catch_up()
            return self._state.has_event(event_id)

    def last_event(self) -> int:
        """Return the number of the last event on disk, without waiting for what is under way."""
        return self._log.last()

    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        """Yield the events of the log after that of number ``after``, in their order."""
        return self._log.events(after, upto)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with the new events of each commit, and return what ends that.

        It is called during the commit, in the thread that writes: it must return at once and not use the study.
        """
        return self._log.subscribe(subscriber)

    # -- writing -------------------------------------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> Any:
        """Return the state before the first event, and let go of everything that was computed from another one."""

    def _write(self, work: Callable[[], T], *ids: str | None) -> T:
        """Return what ``work`` returns, once all that it recorded is on disk.

        The work is done under the lock, with the state up to date; it checks first and records then. One thread serves
        the requests of all that wait: each sees what those before it recorded, and one commit writes all of it. No
        other thread sees the state before the commit has succeeded; where it fails, the state is folded again from
        what is on disk.

        Work, and what is called during a commit, must not write to the study in its turn: were that to fail, what was
        recorded before it would be dropped although its requests have their results. ``ids`` are those that the caller
        gave to events, which are checked first.
        """
        check_ids(*ids)
        request = Request(work)
        if _is_held(self._lock):  # another thread that serves would wait for this one
            if self._joined:
                self._catch_up()
                return work()
            self._check_idle()
            self._serve([request])
            return cast("T", request.result())
        try:
            if not self._requests.add(request):
                request.wait()
            if not request.done:
                with self._lock:
                    while not request.done:
                        self._serve(self._requests.take())
        finally:
            self._requests.leave(request)
        result: T = request.result()
        return result

    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Request]:
        """Make calls of this study in their order, and return when all that they recorded is on disk, in one commit.

        Each call sees what those before it recorded; one that raises changes nothing of the others. What each returned
        or raised is the ``result()`` of its place.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from penchant.study import Study
        >>> with Study.create(Path(tempfile.mkdtemp()) / "drinks.db", ["tea", "coffee", "water"]) as study:
        ...     asked = study.together([lambda: study.ask("ann"), lambda: study.ask("bob")])
        ...     [done.result().judge for done in asked]
        ['ann', 'bob']
        """
        requests = [Request(partial(self._join, call)) for call in calls]
        with self._lock:
            self._check_idle()
            self._serve(requests)
        return requests

    def _join(self, call: Callable[[], T]) -> T:
        self._joined = True
        try:
            return call()
        finally:
            self._joined = False

    def _check_idle(self) -> None:
        """Reject a change from within another one; the caller holds the lock."""
        if self._busy:
            raise CannotStore(
                "a study must not be changed from within another call that changes it: let a subscriber hand its work "
                "to a thread of its own, and give calls plain lists and dicts"
            )

    def _serve(self, requests: list[Request]) -> None:
        self._busy = True
        try:
            self._catch_up()
            for request in requests:
                request.run()
                if self._stale:  # what it recorded could not be folded: write what those before it recorded
                    self._commit()
                    self._catch_up()
            self._commit()
        except BaseException as error:
            self._drop()
            for request in requests:
                request.fail(error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._busy = False
            for request in requests:
                request.done = True
                request.wake()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock, with the state up to date; what was recorded is on disk at the end."""
        with self._lock:
            if self._joined:
                self._catch_up()
                yield
                return
            self._check_idle()
            self._catch_up()
            try:
                yield
                self._commit()
            except BaseException:
                self._drop()
                raise

    def _record(self, entries: Iterable[NewEvent], side: SideRows | None = None) -> None:
        """Fold events, all or none of which the next commit writes, with what they cite."""
        now = float(self._clock())
        batch = [Entry(id, kind, text, version, now) for id, kind, text, version, _ in checked(entries)]
        state = self._state
        for entry in batch:
            if state.has_event(entry.id):
                raise already_used(entry.id)
        self._log.check_writable()  # what could not be written would have to be folded again
        if not self._batch:
            self._base = state.number
        try:
            for entry in batch:
                state.apply(entry.numbered(state.number + 1))
        except BaseException:
            self._stale = True
            raise
        self._batch += batch
        if side is not None:
            self._side.append(side)

    def _commit(self) -> None:
        """Write the events that were recorded; where that fails, the state is folded again before it is used."""
        if not self._batch:
            return
        busy, self._busy = self._busy, True
        try:
            batch, self._batch = self._batch, []
            parts, self._side = self._side, []
            appended = self._log.append_all(batch, SideRows.merged(parts), after=self._base)
            self._stale = self._stale or appended[-1].event.number != self._state.number
        except BaseException:
            self._stale = True
            raise
        finally:
            self._busy = busy

    def _drop(self) -> None:
        """Give up what was recorded and not written; the state is folded again where it holds any of it."""
        self._stale = self._stale or bool(self._batch)
        self._batch, self._side = [], []

    def _append(
        self,
        kind: str,
        content: Mapping[str, Any],
        event_id: str | None = None,
        side: SideRows | None = None,
    ) -> str:
        """Record one event, with what it cites, and return its id."""
        chosen = event_id or f"{kind[0]}-{token_hex(8)}"
        self._record([(chosen, kind, content, newest(kind))], side)
        return chosen

    def _recorded(self, event_id: str | None, kind: str) -> dict[str, Any] | None:
        """Return the content of the event of this id, None where there is none; one of another kind is a conflict."""
        check_ids(event_id)
        if event_id is None or not self._state.has_event(event_id):
            return None
        waiting = next((entry for entry in self._batch if entry.id == event_id), None)
        event = self._log.get(event_id) if waiting is None else waiting.numbered(0)
        if event is None or event.kind != kind:
            raise already_used(event_id)
        return dict(event.content)

    def _record_items(self, items: list[Item], event_id: str | None, side: SideRows | None = None) -> None:
        """Record new items in one batch, with what they cite: all of them are there or none."""
        name = event_id or f"items-{token_hex(8)}"  # which nobody can take before
        self._record(
            [
                (f"{name}/{number}" if number else name, ITEMS, {"items": part}, newest(ITEMS))
                for number, part in enumerate(item_parts(items))
            ],
            side,
        )

    def _recorded_items(self, event_id: str | None, items: Iterable[object]) -> list[Item] | None:
        """Return the items that were added under this id, None where there are none; others are a conflict."""
        content = self._recorded(event_id, ITEMS)
        if content is None:
            return None
        stored, number = list(content["items"]), 1
        while (more := self._recorded(f"{event_id}/{number}", ITEMS)) is not None:
            stored, number = stored + more["items"], number + 1
        listed = [Item.of(item, row) for row, item in enumerate(items)]
        if [item.to_json() for item in listed] != stored:
            raise already_used(event_id)
        return listed

    def _catch_up(self) -> None:
        """Fold the events that another process wrote; after a failed commit, all events that are on disk."""
        term = self._log.term  # before the events: who writes from now on has all that came before
        state = self._begin() if self._stale else self._state
        if self._stale or not self._log.is_writer or term != self._term:
            for event in self._log.events(after=state.number):
                state.apply(event)
        taken_over = term != self._term
        self._state = state  # only now: who reads without the lock sees a whole state
        self._stale, self._term = False, term
        if taken_over:
            self._take_over()

    def _take_over(self) -> None:
        """Read again what stands beside the events: another process wrote until now."""

    def _leave_parent(self) -> None:
        """Let go of locks that threads of the parent held: the study can no longer be used, and says so."""
        self._lock, self._requests = RLock(), Requests()
        self._forked = self._stale = True
        self._busy = False


def check_ids(*ids: str | None) -> None:
    """Reject an id that no event can have; None: the study chooses one."""
    for id in ids:
        if id is not None:
            checked_id(id)


_open: WeakSet[Recording] = WeakSet()


def _after_fork() -> None:
    for study in list(_open):
        study._leave_parent()


os.register_at_fork(after_in_child=_after_fork)


def _is_held(lock: Any) -> bool:
    """Return whether this thread holds the lock."""
    return bool(lock._is_owned())


@contextmanager
def _paused_collector() -> Iterator[None]:
    """Pause the garbage collector while very many objects are made of which none is garbage.

    It would look at all of them again and again, for a third of the time that opening a large study takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
