"""Copies of logs into PostgreSQL: a schema that is filled in one transaction, and perhaps replaces another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, select, text

from penchant.errors import Argument, InvalidInput, Text
from penchant.store import table
from penchant.store.postgres import schema
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.committer import PATIENCE
from penchant.store.postgres.session import Session
from penchant.store.tokens import TokenRow, replace_all

_LONGEST = 38  # characters of a name before the ending of one that was replaced


def fill_schema(
    address: PostgresAddress, copy: Callable[[Connection], None], *, replace: bool = False, keep: bool = False
) -> None:
    """Make a study whose tables ``copy`` fills; it is there whole or not at all.

    Parameters
    ----------
    address : PostgresAddress
        Where no study is yet, unless with ``replace``.
    copy : callable
        Fills empty tables, within a transaction.
    replace : bool, default False
        Whether a study that is there may be replaced.
    keep : bool, default False
        Whether one that is replaced is kept as ``NAME_replaced``, and its tokens are those of the new one.
    """
    session = Session(address)
    try:
        if not session.lock(PATIENCE):
            raise session.locked()
        with session.kept_or_lost():
            connection = session.connected()
            with connection.begin():
                tokens = _make_room(connection, address, replace=replace, keep=keep)
                schema.make(connection, address)
                copy(connection)
                replace_all(connection, tokens)
    finally:
        session.close()


def _make_room(
    connection: Connection, address: PostgresAddress, *, replace: bool, keep: bool
) -> Sequence[TokenRow] | None:
    """Put away the study that is there, and return its tokens where they are to be kept."""
    if not schema.exists(connection, address):
        return None
    if not replace:
        remedy = Text("choose another name, or give ", Argument("replace", True))
        raise InvalidInput.of(str(address), "not exist yet", "a study", remedy)
    schema.check(connection, address)
    if not keep:
        connection.execute(text(f'DROP SCHEMA "{address.schema}" CASCADE'))
        return None
    columns = [table.tokens.c[name] for name in (*TokenRow.__dataclass_fields__, "checksum")]
    tokens = [TokenRow.of_values(row) for row in connection.execute(select(*columns))]
    kept = _free_name(connection, address)
    connection.execute(text(f'ALTER SCHEMA "{address.schema}" RENAME TO "{kept.schema}"'))
    return tokens


def _free_name(connection: Connection, address: PostgresAddress) -> PostgresAddress:
    number = 1
    while True:
        kept = address.other(f"{address.name[:_LONGEST]}_replaced{'' if number == 1 else f'_{number}'}")
        if not schema.exists(connection, kept):
            return kept
        number += 1
