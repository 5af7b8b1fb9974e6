"""The tables beside the events, which hold what can be erased: contexts, the names of users, and checkpoints.

Events cite contexts by hash and users by key, and are never changed. What is erased here is gone; the checkpoint that
is written with the event that records an erasure holds what the events before it can then no longer be folded into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, bindparam, delete, exists, func, insert, or_, select, update

from penchant.errors import Damaged, InvalidInput
from penchant.store.entry import Entry
from penchant.store.statement import Statement
from penchant.store.table import checkpoints, contexts, digest, erasure, snapshots, users

LARGEST = 2**29
"""Bytes of the largest context or checkpoint."""
_AT_ONCE = 500  # hashes looked up at a time


@dataclass(frozen=True)
class SideRows:
    """What is written, and erased, in the transaction of the events that say so.

    Attributes
    ----------
    contexts : mapping of str to bytes
        By hash; one that is there already stays as it is.
    users : mapping of str to str
        Names by key; one that is there already stays as it is.
    checkpoint : bytes, optional
        The state after the last event of the batch; it replaces every earlier checkpoint.
    number : int, optional
        The event after which the checkpoint is the state, where that is not the last.
    erased_contexts, erased_users : sequences of str
        Hashes and keys of what is erased. Snapshots, which may hold what was learned from it, are deleted with it.

    Examples
    --------
    >>> SideRows(contexts={"5f1c": b"tea, coffee"}).erased_users
    ()
    """

    contexts: Mapping[str, bytes] = field(default_factory=dict)
    users: Mapping[str, str] = field(default_factory=dict)
    checkpoint: bytes | None = None
    erased_contexts: Sequence[str] = ()
    erased_users: Sequence[str] = ()
    number: int | None = None

    def __post_init__(self) -> None:
        for what in (*self.contexts.values(), *(() if self.checkpoint is None else (self.checkpoint,))):
            if not isinstance(what, bytes) or len(what) > LARGEST:
                received = f"{len(what)} bytes" if isinstance(what, bytes) else type(what).__name__
                raise InvalidInput.of(
                    "a context or checkpoint", f"be at most {LARGEST} bytes", received, "shorten it"
                )

    @classmethod
    def merged(cls, parts: Sequence[SideRows]) -> SideRows | None:
        """Return the contexts and users of all parts; where there is more than one, nothing may be erased."""
        if len(parts) < 2:
            return parts[0] if parts else None
        if any(part.erases for part in parts):
            raise InvalidInput(
                "an erasure must have a transaction of its own: commit what comes before it first"
            )
        contexts = {hash: content for part in parts for hash, content in part.contexts.items()}
        return cls(contexts, {key: name for part in parts for key, name in part.users.items()})

    @property
    def erases(self) -> bool:
        """Whether something is erased."""
        return bool(self.erased_contexts or self.erased_users or self.checkpoint is not None)


class Batch(NamedTuple):
    """Events that are appended together, what is written with them, and the event that they must follow."""

    entries: Sequence[Entry]
    side: SideRows | None = None
    after: int | None = None


class Checkpoint(NamedTuple):
    """The state after the event of this number, from which the later events are folded.

    Examples
    --------
    >>> Checkpoint(number=120, state=b"...").number
    120
    """

    number: int
    state: bytes


def _kept(table: Table) -> Statement:
    """Return the statement that inserts a row unless one has its primary key, or another unique column of it."""
    given = {column.name: bindparam(f"new_{column.name}", type_=column.type) for column in table.columns}
    unique = [column for column in table.columns if column.primary_key or column.unique]
    taken = exists().where(or_(*(column == given[column.name] for column in unique)))
    row = select(*given.values()).where(~taken)
    return Statement(insert(table).from_select(list(given), row), [f"new_{name}" for name in given])


_ADD_CONTEXT = _kept(contexts)
_ADD_USER = _kept(users)
_ADD_CHECKPOINT = Statement(insert(checkpoints), checkpoints.c.keys())
_CLEAR = tuple(Statement(delete(table)) for table in (checkpoints, snapshots))
_ERASE_CONTEXT = Statement(delete(contexts).where(contexts.c.hash == bindparam("old")), ["old"])
_ERASE_USER = Statement(delete(users).where(users.c.key == bindparam("old")), ["old"])
_PENDING = Statement(update(erasure).values(pending=bindparam("now")), ["now"])
_CONTEXT = Statement(select(contexts.c.content).where(contexts.c.hash == bindparam("wanted")), ["wanted"])


def write(connection: Connection, side: SideRows, number: int, time: float) -> None:
    """Write ``side`` within the caller's transaction, whose last event has ``number``."""
    for hash, content in side.contexts.items():
        _ADD_CONTEXT.run(connection, (hash, content, time))
    for key, name in side.users.items():
        _ADD_USER.run(connection, (key, name, digest(key, name)))
    if not side.erases:
        return
    for statement in _CLEAR:
        statement.run(connection)
    for hash in side.erased_contexts:
        _ERASE_CONTEXT.run(connection, (hash,))
    for key in side.erased_users:
        _ERASE_USER.run(connection, (key,))
    if side.checkpoint is not None:
        number = number if side.number is None else side.number
        row = number, side.checkpoint, checksum(number, side.checkpoint)
        _ADD_CHECKPOINT.run(connection, row)
    _PENDING.run(connection, (1,))


def start(connection: Connection, salt: bytes | None = None) -> None:
    """Let a new log have the salt of the one whose events it begins with; nothing in it was erased yet."""
    values = {"pending": 0} if salt is None else {"pending": 0, "salt": _checked_salt(salt)}
    connection.execute(update(erasure).values(**values))


def is_pending(connection: Connection) -> bool:
    """Return whether erased bytes may still stand in unused parts of the file."""
    return bool(connection.scalar(select(erasure.c.pending)))


def set_done(connection: Connection) -> None:
    """Record that no erased bytes are left."""
    _PENDING.run(connection, (0,))


def checksum(number: int, state: bytes) -> str:
    """Return the checksum of a checkpoint: 128 bits of BLAKE2b."""
    sum = blake2b(f"{number!r}\x1f".encode(), digest_size=16)
    sum.update(state)
    return sum.hexdigest()


def context_hash(salt: bytes, content: bytes) -> str:
    """Return the hash by which events cite a context: 128 bits of BLAKE2b with the salt as key.

    The salt keeps events that were exported from telling which of a few possible contexts they cite.
    """
    return blake2b(content, digest_size=16, key=_checked_salt(salt)).hexdigest()


class SideTables:
    """Contexts, users and the checkpoint, to be read; they are written by `EventLog.append_all`.

    Parameters
    ----------
    reading : callable
        Returns a context with a connection to read from.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.store import SQLiteLog
    >>> folder = tempfile.TemporaryDirectory()
    >>> with SQLiteLog.create(Path(folder.name) / "study.db") as log:
    ...     hash = log.side.hash(b"tea, coffee")
    ...     shown = log.append_all([("p1", "presented", {"context": hash})], SideRows({hash: b"tea, coffee"}))
    ...     print(log.side.contexts([hash]) == {hash: b"tea, coffee"})
    True
    >>> folder.cleanup()
    """

    def __init__(self, reading: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._reading = reading
        self._salt: bytes | None = None

    @property
    def salt(self) -> bytes:
        """The key of the hashes of contexts."""
        if self._salt is None:
            with self._reading() as connection:
                self._salt = _checked_salt(connection.scalar(select(erasure.c.salt)))
        return self._salt

    def hash(self, content: bytes) -> str:
        """Return the hash by which events cite this content."""
        return context_hash(self.salt, content)

    def context(self, hash: str) -> bytes | None:
        """Return the content of this hash; None where it was erased, or never was."""
        with self._reading() as connection:
            rows = _CONTEXT.run(connection, (hash,)).fetchall()
        return self._checked(hash, rows[0][0]) if rows else None

    def contexts(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of those of the hashes that are there."""
        wanted = list(dict.fromkeys(hashes))
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            query = select(contexts.c.hash, contexts.c.content).where(
                contexts.c.hash.in_(wanted[start : start + _AT_ONCE])
            )
            with self._reading() as connection:
                found |= {hash: self._checked(hash, content) for hash, content in connection.execute(query)}
        return found

    def sizes(self) -> tuple[int, int]:
        """Return the number of contexts and their bytes."""
        query = select(func.count(), func.coalesce(func.sum(func.length(contexts.c.content)), 0))
        with self._reading() as connection:
            count, size = connection.execute(query).one()
        return int(count), int(size)

    def users(self) -> dict[str, str]:
        """Return the names of the users by key."""
        with self._reading() as connection:
            rows = connection.execute(select(users)).all()
        for key, name, expected in rows:
            if not (isinstance(key, str) and isinstance(name, str) and digest(key, name) == expected):
                raise Damaged(
                    "a user must match its checksum, and does not: the file is damaged there, restore a backup"
                )
        return {row.key: row.name for row in rows}

    def checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint, or None where nothing was erased yet."""
        with self._reading() as connection:
            row = connection.execute(select(checkpoints).order_by(checkpoints.c.number.desc())).first()
        if row is None:
            return None
        number, state, expected = row
        if not (type(number) is int and type(state) is bytes and checksum(number, state) == expected):
            raise Damaged(
                "the checkpoint must match its checksum, and does not: the file is damaged there, restore a backup"
            )
        return Checkpoint(number, state)

    def _checked(self, hash: str, content: Any) -> bytes:
        if not isinstance(content, bytes) or self.hash(content) != hash:
            raise Damaged(
                "a context must match its hash, and does not: the file is damaged there, restore a backup"
            )
        return content


def _checked_salt(salt: Any) -> bytes:
    if not isinstance(salt, bytes) or not 0 < len(salt) <= blake2b.MAX_KEY_SIZE:
        raise Damaged("the salt of the contexts must be there, and is not: restore a backup")
    return salt
