"""The table of tokens, which give access to a study; only the hash of a token is stored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from penchant.errors import Damaged
from penchant.store.table import digest, tokens


@dataclass(frozen=True)
class TokenRow:
    """A row of the table of tokens; times are seconds since 1970 in UTC."""

    id: str
    hash: str
    role: str
    name: str
    made: float
    expires: float | None = None
    used: float | None = None

    @classmethod
    def of(cls, row: Row[Any]) -> TokenRow:
        """Return the row of a result; raise `Damaged` unless it matches its checksum."""
        found = cls(row.id, row.hash, row.role, row.name, row.made, row.expires, row.used)
        if digest(*vars(found).values()) != row.checksum or not found.is_typed():
            raise Damaged(
                "a token must match its checksum, and does not: the file is damaged there, restore a backup"
            )
        return found

    def is_typed(self) -> bool:
        """Return whether each column is of its type: SQLite stores anything anywhere."""
        times = (self.made, *(time for time in (self.expires, self.used) if time is not None))
        return all(isinstance(text, str) for text in (self.id, self.hash, self.role, self.name)) and all(
            isinstance(time, float) and 0 <= time < 1e11 for time in times
        )

    def values(self) -> dict[str, Any]:
        """Return the columns, the checksum among them."""
        return {**vars(self), "checksum": digest(*vars(self).values())}


class TokenTable:
    """Tokens beside the events, in the same file or database.

    Tokens are not events: they can be removed, and they may be changed while another process appends events.

    Parameters
    ----------
    reading : callable
        Returns a context with a connection to read from.
    write : callable
        Runs a function of a connection within a transaction, and returns its result when that is on disk.
    """

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Connection]],
        write: Callable[[Callable[[Connection], Any]], Any],
    ) -> None:
        self._reading = reading
        self._write = write

    def add(self, row: TokenRow) -> None:
        """Add a token."""
        self._write(lambda connection: connection.execute(insert(tokens), [row.values()]).rowcount)

    def find(self, hash: str) -> TokenRow | None:
        """Return the token with this hash, or None."""
        with self._reading() as connection:
            row = connection.execute(select(tokens).where(tokens.c.hash == hash)).first()
        return None if row is None else TokenRow.of(row)

    def list(self) -> list[TokenRow]:
        """Return all tokens, the first made first."""
        with self._reading() as connection:
            rows = connection.execute(select(tokens).order_by(tokens.c.made, tokens.c.id)).all()
        return [TokenRow.of(row) for row in rows]

    def remove(self, id: str) -> bool:
        """Remove the token with this id, and return whether there was one."""
        statement = delete(tokens).where(tokens.c.id == id)
        return bool(self._write(lambda connection: connection.execute(statement).rowcount))

    def touch(self, row: TokenRow, time: float) -> None:
        """Record when a token was last used; one that is gone by now stays gone."""
        values = replace(row, used=time).values()
        statement = update(tokens).where(tokens.c.id == row.id).values(**values)
        self._write(lambda connection: connection.execute(statement).rowcount)
