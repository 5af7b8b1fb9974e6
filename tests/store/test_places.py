"""Files and addresses: which store makes and opens them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.store import PostgresAddress, SQLiteLog, create_log, exists, inspect, located, open_log
from tests.postgresql import Server

ADDRESS = "postgresql://ann:secret@db.example/ranking?study=talks"


def test_a_text_names_a_file_or_a_study_in_a_database() -> None:
    """Whatever has no scheme is a file."""
    assert located("a/talks.db") == located(Path("a/talks.db")) == Path("a/talks.db")
    assert located(ADDRESS) == located(located(ADDRESS)) == PostgresAddress.parse(ADDRESS)


@pytest.mark.parametrize(
    "place", [ADDRESS.replace("postgresql", "postgresql+psycopg"), "mysql://ann:secret@db/x", Path(ADDRESS)]
)
def test_what_resembles_an_address_is_not_shown(place: str | Path) -> None:
    """As the name of a file that does not exist it would be, with its password."""
    with pytest.raises(InvalidInput, match="the address of a study must be") as caught:
        open_log(place)
    assert "secret" not in str(caught.value)


def test_files_are_sqlites(tmp_path: Path) -> None:
    """A log in a file is made, found, opened and inspected, and has no standby."""
    place = tmp_path / "study.db"
    assert not exists(place)
    with create_log(str(place), [("e1", "note", {})]) as log:
        assert isinstance(log, SQLiteLog)
        assert log.place == str(place.resolve())
        assert (log.term, log.is_standby) == (0, False)
    assert exists(place)
    assert inspect(place).sound
    with open_log(place, write=False) as log:
        assert log.last() == 1
    with pytest.raises(InvalidInput, match="standby must be of a study in PostgreSQL"):
        open_log(place, standby=True)


@pytest.mark.needs("postgres")
def test_addresses_are_postgresqls(postgres: Server) -> None:
    """A log at an address is made, found, opened and inspected alike."""
    address = postgres.address()
    assert not exists(address)
    with create_log(address, [("e1", "note", {})]) as log:
        assert log.place == str(PostgresAddress.parse(address))
    assert exists(address)
    assert inspect(address).sound
    with open_log(address, standby=True) as log:
        assert log.is_writer
        assert log.last() == 1


def test_without_the_driver_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InvalidInput, match=r"need psycopg.*pip install 'penchant\[postgres\]'"):
        open_log(ADDRESS)
