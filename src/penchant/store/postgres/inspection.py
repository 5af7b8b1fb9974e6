"""Report what can still be read of a log in PostgreSQL that may be damaged."""

from __future__ import annotations

from sqlalchemy import Connection, select

from penchant.errors import Damaged
from penchant.store import table
from penchant.store.postgres import database, schema
from penchant.store.postgres.address import PostgresAddress
from penchant.store.side import checksum, context_hash
from penchant.store.sqlite.inspection import Inspection

_MOST = 20  # problems of one kind that are listed


def inspect_tables(address: PostgresAddress) -> Inspection:
    """Read all of a log in PostgreSQL that can be read, and report the rest."""
    problems: list[str] = []
    with database.reading(address), database.reader_of_one_moment(address) as connection:
        try:
            schema.check(connection, address)
        except Damaged:
            problems.append("the definitions of tables: not those that Penchant makes")
        _, expected = table.counted(connection)
        readable, wrong = _events(connection)
        problems += wrong[:_MOST] + _tokens(connection) + _side(connection)
    runs = _runs(readable)
    last = readable[-1] if readable else 0
    if expected > last:
        problems.append(f"events {last + 1}–{expected}: missing")
    return Inspection(address, expected, tuple(runs), tuple(problems))


def _events(connection: Connection) -> tuple[list[int], list[str]]:
    """Return the numbers of the events that are sound, and what is wrong with the others."""
    sound: list[int] = []
    wrong: list[str] = []
    rows = connection.execution_options(yield_per=table.PAGE).execute(
        select(table.events).order_by(table.events.c.number)
    )
    before = 0
    for row in rows:
        if row.number > before + 1:
            wrong.append(f"events {before + 1}–{row.number - 1}: missing")
        before = row.number
        try:
            table.Record.of(row).event()
            sound.append(row.number)
        except Damaged:
            wrong.append(f"event {row.number}: does not match its checksum")
    return sound, wrong


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of consecutive numbers.

    Examples
    --------
    >>> _runs([1, 2, 3, 5])
    [(1, 3), (5, 5)]
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def _tokens(connection: Connection) -> list[str]:
    columns = table.tokens.c
    names = ("id", "hash", "role", "name", "made", "expires", "used", "checksum")
    rows = connection.execute(select(*(columns[name] for name in names))).all()
    wrong = sum(table.digest(*row[:-1]) != row[-1] for row in rows)
    return [f"the tokens: {wrong} of {len(rows)} do not match their checksums"] if wrong else []


def _side(connection: Connection) -> list[str]:
    """Return what is wrong with the tables of what can be erased."""
    salt = connection.scalar(select(table.erasure.c.salt)) or b""
    problems = []
    contents = connection.execution_options(yield_per=_MOST).execute(
        select(table.contexts.c.hash, table.contexts.c.content)
    )
    wrong = sum(not salt or context_hash(salt, content) != hash for hash, content in contents)
    problems += [f"the contexts: {wrong} do not match their hashes"] if wrong else []
    named = connection.execute(select(table.users)).all()
    wrong = sum(table.digest(row.key, row.name) != row.checksum for row in named)
    problems += [f"the users: {wrong} do not match their checksums"] if wrong else []
    states = connection.execute(select(table.checkpoints)).all()
    wrong = sum(checksum(row.number, row.state) != row.checksum for row in states)
    return problems + (["the checkpoint: it does not match its checksum"] if wrong else [])
