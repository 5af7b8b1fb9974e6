"""A study out of files and into files: exported events, tables of answers, answers that were given elsewhere."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from penchant.checks import one_of
from penchant.formats.parsing.source import Limits
from penchant.formats.tables import write_table
from penchant.preferences import Preferences
from penchant.store import Event, SQLiteLog
from penchant.study.events import IMPORTED, newest
from penchant.study.exporting import (
    ANSWER_COLUMNS,
    EXPORTS,
    answer_rows,
    checked_events,
    ranking_rows,
    read_events,
    write_events,
)
from penchant.study.importing import imported_contents
from penchant.study.parts import PartOfStudy


class Exchange(PartOfStudy):
    """The methods of `Study` that write it to files and make it from files."""

    @classmethod
    def from_events(
        cls,
        path: str | Path,
        events: str | Path | Iterable[Event],
        *,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a study in a new file from the events of another one; both rank the same.

        Parameters
        ----------
        path : str or Path
            The file, which must not exist yet.
        events : str, Path or iterable of Event
            A file that `export` wrote, or the events themselves, in order. Each is checked before the file is made.
        limits : Limits, optional
            The most that the file may hold.
        """
        listed = (
            read_events(events, limits=limits) if isinstance(events, str | Path) else checked_events(events)
        )
        return cls._of(SQLiteLog.create(path, listed, clock=clock), clock)

    def export(self, path: str | Path, what: str = "events") -> None:
        """Write events, answers or the ranking to a file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Events go to ``.jsonl``; answers and ranking to ``.csv``, ``.jsonl`` or ``.parquet``. Text is gzipped if
            ``.gz`` follows.
        what : {"events", "answers", "ranking"}
            Events are all that the study is: `from_events` makes an equal one of them. Answers include those that do
            not count, with ``live`` false.
        """
        one_of("what", what, EXPORTS)
        if what == "events":
            write_events(self._log.events(), Path(path))
        elif what == "ranking":
            write_table(*ranking_rows(self.rank()), Path(path))
        else:
            with self._lock:
                self._catch_up()
                answers = list(self._state.answers.values())
                live = {answer.id for answer in self._state.live.answers}
            write_table(answer_rows(answers, live), ANSWER_COLUMNS, Path(path))

    def import_answers(self, answers: Preferences, *, source: str = "") -> str:
        """Add answers that were given elsewhere, all or none, and return the id with which `undo` takes all back.

        Parameters
        ----------
        answers : Preferences
            Of two items each, which are items of the study.
        source : str
            Where they come from.
        """
        with self._lock:
            self._catch_up()
            entries = imported_events(answers, self._state.items, source, f"i-{secrets.token_hex(8)}")
            self._log.append_all(entries)
            self._catch_up()
        return entries[0][0]


def imported_events(
    answers: Preferences, items: Iterable[str], source: str, name: str
) -> list[tuple[str, str, dict[str, Any], int]]:
    """Return the events that bring answers into a study as one import, with ids that begin with ``name``."""
    contents = imported_contents(answers, set(items), source)
    return [
        (f"{name}-{number}", IMPORTED, {**content, "import": f"{name}-0"}, newest(IMPORTED))
        for number, content in enumerate(contents)
    ]
