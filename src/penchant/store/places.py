"""Where a study lies: in a file, or at an address of a database; each is made, opened and copied by its own store."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from penchant.errors import InvalidInput
from penchant.store.committer import Clock
from penchant.store.entry import DatedEvent, NewEvent
from penchant.store.inspection import Inspection
from penchant.store.log import EventLog
from penchant.store.postgres.address import SCHEMES, PostgresAddress
from penchant.store.side import SideRows
from penchant.store.sqlite.inspection import inspect_file
from penchant.store.sqlite.log import SQLiteLog

if TYPE_CHECKING:
    from penchant.store.postgres.log import PostgresLog

Place = Path | PostgresAddress
_ADDRESS = re.compile(rf"({'|'.join(SCHEMES)})(\+\w+)?:/", re.IGNORECASE)


def located(place: str | Path | PostgresAddress) -> Place:
    """Return the file or the address that a text names.

    Examples
    --------
    >>> located("postgresql://db.example/ranking?study=talks").name, located("talks.db").name
    ('talks', 'talks.db')
    """
    if isinstance(place, str) and "://" in place:  # of another scheme too: as a file it would be shown
        return PostgresAddress.parse(place)
    if isinstance(place, Path) and _ADDRESS.match(str(place)):
        raise InvalidInput.of("the address of a study", "be text", "a Path", "give it as a str")
    return place if isinstance(place, PostgresAddress) else Path(place)


def create_log(
    place: str | Path | PostgresAddress,
    entries: Iterable[NewEvent | DatedEvent] = (),
    side: SideRows | None = None,
    *,
    salt: bytes | None = None,
    clock: Clock = time.time,
) -> EventLog:
    """Make a new log and open it for writing: see `SQLiteLog.create`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> with create_log(place, [("e1", "answer", {"choice": "left"})]) as events:
    ...     events.last()
    1
    """
    found = located(place)
    if isinstance(found, PostgresAddress):
        return postgres_log().create(found, entries, side, salt=salt, clock=clock)
    return SQLiteLog.create(found, entries, side, salt=salt, clock=clock)


def open_log(
    place: str | Path | PostgresAddress,
    *,
    write: bool = True,
    standby: bool = False,
    clock: Clock = time.time,
) -> EventLog:
    """Open a log: see `SQLiteLog.open`; with ``standby``, as `PostgresLog.open` does.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> create_log(place, [("e1", "answer", {"choice": "left"})]).close()
    >>> with open_log(place, write=False) as events:
    ...     [event.id for event in events.events()]
    ['e1']
    """
    found = located(place)
    if isinstance(found, PostgresAddress):
        return postgres_log().open(found, write=write, standby=standby, clock=clock)
    if standby:
        raise InvalidInput.of(
            "standby",
            "be of a study in PostgreSQL",
            str(found),
            "copy the study there with penchant restore, or open it without standby",
        )
    return SQLiteLog.open(found, write=write, clock=clock)


def exists(place: str | Path | PostgresAddress) -> bool:
    """Return whether a log, or something else in its place, is there.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> exists(place)
    False
    >>> create_log(place).close()
    >>> exists(place)
    True
    """
    found = located(place)
    if isinstance(found, PostgresAddress):
        return postgres_log().exists(found)
    return found.exists()


def inspect(place: str | Path | PostgresAddress) -> Inspection:
    """Read all of a log that can be read, and report the rest.

    Parameters
    ----------
    place : str, Path or PostgresAddress
        A log that another process may be writing.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> create_log(place, [("e1", "answer", {"choice": "left"})]).close()
    >>> inspect(place).readable, inspect(place).problems
    (((1, 1),), ())
    """
    found = located(place)
    if not isinstance(found, PostgresAddress):
        return inspect_file(found)
    postgres_log()
    from penchant.store.postgres.inspection import inspect_tables

    return inspect_tables(found)


def postgres_log() -> type[PostgresLog]:
    """Return the store of addresses, which needs a driver."""
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError:
        raise InvalidInput(
            "studies in PostgreSQL need psycopg, which is not installed: pip install 'penchant[postgres]'"
        ) from None
    from penchant.store.postgres.log import PostgresLog

    return PostgresLog
