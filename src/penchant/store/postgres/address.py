"""The address of a study in a PostgreSQL database, which may hold a password and never shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode

from penchant.errors import InvalidInput

SCHEMES = ("postgresql", "postgres")
DEFAULT_STUDY = "study"
PREFIX = "penchant_"
"""Of the schema of a study, so that it cannot be one of another program."""
_STUDY = re.compile(r"[a-z0-9_]{1,50}", re.ASCII)
_FORM = "postgresql://USER@HOST/DATABASE?study=NAME"
_SECRET = ("password", "sslpassword")
_PORTS = re.compile(r"(?:(?:\[[^]]*\]|[^:,\[\]]*)(?::\d{0,5})?(?:,|$))*", re.ASCII)


def is_address(text: object) -> bool:
    """Return whether a text is the address of a database and not the name of a file.

    Examples
    --------
    >>> is_address("postgresql://db.example/ranking?study=talks"), is_address("talks.db")
    (True, False)
    """
    return isinstance(text, str) and text.partition("://")[0].lower() in SCHEMES and "://" in text


@dataclass(frozen=True)
class PostgresAddress:
    """A study in a PostgreSQL database; made by `parse`.

    Its text has no password, so that it can be printed, logged and raised in messages.

    Attributes
    ----------
    name : str
        The study.
    shown : str
        The address without what is secret.
    uri : str
        The address of the database as the driver takes it.
    secrets : tuple of str
        What must not be in any message.

    Examples
    --------
    >>> address = PostgresAddress.parse("postgresql://ann:wonder@db.example/ranking?study=talks&sslmode=require")
    >>> address
    PostgresAddress(name='talks', shown='postgresql://ann@db.example/ranking?study=talks')
    >>> address.schema
    'penchant_talks'
    """

    name: str
    shown: str
    uri: str = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False, default=())

    @classmethod
    def parse(cls, text: str) -> PostgresAddress:
        """Return the address of a text, ``postgresql://USER@HOST/DATABASE?study=NAME``.

        Everything but ``study`` is PostgreSQL's own, other parameters of a connection included. The study is called
        "study" unless it is named.
        """
        if not is_address(text):
            raise InvalidInput.of("the address of a study", f"be {_FORM}", "something else", "correct it")
        userinfo, place = _split_user(text.partition("://")[2])
        place, _, query = place.partition("?")
        given = parse_qsl(query, keep_blank_values=True)
        names = [value for key, value in given if key == "study"] or [DEFAULT_STUDY]
        others = [(key, value) for key, value in given if key != "study"]
        user, _, password = userinfo.partition(":")
        secrets = [unquote(password), *(value for key, value in others if key in _SECRET)]
        shown = f"postgresql://{user}{'@' if user else ''}{place}"
        hosts = [value for key, value in others if key == "host"]
        more = "".join(f"host={quote(value, safe='/')}&" for value in hosts)
        return cls(
            _checked_name(names),
            f"{shown}?{more}study={names[0]}",
            f"postgresql://{userinfo}{'@' if userinfo else ''}{place}"
            + (f"?{urlencode(others, quote_via=quote)}" if others else ""),
            tuple(secret for secret in secrets if secret),
        )

    def __str__(self) -> str:
        return self.shown

    @property
    def schema(self) -> str:
        """The schema of the database that holds the study."""
        return PREFIX + self.name

    @property
    def stem(self) -> str:
        """The name, as that of a file without its ending."""
        return self.name

    def other(self, name: str) -> PostgresAddress:
        """Return the address of another study in the same database."""
        shown = self.shown.removesuffix(f"study={self.name}") + f"study={name}"
        return PostgresAddress(_checked_name([name]), shown, self.uri, self.secrets)

    def without_secrets(self, text: str) -> str:
        """Return what a driver reports, without what is secret."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def _split_user(text: str) -> tuple[str, str]:
    """Return user and password, and the rest, as PostgreSQL takes them apart; reject what could show a password."""
    before, at, rest = text.partition("@")
    if at and "/" not in before and "?" not in before.partition(":")[0] and "@" not in rest.partition("?")[0]:
        return before, _with_ports(rest)
    if at and ("/" not in before or "?" not in before or ":" in before.partition("?")[0].partition("/")[0]):
        raise InvalidInput(
            "user and password in the address of a database must have / and @ written as %2F and %40, got them as they "
            "are: write them so, or leave the password out and give it in PGPASSWORD or ~/.pgpass"
        )
    return "", _with_ports(text)


def _with_ports(place: str) -> str:
    """Return hosts and database; reject ports that are no numbers, as a password is where the host was forgotten."""
    if _PORTS.fullmatch(re.split(r"[/?]", place, maxsplit=1)[0]):
        return place
    raise InvalidInput(
        "the port in the address of a database must be a number, got something else: write USER:PASSWORD@HOST:PORT, or "
        "leave the password out and give it in PGPASSWORD or ~/.pgpass"
    )


def _checked_name(names: list[str]) -> str:
    if len(names) == 1 and _STUDY.fullmatch(names[0]):
        return names[0]
    received = "several" if len(names) > 1 else repr(names[0][:60])
    raise InvalidInput.of(
        "study in the address", "be one name of 1 to 50 of a-z, 0-9 and _", received, f"write {_FORM}"
    )
