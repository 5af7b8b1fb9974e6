"""The session of the lock: taken once, given back, and lost with its connection."""

from __future__ import annotations

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from penchant.errors import CannotStore, Unreachable
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.log import PostgresLog
from penchant.store.postgres.session import Session

pytestmark = pytest.mark.needs("postgres")


@pytest.fixture
def made(address: PostgresAddress) -> PostgresAddress:
    PostgresLog.create(address).close()
    return address


def test_one_session_holds_the_lock(made: PostgresAddress) -> None:
    """A second gets it when the first gives it back; each begins the next term."""
    first, second = Session(made), Session(made)
    assert first.acquire()
    assert not second.acquire()
    assert (first.holds(), second.holds()) == (True, False)
    assert "has been writing it since" in str(second.locked())
    term = first.term
    first.close()
    assert second.acquire()
    assert second.term == term + 1
    second.close()
    assert not second.holds()


def test_a_lost_session_frees_the_lock(made: PostgresAddress) -> None:
    """Whatever ends the connection ends the right to write."""
    first, second = Session(made), Session(made)
    assert first.acquire()
    first.lose()
    assert second.acquire(2.0)
    with second.connected().begin():
        second.check_term(second.connected())
        second.term -= 1
        with pytest.raises(CannotStore, match="another process has begun"):
            second.check_term(second.connected())
    assert not second.holds()
    second.close()


def test_a_session_is_never_replaced_by_another(made: PostgresAddress) -> None:
    """Where SQLAlchemy has found that it ended, it does not go on in a new one, which would not hold the lock."""
    first, second = Session(made), Session(made)
    assert first.acquire()
    connection = first.connected()
    connection.invalidate()
    with pytest.raises((psycopg.OperationalError, OperationalError), match="the session has ended"):
        _ = connection.connection
    assert not first.holds()
    assert (first.term, second.acquire(2.0)) == (0, True)
    assert not first.acquire()
    second.close()
    first.close()


def test_a_server_that_is_not_there_is_unreachable(made: PostgresAddress) -> None:
    """The error is in words, and the session can be used again."""
    session = Session(PostgresAddress.parse("postgresql://ann:secret@/x?host=/nowhere&study=a"))
    for _ in range(2):
        with pytest.raises(Unreachable, match="must be reachable"):
            session.acquire()
    assert not session.holds()
