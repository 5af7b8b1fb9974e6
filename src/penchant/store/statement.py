"""A statement of SQLAlchemy Core, compiled once for each database and run by the database's driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ClauseElement, Connection, Dialect
from sqlalchemy.engine.interfaces import DBAPICursor

Conversion = Callable[[Sequence[Any]], Any]


class Statement:
    """A statement whose text never changes.

    Core builds, compiles and wraps at every execution, which costs ten times what SQLite takes for an event.

    Parameters
    ----------
    clause : ClauseElement
    names : sequence of str
        Its parameters, in the order in which values are given.

    Examples
    --------
    >>> from sqlalchemy import bindparam, select
    >>> from sqlalchemy.dialects import postgresql, sqlite
    >>> statement = Statement(select(bindparam("two"), bindparam("one")), ["one", "two"])
    >>> text, conversion = statement.compiled(sqlite.dialect())
    >>> text, conversion((1, 2))
    ('SELECT ? AS anon_1, ? AS anon_2', (2, 1))
    >>> text, conversion = statement.compiled(postgresql.dialect())
    >>> conversion((1, 2))
    {'one': 1, 'two': 2}
    """

    def __init__(self, clause: ClauseElement, names: Sequence[str] = ()) -> None:
        self._clause = clause
        self._names = tuple(names)
        self._compiled: dict[str, tuple[str, Conversion]] = {}

    def run(self, connection: Connection, values: Sequence[Any] = ()) -> DBAPICursor:
        """Execute the statement and return the driver's cursor."""
        text, conversion = self.compiled(connection.dialect)
        cursor = connection.connection.cursor()
        cursor.execute(text, conversion(values))
        return cursor

    def run_all(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
        """Execute the statement for each row of values."""
        text, conversion = self.compiled(connection.dialect)
        connection.connection.cursor().executemany(text, [conversion(row) for row in rows])

    def compiled(self, dialect: Dialect) -> tuple[str, Conversion]:
        """Return the text for a database, and what makes its parameters from values in the order of the names."""
        found = self._compiled.get(dialect.name)
        if found is None:
            compiled: Any = dialect.statement_compiler(dialect, self._clause)
            conversion: Conversion = lambda values: dict(zip(self._names, values, strict=True))  # noqa: E731
            if compiled.positional:
                order = [self._names.index(name) for name in compiled.positiontup]
                kept = order == list(range(len(self._names)))
                conversion = tuple if kept else lambda values: tuple([values[place] for place in order])
            found = self._compiled[dialect.name] = str(compiled), conversion
        return found
