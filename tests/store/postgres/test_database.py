"""Sessions, and what the driver reports as errors of a log."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from penchant.errors import CannotLoad, CannotStore, NoSpace, Unreachable
from penchant.store.postgres import database
from penchant.store.postgres.address import PostgresAddress
from tests.postgresql import Server

HERE = PostgresAddress.parse("postgresql://ann:secret@db.example/ranking?study=talks")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (psycopg.OperationalError("connection refused"), Unreachable),
        (psycopg.errors.AdminShutdown("terminating connection"), Unreachable),
        (psycopg.errors.DiskFull("could not extend file"), NoSpace),
        (psycopg.errors.InsufficientPrivilege("permission denied"), CannotStore),
        (psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT"), CannotStore),
    ],
)
def test_errors_of_the_driver_are_those_of_a_log(error: psycopg.Error, kind: type[Exception]) -> None:
    """A server that is gone can be tried again, a full disk is no space, and no message has the password."""
    error.args = (f"{error.args[0]} secret",)
    with pytest.raises(kind) as caught, database.writing(HERE):
        raise error
    assert type(caught.value) is kind
    assert "secret" not in str(caught.value)
    with pytest.raises(Unreachable if kind is Unreachable else CannotLoad), database.reading(HERE):
        raise error


@pytest.mark.needs("postgres")
def test_a_session_that_has_ended_is_not_quiet(postgres: Server, address: PostgresAddress) -> None:
    """Nothing waits to be read from one that rests; the server's farewell waits in one that it has ended."""
    with (
        closing(database.connect(address, write=False)) as driver,
        psycopg.connect(postgres.uri, autocommit=True) as other,
    ):
        assert database.is_quiet(driver)
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (driver.info.backend_pid,))
        assert not database.is_quiet(driver)
        driver.close()
        assert not database.is_quiet(driver)


@pytest.mark.needs("postgres")
def test_readers_cannot_write_and_replace_sessions_that_have_ended(
    postgres: Server, address: PostgresAddress
) -> None:
    """The next read of a pool whose session the server has ended finds another."""
    engine = database.readers(address)
    with engine.connect() as connection:
        ended = database.driver_of(connection).info.backend_pid
        with pytest.raises(Exception, match="read-only transaction"):
            connection.exec_driver_sql("CREATE TABLE public.x (y int)")
    with psycopg.connect(postgres.uri, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (ended,))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
        assert database.driver_of(connection).info.backend_pid != ended
    engine.dispose()
