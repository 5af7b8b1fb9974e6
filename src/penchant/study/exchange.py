"""A study out of files and into files: exported events, tables of answers, answers that were given elsewhere."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from penchant.checks import one_of
from penchant.formats.tables import write_table
from penchant.preferences import Preferences
from penchant.progress import with_progress
from penchant.study.events import IMPORTED, newest
from penchant.study.exporting import (
    ANSWER_COLUMNS,
    EXPORTS,
    answer_rows,
    picture_lines,
    ranking_rows,
    write_events,
)
from penchant.study.importing import imported_contents
from penchant.study.parts import PartOfStudy
from penchant.study.pictures import cited_pictures


class Exchange(PartOfStudy):
    """The methods of `Study` that write it to files and make it from files."""

    def export(self, path: str | Path, what: str = "events") -> None:
        """Write events, answers or the ranking to a file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Events go to ``.jsonl``; answers and ranking to ``.csv``, ``.jsonl`` or ``.parquet``. Text is gzipped if
            ``.gz`` follows.
        what : {"events", "answers", "ranking"}
            Events are all that the study is, with the pictures of its items: `from_events` makes an equal one of
            them. Answers include those that do not count, with ``live`` false.
        """
        one_of("what", what, EXPORTS)
        if what == "events":
            side = self._log.side
            pictures = side.contexts(cited_pictures(self.items.values()))
            events = with_progress(self._log.events(), self._log.last())
            write_events(events, Path(path), picture_lines(side.salt, pictures))
        elif what == "ranking":
            write_table(*ranking_rows(self.rank()), Path(path))
        else:
            with self._lock:
                self._catch_up()
                answers = list(self._state.answers.values())
                live = {answer.id for answer in self._state.live.answers}
            write_table(with_progress(answer_rows(answers, live), len(answers)), ANSWER_COLUMNS, Path(path))

    def import_answers(self, answers: Preferences, *, source: str = "") -> str:
        """Add answers that were given elsewhere, all or none, and return the id with which `undo` takes all back.

        Parameters
        ----------
        answers : Preferences
            Of two items each, which are items of the study.
        source : str
            Where they come from.
        """
        with self._changing():
            entries = imported_events(answers, self._state.items, source, f"i-{secrets.token_hex(8)}")
            self._record(entries)
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
