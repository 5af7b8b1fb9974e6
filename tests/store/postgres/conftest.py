"""Where the tests put their log."""

from __future__ import annotations

import pytest

from penchant.store.postgres.address import PostgresAddress
from tests.postgresql import Server


@pytest.fixture
def address(postgres: Server) -> PostgresAddress:
    """A study that does not exist yet."""
    return PostgresAddress.parse(postgres.address())
