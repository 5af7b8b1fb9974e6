"""What can be read of a damaged log in PostgreSQL."""

from __future__ import annotations

import pytest

from penchant.store import SideRows, TokenRow
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.inspection import inspect_tables
from penchant.store.postgres.log import PostgresLog
from tests.store.postgres.test_log import run

pytestmark = pytest.mark.needs("postgres")


def test_every_damage_is_named(address: PostgresAddress) -> None:
    """A sound log is sound; changed and missing events, tokens, contexts, users and checkpoints are listed."""
    with PostgresLog.create(address) as log:
        hash = log.side.hash(b"context")
        log.append_all(
            [(f"e{k}", "note", {}) for k in range(1, 6)], SideRows({hash: b"context"}, {"k": "ann"}, b"s")
        )
        log.tokens.add(TokenRow("t1", "hash", "judge", "ann", 1.0))
    found = inspect_tables(address)
    assert found.sound
    assert (found.expected, found.readable, found.path.name) == (5, ((1, 5),), address.name)
    run(
        address,
        "ALTER TABLE events DISABLE TRIGGER USER",
        "UPDATE events SET content = '[]' WHERE number = 2",
        "DELETE FROM events WHERE number IN (4, 5)",
        "UPDATE tokens SET role = 'owner'",
        "UPDATE contexts SET content = 'other'",
        "UPDATE users SET name = 'bob'",
        "UPDATE checkpoints SET state = 'other'",
    )
    found = inspect_tables(address)
    assert (found.expected, found.readable) == (5, ((1, 1), (3, 3)))
    for part in (
        "the definitions of tables",
        "event 2: does not match",
        "events 4–5: missing",
        "the tokens: 1 of 1",
        "the contexts: 1",
        "the users: 1",
        "the checkpoint",
    ):
        assert any(problem.startswith(part) for problem in found.problems), part
