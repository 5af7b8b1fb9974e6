"""Report what can still be read of a log that may be damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from penchant.errors import CannotLoad, Damaged
from penchant.store.inspection import (
    CHANGED_DEFINITIONS,
    CHANGED_EVENT,
    MOST_LISTED,
    EventScan,
    Inspection,
    side_problems,
    token_problems,
)
from penchant.store.snapshots import newest
from penchant.store.sqlite import database
from penchant.store.sqlite import schema as sqlite_schema
from penchant.store.sqlite.lock import is_held
from penchant.store.sqlite.wal import unread_commits
from penchant.store.table import PAGE, Record


def inspect_file(path: str | Path) -> Inspection:
    """Read all of a log that can be read, and report the rest.

    Parameters
    ----------
    path : str or Path
        A log of the current schema or the one before; one that is being written may be inspected too.
    """
    path = Path(path).resolve()
    if not path.is_file():
        raise CannotLoad(f"{path} must be a file, there is none: correct the path")
    schema = database.schema_of(path)
    if schema < 2:
        raise CannotLoad(
            f"{path} must have a schema of 2 to {sqlite_schema.SCHEMA} to be inspected, got {schema}: "
            "open it once for writing"
        )
    problems: list[str] = []
    with closing(database.connect(path, "ro")) as driver:
        driver.text_factory = bytes  # damaged text need not be UTF-8
        problems += _wal(path, driver)
        problems += _pages(driver, schema)
        problems += _tokens(driver)
        problems += _snapshots(driver) if schema >= 3 else []
        problems += _side(driver) if schema >= 4 else []
        expected = _scalar(driver, "SELECT number FROM tail")
        events = EventScan()
        for number, problem in _rows(driver):
            events.add(number, problem)
    problems += events.problems(expected)
    last = events.readable[-1][1] if events.readable else 0
    if expected is not None and last > expected:
        problems.append(f"the count of events: {expected} recorded, {last} there")
    return Inspection(path, expected, tuple(events.readable), tuple(problems))


def _wal(path: Path, driver: sqlite3.Connection) -> list[str]:
    if is_held(path):
        return []
    page_size = _scalar(driver, "PRAGMA page_size")
    unread = unread_commits(database.beside(path, "-wal"), page_size or 4096)
    return [f"the write-ahead log: {unread} transactions at its end cannot be read"] if unread else []


def _pages(driver: sqlite3.Connection, schema: int) -> list[str]:
    try:
        found = {tuple(map(_text, row)) for row in sqlite_schema.definitions(driver)}
        if found != sqlite_schema.expected(schema):
            return [CHANGED_DEFINITIONS]
        lines = [_text(row[0]) for row in driver.execute(f"PRAGMA integrity_check({MOST_LISTED})")]
    except database.DRIVER_ERRORS as trouble:
        return [f"the file: SQLite says {str(trouble)!r}"]
    return [] if lines == ["ok"] else [f"the file: {line}" for line in lines]


def _tokens(driver: sqlite3.Connection) -> list[str]:
    query = "SELECT id, hash, role, name, made, expires, used, checksum FROM tokens"
    try:
        return token_problems([tuple(map(_text, row)) for row in driver.execute(query)])
    except database.DRIVER_ERRORS as trouble:
        return [f"the tokens: SQLite says {str(trouble)!r}"]


def _snapshots(driver: sqlite3.Connection) -> list[str]:
    query = (
        "SELECT name, generation, part, number, fingerprint, state, checksum FROM snapshots AS found "
        "WHERE generation = (SELECT max(generation) FROM snapshots WHERE name = found.name AND part = 0) "
        "ORDER BY name, part"
    )
    try:
        rows = [
            (_text(name), generation, part, number, _text(fingerprint), state, _text(checksum))
            for name, generation, part, number, fingerprint, state, checksum in driver.execute(query)
        ]
    except database.DRIVER_ERRORS as trouble:
        return [f"the snapshots: SQLite says {str(trouble)!r}"]
    wrong = sum(newest(parts) is None for _, parts in groupby(rows, key=itemgetter(0)))
    return [f"the snapshots: {wrong} damaged, which count as none"] if wrong else []


def _side(driver: sqlite3.Connection) -> list[str]:
    """Return what is wrong with the tables of what can be erased."""
    problems: list[str] = []
    try:
        ((salt,),) = driver.execute("SELECT salt FROM erasure").fetchall() or ((b"",),)
        problems.extend(side_problems(salt, _contexts(driver), _users(driver), _checkpoints(driver)))
    except database.DRIVER_ERRORS as trouble:
        problems.append(f"the contexts, users and checkpoints: SQLite says {str(trouble)!r}")
    return problems


def _contexts(driver: sqlite3.Connection) -> Iterator[tuple[Any, Any]]:
    for hash, content in driver.execute("SELECT hash, content FROM contexts"):
        yield _text(hash), content


def _users(driver: sqlite3.Connection) -> Iterator[tuple[Any, Any, Any]]:
    for key, name, checksum in driver.execute("SELECT key, name, checksum FROM users"):
        yield _text(key), _text(name), _text(checksum)


def _checkpoints(driver: sqlite3.Connection) -> Iterator[tuple[Any, Any, Any]]:
    for number, state, checksum in driver.execute("SELECT number, state, checksum FROM checkpoints"):
        yield number, state, _text(checksum)


def _rows(driver: sqlite3.Connection) -> Iterator[tuple[int, str | None]]:
    """Yield the number of each row with what is wrong with it; where a page cannot be read, the next is tried."""
    after = 0
    while True:
        rows, trouble = _page(driver, after)
        yield from rows
        after = rows[-1][0] if rows else after
        if trouble is None and not rows:
            return
        if trouble is not None:
            following = _following(driver, after + 1)
            if following is None:
                return
            yield after + 1, trouble
            after = following - 1


def _page(driver: sqlite3.Connection, after: int) -> tuple[list[tuple[int, str | None]], str | None]:
    """Return the rows of a page, as far as they can be read, and what stopped it."""
    rows: list[tuple[int, str | None]] = []
    query = (
        "SELECT number, id, kind, time, content, version, checksum FROM events "
        "WHERE number > ? ORDER BY number LIMIT ?"
    )
    try:
        for row in driver.execute(query, (after, PAGE)):
            if not isinstance(row[0], int) or row[0] <= (rows[-1][0] if rows else after):
                return rows, "its number cannot be read"
            rows.append((row[0], _trouble(row)))
    except database.DRIVER_ERRORS as trouble:
        return rows, f"SQLite says {str(trouble)!r}"
    return rows, None


def _following(driver: sqlite3.Connection, number: int) -> int | None:
    """Return the number of the next row after an unreadable one, found by ever larger steps; None if there is none."""
    for step in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
        found = _scalar(driver, "SELECT min(number) FROM events WHERE number >= ?", number + step)
        if found is not None:
            return found
    return None


def _trouble(row: tuple[Any, ...]) -> str | None:
    *fields, checksum = map(_text, row)
    record = Record(*fields)
    if record.checksum() != checksum or not record.is_typed():
        return CHANGED_EVENT
    try:
        record.event()
    except Damaged:
        return "is no JSON object"
    return None


def _scalar(driver: sqlite3.Connection, query: str, *values: int) -> int | None:
    try:
        row = driver.execute(query, values).fetchone()
    except database.DRIVER_ERRORS:
        return None
    return row[0] if row and isinstance(row[0], int) else None


def _text(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
