"""The studies behind a server: each with its worker, its current ranking and the changes that streams wait for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from penchant.errors import InvalidInput, PenchantError
from penchant.serve.changes import Changes
from penchant.serve.live import LiveRanking
from penchant.serve.reports import Reports
from penchant.serve.worker import MOST_WAITING, Worker
from penchant.study import CompareStudy, Study, Token
from penchant.study.tokens import PRECISION

if TYPE_CHECKING:
    from penchant.study.coactive import CoactiveStudy


FRESH = 0.05
"""Seconds in which a token may still work that another process revoked."""

USES_TOGETHER = 1.0
"""Seconds between two writes of when tokens were used."""


class Served:
    """A study behind the server.

    Attributes
    ----------
    number : int
        Its place among the studies of the server, from 0.
    study : CompareStudy or CoactiveStudy
    worker : Worker
        Makes the calls that read or write the state of the study.
    live : LiveRanking or None
        The current ranking of a study of comparisons.
    changes : Changes
        Tells streams of new events.
    reports : Reports
        Makes and keeps reports that take long.
    """

    def __init__(self, study: Study, number: int = 0, *, most_waiting: int = MOST_WAITING) -> None:
        self.number = number
        self.study: CompareStudy | CoactiveStudy = study  # type: ignore[assignment]
        self.worker = Worker(study, most_waiting)
        self.live = LiveRanking(study) if isinstance(study, CompareStudy) else None
        self.changes = Changes(study)
        self.reports = Reports(study)
        self._recorded: dict[str, float] = {}
        self._uses: list[str] = []
        self._write_uses_at = 0.0

    def find(self, text: str) -> Token | None:
        """Return the record of a token of this study; its use is recorded in a thread, at most once a minute."""
        token = self.study.tokens.find(text, record=False, within=FRESH)
        if token is not None:
            now = time.time()
            last = max(token.used or 0.0, self._recorded.get(token.id, 0.0))
            if not 0 <= now - last < PRECISION:
                self._recorded[token.id] = now
                self._record(text)
        return token

    def _record(self, text: str) -> None:
        """Record a use now, or with all others of the same second: hundreds of judges come back every minute."""
        loop = asyncio.get_running_loop()
        wait = self._write_uses_at - time.monotonic()
        if not self._uses and 0 < wait <= USES_TOGETHER:
            loop.call_later(wait, self._write_uses, loop)
        self._uses.append(text)
        if not 0 < wait <= USES_TOGETHER:
            self._write_uses(loop)

    def _write_uses(self, loop: asyncio.AbstractEventLoop) -> None:
        uses, self._uses = self._uses, []
        if uses:
            self._write_uses_at = time.monotonic() + USES_TOGETHER
            loop.run_in_executor(None, self._record_uses, uses)

    def finish(self) -> None:
        """Let the streams look whether they may go on, and record what uses of tokens are not yet recorded."""
        self.changes.wake()
        uses, self._uses = self._uses, []
        self._record_uses(uses)

    def _record_uses(self, uses: list[str]) -> None:
        with suppress(PenchantError):  # neither a request nor the end of the server depends on it
            self.study.tokens.record(uses)


class Studies:
    """All studies behind a server, in the order in which they were given.

    Parameters
    ----------
    studies : Study or sequence of Study
        Open for writing; closing them stays with the caller.
    """

    def __init__(self, studies: Study | Iterable[Study], *, most_waiting: int = MOST_WAITING) -> None:
        listed = [studies] if isinstance(studies, Study) else list(studies)
        if not listed:
            raise InvalidInput.of("studies", "be at least one", "none", "give a study")
        self.all: Sequence[Served] = [
            Served(study, number, most_waiting=most_waiting) for number, study in enumerate(listed)
        ]
        self.stopping = False
        """Whether the server is about to end: streams end then."""

    def find(self, text: str) -> tuple[Token, Served] | None:
        """Return the record of a token and the study that it belongs to; None where it is of no study."""
        for served in self.all:
            token = served.find(text)
            if token is not None:
                return token, served
        return None

    def stop(self) -> None:
        """End all streams."""
        self.stopping = True
        for served in self.all:
            served.finish()
