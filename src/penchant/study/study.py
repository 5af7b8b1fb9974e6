"""A study: a file in which everything that happens is an event, and whose state is the fold of those events.

It can be closed, or be ended by a crash, at any moment, and be opened again. There are two kinds: `CompareStudy` asks
which of two items is better, and `CoactiveStudy` presents an order and learns from clicks and corrections.
"""

from __future__ import annotations

import gc
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

from penchant.errors import Conflict, InvalidInput, WrongKind
from penchant.formats.parsing.source import Limits, Source
from penchant.store import Closing, Event, Inspection, SideRows, SQLiteLog, inspect
from penchant.store.entry import Entry, NewEvent, checked
from penchant.study.events import newest
from penchant.study.exporting import checked_events, read_events
from penchant.study.items import Item
from penchant.study.requests import Request, Requests
from penchant.study.tokens import Tokens

T = TypeVar("T")

KINDS = {
    "compare": "penchant.study.compare:CompareStudy",
    "coactive": "penchant.study.coactive.study:CoactiveStudy",
}
"""For each kind of study its class, imported when it is needed."""
_LOOPS = {"compare": "ask and tell", "coactive": "present and feedback"}


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


class Study(Closing):
    """A study in a file: its items, its settings, and the log of what happened.

    Make one with `Study.create`, or open an existing one with `Study.open`: both return the study of the right kind.
    Close it, or use it in a ``with`` statement. One process writes to a study at a time; its threads may share it.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
    >>> Study.create(place, ["tea", "coffee", "water"], seed=1).close()
    >>> with Study.open(place) as study:
    ...     type(study).__name__, study.progress()
    ('CompareStudy', '0 answers; 3 of 3 items not seen yet')
    """

    kind: ClassVar[str]
    """The kind of the study, as the log names it."""
    _state: Folded

    def __init__(self, log: SQLiteLog, *, clock: Callable[[], float] = time.time) -> None:
        self._log = log
        self._clock = clock
        self._lock = RLock()
        self._requests = Requests()
        self._batch: list[Entry] = []  # events that are folded and not yet on disk
        self._side: list[SideRows] = []  # what they cite
        self._stale = False  # whether the state may hold what the log does not
        self._state = self._begin()
        with _garbage_kept():
            for event in log.events():
                self._state.apply(event)
        if not self._state.settings:
            raise InvalidInput(
                "the log must begin with how the study was made, got none: make it with Study.create"
            )
        self._state.check_whole()
        self.tokens = Tokens(log.tokens, clock)
        """Who may use the study over HTTP: see `Tokens`."""

    @classmethod
    def create(
        cls, path: str | Path, items: Iterable[object] = (), *, kind: str = "compare", **settings: Any
    ) -> Any:
        """Make a new study in a new file; its settings are those of `CompareStudy.create` or `CoactiveStudy.create`.

        Parameters
        ----------
        path : str or Path
            The file, which must not exist yet.
        items : iterable
            Texts, `Item`s, or mappings with title (or name, or item) and perhaps id, text, picture, links and others.
        kind : {"compare", "coactive"}
            What people do: "compare" asks them which of two items is better, "coactive" presents an order and learns
            from their clicks and corrections.
        """
        if kind not in KINDS:
            kinds = " or ".join(map(repr, KINDS))
            raise InvalidInput(f"kind must be {kinds}, got {kind!r}: choose one of these")
        return _class_of(kind).create(path, items, **settings)

    @classmethod
    def open(cls, path: str | Path, *, write: bool = True, clock: Callable[[], float] = time.time) -> Self:
        """Open an existing study; with ``write=False`` only to read, also while another process writes."""
        return cls._of(SQLiteLog.open(path, write=write, clock=clock), clock)

    @staticmethod
    def kind_of(path: str | Path) -> str:
        """Return the kind of the study in a file, "compare" or "coactive", without opening all of it."""
        with SQLiteLog.open(path, write=False) as log:
            return _kind_of(log)

    @classmethod
    def _of(cls, log: SQLiteLog, clock: Callable[[], float]) -> Self:
        """Return the study of a log, which is closed where that fails."""
        try:
            kind = _kind_of(log)
            found = _class_of(kind)
            if not issubclass(found, cls):
                remedy = f"open it with Study.open, and use {_LOOPS[kind]}"
                raise WrongKind.of(str(log.path), f"be a study of the kind {cls.kind}", kind, remedy)
            return found(log, clock=clock)
        except BaseException:
            log.close()
            raise

    @classmethod
    def from_events(
        cls,
        path: str | Path,
        events: str | Path | Iterable[Event],
        *,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a study in a new file from the events of another one; both rank the same.

        Parameters
        ----------
        path : str or Path
            The file, which must not exist yet.
        events : str, Path or iterable of Event
            A file that `export` wrote, or the events themselves, in order. Each is checked before the file is made.
        limits : Limits, optional
            The most that the file may hold.
        """
        if cls is Study:
            events = events if isinstance(events, str | Path) else list(events)
            found = _class_of(_exported_kind(events, limits))
            return cast("Self", found.from_events(path, events, limits=limits, clock=clock))
        listed = (
            read_events(events, limits=limits) if isinstance(events, str | Path) else checked_events(events)
        )
        return cls._of(SQLiteLog.create(path, listed, clock=clock), clock)

    def backup(self, path: str | Path, *, replace: bool = False) -> None:
        """Copy the study to another file while it is used; links to the study work with the copy too.

        Parameters
        ----------
        path : str or Path
            The copy, which appears whole or not at all.
        replace : bool, default False
            Whether an existing file may be replaced.
        """
        self._log.backup(path, replace=replace)

    @staticmethod
    def restore(backup: str | Path, path: str | Path, *, replace: bool = False) -> None:
        """Make a study from a backup, after reading every event of the backup.

        Parameters
        ----------
        backup : str or Path
            A copy made by `backup`.
        path : str or Path
            Where the study is to be.
        replace : bool, default False
            Whether an existing study may be replaced; it is kept beside the new one as ``PATH.replaced``.
        """
        with Study.open(backup, write=False):
            SQLiteLog.restore(backup, path, replace=replace)

    @staticmethod
    def inspect(path: str | Path) -> Inspection:
        """Report what can be read of a study's file, even if it is damaged and cannot be opened."""
        return inspect(path)

    def problem(self) -> str | None:
        """Return why nothing can be written now (the disk is full, say), or None where it can."""
        return self._log.problem()

    @property
    def title(self) -> str:
        """What people see above the study."""
        return str(self._state.settings["title"])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the study, as the log stores them."""
        with self._lock:
            self._catch_up()
            return dict(self._state.settings)

    @property
    def items(self) -> dict[str, Item]:
        """The items by id, retired ones included, in the order in which they were given."""
        return self._state.items

    @property
    def retired(self) -> tuple[str, ...]:
        """The ids of the items that are not used."""
        return tuple(self._state.retired)

    def revision(self) -> int:
        """Return the number of the last event: what the study says changes only with it."""
        with self._lock:
            self._catch_up()
            return self._state.number

    @abstractmethod
    def progress(self) -> str:
        """Return a sentence about what happened so far."""

    # -- writing -------------------------------------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> Any:
        """Return the state before the first event, and let go of everything that was computed from another one."""

    def _write(self, work: Callable[[], T]) -> T:
        """Return what ``work`` returns, once all that it recorded is on disk.

        The work is done under the lock, with the state up to date; it checks first and records then. One thread serves
        the requests of all that wait: each sees what those before it recorded, and one commit writes all of it. No
        other thread sees the state before the commit has succeeded; where it fails, the state is folded again from
        what is on disk.
        """
        request = Request(work)
        serves = self._requests.add(request)
        try:
            if not serves:
                request.wait()
            if not request.done:
                with self._lock:
                    while not request.done:
                        self._serve(self._requests.take())
        finally:
            self._requests.leave(request)
        result: T = request.result()
        return result

    def _serve(self, requests: list[Request]) -> None:
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
            for request in requests:
                request.done = True
                request.wake()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock, with the state up to date; what was recorded is on disk at the end."""
        with self._lock:
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
        batch = [entry._replace(time=now) for entry in checked(entries)]
        for entry in batch:
            if self._state.has_event(entry.id):
                raise Conflict(
                    f"event {entry.id!r} is in the log already, with another kind or content: "
                    "give the new event an id of its own"
                )
        try:
            for entry in batch:
                self._state.apply(entry.numbered(self._state.number + 1))
        except BaseException:
            self._stale = True
            raise
        self._batch += batch
        if side is not None:
            self._side.append(side)

    def _commit(self) -> None:
        """Write the events that were recorded; where that fails, the state is folded again before it is used."""
        batch, self._batch = self._batch, []
        side, self._side = SideRows.merged(self._side), []
        if not batch:
            return
        stale, self._stale = self._stale, True
        appended = self._log.append_all(batch, side)
        self._stale = stale or appended[-1].event.number != self._state.number

    def _drop(self) -> None:
        """Give up what was recorded and not written; the state is folded again where it holds any of it."""
        self._stale = self._stale or bool(self._batch)
        self._batch, self._side = [], []

    def _append(self, kind: str, content: Mapping[str, Any], event_id: str | None = None) -> str:
        """Record one event and return its id."""
        chosen = event_id or f"{kind[0]}-{token_hex(8)}"
        self._record([(chosen, kind, content, newest(kind))])
        return chosen

    def _catch_up(self) -> None:
        """Fold the events that another process wrote; after a failed commit, all events that are on disk."""
        if self._stale:
            self._state = self._begin()
        if self._stale or not self._log.is_writer:
            for event in self._log.events(after=self._state.number):
                self._state.apply(event)
        self._stale = False


@contextmanager
def _garbage_kept() -> Iterator[None]:
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


def _kind_of(log: SQLiteLog) -> str:
    """Return the kind of the study of a log; "compare" where its first event does not name one known here."""
    first = next(iter(log.events()), None)
    kind = None if first is None else first.content.get("kind")
    return kind if isinstance(kind, str) and kind in KINDS else "compare"


def _exported_kind(events: str | Path | list[Event], limits: Limits | None) -> str:
    """Return the kind of an exported study: what stands beside its events comes first in that of a coactive one."""
    if isinstance(events, str | Path):
        with Source.of(events, limits).open_text(newline="\n") as file:
            return "coactive" if file.readline().startswith('{"side":') else "compare"
    kind = events[0].content.get("kind") if events and isinstance(events[0].content, dict) else None
    return kind if isinstance(kind, str) and kind in KINDS else "compare"


def _class_of(kind: str) -> type[Study]:
    module, name = KINDS[kind].split(":")
    found: type[Study] = getattr(import_module(module), name)
    return found
