"""The tables of a log in SQL: events, their count, tokens, snapshots, and what can be erased.

SQLAlchemy Core alone, nothing of any one database: every store that keeps its events in SQL shares this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from math import isfinite
from secrets import token_bytes
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    func,
    insert,
    select,
    update,
)

from penchant.errors import Conflict, Damaged
from penchant.store.entry import Entry
from penchant.store.event import Appended, Event
from penchant.store.statement import Statement

Outcome = list[Appended] | Conflict
Rows = dict[str, "Record"]

Row = Sequence[Any]
"""Number, id, kind, version, time, content and checksum of an event, as the driver returns them."""

PAGE = 1000  # events read at a time
SALT_SIZE = 32
_IDS = 500  # ids looked up at a time: below every database's limit of parameters

# SQLite has one type of integers; PostgreSQL's INTEGER has 32 bits.
_Whole = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData()
events = Table(
    "events",
    metadata,
    Column("number", _Whole, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("version", _Whole, nullable=False),
    Column("time", Float, nullable=False),
    Column("content", Text, nullable=False),
    Column("checksum", Text, nullable=False),
)
# How many events there are, apart from them: what cuts off the end of the table is noticed.
tail = Table(
    "tail",
    metadata,
    Column("row", _Whole, primary_key=True, autoincrement=False),
    Column("number", _Whole, nullable=False),
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

# Caches of what was computed from events: they can be deleted at any time. A snapshot is written in parts; part 0, with
# all but the state, comes last and makes the generation valid.
snapshots = Table(
    "snapshots",
    metadata,
    Column("name", Text, primary_key=True),
    Column("generation", _Whole, primary_key=True, autoincrement=False),
    Column("part", _Whole, primary_key=True, autoincrement=False),
    Column("number", _Whole, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("checksum", Text, nullable=False),
)

# What events cite and can be erased, which events cannot: see `penchant.store.side`.
contexts = Table(
    "contexts",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("made", Float, nullable=False),
    sqlite_with_rowid=False,
)
users = Table(
    "users",
    metadata,
    Column("key", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("checksum", Text, nullable=False),
)
checkpoints = Table(
    "checkpoints",
    metadata,
    Column("number", _Whole, primary_key=True, autoincrement=False),
    Column("state", LargeBinary, nullable=False),
    Column("checksum", Text, nullable=False),
)
# The key of the hashes of contexts, and whether erased bytes may still stand in unused parts of the file.
erasure = Table(
    "erasure",
    metadata,
    Column("row", _Whole, primary_key=True, autoincrement=False),
    Column("salt", LargeBinary, nullable=False),
    Column("pending", _Whole, nullable=False),
)
SIDE_TABLES = (contexts, users, checkpoints, erasure)

_INSERT = Statement(insert(events), events.c.keys())
_COUNT = Statement(update(tail).values(number=bindparam("last")), ["last"])
_MOVE = Statement(update(tail).values(number=tail.c.number + bindparam("by")), ["by"])
_LAST = Statement(select(func.max(events.c.number)))
_COUNTED = Statement(
    select(select(func.max(events.c.number)).scalar_subquery(), select(tail.c.number).scalar_subquery())
)
_GET = Statement(select(events).where(events.c.id == bindparam("id")), ["id"])
_PAGE = Statement(
    select(events)
    .where(events.c.number > bindparam("after"), events.c.number <= bindparam("upto"))
    .order_by(events.c.number),
    ["after", "upto"],
)


def digest(*fields: object) -> str:
    """Return the checksum of a row: 64 bits of BLAKE2b over its fields.

    Examples
    --------
    >>> digest(1, "e1", "note") == digest(1, "e1", "note"), digest(1, "e1") == digest(1, "e2")
    (True, False)
    """
    return blake2b("\x1f".join(map(repr, fields)).encode(errors="replace"), digest_size=8).hexdigest()


class Record(NamedTuple):
    """A row of the table of events."""

    number: int
    id: str
    kind: str
    time: float
    content: str
    version: int = 1

    @classmethod
    def of(cls, row: Row) -> Record:
        """Return the row of a result as a record; raise `Damaged` unless it matches its checksum."""
        number, id, kind, version, time, content, checksum = row
        record = cls(number, id, kind, time, content, version)
        if record.checksum() != checksum or not record.is_typed():
            raise Damaged(
                f"event {number} must match its checksum, and does not: the file is damaged there, "
                "see what can still be read with penchant check, or restore a backup"
            )
        return record

    def is_typed(self) -> bool:
        """Return whether each field is of its type: SQLite stores anything anywhere."""
        number, id, kind, time, content, version = self
        return (
            type(id) is type(kind) is type(content) is str
            and type(number) is type(version) is int
            and type(time) is float
            and isfinite(time)
        )

    def checksum(self) -> str:
        """Return the checksum of all fields: their `digest`, in the order of the table."""
        number, id, kind, time, content, version = self
        text = f"{number!r}\x1f{id!r}\x1f{kind!r}\x1f{version!r}\x1f{time!r}\x1f{content!r}"
        return blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()

    def event(self) -> Event:
        """Return the event that the row keeps."""
        number, id, kind, time, content, version = self
        return Event(number, id, kind, time, _parsed(number, content), version)

    def is_of(self, entry: Entry) -> bool:
        """Return whether the row keeps just this entry."""
        return (self.kind, self.version, self.content) == (entry.kind, entry.version, entry.text)


_decode = json.JSONDecoder().raw_decode


def _parsed(number: int, text: str) -> dict[str, Any]:
    """Return the JSON object of a content.

    Canonical JSON has no space around it, so that nothing need be skipped as `json.loads` does.
    """
    try:
        content, end = _decode(text)
    except (ValueError, TypeError, RecursionError):
        content, end = None, 0
    if type(content) is not dict or end != len(text):
        raise Damaged(
            f"content of event {number} must be a JSON object, and is not: something else than Penchant "
            "has written it, restore a backup"
        )
    return content


def add(connection: Connection, records: Sequence[Record]) -> None:
    """Insert records, and count them."""
    rows = [
        (
            record.number,
            record.id,
            record.kind,
            record.version,
            record.time,
            record.content,
            record.checksum(),
        )
        for record in records
    ]
    if len(rows) == 1:
        _INSERT.run(connection, rows[0])
    else:
        _INSERT.run_all(connection, rows)
    _COUNT.run(connection, (records[-1].number,))


def start(connection: Connection) -> None:
    """Put the count of an empty log, and the salt of its contexts, into their tables."""
    connection.execute(insert(tail), [{"row": 1, "number": 0}])
    start_side(connection)


def start_side(connection: Connection) -> None:
    """Put a new salt into its table."""
    row = {"row": 1, "salt": token_bytes(SALT_SIZE), "pending": 0}
    connection.execute(insert(erasure), [row])


def touch(connection: Connection) -> None:
    """Write without changing anything, to see whether writing works.

    SQLite leaves out the write of a row that stays as it is: the count goes up, and down again.
    """
    _MOVE.run(connection, (1,))
    _MOVE.run(connection, (-1,))


def append(
    connection: Connection, batches: Sequence[Sequence[Entry]], time: float, after: int | None = None
) -> tuple[list[Outcome], list[Record]]:
    """Insert what is new in ``batches``, within the caller's transaction; return what became of each, and the new rows.

    A batch with a conflict is left out whole; the others stand. Nothing is acknowledged here: that is for the
    caller, after the commit.

    Parameters
    ----------
    connection : Connection
    batches : sequence of sequences of Entry
    time : float
        When the events were appended.
    after : int, optional
        The number of the last event, where the caller knows it and expects every id to be new. If one is not, the
        database reports that a constraint is violated: the caller rolls back, and begins again without this.
    """
    if after is not None:
        outcomes, new = decide(batches, {}, after, time)
    else:
        found = _find(connection, {entry.id for batch in batches for entry in batch})
        outcomes, new = decide(batches, found, last(connection), time)
    if new:
        add(connection, new)
    return outcomes, new


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
        own_time = time if entry.time is None else entry.time
        record = Record(number + len(fresh), entry.id, entry.kind, own_time, entry.text, entry.version)
        fresh[entry.id] = record
        return Appended(record.event(), new=True)
    if not record.is_of(entry):  # never quote what is stored: whoever sent the id may not be its owner
        raise already_used(entry.id)
    return Appended(record.event(), new=False)


def already_used(event_id: str | None) -> Conflict:
    """Return the error for an event whose id belongs to another one, of which it quotes nothing."""
    return Conflict(
        f"event {event_id!r} is in the log already, with another kind or content: give the new event an id of its own"
    )


def _find(connection: Connection, ids: Iterable[str]) -> Rows:
    wanted = sorted(ids)
    found: Rows = {}
    for start in range(0, len(wanted), _IDS):
        query = select(events).where(events.c.id.in_(wanted[start : start + _IDS]))
        found |= {row.id: Record.of(row) for row in connection.execute(query)}
    return found


def last(connection: Connection) -> int:
    """Return the number of the last event, 0 where there is none."""
    return _LAST.run(connection).fetchall()[0][0] or 0


def counted(connection: Connection) -> tuple[int, int]:
    """Return the number of the last event, and how many events there should be, at one moment."""
    ((number, expected),) = _COUNTED.run(connection).fetchall()
    return number or 0, -1 if expected is None else expected


def get(connection: Connection, id: str) -> Event | None:
    """Return the event with this id, or None where there is none."""
    rows = _GET.run(connection, (id,)).fetchall()
    return Record.of(rows[0]).event() if rows else None


def read(connection: Connection, after: int, upto: int) -> list[Event]:
    """Return the first page of the events with ``after < number <= upto``, by number."""
    return events_of(_PAGE.run(connection, (after, min(upto, after + PAGE))).fetchall())


def events_of(rows: Iterable[Row]) -> list[Event]:
    """Return the events of rows, or raise `Damaged` at the first that is damaged.

    This is ``Record.of(row).event()`` for each row, at a third of the time: a log is read whole when it is opened.
    """
    rows = list(rows)
    contents = _contents([row[5] for row in rows]) if all(map(_is_intact, rows)) else None
    if contents is None:
        return [Record.of(row).event() for row in rows]
    return [
        _new(Event, (number, id, kind, time, content, version))
        for (number, id, kind, version, time, _, _), content in zip(rows, contents, strict=True)
    ]


def _is_intact(row: Row) -> bool:
    """Return whether a row matches its checksum, and its fields have their types."""
    number, id, kind, version, time, content, checksum = row
    text = f"{number!r}\x1f{id!r}\x1f{kind!r}\x1f{version!r}\x1f{time!r}\x1f{content!r}"
    return (
        blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest() == checksum
        and type(id) is type(kind) is type(content) is str
        and type(number) is type(version) is int
        and type(time) is float
        and isfinite(time)
    )


def _contents(texts: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return the JSON objects of many contents, parsed at once; None where one of them is something else.

    Canonical JSON has no line break: with one between two contents, counting shows that each is an object of its own.
    """
    joined, borders = "\n,".join(texts), len(texts) - 1
    apart = joined.count("}\n,{") == joined.count("\n") == borders
    if not (apart and joined.startswith("{") and joined.endswith("}")):
        return None
    try:
        found: list[dict[str, Any]] = json.loads(f"[{joined}]")
    except (ValueError, RecursionError):
        return None
    return found if len(found) == len(texts) and set(map(type, found)) == {dict} else None


_new = tuple.__new__
