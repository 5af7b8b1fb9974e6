"""A schema that is filled whole or not at all."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from penchant.errors import CannotLoad, InvalidInput
from penchant.store import exists
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.copies import fill_schema
from penchant.store.postgres.log import PostgresLog
from tests.store.postgres.test_log import run

pytestmark = pytest.mark.needs("postgres")


def failing(connection: Connection) -> None:
    raise InvalidInput("a row is damaged")


def test_a_copy_that_fails_leaves_everything_as_it_was(address: PostgresAddress) -> None:
    """Where nothing was, nothing is; a study that was to be replaced is still there."""
    with pytest.raises(InvalidInput, match="a row is damaged"):
        fill_schema(address, failing)
    assert not exists(address)
    PostgresLog.create(address, [("e1", "note", {})]).close()
    with pytest.raises(InvalidInput, match="a row is damaged"):
        fill_schema(address, failing, replace=True, keep=True)
    with PostgresLog.open(address) as log:
        assert log.last() == 1


def test_replaced_studies_have_names_of_their_own(address: PostgresAddress) -> None:
    """The second is numbered; a schema of another program is never replaced."""
    PostgresLog.create(address).close()
    for _ in range(2):
        fill_schema(address, lambda connection: None, replace=True, keep=True)
    assert exists(address.other(f"{address.name}_replaced"))
    assert exists(address.other(f"{address.name}_replaced_2"))
    other = address.other(f"{address.name}_other")
    run(address, f"CREATE SCHEMA {other.schema}")
    with pytest.raises(CannotLoad, match="must have been made by Penchant"):
        fill_schema(other, lambda connection: None, replace=True)
