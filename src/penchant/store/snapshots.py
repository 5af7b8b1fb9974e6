"""The table of snapshots: states that were computed from the events, kept so that they need not be computed again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select

from penchant.errors import CannotLoad, InvalidInput
from penchant.store.table import snapshots

LARGEST = 2**29
"""Bytes of the largest state."""


class Snapshot(NamedTuple):
    """A state that was computed from the events up to a number.

    Attributes
    ----------
    number : int
        The last event that it contains.
    fingerprint : str
        Of what computed it: another program may compute another state from the same events.
    state : bytes
    """

    number: int
    fingerprint: str
    state: bytes


class SnapshotTable:
    """Snapshots beside the events, in the same file or database, one under each name.

    A snapshot is a cache and no part of the log: it can be deleted at any time, and one that is damaged counts as
    none. A backup holds the snapshots of the log.

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
    >>> from penchant.store import SQLiteLog
    >>> folder = tempfile.TemporaryDirectory()
    >>> with SQLiteLog.create(Path(folder.name) / "study.db") as log:
    ...     log.snapshots.put("belief", 120, "penchant 0.1", b"...")
    ...     print(log.snapshots.get("belief"))
    Snapshot(number=120, fingerprint='penchant 0.1', state=b'...')
    >>> folder.cleanup()
    """

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Connection]],
        write: Callable[[Callable[[Connection], Any]], Any],
    ) -> None:
        self._reading = reading
        self._write = write

    def put(self, name: str, number: int, fingerprint: str, state: bytes) -> None:
        """Keep a state under a name, in place of the one that is there.

        The thread that appends writes it: a large state delays the appends that come meanwhile, by some 10 ms for
        each MB.
        """
        if not isinstance(state, bytes) or len(state) > LARGEST:
            received = f"{len(state)} bytes" if isinstance(state, bytes) else type(state).__name__
            raise InvalidInput.of("state", f"be at most {LARGEST} bytes", received, "encode or shorten it")
        if not (isinstance(name, str) and isinstance(fingerprint, str)):
            raise InvalidInput.of("name and fingerprint", "be strings", (name, fingerprint), "use str()")
        if not isinstance(number, int) or not 0 <= number < 2**63:
            raise InvalidInput.of("number", "be the number of an event, or 0", number, "give the last one")
        values = {
            "name": name,
            "number": number,
            "fingerprint": fingerprint,
            "state": state,
            "checksum": checksum(name, number, fingerprint, state),
        }

        def replace(connection: Connection) -> None:
            connection.execute(delete(snapshots).where(snapshots.c.name == name))
            connection.execute(insert(snapshots), [values])

        self._write(replace)

    def get(self, name: str) -> Snapshot | None:
        """Return the snapshot of this name, or None where there is none, or a damaged one."""
        try:
            with self._reading() as connection:
                row = connection.execute(select(snapshots).where(snapshots.c.name == name)).first()
        except CannotLoad:
            return None
        if row is None or not is_sound(tuple(row)):
            return None
        return Snapshot(row.number, row.fingerprint, row.state)

    def delete(self, name: str) -> None:
        """Delete the snapshot of this name, if there is one."""
        self._write(
            lambda connection: connection.execute(delete(snapshots).where(snapshots.c.name == name)).rowcount
        )


def checksum(name: str, number: int, fingerprint: str, state: bytes) -> str:
    """Return the checksum of a snapshot: 128 bits of BLAKE2b."""
    sum = blake2b(f"{name!r}\x1f{number!r}\x1f{fingerprint!r}\x1f".encode(errors="replace"), digest_size=16)
    sum.update(state)
    return sum.hexdigest()


def is_sound(row: tuple[Any, ...]) -> bool:
    """Return whether the columns of a row are of their types and match its checksum."""
    name, number, fingerprint, state, expected = row
    return (
        type(name) is type(fingerprint) is str
        and type(number) is int
        and type(state) is bytes
        and checksum(name, number, fingerprint, state) == expected
    )
