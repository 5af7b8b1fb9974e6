"""Access to a study: random tokens, each with a role and a name, of which the study stores only hashes."""

from __future__ import annotations

import hashlib
import secrets
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from penchant.checks import check_number, one_of
from penchant.errors import CannotStore, InvalidInput, UnknownItem
from penchant.store import TokenRow, TokenTable
from penchant.text import first_hidden

ROLES = ("owner", "judge", "app", "reader")
NAME_LENGTH = 100
DAY = 86400.0
SHORTEST, LONGEST = 1 / 1440, 36500
"""Days that a token may work: a minute to a century."""
PRECISION = 60.0
"""Seconds: a use is recorded when the last recorded one is at least so long ago."""


@dataclass(frozen=True)
class Token:
    """The record of a token; not the token itself, which is shown once, when it is made.

    Attributes
    ----------
    id : str
        The id by which it is revoked.
    role : {"owner", "judge", "app", "reader"}
    name : str
        Whose it is; of a judge, the name under which answers are kept.
    made, used : float
        Seconds since 1970 in UTC; ``used`` is to the minute, and None before the first use.
    expires : float or None
        When it stops working.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.study import Study
    >>> with Study.create(Path(tempfile.mkdtemp()) / "drinks.db", ["tea", "coffee"]) as study:
    ...     secret = study.tokens.make("judge", "ann")
    ...     token = study.tokens.list()[0]
    >>> token.role, token.name, token.used
    ('judge', 'ann', None)
    """

    id: str
    role: str
    name: str
    made: float
    used: float | None = None
    expires: float | None = None


@dataclass(frozen=True, repr=False)
class Tokens:
    """The tokens of one study.

    They may be made, listed and revoked also while another process serves the study.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.study import Study
    >>> with Study.create(Path(tempfile.mkdtemp()) / "drinks.db", ["tea", "coffee"]) as study:
    ...     token = study.tokens.make("judge", "ann")
    ...     found = study.tokens.find(token)
    ...     study.tokens.revoke(found.id)
    ...     (found.role, found.name, study.tokens.find(token), study.tokens.list())
    ('judge', 'ann', None, [])
    """

    _table: TokenTable
    _clock: Callable[[], float] = field(default=time.time)

    def make(self, role: str, name: str, *, days: float | None = None) -> str:
        """Make a token and return it. It is not stored: a lost token has to be replaced by a new one.

        Parameters
        ----------
        role : {"owner", "judge", "app", "reader"}
            An owner may do everything, a judge answers questions, a reader and an app see the ranking.
        name : str
            Whose it is, of 1 to 100 printable characters.
        days : float, optional
            How long it works; for ever unless given.
        """
        one_of("role", role, ROLES)
        if days is not None:
            never = "leave it out for a token that does not expire"
            check_number("days", days, least=SHORTEST, most=LONGEST, remedy=never)
        token, now = secrets.token_urlsafe(32), self._clock()
        expires = None if days is None else now + days * DAY
        self._table.add(
            TokenRow(f"t-{secrets.token_hex(6)}", _hash(token), role, checked_name(name), now, expires)
        )
        return token

    def list(self) -> list[Token]:
        """Return all tokens that were made and not revoked, the first made first."""
        return [_token(row) for row in self._table.list()]

    def revoke(self, id: str) -> None:
        """Make a token stop working, at once and for good."""
        if not (isinstance(id, str) and id.isprintable() and self._table.remove(id)):
            raise UnknownItem(f"token {id!r} must be one of this study, got an unknown id: list the tokens")

    def find(self, token: str, *, record: bool = True, within: float = 0.0) -> Token | None:
        """Return the record of a token, or None where it does not belong to this study or has expired.

        Parameters
        ----------
        token : str
        record : bool
            Whether this counts as a use of it.
        within : float
            What another process changed in the last so many seconds may be missed; a busy server need then not ask the
            disk for each request.
        """
        row = self._table.find(_hash(token), within=within) if isinstance(token, str) else None
        now = self._clock()
        if row is None or row.role not in ROLES or (row.expires is not None and now >= row.expires):
            return None
        if record and (row.used is None or not 0 <= now - row.used < PRECISION):
            self._touch([row])
        return _token(row)

    def record(self, tokens: Iterable[str]) -> None:
        """Record that tokens are used now, in one transaction; those that do not work are left out."""
        rows = [self._table.find(_hash(token)) for token in tokens]
        self._touch([row for row in rows if row is not None])

    def _touch(self, rows: Sequence[TokenRow]) -> None:
        with suppress(CannotStore):  # a full disk must not block access
            self._table.touch(rows, self._clock())


def checked_name(name: str) -> str:
    """Return a name in its normal form (NFC, trimmed), or raise `InvalidInput`."""
    if not isinstance(name, str):
        raise InvalidInput.of("name", "be a string", type(name).__name__, "give a name")
    spelled = unicodedata.normalize("NFC", name).strip()
    hidden = first_hidden(spelled)
    if hidden is not None:
        raise InvalidInput.of("name", "not hold control characters", hidden, "remove it")
    if not 0 < len(spelled) <= NAME_LENGTH:
        raise InvalidInput.of("name", f"have 1 to {NAME_LENGTH} characters", len(spelled), "give a name")
    return spelled


def _hash(token: str) -> str:
    # A token has 256 random bits: no salt or slow hash is needed against guessing it.
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _token(row: TokenRow) -> Token:
    return Token(row.id, row.role, row.name, row.made, row.used, row.expires)


@dataclass(frozen=True)
class Links:
    """Links to one server. Browsers keep what stands behind ``#`` to themselves: no log holds a token."""

    url: str

    def to(self, role: str, name: str, token: str, *, kind: str = "compare") -> str:
        """Return the link for a token, to the page that its role uses in a study of this kind."""
        if role == "judge":
            return f"{self.url}/#judge={quote(name, safe='')}&token={token}"
        if role == "app" and kind == "coactive":
            return f"{self.url}/search#user={quote(name, safe='')}&token={token}"
        return f"{self.url}/owner#token={token}"
