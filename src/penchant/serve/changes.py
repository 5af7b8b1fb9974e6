"""A stream of changes as server-sent events: what changed since, so that a page need not ask again and again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

from penchant.store import Event
from penchant.study import CompareStudy, Study

HEARTBEAT = 15.0
"""Seconds after which a stream without changes sends a comment, so that proxies keep it open."""
TOGETHER = 0.1
"""Seconds between two messages of a stream: changes that come meanwhile are reported together."""
MOST_NAMED = 1000
"""So many events are read for their kinds when a stream is resumed; after more, the kinds are not listed."""
RETRY = 1000
"""Milliseconds after which a browser opens a stream again that was cut."""


class Changes:
    """The number of the last event of a study, and the streams that wait for the next one.

    How near a ranking is to its goal is evaluated in the background: streams report that an evaluation has ended too.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._evaluations = 0
        self._recent: tuple[tuple[int, str], ...] = ()  # numbers and kinds of the last events
        study.subscribe(self._committed)
        if isinstance(study, CompareStudy):
            study.subscribe_settled(self._evaluated)

    def _committed(self, events: list[Event]) -> None:
        if self._waiting and events:
            new = tuple((event.number, event.kind) for event in events)
            follows = bool(self._recent) and self._recent[-1][0] + 1 == new[0][0]
            self._recent = (*(self._recent if follows else ()), *new)[-MOST_NAMED:]
        else:
            self._recent = ()
        self.wake()

    def _evaluated(self) -> None:
        self._evaluations += 1
        self.wake()

    def wake(self) -> None:
        """Let every stream look again."""
        for loop, event in list(self._waiting):
            try:
                loop.call_soon_threadsafe(event.set)
            except RuntimeError:  # the loop was closed, with its streams
                self._waiting.discard((loop, event))

    async def stream(self, after: int | None, may_go_on: Callable[[], bool]) -> AsyncGenerator[str]:
        """Yield server-sent events: at once where the study changed after event ``after``, then with each change.

        A message is a ``change``, or ``settled`` where an evaluation of the goal has ended and nothing else changed.

        Parameters
        ----------
        after : int or None
            The last event that the client knows of; None: the number of the last one comes first.
        may_go_on : callable
            Asked before each message; the stream ends where it returns false.
        """
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        entry = (loop, changed)
        self._waiting.add(entry)
        try:
            yield f"retry: {RETRY}\n\n"
            reported, seen = after, self._evaluations
            while may_go_on():
                changed.clear()
                evaluations = self._evaluations
                last = self._study.last_event()
                if reported is not None and reported > last:  # of a file that was replaced by a backup since
                    reported = None
                if reported is None or last > reported:
                    message = self._message_of_recent(reported, last)
                    if message is None:
                        message = await asyncio.to_thread(self._message, reported, last)
                    yield message
                    reported = last
                    await asyncio.sleep(TOGETHER)
                elif evaluations > seen:
                    seen = evaluations
                    yield _message("settled", last, [])
                elif not await _happens(changed, HEARTBEAT):
                    yield ": no change\n\n"
        finally:
            self._waiting.discard(entry)

    def _message_of_recent(self, reported: int | None, last: int) -> str | None:
        """Return the message about events that were just written; None where they have to be read from the log.

        Many streams that each read every event again would leave no time for those who write.
        """
        if reported is None:
            return _message("change", last, [])
        recent = self._recent
        if not recent or recent[0][0] > reported + 1 or recent[-1][0] < last:
            return None
        return _message(
            "change", last, sorted({kind for number, kind in recent if reported < number <= last})
        )

    def _message(self, reported: int | None, last: int) -> str:
        kinds: list[str] | None = []
        if reported is not None:
            named = last - reported <= MOST_NAMED
            kinds = sorted({event.kind for event in self._study.events(reported, last)}) if named else None
        return _message("change", last, kinds)


def _message(event: str, last: int, kinds: list[str] | None) -> str:
    data: dict[str, Any] = {"revision": last, "kinds": kinds}
    return f"id: {last}\nevent: {event}\ndata: {json.dumps(data)}\n\n"


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
