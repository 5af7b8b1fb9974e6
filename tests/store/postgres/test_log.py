"""Logs in PostgreSQL: who may write, what is rejected, and what is reported of a server that fails."""

from __future__ import annotations

import logging
import os
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest

from penchant.errors import (
    CannotLoad,
    CannotStore,
    Closed,
    Damaged,
    InvalidInput,
    Locked,
    NoSpace,
    PenchantWarning,
    Unreachable,
)
from penchant.store import SideRows
from penchant.store.postgres import database, log
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.log import PostgresLog
from penchant.store.postgres.schema import lock_key
from penchant.store.table import Record
from tests.postgresql import PASSWORD, Server

pytestmark = pytest.mark.needs("postgres")


def run(address: PostgresAddress, *statements: str) -> list[tuple[object, ...]]:
    """Run statements as another program would, and return the rows of the last."""
    with closing(database.connect(address, write=True)) as driver:
        driver.autocommit = True
        for statement in statements:
            cursor = driver.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_one_process_writes_at_a_time(address: PostgresAddress) -> None:
    """A second writer is rejected with who writes; after closing, the next one may."""
    with PostgresLog.create(address) as first:
        with pytest.raises(
            Locked, match=rf"process {os.getpid()} on .* has been writing it since .* UTC: stop"
        ):
            PostgresLog.open(address)
        first.append("e1", "note", {})
    with PostgresLog.open(address) as second:
        assert second.append("e2", "note", {}).event.number == 2


def test_several_studies_share_a_database(address: PostgresAddress) -> None:
    """Each has events, tokens and a lock of its own; a name that is taken, or free, is reported."""
    other = address.other(f"{address.name}_b")
    with PostgresLog.create(address) as first, PostgresLog.create(other) as second:
        first.append("e1", "note", {})
        assert (first.last(), second.last()) == (1, 0)
        with pytest.raises(Locked):
            PostgresLog.create(address)
    with pytest.raises(InvalidInput, match="must not exist yet"):
        PostgresLog.create(address)
    with pytest.raises(CannotLoad, match=f"{address.name}.*: correct the name, or create"):
        PostgresLog.open(address.other("nobody"), write=False)


def test_a_session_that_the_server_ended_is_noticed(address: PostgresAddress) -> None:
    """The log is no writer any more; the next append takes the lock again, and what was committed is there."""
    with PostgresLog.create(address) as found:
        found.append("e1", "note", {})
        term = found.term
        run(
            address,
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND "
            f"(classid::bigint << 32 | objid::bigint) = {lock_key(address)}",
        )
        assert not found.is_writer
        assert found.last() == 1
        assert found.append("e2", "note", {}).event.number == 2
        assert found.term == term + 1
        assert found.problem() is None


def test_a_writer_whose_lock_was_lost_cannot_append(address: PostgresAddress) -> None:
    """Where another process has begun a term, a commit fails, also where nothing has ended the session."""
    with PostgresLog.create(address) as found:
        found.append("e1", "note", {})
        run(address, "UPDATE writers SET term = term + 1")
        with pytest.raises(CannotStore, match="another process has begun to write"):
            found.append("e2", "note", {})
        assert found.last() == 1
        assert found.append("e2", "note", {}).new, "it takes the lock again where nobody holds it"


def test_a_full_disk_of_the_server_is_no_space(address: PostgresAddress) -> None:
    """PostgreSQL's 53100 raises `NoSpace`, and once there is room the log goes on."""
    with PostgresLog.create(address) as found:
        run(
            address,
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$",
            "CREATE TRIGGER full_disk BEFORE INSERT ON users EXECUTE FUNCTION full_disk()",
        )
        with pytest.raises(
            NoSpace, match=r"could not extend file.*then append what was not acknowledged again"
        ):
            found.append_all([("e1", "note", {})], SideRows(users={"k": "ann"}))
        run(address, "DROP TRIGGER full_disk ON users")
        assert found.problem() is None
        assert found.append("e1", "note", {}).new


def test_other_programs_cannot_change_events(address: PostgresAddress) -> None:
    """Changing, deleting and truncating are rejected, and so is a number that is not the next."""
    with PostgresLog.create(address) as found:
        found.append("e1", "note", {})
        for statement in (
            "UPDATE events SET kind = 'x'",
            "DELETE FROM events",
            "TRUNCATE events",
            "INSERT INTO events VALUES (3, 'e3', 'note', 1, 0, '{}', '')",
        ):
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
                run(address, statement)


def test_damage_is_reported(address: PostgresAddress) -> None:
    """A changed event, a lost one and changed tables are reported as `Damaged`, and never returned."""
    with PostgresLog.create(address) as found:
        found.append_all([("e1", "note", {}), ("e2", "note", {})])
    off = "ALTER TABLE events DISABLE TRIGGER USER"
    run(address, off, "UPDATE events SET kind = 'memo' WHERE number = 1", off.replace("DISABLE", "ENABLE"))
    with PostgresLog.open(address, write=False) as found, pytest.raises(Damaged, match="event 1 must match"):
        list(found.events())
    run(address, off, "DELETE FROM events WHERE number = 2", off.replace("DISABLE", "ENABLE"))
    with pytest.raises(Damaged, match="must hold 2 events, got 1"):
        PostgresLog.open(address)
    run(address, off)
    with pytest.raises(Damaged, match="must define the tables"):
        PostgresLog.open(address)


def test_commits_wait_for_the_disk_whatever_the_default_is(address: PostgresAddress) -> None:
    """A session whose default is off is set to on."""
    careless = replace(address, uri=f"{address.uri}&options=-csynchronous_commit%3Doff")
    assert run(careless, "SHOW synchronous_commit") == [("on",)]


def test_no_message_has_the_password(
    postgres: Server, address: PostgresAddress, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever fails: a wrong role, a wrong password, an address that cannot be read, a server that is not there."""
    assert PASSWORD in address.uri
    caplog.set_level(logging.DEBUG)
    folder = str(postgres.folder)
    texts = [
        postgres.uri.replace("tester:", "stranger:"),
        postgres.uri.replace(PASSWORD, f"{PASSWORD}-wrong"),
        postgres.uri.replace("/postgres?", f"/{'nowhere'}?"),
        postgres.uri.replace(folder, "/nowhere"),
        f"{postgres.uri}&no_such_setting={PASSWORD}",
        f"{postgres.uri}&port={PASSWORD}",
    ]
    messages = []
    for text in texts:
        with pytest.raises((Unreachable, CannotLoad, CannotStore, InvalidInput)) as caught:
            PostgresLog.open(text)
        messages += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
    with PostgresLog.create(address) as found:
        messages += [repr(found), repr(vars(found)), str(found.address), repr(found._session)]
    assert not [message for message in messages if PASSWORD in message]
    assert PASSWORD not in caplog.text


def test_a_closed_log_and_a_reader_say_so(address: PostgresAddress) -> None:
    """A reader cannot append but can change tokens; a closed log raises `Closed`."""
    PostgresLog.create(address).close()
    found = PostgresLog.open(address, write=False)
    assert not found.is_writer
    assert found.problem() == f"study {address.name} is open for reading"
    found.close()
    with pytest.raises(Closed):
        found.last()


def test_large_contexts_are_rejected_before_they_are_sent(
    address: PostgresAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL could not send them back."""
    with PostgresLog.create(address) as found:
        monkeypatch.setattr(log, "LARGEST", 3)
        with pytest.raises(InvalidInput, match="at most 3 bytes in PostgreSQL, got 4 bytes"):
            found.append_all([("e1", "note", {})], SideRows({"h": b"four"}))
        assert found.last() == 0


def test_events_are_as_they_were_written(address: PostgresAddress) -> None:
    """Numbers of 64 bits and times keep every digit, so that checksums match."""
    with PostgresLog.create(address, [("e1", "note", {"x": 0.1}, 2**63 - 1, 1700000000.123457)]) as found:
        (event,) = found.events()
        assert (event.version, event.time) == (2**63 - 1, 1700000000.123457)
        assert Record(1, "e1", "note", event.time, '{"x":0.1}', event.version).checksum()


def test_a_server_that_does_not_sync_is_warned_of(
    address: PostgresAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it acknowledges can be lost."""
    monkeypatch.setattr(log, "_DURABLE_SETTINGS", ("fsync", "zero_damaged_pages"))
    with pytest.warns(
        PenchantWarning, match="has zero_damaged_pages switched off: what it acknowledges can be lost"
    ):
        PostgresLog.create(address).close()
