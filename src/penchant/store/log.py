"""The contract of the append-only event log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from penchant.store.entry import NewEvent
from penchant.store.event import Appended, Content, Event
from penchant.store.side import SideRows, SideTables
from penchant.store.snapshots import SnapshotTable
from penchant.store.subscribers import Subscriber
from penchant.store.tokens import TokenTable


class Closing(ABC):
    """A context manager that closes itself at the end.

    Examples
    --------
    >>> class Door(Closing):
    ...     def close(self) -> None:
    ...         print("closed")
    >>> with Door():
    ...     pass
    closed
    """

    @abstractmethod
    def close(self) -> None:
        """Write what was accepted, then release the file; closing again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class EventLog(Closing):
    """An append-only log of events: the contract that every store keeps.

    *Kept.* When an append returns, its event is on disk: it is there after a crash of the process, of the
    system or of the power. An append that raises brought nothing, unless it raised `CannotStore`: then, as
    after a crash in the middle of an append, the event may or may not have been kept. Append it again under
    the same id to settle it.

    *Numbered.* Events are numbered 1, 2, 3, … without gaps, in the order in which they were acknowledged: an
    append that begins after another has returned gets the higher number.

    *Once.* The id of an event is given by whoever appends it, and counts once. The same id with the same kind,
    version and content changes nothing and returns the first event, with ``new=False``; with another kind,
    version or content it raises `Conflict`, which names the id and never quotes what is stored. Contents are
    the same when their canonical JSON is: keys in any order, but 1 and 1.0 differ.

    *Whole.* What `append_all` is given is appended whole, under consecutive numbers, or not at all. One
    batch's conflict is no other's concern.

    *In turn.* Who has decided upon events when the log ended with event ``after`` says so: where another event came
    since, nothing is appended, and `CannotStore` is raised. State that was folded from the log is never written past.

    *Seen.* Readers, in this process or another, see an event from the moment it is safe on disk, which may be
    a moment before its appender hears of it: never earlier, never part of a batch, and always after its
    append has returned. `events` stops at the event that was last when it was called.

    *Unchanged.* No event is ever changed or deleted. Each carries a checksum of all that it holds; what no
    longer matches it is reported as `Damaged` with its number, and never returned.

    *Erased.* What events cite by hash or key stands beside them, in ``side``, and is written in their transaction: it
    is there from the moment that they are, for readers too. It can be erased, in the transaction of the event that
    records it; when that append has returned, no byte of it is left in the file, in a database in the files of its
    tables, unless a reader was reading just then: in that case the bytes are removed after a later commit. Where the
    events of a batch are in the log already, or in conflict, what comes with them changes nothing.

    *JSON.* A content is a JSON object: strings as keys, finite numbers, integers of 64 bits, no more than 100
    levels and 1 MiB in UTF-8. Ids and kinds have 1 to 200 printable characters. Anything else is rejected with
    `InvalidInput` before it comes near the disk.

    *Delivered.* Whoever subscribes is given the new events of each commit, once, in the order of their numbers and
    without gaps, after they are safe on disk and before the appends that brought them return. See `subscribe`.

    *Many at once.* All methods may be called from many threads.

    *Failing.* When a commit fails, every append that is part of it raises `CannotStore`, or its subclass
    `NoSpace` where the disk is full. The next append tries again, so that the log continues by itself once the
    cause is gone. Reading goes on as long as it can. `problem` returns why nothing can be written now.

    *Closing.* `close` waits until what was accepted is written; afterwards every method but `close` raises
    `Closed`. So does every method in a process that was forked off: it must open the log for itself.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> from penchant.store import create_log
    >>> with create_log(place) as events:
    ...     _ = events.append("e1", "answer", {"choice": "left"})
    ...     [event.kind for event in events.events()]
    ['answer']
    """

    name: str
    """What messages call the log."""
    place: str
    """Its file, or its address without what is secret."""
    tokens: TokenTable
    """Who may use the study; they can be changed also where the log is open for reading."""
    snapshots: SnapshotTable
    """States that were computed from the events."""
    side: SideTables
    """What events cite and can be erased."""

    def append(self, id: str, kind: str, content: Content) -> Appended:
        """Append one event and return when it is on disk.

        Parameters
        ----------
        id : str
            The event's own name, so that it counts once however often it is sent.
        kind : str
        content : dict
            A JSON object.

        Returns
        -------
        Appended
            The event as it is kept, and whether it is new.
        """
        return self.append_all([(id, kind, content)])[0]

    @abstractmethod
    def append_all(
        self, entries: Iterable[NewEvent], side: SideRows | None = None, *, after: int | None = None
    ) -> list[Appended]:
        """Append events, all or none, and return when they are on disk.

        Parameters
        ----------
        entries : iterable of (id, kind, content) or (id, kind, content, version)
        side : SideRows, optional
            What is written to the tables beside the events, or erased from them, in the same transaction.
        after : int, optional
            The event that must be the last one; any unless given.

        Returns
        -------
        list of Appended
            One an entry, in the order given.
        """

    @abstractmethod
    def events(self, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        """Return the events with ``after < number <= upto``, by number.

        Parameters
        ----------
        after : int, default 0
            The last number that the caller knows.
        upto : int, optional
            The last number wanted; otherwise the one that is last now. Later ones are not waited for.
        """

    @abstractmethod
    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with the new events of each commit, before the appends that brought them return.

        It is called by the thread that writes, one commit after the other: what it does delays every append, and it
        must not append itself. Subscribers share the events that they are given, and must not change them.

        What an append found in the log already is not delivered again, and what another process appends is not
        delivered at all. A commit that failed and turns out to have been kept is delivered with the next one. A
        subscriber that raises is reported to the logger ``penchant.store``, fails no append, and is called again
        for the next commit.

        A commit that is under way while this is called may or may not be delivered: subscribe first, then read
        the log, and skip events that were read. A bound method does not keep its object alive: the subscription
        ends with it.

        Parameters
        ----------
        subscriber : callable
            Takes a list of events.

        Returns
        -------
        callable
            Ends the subscription; calling it again does nothing.
        """

    @abstractmethod
    def get(self, id: str) -> Event | None:
        """Return the event with this id, or None where there is none."""

    @abstractmethod
    def last(self) -> int:
        """Return the number of the last event, 0 where there is none."""

    @abstractmethod
    def at_one_moment(self) -> AbstractContextManager[Connection]:
        """Return a context with a connection whose reads are all of one moment, whatever is appended meanwhile."""

    @property
    def term(self) -> int:
        """A number that changes where this log becomes the writer, and others may have written before."""
        return 0

    @property
    @abstractmethod
    def is_writer(self) -> bool:
        """Whether this log may append now."""

    @property
    def is_standby(self) -> bool:
        """Whether this log is to append, and another process does now."""
        return False

    @abstractmethod
    def problem(self) -> str | None:
        """Return why events cannot be written now, or None where they can.

        After a failed append it tries a write that changes nothing, so that the answer is of this moment.
        """

    @abstractmethod
    def check_writable(self) -> None:
        """Raise what an append would raise now: the log is closed, open for reading, or the last commit failed.

        In the last case it tries a write that changes nothing, as `problem` does.
        """
