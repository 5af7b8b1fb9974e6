"""Copies of a log between files and databases: every row of every table, as it was at one moment."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from penchant.errors import InvalidInput
from penchant.store import table
from penchant.store.log import EventLog
from penchant.store.places import located, open_log, postgres_log
from penchant.store.postgres.address import PostgresAddress
from penchant.store.sqlite.log import SQLiteLog

_AT_ONCE = 500  # rows


def back_up(log: EventLog, target: str | Path | PostgresAddress, *, replace: bool = False) -> None:
    """Copy a log, tokens and snapshots included, while it is used; the copy appears whole or not at all.

    Parameters
    ----------
    log : EventLog
    target : str, Path or PostgresAddress
        Where the copy is to be.
    replace : bool, default False
        Whether what is there may be replaced.
    """
    place = located(target)
    if isinstance(log, SQLiteLog) and isinstance(place, Path):
        log.backup(place, replace=replace)
    else:
        _copy(log, place, replace=replace, keep=False)


def restore(
    source: str | Path | PostgresAddress, target: str | Path | PostgresAddress, *, replace: bool = False
) -> None:
    """Put the log of a backup elsewhere, after reading all of it; what it replaces is kept beside it.

    The tokens of a log that is replaced stay as they are now: see `SQLiteLog.restore`.

    Parameters
    ----------
    source : str, Path or PostgresAddress
        The backup, which stays as it is.
    target : str, Path or PostgresAddress
        Where the log is to be.
    replace : bool, default False
        Whether a log that is there may be replaced.
    """
    backup, place = located(source), located(target)
    if isinstance(backup, Path) and isinstance(place, Path):
        SQLiteLog.restore(backup, place, replace=replace)
        return
    with open_log(backup, write=False) as log:
        for _ in log.events():  # every checksum
            pass
        _copy(log, place, replace=replace, keep=True)


def _copy(log: EventLog, place: Path | PostgresAddress, *, replace: bool, keep: bool) -> None:
    if log.place == str(place):
        raise InvalidInput(f"{place} must be another place than that of the log: choose another name")
    with log.at_one_moment() as source:
        if isinstance(place, PostgresAddress):
            postgres_log()
            from penchant.store.postgres.copies import fill_schema

            fill_schema(place, lambda target: copy_rows(source, target), replace=replace, keep=keep)
        else:
            SQLiteLog.fill(place, lambda target: copy_rows(source, target), replace=replace, keep=keep)


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy the rows of every table, within the transactions of the caller, to tables that were just made."""
    for each in table.metadata.sorted_tables:
        target.execute(delete(each))
        query = select(each).order_by(*each.primary_key.columns)
        rows = source.execution_options(yield_per=_AT_ONCE).execute(query)
        for part in rows.mappings().partitions():
            target.execute(insert(each), [dict(row) for row in part])
    target.execute(update(table.erasure).values(pending=0))
