"""Addresses of studies: what they name, and that no password is shown."""

from __future__ import annotations

import pickle

import pytest

from penchant.errors import InvalidInput
from penchant.store.postgres.address import PostgresAddress, is_address

SECRET = "marker-of-a-secret"


def test_an_address_names_a_study_of_a_database() -> None:
    """The study is a parameter of its own; everything else goes to PostgreSQL as it is."""
    address = PostgresAddress.parse("postgresql://ann@db.example:5433/ranking?sslmode=require&study=talks_2")
    assert (address.name, address.schema, address.stem) == ("talks_2", "penchant_talks_2", "talks_2")
    assert address.uri == "postgresql://ann@db.example:5433/ranking?sslmode=require"
    assert str(address) == "postgresql://ann@db.example:5433/ranking?study=talks_2"
    assert PostgresAddress.parse("postgres:///").name == "study"
    assert PostgresAddress.parse(str(address)).shown == str(address)
    assert address.other("films").shown.endswith("?study=films")


def test_sockets_and_several_hosts_pass_through() -> None:
    """A folder of sockets is shown, since without it the address would lead elsewhere."""
    address = PostgresAddress.parse("postgresql://ann@/ranking?host=/run/postgres%201&study=a")
    assert address.shown == "postgresql://ann@/ranking?host=/run/postgres%201&study=a"
    assert PostgresAddress.parse(address.shown).uri == address.uri
    for text in ("a:1,b:2/ranking", "ann@[::1]:5432/ranking", "a,b:2,[::1]/x", "a:/x", "%2Frun:5433/x"):
        assert PostgresAddress.parse(f"postgresql://{text}").uri == f"postgresql://{text}"


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{SECRET}@db.example/ranking?study=talks",
        f"postgresql://ann:{SECRET}?@db.example/ranking",
        f"postgresql://db.example/ranking?user=ann&password={SECRET}",
        f"postgresql://db.example/ranking?sslpassword={SECRET}&study=talks",
        f"postgresql://:{SECRET}@/ranking",
    ],
)
def test_no_password_is_shown(text: str) -> None:
    """It is in neither text of the address, and is taken out of what a driver reports."""
    address = PostgresAddress.parse(text)
    assert SECRET not in f"{address} {address!r} {address.shown} {address.other('b')!r}"
    assert SECRET in address.uri
    assert SECRET not in address.without_secrets(f"connecting with {address.secrets[0]} failed")
    assert pickle.loads(pickle.dumps(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{SECRET}/x@db.example/ranking",
        f"postgresql://ann:{SECRET}@x@db.example/ranking",
        f"postgresql://ann:{SECRET}@db.example/ranking?study=Talks",
        f"postgresql://ann:{SECRET}@db.example/ranking?study=a&study=b",
        f"postgresql://ann:{SECRET}@db.example/ranking?study=",
        f"mysql://ann:{SECRET}@db.example/ranking",
        f"postgresql+psycopg://ann:{SECRET}@db.example/ranking",
        f"postgresql://ann:{SECRET}/ranking",
        f"postgresql://ann:{SECRET}",
        f"postgresql://db.example:1,ann:{SECRET}?study=talks",
        f"postgresql://db.example?password={SECRET}@x",
    ],
)
def test_a_wrong_address_is_rejected_without_quoting_it(text: str) -> None:
    """The message says what to write, and has nothing of the password."""
    with pytest.raises(InvalidInput, match=r"must .*: \w+") as caught:
        PostgresAddress.parse(text)
    assert SECRET not in str(caught.value)


def test_files_are_no_addresses() -> None:
    """Only the two schemes of PostgreSQL are."""
    assert [is_address(text) for text in ("postgres://x", "PostgreSQL:///y")] == [True, True]
    assert not any(map(is_address, ("talks.db", "postgresql:talks.db", "http://x/y", None)))
