"""Statements that are compiled once for each database."""

from __future__ import annotations

import pytest
from sqlalchemy import ClauseElement, Connection, bindparam, create_engine, insert, select
from sqlalchemy.dialects import postgresql

from penchant.store import table
from penchant.store.statement import Statement


@pytest.fixture
def connection() -> Connection:
    connection = create_engine("sqlite://").connect()
    table.metadata.create_all(connection)
    return connection


def test_rows_are_inserted_and_selected_by_the_driver(connection: Connection) -> None:
    """One row and many are inserted, and values go to the parameters of their names, in any order."""
    adding = Statement(insert(table.tail), ["number", "row"])
    adding.run(connection, (10, 1))
    adding.run_all(connection, [(20, 2), (30, 3)])
    where: list[ClauseElement] = [
        table.tail.c.number > bindparam("low"),
        table.tail.c.number < bindparam("high"),
    ]
    found = Statement(select(table.tail.c.row).where(*where), ["high", "low"]).run(connection, (30, 10))  # type: ignore[arg-type]
    assert found.fetchall() == [(2,)]


def test_a_driver_that_names_its_parameters_gets_a_mapping() -> None:
    """PostgreSQL's text has names in place of question marks."""
    statement = Statement(select(table.tail).where(table.tail.c.number == bindparam("last")), ["last"])
    text, conversion = statement.compiled(postgresql.dialect())  # type: ignore[no-untyped-call]
    assert "%(last)s" in text
    assert conversion((7,)) == {"last": 7}
