"""The tables of a log in SQL: events, their count, and tokens.

SQLAlchemy Core alone, nothing of any one database: every store that keeps its events in SQL shares this.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    Row,
    Table,
    Text,
    func,
    insert,
    select,
    update,
)

from penchant.errors import Conflict, Damaged
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
    Column("version", Integer, nullable=False),
    Column("time", Float, nullable=False),
    Column("content", Text, nullable=False),
    Column("checksum", Text, nullable=False),
)
# How many events there are, apart from them: what cuts off the end of the table is noticed.
tail = Table(
    "tail",
    metadata,
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
)
tokens = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("made", Float, nullable=False),
    Column("expires", Float),
    Column("used", Float),
    Column("checksum", Text, nullable=False),
)


def digest(*fields: object) -> str:
    """Return the checksum of a row: 64 bits of BLAKE2b over its fields.

    Examples
    --------
    >>> digest(1, "e1", "note") == digest(1, "e1", "note"), digest(1, "e1") == digest(1, "e2")
    (True, False)
    """
    return blake2b("\x1f".join(map(repr, fields)).encode(errors="replace"), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Record:
    """A row of the table of events."""

    number: int
    id: str
    kind: str
    time: float
    content: str
    version: int = 1

    @classmethod
    def of(cls, row: Row[Any]) -> Record:
        """Return the row of a result as a record; raise `Damaged` unless it matches its checksum."""
        record = cls(row.number, row.id, row.kind, row.time, row.content, row.version)
        if record.checksum() != row.checksum or not record.is_typed():
            raise Damaged(
                f"event {row.number} must match its checksum, and does not: the file is damaged there, "
                "see what can still be read with penchant check, or restore a backup"
            )
        return record

    def is_typed(self) -> bool:
        """Return whether each field is of its type: SQLite stores anything anywhere."""
        return (
            all(isinstance(text, str) for text in (self.id, self.kind, self.content))
            and all(isinstance(number, int) for number in (self.number, self.version))
            and isinstance(self.time, float)
            and math.isfinite(self.time)
        )

    def checksum(self) -> str:
        """Return the checksum of all fields."""
        return digest(self.number, self.id, self.kind, self.version, self.time, self.content)

    def event(self) -> Event:
        """Return the event that the row keeps."""
        try:
            content = json.loads(self.content)
        except (ValueError, TypeError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise Damaged(
                f"content of event {self.number} must be a JSON object, and is not: something else than Penchant "
                "has written it, restore a backup"
            )
        return Event(self.number, self.id, self.kind, self.time, content, self.version)

    def is_of(self, entry: Entry) -> bool:
        """Return whether the row keeps just this entry."""
        return (self.kind, self.version, self.content) == (entry.kind, entry.version, entry.text)


def add(connection: Connection, records: Sequence[Record]) -> None:
    """Insert records, and count them."""
    connection.execute(
        insert(events), [{**vars(record), "checksum": record.checksum()} for record in records]
    )
    connection.execute(update(tail).values(number=records[-1].number))


def start(connection: Connection) -> None:
    """Put the count of an empty log into its table."""
    connection.execute(insert(tail), [{"row": 1, "number": 0}])


def touch(connection: Connection) -> None:
    """Write without changing anything, to see whether writing works."""
    connection.execute(update(tail).values(number=tail.c.number))


def append(
    connection: Connection, batches: Sequence[Sequence[Entry]], clock: Callable[[], float]
) -> list[Outcome]:
    """Insert what is new in ``batches``, within the caller's transaction, and return what became of each.

    A batch with a conflict is left out whole; the others stand. Nothing is acknowledged here: that is for the
    caller, after the commit.
    """
    known = _find(connection, {entry.id for batch in batches for entry in batch})
    outcomes, new = decide(batches, known, last(connection), float(clock()))
    if new:
        add(connection, new)
    return outcomes


def decide(
    batches: Sequence[Sequence[Entry]], known: Mapping[str, Record], last: int, time: float
) -> tuple[list[Outcome], list[Record]]:
    """Number what is new in ``batches`` after ``last``, given the rows that share an id with them.

    Examples
    --------
    >>> outcomes, new = decide([[Entry("a", "note", "{}")], [Entry("a", "note", '{"x":1}')]], {}, 7, 0.0)
    >>> new
    [Record(number=8, id='a', kind='note', time=0.0, content='{}', version=1)]
    >>> print(outcomes[1])
    event 'a' is in the log already, with another kind or content: give the new event an id of its own
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
        record = Record(number + len(fresh), entry.id, entry.kind, time, entry.text, entry.version)
        fresh[entry.id] = record
        return Appended(record.event(), new=True)
    if not record.is_of(entry):  # never quote what is stored: whoever sent the id may not be its owner
        raise Conflict(
            f"event {entry.id!r} is in the log already, with another kind or content: "
            "give the new event an id of its own"
        )
    return Appended(record.event(), new=False)


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


def counted(connection: Connection) -> tuple[int, int]:
    """Return the number of the last event, and how many events there should be, at one moment."""
    row = connection.execute(
        select(select(func.max(events.c.number)).scalar_subquery(), select(tail.c.number).scalar_subquery())
    ).one()
    return row[0] or 0, -1 if row[1] is None else row[1]


def get(connection: Connection, id: str) -> Event | None:
    """Return the event with this id, or None where there is none."""
    row = connection.execute(select(events).where(events.c.id == id)).first()
    return None if row is None else Record.of(row).event()


def read(connection: Connection, after: int, upto: int) -> list[Event]:
    """Return the first page of the events with ``after < number <= upto``, by number."""
    wanted = events.c.number > after, events.c.number <= upto
    query = select(events).where(*wanted).order_by(events.c.number).limit(PAGE)
    return [Record.of(row).event() for row in connection.execute(query)]
