"""The schema of a study: what it is recognised by."""

from __future__ import annotations

import pytest

from penchant.errors import CannotLoad
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.log import PostgresLog
from penchant.store.postgres.schema import lock_key
from tests.store.postgres.test_log import run


def test_each_study_has_a_lock_of_its_own() -> None:
    """The key is one of 64 bits with sign, and depends on the name alone."""
    first = PostgresAddress.parse("postgresql://a/x?study=one")
    keys = {lock_key(first), lock_key(first.other("two"))}
    assert len(keys) == 2
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert lock_key(first) == lock_key(PostgresAddress.parse("postgresql://b/y?study=one"))


@pytest.mark.needs("postgres")
def test_other_schemas_and_newer_versions_are_rejected(address: PostgresAddress) -> None:
    """One that Penchant did not make, and one that a later Penchant made."""
    run(address, f"CREATE SCHEMA {address.schema}")
    with pytest.raises(CannotLoad, match="must have been made by Penchant"):
        PostgresLog.open(address)
    newer = address.other(f"{address.name}_newer")
    PostgresLog.create(newer).close()
    run(newer, f"COMMENT ON SCHEMA {newer.schema} IS 'a study of Penchant, schema 2'")
    with pytest.raises(CannotLoad, match=r"must have schema 1, got 2.*upgrade Penchant"):
        PostgresLog.open(newer, write=False)


@pytest.mark.needs("postgres")
def test_no_samples_are_taken_of_what_can_be_erased(address: PostgresAddress) -> None:
    """After ANALYZE, the planner's statistics hold nothing of users and contexts, and something of events."""
    with PostgresLog.create(address) as log:
        log.append_all([(f"e{k}", "note", {}) for k in range(3)])
    run(address, "INSERT INTO users VALUES ('k', 'ann', ''), ('l', 'bob', '')")
    run(address, "ANALYZE users", "ANALYZE events")
    query = f"SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = '{address.schema}'"
    assert run(address, query) == [("events",)]
