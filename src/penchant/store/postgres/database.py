"""Connections to a PostgreSQL database, and what its driver reports as the errors of a log."""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

import psycopg
from psycopg import errors as driver_errors
from sqlalchemy import Connection, Engine, NullPool, QueuePool, create_engine, event
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError

from penchant.errors import CannotLoad, CannotStore, InvalidInput, NoSpace, PenchantError, Unreachable
from penchant.store.postgres.address import PostgresAddress

Driver = psycopg.Connection[Any]

PATIENCE = 5
"""Seconds to wait for a server that does not answer."""
_ALIVE = {"keepalives_idle": 1, "keepalives_interval": 1, "keepalives_count": 2}
"""Seconds and probes after which either side notices that the other computer is gone."""
_UNANSWERED = {"tcp_user_timeout": 3000}
"""Milliseconds after which it notices that where something was sent and not acknowledged: there are no probes then."""
_SERVER_ALIVE = (
    "".join(f"SET tcp_{name} = {value};" for name, value in _ALIVE.items()),
    *(f"SET {name} = {value}" for name, value in _UNANSWERED.items()),
)
_DURABLE = ("on", "remote_apply")
_LOST = (driver_errors.OperationalError, driver_errors.InterfaceError)
DRIVER_ERRORS = (psycopg.Error, SQLAlchemyError)


def connect(address: PostgresAddress, *, write: bool) -> Driver:
    """Open a session in which names are those of the study's schema; transactions are for the caller."""
    try:
        settings = psycopg.conninfo.conninfo_to_dict(address.uri)
    except psycopg.Error:  # its message quotes the address
        raise InvalidInput(
            f"{address} must be an address as PostgreSQL takes them, and is none: correct it"
        ) from None
    usual: dict[str, Any] = (
        {"connect_timeout": PATIENCE, "application_name": "penchant"} | _ALIVE | _UNANSWERED
    )
    driver = psycopg.connect(**{**usual, **settings}, autocommit=True)
    try:
        driver.execute(
            f'SET search_path = "{address.schema}"; SET default_transaction_isolation = "read committed"'
        )
        if write:
            _make_durable(driver)
        else:
            driver.execute("SET default_transaction_read_only = on")
    except BaseException:
        driver.close()
        raise
    driver.autocommit = not write
    return driver


def _make_durable(driver: Driver) -> None:
    """Let a commit return when it is on disk, whatever the server's default is."""
    (found,) = _row(driver.execute("SHOW synchronous_commit"))
    if found not in _DURABLE:
        driver.execute("SET synchronous_commit = on")
    for statements in _SERVER_ALIVE:
        with suppress(psycopg.Error):  # not on every platform, and not over a socket of the file system
            driver.execute(statements)


def _row(cursor: psycopg.Cursor[Any]) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", cursor.fetchone())


def readers(address: PostgresAddress) -> Engine:
    """Return an engine of sessions that cannot write, as many as there are readers; one that has ended is replaced."""
    engine = _engine(lambda: connect(address, write=False), poolclass=QueuePool, max_overflow=-1)

    def check(driver: Any, *_: object) -> None:
        if not is_quiet(driver):
            raise DisconnectionError

    event.listen(engine, "checkout", check)
    return engine


@contextmanager
def reader_of_one_moment(address: PostgresAddress) -> Iterator[Connection]:
    """Give a session of its own in one transaction, all of whose reads are of one moment."""
    with _engine(lambda: connect(address, write=False), poolclass=NullPool).connect() as connection:
        driver = driver_of(connection)
        driver.autocommit = False
        driver.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        yield connection


def writer(address: PostgresAddress) -> Connection:
    """Return a session that writes; each commit of it is on disk when it returns.

    It is this one session and no other: SQLAlchemy connects anew where it finds that a session has ended, and the new
    one would not hold the lock of the old.
    """
    driver = connect(address, write=True)
    sessions = [driver]

    def once() -> Driver:
        if not sessions:
            raise psycopg.OperationalError("the session has ended")
        return sessions.pop()

    try:
        return _engine(once, poolclass=NullPool).connect()
    except BaseException:
        driver.close()
        raise


def _engine(creator: Any, **pool: Any) -> Engine:
    return create_engine(
        "postgresql+psycopg://", creator=creator, hide_parameters=True, use_native_hstore=False, **pool
    )


def driver_of(connection: Connection) -> Driver:
    """Return the driver's own connection."""
    return cast("Driver", connection.connection.driver_connection)


def is_quiet(driver: Driver) -> bool:
    """Return whether nothing waits to be read from a session in which nothing runs: the server has not ended it."""
    if driver.closed:
        return False
    poll = select.poll()
    poll.register(driver.fileno(), select.POLLIN)
    return not poll.poll(0)


class Transaction:
    """A transaction that SQLAlchemy need not know of: it runs statements of the driver alone."""

    __slots__ = ("_driver",)

    def __init__(self, connection: Connection) -> None:
        self._driver = driver_of(connection)

    def __enter__(self) -> None:
        """Begin nothing: the driver begins with the first statement."""

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self._driver.commit()
        else:
            with suppress(psycopg.Error):  # of a session that has ended: what went wrong is being raised
                self._driver.rollback()


def is_full(error: BaseException) -> bool:
    """Return whether an exception means that the disk of the server is full."""
    return getattr(error, "sqlstate", None) == driver_errors.DiskFull.sqlstate


def reason(address: PostgresAddress, error: BaseException) -> str:
    """Return the first line of what the driver reports, which may quote rows below it."""
    cause = getattr(error, "orig", None) or error
    found = (
        getattr(getattr(cause, "diag", None), "message_primary", None) or str(cause) or type(cause).__name__
    )
    return address.without_secrets(found.strip().partition("\n")[0][:200])


def is_lost(error: BaseException) -> bool:
    """Return whether an exception means that the server cannot be reached, or has ended the session."""
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None)
    return isinstance(cause, _LOST) and (state is None or state[:2] in ("08", "57"))


@contextmanager
def reading(address: PostgresAddress) -> Iterator[None]:
    """Turn what the driver reports while a log is read into `Unreachable` or `CannotLoad`."""
    try:
        yield
    except DRIVER_ERRORS as error:
        why = reason(address, error)
        if is_lost(error):
            raise Unreachable(
                f"{address} must be reachable, and PostgreSQL says {why!r}: see whether the server runs, and try again"
            ) from None
        raise CannotLoad(
            f"{address} must be readable, and PostgreSQL says {why!r}: check the address and the rights of the role"
        ) from None


@contextmanager
def writing(address: PostgresAddress) -> Iterator[None]:
    """Turn what the driver reports while something is written into `Unreachable`, `NoSpace` or `CannotStore`."""
    try:
        yield
    except PenchantError:
        raise
    except DRIVER_ERRORS as error:
        cause, why = getattr(error, "orig", None) or error, reason(address, error)
        if is_lost(error):
            raise Unreachable(
                f"{address} must be reachable, and PostgreSQL says {why!r}: see whether the server runs, and try again"
            ) from None
        kind = NoSpace if is_full(cause) else CannotStore
        raise kind(
            f"{address} must be writable, and PostgreSQL says {why!r}: free space on its disk, or give the role the "
            "rights"
        ) from None
