"""The table of tokens, which give access to a study; only the hash of a token is stored."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from penchant.errors import Damaged
from penchant.store.statement import Statement
from penchant.store.table import digest, tokens


@dataclass(frozen=True)
class TokenRow:
    """A row of the table of tokens; times are seconds since 1970 in UTC.

    Examples
    --------
    >>> TokenRow("t-1", "9c2f", "judge", "ann", made=1.7e9).role
    'judge'
    """

    id: str
    hash: str
    role: str
    name: str
    made: float
    expires: float | None = None
    used: float | None = None

    @classmethod
    def of_values(cls, values: Sequence[Any]) -> TokenRow:
        """Return the row of the values of `_COLUMNS`; raise `Damaged` unless it matches its checksum."""
        *columns, checksum = values
        found = cls(*columns)
        if digest(*columns) != checksum or not found.is_typed():
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


_COLUMNS = [tokens.c[field.name] for field in fields(TokenRow)] + [tokens.c.checksum]
_FIND = Statement(select(*_COLUMNS).where(tokens.c.hash == bindparam("hash")), ["hash"])
_LIST = Statement(select(*_COLUMNS).order_by(tokens.c.made, tokens.c.id))
_SUMMARY = Statement(select(func.count(), func.max(tokens.c.made), func.sum(tokens.c.made)))
"""It changes wherever tokens are added or removed, and takes a twentieth of the time of reading them."""
_USE = ("id", "used", "checksum")
_TOUCH = (
    update(tokens)
    .where(tokens.c.id == bindparam("id_"))
    .values(used=bindparam("used_"), checksum=bindparam("checksum_"))
)
_MOST_READ = 2_000
"""So many tokens are read at once; of more, one is looked up by its hash."""


class _Read(NamedTuple):
    """All tokens by their hash, or None where they are too many; the summary of the table then, and when."""

    rows: dict[str, TokenRow] | None
    summary: tuple[Any, ...]
    time: float


_UNREAD = _Read({}, (), -math.inf)


def replace_all(connection: Connection, rows: Sequence[TokenRow] | None) -> None:
    """Let a copy of a log have these tokens in place of its own, unless there are none to give."""
    if rows is not None:
        connection.execute(delete(tokens))
        for row in rows:
            connection.execute(insert(tokens), [row.values()])


class TokenTable:
    """Tokens beside the events, in the same file or database.

    Tokens are not events: they can be removed, and they may be changed while another process appends events.

    Parameters
    ----------
    reading : callable
        Returns a context with a connection to read from.
    write : callable
        Runs a function of a connection within a transaction, and returns its result when that is on disk.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> from penchant.store import create_log
    >>> with create_log(place) as events:
    ...     events.tokens.add(TokenRow("t-1", "9c2f", "judge", "ann", made=1.7e9))
    ...     [row.name for row in events.tokens.list()]
    ['ann']
    """

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Connection]],
        write: Callable[[Callable[[Connection], Any]], Any],
    ) -> None:
        self._reading = reading
        self._write = write
        self._found: dict[tuple[Any, ...], TokenRow] = {}
        self._all = _UNREAD
        self._changes = 0

    def add(self, row: TokenRow) -> None:
        """Add a token."""
        self._change(lambda connection: connection.execute(insert(tokens), [row.values()]).rowcount)

    def find(self, hash: str, *, within: float = 0.0) -> TokenRow | None:
        """Return the token with this hash, or None.

        Parameters
        ----------
        hash : str
        within : float
            What another process changed in the last so many seconds may be missed; what this one changed is not.
        """
        if not within:
            with self._reading() as connection:
                values = _FIND.run(connection, [hash]).fetchone()
            return None if values is None else TokenRow.of_values(values)
        now = time.monotonic()
        rows, summary, read = self._all
        if now - read >= within:
            changes, before = self._changes, summary
            summary = self._read_summary()
            if summary != before:
                rows = self._read_all()
                summary = (
                    summary if summary == self._read_summary() else ()
                )  # changed meanwhile: read again next time
            if changes == self._changes:  # otherwise what was read may be older than the change
                self._all = _Read(rows, summary, now)
        return rows.get(hash) if rows is not None else self.find(hash)

    def _read_summary(self) -> tuple[Any, ...]:
        """Return the number of tokens and what their times of making come to."""
        with self._reading() as connection:
            return tuple(_SUMMARY.run(connection).fetchone() or ())

    def _read_all(self) -> dict[str, TokenRow] | None:
        """Return all tokens by their hash; None where they are too many to be read again and again."""
        with self._reading() as connection:
            rows = _LIST.run(connection).fetchmany(_MOST_READ + 1)
        if len(rows) > _MOST_READ:
            return None
        before = self._found
        # The checksum of a row is computed once.
        self._found = {row: before.get(row) or TokenRow.of_values(row) for row in rows}
        return {row.hash: row for row in self._found.values()}

    def _change(self, work: Callable[[Connection], Any]) -> Any:
        try:
            return self._write(work)
        finally:
            self._changes += 1
            self._all = _UNREAD

    def list(self) -> list[TokenRow]:
        """Return all tokens, the first made first."""
        with self._reading() as connection:
            rows = _LIST.run(connection).fetchall()
        return [TokenRow.of_values(row) for row in rows]

    def remove(self, id: str) -> bool:
        """Remove the token with this id, and return whether there was one."""
        statement = delete(tokens).where(tokens.c.id == id)
        return bool(self._change(lambda connection: connection.execute(statement).rowcount))

    def touch(self, rows: Iterable[TokenRow], time: float) -> None:
        """Record in one transaction when tokens were last used; one that is gone by now stays gone.

        Nobody has to read the tokens again for that: where many are used, that would take longer than their requests.
        """
        used = [replace(row, used=time) for row in rows]
        if not used:
            return
        values = [{f"{name}_": value for name, value in row.values().items() if name in _USE} for row in used]
        self._write(lambda connection: connection.execute(_TOUCH, values).rowcount)
        kept = self._all.rows or {}
        for row in used:
            if row.hash in kept:
                kept[row.hash] = row
