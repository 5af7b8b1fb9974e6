"""Step five, inside: the log as one table. Batches of entries in; rows, and what became of each batch, out.

SQLAlchemy Core alone, nothing of any one database: every store that keeps its events in SQL shares this.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Float, Integer, MetaData, Row, Table, Text, func, insert, select

from penchant.errors import Conflict
from penchant.store.entry import Entry
from penchant.store.log import Appended, Event

Outcome = list[Appended] | Conflict
Rows = dict[str, "Record"]

PAGE = 500  # rows read at a time, and ids looked up at a time: below every database's limit

metadata = MetaData()
events = Table(
    "events",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("time", Float, nullable=False),
    Column("content", Text, nullable=False),
)


@dataclass(frozen=True)
class Record:
    """A row of the table."""

    number: int
    id: str
    kind: str
    time: float
    content: str

    @classmethod
    def of(cls, row: Row[Any]) -> Record:
        """Return the row of a result as a record."""
        return cls(row.number, row.id, row.kind, row.time, row.content)

    def event(self) -> Event:
        """Return the event that the row keeps."""
        return Event(self.number, self.id, self.kind, self.time, json.loads(self.content))

    def is_of(self, entry: Entry) -> bool:
        """Say whether the row keeps just this entry."""
        return (self.kind, self.content) == (entry.kind, entry.text)


def append(
    connection: Connection, batches: Sequence[Sequence[Entry]], clock: Callable[[], float]
) -> list[Outcome]:
    """Insert what is new in ``batches``, within the caller's transaction, and say what became of each.

    A batch with a conflict is left out whole; the others stand. Nothing is acknowledged here: that is for the
    caller, after the commit.
    """
    known = _find(connection, {entry.id for batch in batches for entry in batch})
    outcomes, new = decide(batches, known, last(connection), clock())
    if new:
        connection.execute(insert(events), [vars(record) for record in new])
    return outcomes


def decide(
    batches: Sequence[Sequence[Entry]], known: Mapping[str, Record], last: int, time: float
) -> tuple[list[Outcome], list[Record]]:
    """Number what is new in ``batches`` after ``last``, given the rows that share an id with them.

    Examples
    --------
    >>> outcomes, new = decide([[Entry("a", "note", "{}")], [Entry("a", "note", '{"x":1}')]], {}, 7, 0.0)
    >>> new
    [Record(number=8, id='a', kind='note', time=0.0, content='{}')]
    >>> print(outcomes[1])
    event 'a' is number 8, of kind 'note' with content {}, and cannot also be of kind 'note' with content
    {"x":1}: give the new event an id of its own
    """
    rows = dict(known)
    outcomes: list[Outcome] = []
    new: list[Record] = []
    for batch in batches:
        fresh: Rows = {}
        try:
            outcomes.append([_place(entry, rows, fresh, last + 1 + len(new), time) for entry in batch])
        except Conflict as conflict:
            outcomes.append(conflict)
            continue
        rows |= fresh
        new += fresh.values()
    return outcomes, new


def _place(entry: Entry, rows: Rows, fresh: Rows, number: int, time: float) -> Appended:
    record = rows.get(entry.id) or fresh.get(entry.id)
    if record is None:
        record = Record(number + len(fresh), entry.id, entry.kind, time, entry.text)
        fresh[entry.id] = record
        return Appended(record.event(), new=True)
    if not record.is_of(entry):
        raise Conflict(
            f"event {entry.id!r} is number {record.number}, of kind {record.kind!r} with content "
            f"{_short(record.content)}, and cannot also be of kind {entry.kind!r} with content "
            f"{_short(entry.text)}: give the new event an id of its own"
        )
    return Appended(record.event(), new=False)


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _find(connection: Connection, ids: Iterable[str]) -> Rows:
    wanted = sorted(ids)
    found: Rows = {}
    for start in range(0, len(wanted), PAGE):
        query = select(events).where(events.c.id.in_(wanted[start : start + PAGE]))
        found |= {row.id: Record.of(row) for row in connection.execute(query)}
    return found


def last(connection: Connection) -> int:
    """Return the number of the last event, 0 where there is none."""
    return connection.scalar(select(func.max(events.c.number))) or 0


def get(connection: Connection, id: str) -> Event | None:
    """Return the event with this id, or None where there is none."""
    row = connection.execute(select(events).where(events.c.id == id)).first()
    return None if row is None else Record.of(row).event()


def read(connection: Connection, after: int, upto: int) -> list[Event]:
    """Return the first page of the events with ``after < number <= upto``, by number."""
    wanted = events.c.number > after, events.c.number <= upto
    query = select(events).where(*wanted).order_by(events.c.number).limit(PAGE)
    return [Record.of(row).event() for row in connection.execute(query)]
