"""The schema of a study in PostgreSQL: its tables, what keeps them as they are, and who writes them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, Table, Text, insert, text

from penchant.errors import CannotLoad, Damaged
from penchant.store import table
from penchant.store.postgres.address import PREFIX, PostgresAddress

SCHEMA = 1
_MARK = "a study of Penchant, schema "

metadata = MetaData()
# Who writes the study. A term begins when a session takes the lock, and a commit of an earlier term is rejected.
writers = Table(
    "writers",
    metadata,
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("term", BigInteger, nullable=False),
    Column("process", Text, nullable=False),
)

# The log keeps these promises by itself; the triggers keep other programs from breaking them by mistake.
_TRIGGERS = (
    """CREATE FUNCTION keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'events are never changed or deleted: append another'
            USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    """CREATE FUNCTION order_events() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM events) THEN
            RAISE EXCEPTION 'events have the next number' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$""",
    """CREATE TRIGGER events_are_never_changed BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION keep_events()""",
    """CREATE TRIGGER events_are_never_truncated BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION keep_events()""",
    """CREATE TRIGGER events_come_in_order BEFORE INSERT ON events
    FOR EACH ROW EXECUTE FUNCTION order_events()""",
)
_ERASABLE = (table.contexts, table.users, table.checkpoints, table.snapshots)


def make(connection: Connection, address: PostgresAddress) -> None:
    """Make the schema and the empty tables of a study, within the caller's transaction."""
    connection.execute(text(f'CREATE SCHEMA "{address.schema}"'))
    table.metadata.create_all(connection, checkfirst=False)
    metadata.create_all(connection, checkfirst=False)
    for statement in _TRIGGERS:
        connection.exec_driver_sql(statement)
    for erasable in _ERASABLE:  # the planner's samples of a column would outlive what is erased from it
        columns = ", ".join(f'ALTER COLUMN "{column.name}" SET STATISTICS 0' for column in erasable.columns)
        connection.execute(text(f'ALTER TABLE "{erasable.name}" {columns}'))
    connection.execute(insert(writers), [{"row": 1, "term": 0, "process": ""}])
    connection.execute(text(f"COMMENT ON SCHEMA \"{address.schema}\" IS '{_MARK}{SCHEMA}'"))
    table.start(connection)


def exists(connection: Connection, address: PostgresAddress) -> bool:
    """Return whether the schema is there."""
    query = text("SELECT count(*) FROM pg_namespace WHERE nspname = :name")
    return bool(connection.scalar(query, {"name": address.schema}))


def check(connection: Connection, address: PostgresAddress) -> None:
    """Report a schema that is not there, is of a newer version, or is not what Penchant makes."""
    query = text("SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = :name")
    rows = connection.execute(query, {"name": address.schema}).all()
    if not rows:
        found = studies(connection)
        has = f"the database has {', '.join(found)}" if found else "the database has none"
        raise CannotLoad(f"{address} must be a study, and {has}: correct the name, or create the study first")
    mark = rows[0][0] or ""
    if not mark.startswith(_MARK) or not mark.removeprefix(_MARK).isdecimal():
        raise CannotLoad(
            f"{address} must have been made by Penchant, and schema {address.schema} was not: choose another name"
        )
    if int(mark.removeprefix(_MARK)) > SCHEMA:
        raise CannotLoad(
            f"{address} must have schema {SCHEMA}, got {mark.removeprefix(_MARK)}: it was written by a newer version, "
            "upgrade Penchant to open it"
        )
    if definitions(connection, address) != _expected():
        raise Damaged(
            f"{address} must define the tables that Penchant makes, and does not: another program has changed them, "
            "restore a backup"
        )


def studies(connection: Connection) -> list[str]:
    """Return the names of the studies in the database."""
    query = text("SELECT nspname FROM pg_namespace WHERE obj_description(oid, 'pg_namespace') LIKE :mark")
    found = connection.scalars(query, {"mark": f"{_MARK}%"})
    return sorted(name.removeprefix(PREFIX) for name in found)


def definitions(connection: Connection, address: PostgresAddress) -> set[tuple[str, str]]:
    """Return the columns and triggers of the tables of a schema."""
    query = text(
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :name) AND c.relkind = 'r' "
        "AND a.attnum > 0 AND NOT a.attisdropped "
        "UNION ALL SELECT c.relname, 'trigger ' || t.tgname FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid "
        "WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :name) AND t.tgenabled <> 'D'"
    )
    return {(row[0], row[1]) for row in connection.execute(query, {"name": address.schema})}


def _expected() -> set[tuple[str, str]]:
    tables: list[Any] = [*table.metadata.sorted_tables, *metadata.sorted_tables]
    columns = {(each.name, column.name) for each in tables for column in each.columns}
    named = (statement.split()[2] for statement in _TRIGGERS if statement.startswith("CREATE TRIGGER"))
    return columns | {("events", f"trigger {name}") for name in named}


def lock_key(address: PostgresAddress) -> int:
    """Return the key of the advisory lock of a study: 64 bits of the hash of its schema."""
    digest = blake2b(f"penchant {address.schema}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
