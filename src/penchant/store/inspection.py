"""What can still be read of a log that may be damaged, in words that all stores share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penchant.store.postgres.address import PostgresAddress
from penchant.store.side import checksum, context_hash
from penchant.store.table import digest

MOST_LISTED = 20
"""Problems of one kind that are listed."""
CHANGED_DEFINITIONS = "the definitions of tables: not those that Penchant makes"
CHANGED_EVENT = "does not match its checksum"

Run = tuple[int, int]
"""The first and the last of consecutive numbers."""


@dataclass(frozen=True)
class Inspection:
    """What a log's file holds.

    Attributes
    ----------
    path : Path or PostgresAddress
    expected : int or None
        How many events there should be; None where even that cannot be read.
    readable : tuple of (int, int)
        The first and last number of each run of events that match their checksums.
    problems : tuple of str
        What is wrong, with its place; empty for a sound file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp()) / "study.db"
    >>> from penchant.store import create_log, inspect
    >>> create_log(place, [("e1", "answer", {"choice": "left"})]).close()
    >>> inspect(place).problems
    ()
    """

    path: Path | PostgresAddress
    expected: int | None
    readable: tuple[Run, ...]
    problems: tuple[str, ...]

    @property
    def n_readable(self) -> int:
        """How many events can be read."""
        return sum(last - first + 1 for first, last in self.readable)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        total = "an unknown number of" if self.expected is None else f"{self.expected:,}"
        if self.sound:
            return f"sound: all {total} events match their checksums"
        runs = ", ".join(f"{first}–{last}" if last > first else f"{first}" for first, last in self.readable)
        found = f"{self.n_readable:,} of {total} events can be read" + (f" (numbers {runs})" if runs else "")
        return f"damaged: {found}"


class EventScan:
    """The events of a log, counted one by one in the order of their numbers.

    Examples
    --------
    >>> scan = EventScan()
    >>> for number, problem in [(1, None), (2, None), (5, "does not match its checksum")]:
    ...     scan.add(number, problem)
    >>> scan.readable, scan.problems(7)
    ([(1, 2)], ['events 3–4: missing', 'events 6–7: missing', 'event 5: does not match its checksum'])
    """

    def __init__(self) -> None:
        self.readable: list[Run] = []
        self._gaps: list[Run] = []
        self._wrong: list[str] = []
        self._last = 0

    def add(self, number: int, problem: str | None) -> None:
        """Count an event, and what is wrong with it, None where it is sound."""
        if number > self._last + 1:
            self._gaps.append((self._last + 1, number - 1))
        if problem is not None:
            self._wrong.append(f"event {number}: {problem}")
        elif self.readable and self.readable[-1][1] == number - 1:
            self.readable[-1] = (self.readable[-1][0], number)
        else:
            self.readable.append((number, number))
        self._last = number

    def problems(self, expected: int | None) -> list[str]:
        """Return what is wrong with a log that should hold so many events: what is missing, then what is damaged."""
        gaps = list(self._gaps)
        if expected is not None and expected > self._last:
            gaps.append((self._last + 1, expected))
        missing = [f"{run_in_words(gap)}: missing" for gap in gaps[:MOST_LISTED]]
        return missing + self._wrong[:MOST_LISTED]


def run_in_words(run: Run) -> str:
    """Return a run of events in words.

    Examples
    --------
    >>> run_in_words((3, 7)), run_in_words((4, 4))
    ('events 3–7', 'event 4')
    """
    first, last = run
    return f"events {first}–{last}" if last > first else f"event {first}"


def token_problems(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return what is wrong with the rows of the table of tokens, of which the last column is the checksum."""
    wrong = sum(digest(*row[:-1]) != row[-1] for row in rows)
    return [f"the tokens: {wrong} of {len(rows)} do not match their checksums"] if wrong else []


def side_problems(
    salt: Any,
    contexts: Iterable[tuple[Any, Any]],
    users: Iterable[tuple[Any, Any, Any]],
    checkpoints: Iterable[tuple[Any, Any, Any]],
) -> Iterator[str]:
    """Yield what is wrong with the tables of what can be erased, each of which is read when its turn comes.

    Parameters
    ----------
    salt : bytes
    contexts : iterable of (hash, content)
    users : iterable of (key, name, checksum)
    checkpoints : iterable of (number, state, checksum)
    """
    wrong = sum(
        not salt or not isinstance(content, bytes) or context_hash(salt, content) != hash
        for hash, content in contexts
    )
    if wrong:
        yield f"the contexts: {wrong} do not match their hashes"
    wrong = sum(digest(key, name) != expected for key, name, expected in users)
    if wrong:
        yield f"the users: {wrong} do not match their checksums"
    wrong = sum(checksum(number, state) != expected for number, state, expected in checkpoints)
    if wrong:
        yield "the checkpoint: it does not match its checksum"
