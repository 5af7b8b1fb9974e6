"""The table of snapshots: states that were computed from the events, kept so that they need not be computed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, tuple_

from penchant.errors import CannotLoad, InvalidInput
from penchant.store.table import snapshots

LARGEST = 2**29
"""Bytes of the largest state."""
PART = 2**18
"""Bytes that are written at once: the appends that come meanwhile wait for no more."""


class Snapshot(NamedTuple):
    """A state that was computed from the events up to a number.

    Attributes
    ----------
    number : int
        The last event that it contains.
    fingerprint : str
        Of what computed it: another program may compute another state from the same events.
    state : bytes

    Examples
    --------
    >>> Snapshot(120, "penchant 0.1", b"...").number
    120
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
        self._putting = Lock()

    def put(self, name: str, number: int, fingerprint: str, state: bytes) -> None:
        """Keep a state under a name, in place of the one that is there.

        A large state is written in parts by the thread that appends, so that appends go on between them. The old state
        stays until the new one is complete.
        """
        if not isinstance(state, bytes) or len(state) > LARGEST:
            received = f"{len(state)} bytes" if isinstance(state, bytes) else type(state).__name__
            raise InvalidInput.of("state", f"be at most {LARGEST} bytes", received, "encode or shorten it")
        if not (isinstance(name, str) and isinstance(fingerprint, str)):
            raise InvalidInput.of("name and fingerprint", "be strings", (name, fingerprint), "use str()")
        if not isinstance(number, int) or not 0 <= number < 2**63:
            raise InvalidInput.of("number", "be the number of an event, or 0", number, "give the last one")
        with self._putting:
            last: int | None = self._write(lambda connection: connection.scalar(_last_generation(name)))
            generation = 1 + (last or 0)
            for part, start in enumerate(range(0, len(state), PART), 1):
                self._add(name, generation, part, state=state[start : start + PART])
            found = checksum(name, number, fingerprint, state)
            self._add(name, generation, 0, number=number, fingerprint=fingerprint, checksum=found)
            others = snapshots.c.name == name, snapshots.c.generation != generation
            while self._write(lambda connection: connection.execute(_some(*others)).rowcount):
                pass

    def _add(self, name: str, generation: int, part: int, **columns: Any) -> None:
        values = {"number": 0, "fingerprint": "", "state": b"", "checksum": "", **columns}
        row = {"name": name, "generation": generation, "part": part, **values}
        self._write(lambda connection: connection.execute(insert(snapshots), [row]).rowcount)

    def get(self, name: str) -> Snapshot | None:
        """Return the snapshot of this name, or None where there is none, or a damaged one."""
        try:
            with self._reading() as connection:
                rows = connection.execute(_generations(name)).all()
        except CannotLoad:
            return None
        return newest(map(tuple, rows))

    def delete(self, name: str) -> None:
        """Delete the snapshot of this name, if there is one."""
        with self._putting:
            while self._write(
                lambda connection: connection.execute(_some(snapshots.c.name == name)).rowcount
            ):
                pass


def _last_generation(name: str) -> Any:
    return select(func.max(snapshots.c.generation)).where(snapshots.c.name == name)


def _generations(name: str) -> Any:
    """Return the statement that selects what `newest` takes: the last complete generation of a name."""
    complete = select(func.max(snapshots.c.generation)).where(snapshots.c.name == name, snapshots.c.part == 0)
    return (
        select(snapshots)
        .where(snapshots.c.name == name, snapshots.c.generation == complete.scalar_subquery())
        .order_by(snapshots.c.part)
    )


def _some(*conditions: Any) -> Any:
    """Return the statement that deletes a few parts: a large state at once would hold up appends."""
    few = select(snapshots.c.generation, snapshots.c.part).where(*conditions).limit(4)
    return delete(snapshots).where(*conditions, tuple_(snapshots.c.generation, snapshots.c.part).in_(few))


def newest(rows: Iterable[tuple[Any, ...]]) -> Snapshot | None:
    """Return the snapshot of the rows of one generation, in the order of their parts; None unless it is sound.

    A row has the name, generation, part, number, fingerprint, state and checksum.
    """
    found = list(rows)
    if not found or found[0][2] != 0:
        return None
    name, _, _, number, fingerprint, _, expected = found[0]
    states = [row[5] for row in found[1:]]
    if (
        type(name) is type(fingerprint) is str
        and type(number) is int
        and all(type(state) is bytes for state in states)
        and checksum(name, number, fingerprint, state := b"".join(states)) == expected
    ):
        return Snapshot(number, fingerprint, state)
    return None


def checksum(name: str, number: int, fingerprint: str, state: bytes) -> str:
    """Return the checksum of a snapshot: 128 bits of BLAKE2b."""
    sum = blake2b(f"{name!r}\x1f{number!r}\x1f{fingerprint!r}\x1f".encode(errors="replace"), digest_size=16)
    sum.update(state)
    return sum.hexdigest()
