"""Report what can still be read of a log that may be damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penchant.errors import CannotLoad, Damaged
from penchant.store import sqlite_file, sqlite_schema
from penchant.store.lock import is_held
from penchant.store.sqlite_wal import unread_commits
from penchant.store.table import PAGE, Record, digest

_MOST = 20  # problems of one kind that are listed


@dataclass(frozen=True)
class Inspection:
    """What a log's file holds.

    Attributes
    ----------
    path : Path
    expected : int or None
        How many events there should be; None where even that cannot be read.
    readable : tuple of (int, int)
        The first and last number of each run of events that match their checksums.
    problems : tuple of str
        What is wrong, with its place; empty for a sound file.
    """

    path: Path
    expected: int | None
    readable: tuple[tuple[int, int], ...]
    problems: tuple[str, ...]

    @property
    def n_readable(self) -> int:
        """How many events can be read."""
        return sum(last - first + 1 for first, last in self.readable)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        total = "an unknown number of" if self.expected is None else f"{self.expected:,}"
        if self.sound:
            return f"sound: all {total} events match their checksums"
        runs = ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in self.readable)
        found = f"{self.n_readable:,} of {total} events can be read" + (f" (numbers {runs})" if runs else "")
        return f"damaged: {found}"


def inspect(path: str | Path) -> Inspection:
    """Read all of a log that can be read, and report the rest.

    Parameters
    ----------
    path : str or Path
        A log of the current schema; one that is being written may be inspected too.
    """
    path = Path(path).resolve()
    if not path.is_file():
        raise CannotLoad(f"{path} must be a file, there is none: correct the path")
    if sqlite_file.schema_of(path) != sqlite_schema.SCHEMA:
        raise CannotLoad(
            f"{path} must have schema {sqlite_schema.SCHEMA} to be inspected, got an older one: "
            "open it once for writing"
        )
    problems: list[str] = []
    with closing(sqlite_file.connect(path, "ro")) as driver:
        driver.text_factory = bytes  # damaged text need not be UTF-8
        problems += _wal(path, driver)
        problems += _pages(driver)
        problems += _tokens(driver)
        expected = _scalar(driver, "SELECT number FROM tail")
        last = _scalar(driver, "SELECT max(number) FROM events")
        most = max(expected or 0, last or 0)
        readable: list[int] = []
        for number, trouble in _events(driver, most):
            if trouble is None:
                readable.append(number)
            elif len(problems) < 2 * _MOST:
                problems.append(f"event {number}: {trouble}")
    if expected is not None and most > expected:
        problems.append(f"the count of events: {expected} recorded, {most} there")
    return Inspection(path, expected, _runs(readable), tuple(problems))


def _wal(path: Path, driver: sqlite3.Connection) -> list[str]:
    if is_held(path):
        return []
    page_size = _scalar(driver, "PRAGMA page_size")
    unread = unread_commits(sqlite_file.beside(path, "-wal"), page_size or 4096)
    return [f"the write-ahead log: {unread} transactions at its end cannot be read"] if unread else []


def _pages(driver: sqlite3.Connection) -> list[str]:
    try:
        if {tuple(map(_text, row)) for row in sqlite_schema.definitions(driver)} != sqlite_schema.expected():
            return ["the definitions of tables: not those that Penchant makes"]
        found = [_text(row[0]) for row in driver.execute(f"PRAGMA integrity_check({_MOST})")]
    except sqlite_file.DRIVER_ERRORS as trouble:
        return [f"the file: SQLite says {str(trouble)!r}"]
    return [] if found == ["ok"] else [f"the file: {line}" for line in found]


def _tokens(driver: sqlite3.Connection) -> list[str]:
    query = "SELECT id, hash, role, name, made, expires, used, checksum FROM tokens"
    try:
        rows = [tuple(map(_text, row)) for row in driver.execute(query)]
    except sqlite_file.DRIVER_ERRORS as trouble:
        return [f"the tokens: SQLite says {str(trouble)!r}"]
    wrong = sum(digest(*row[:-1]) != row[-1] for row in rows)
    return [f"the tokens: {wrong} of {len(rows)} do not match their checksums"] if wrong else []


def _events(driver: sqlite3.Connection, most: int) -> Iterator[tuple[int, str | None]]:
    """Yield each number up to ``most`` with what is wrong with its event; pages are read row by row if they fail."""
    for first in range(1, most + 1, PAGE):
        numbers = range(first, min(first + PAGE, most + 1))
        try:
            rows = {row[0]: row for row in _rows(driver, numbers)}
        except (*sqlite_file.DRIVER_ERRORS, Damaged):
            rows = None
        for number in numbers:
            yield number, _trouble(driver, number, rows)


def _rows(driver: sqlite3.Connection, numbers: range) -> Iterator[tuple[Any, ...]]:
    return driver.execute(
        "SELECT number, id, kind, time, content, version, checksum FROM events WHERE number BETWEEN ? AND ?",
        (numbers[0], numbers[-1]),
    )


def _trouble(driver: sqlite3.Connection, number: int, rows: dict[Any, tuple[Any, ...]] | None) -> str | None:
    if rows is None:
        try:
            rows = {row[0]: row for row in _rows(driver, range(number, number + 1))}
        except sqlite_file.DRIVER_ERRORS as trouble:
            return f"SQLite says {str(trouble)!r}"
    if number not in rows:
        return "missing"
    *fields, checksum = map(_text, rows[number])
    record = Record(*fields)
    if record.checksum() != checksum:
        return "does not match its checksum"
    try:
        record.event()
    except Damaged:
        return "is no JSON object"
    return None


def _scalar(driver: sqlite3.Connection, query: str) -> int | None:
    try:
        row = driver.execute(query).fetchone()
    except sqlite_file.DRIVER_ERRORS:
        return None
    return row[0] if row and isinstance(row[0], int) else None


def _text(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _runs(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    """Return ascending numbers as runs.

    Examples
    --------
    >>> _runs([1, 2, 3, 7, 9, 10])
    ((1, 3), (7, 7), (9, 10))
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs)
