"""Report what can still be read of a log in PostgreSQL that may be damaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from penchant.errors import Damaged
from penchant.store import table
from penchant.store.inspection import (
    CHANGED_DEFINITIONS,
    CHANGED_EVENT,
    MOST_LISTED,
    EventScan,
    Inspection,
    side_problems,
    token_problems,
)
from penchant.store.postgres import database, schema
from penchant.store.postgres.address import PostgresAddress


def inspect_tables(address: PostgresAddress) -> Inspection:
    """Read all of a log in PostgreSQL that can be read, and report the rest."""
    problems: list[str] = []
    with database.reading(address), database.reader_of_one_moment(address) as connection:
        try:
            schema.check(connection, address)
        except Damaged:
            problems.append(CHANGED_DEFINITIONS)
        _, expected = table.counted(connection)
        problems += _tokens(connection) + _side(connection)
        events = _events(connection)
    return Inspection(address, expected, tuple(events.readable), (*problems, *events.problems(expected)))


def _events(connection: Connection) -> EventScan:
    scan = EventScan()
    rows = connection.execution_options(yield_per=table.PAGE).execute(
        select(table.events).order_by(table.events.c.number)
    )
    for row in rows:
        try:
            table.Record.of(row).event()
            problem = None
        except Damaged:
            problem = CHANGED_EVENT
        scan.add(row.number, problem)
    return scan


def _tokens(connection: Connection) -> list[str]:
    columns = table.tokens.c
    names = ("id", "hash", "role", "name", "made", "expires", "used", "checksum")
    return token_problems(
        [tuple(row) for row in connection.execute(select(*(columns[name] for name in names)))]
    )


def _side(connection: Connection) -> list[str]:
    """Return what is wrong with the tables of what can be erased."""
    contexts, users, checkpoints = table.contexts.c, table.users.c, table.checkpoints.c
    salt = connection.scalar(select(table.erasure.c.salt)) or b""
    return list(
        side_problems(
            salt,
            _rows(connection, contexts.hash, contexts.content),
            _rows(connection, users.key, users.name, users.checksum),
            _rows(connection, checkpoints.number, checkpoints.state, checkpoints.checksum),
        )
    )


def _rows(connection: Connection, *columns: Any) -> Iterator[Any]:
    """Yield the rows of some columns, a few at a time: contexts may be large."""
    with connection.execution_options(yield_per=MOST_LISTED).execute(select(*columns)) as rows:
        yield from map(tuple, rows)
