"""The schema of a log's SQLite file: how it is made, recognised, and moved on from an older version."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import Any

from sqlalchemy import Connection, StaticPool, create_engine, event, text

from penchant.errors import Damaged
from penchant.store import table

APPLICATION = 0x50454E43  # "PENC"
SCHEMA = 4

# The log keeps these promises by itself; the triggers keep other programs from breaking them by mistake.
TRIGGERS = (
    """CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed: append another'); END""",
    """CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted: append another'); END""",
    """CREATE TRIGGER events_come_in_order BEFORE INSERT ON events
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM events)
        OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'events have the next number and an id of their own'); END""",
)


def begin(connection: Connection) -> None:
    """Begin a transaction that writes."""
    connection.connection.cursor().execute("BEGIN IMMEDIATE")


@contextmanager
def transaction(driver: sqlite3.Connection) -> Iterator[Connection]:
    """Use a connection of the driver through SQLAlchemy for one transaction; it stays open afterwards."""
    engine = create_engine("sqlite://", creator=lambda: driver, poolclass=StaticPool, hide_parameters=True)
    event.listen(engine, "begin", begin)
    with engine.begin() as connection:
        yield connection


def make(connection: Connection) -> None:
    """Make the empty tables of a log, within the caller's transaction."""
    table.metadata.create_all(connection, checkfirst=False)
    for trigger in TRIGGERS:
        connection.exec_driver_sql(trigger)
    connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
    connection.exec_driver_sql(f"PRAGMA user_version={SCHEMA}")
    table.start(connection)


def definitions(driver: sqlite3.Connection) -> set[tuple[Any, ...]]:
    """Return what a database defines: the type, name, table and text of each definition."""
    return set(driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


@cache
def expected(schema: int = SCHEMA) -> frozenset[tuple[Any, ...]]:
    """Return what a log of this schema, or of schema 2 or 3, defines."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as driver:
        with transaction(driver) as connection:
            make(connection)
        found = definitions(driver)
    later = {table.snapshots.name} if schema < 3 else set()
    later |= {side.name for side in table.SIDE_TABLES} if schema < 4 else set()
    return frozenset(row for row in found if row[2] not in later)


def move(driver: sqlite3.Connection) -> None:
    """Move a log of an older schema to this one, in one transaction: after a crash it is of the old one or of the new.

    Schema 3 had no contexts, users and checkpoints, and schema 2 no snapshots. Schema 1 had no checksums, versions or
    tokens either, and kept the secret that tokens were made from in the content of the first event. The secret is
    dropped, and the pages that held it are overwritten.
    """
    driver.execute("PRAGMA secure_delete=ON")
    with transaction(driver) as connection:
        schema = connection.exec_driver_sql("PRAGMA user_version").scalar()
        if schema == 1:
            _move_first(connection)
        elif schema in (2, 3):
            if schema == 2:
                table.snapshots.create(connection, checkfirst=False)
            for side in table.SIDE_TABLES:
                side.create(connection, checkfirst=False)
            table.start_side(connection)
            connection.exec_driver_sql(f"PRAGMA user_version={SCHEMA}")


def _move_first(connection: Connection) -> None:
    rows = connection.execute(text("SELECT number, id, kind, time, content FROM events ORDER BY number"))
    records = [_moved(table.Record(*row)) for row in rows]
    old = connection.execute(text("SELECT name FROM sqlite_schema WHERE type = 'trigger'")).scalars().all()
    for trigger in old:
        connection.exec_driver_sql(f'DROP TRIGGER "{trigger}"')
    connection.exec_driver_sql("DROP TABLE events")
    make(connection)
    if records:
        table.add(connection, records)


def _moved(record: table.Record) -> table.Record:
    """Return an event without the secret that its first version held."""
    try:
        record.content.encode()
    except (AttributeError, UnicodeEncodeError):
        raise Damaged(
            f"content of event {record.number} must be text, and is not: restore a backup"
        ) from None
    if record.kind != "created" or not record.is_typed():
        return record
    content = record.event().content
    content.pop("secret", None)
    kept = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return table.Record(record.number, record.id, record.kind, record.time, kept)
