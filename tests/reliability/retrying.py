"""Judges who send an answer again under the same id until it is acknowledged, and what of theirs must be on disk."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.load import Judge
from benchmarks.wire import Connection, posted
from penchant.store import open_log
from penchant.study import Study
from penchant.study.state import State
from tests.reliability.states import facts

PATIENCE = 30.0
"""Seconds after which a reply is given up."""
PAUSE = 0.02
NO_REPLY = 0


class RetryingJudge(Judge):
    """A judge who keeps an answer until it is acknowledged."""

    def __init__(self, port: int, token: str, name: str, worth: Sequence[float]) -> None:
        super().__init__(port, token, name, worth)
        self.acknowledged: list[str] = []
        self.statuses: Counter[int] = Counter()
        self._pending: dict[str, Any] | None = None

    async def start(self) -> None:
        """Connect, and get the first question, however often that takes."""
        await self.turn()

    async def attempt(self) -> int:
        """Ask for a question, or send the answer to the one at hand; return the status, or 0 where no reply came."""
        if self.question is not None and self._pending is None:
            self._pending = json.loads(self.answer())
        path, body = ("/v1/questions", {}) if self._pending is None else ("/v1/answers", self._pending)
        request = posted(self.port, path, self.token, json.dumps(body).encode())
        try:
            if self.connection is None or self.connection.ended:
                self.connection = await Connection.open(self.port)
            reply = await asyncio.wait_for(self.connection.send(request), PATIENCE)
        except (OSError, TimeoutError):
            self.close()
            self.statuses[NO_REPLY] += 1
            return NO_REPLY
        self.statuses[reply.status] += 1
        if reply.status == 200:
            self._take(reply.json())
        return reply.status

    def _take(self, reply: dict[str, Any]) -> None:
        if self._pending is None:
            self.question = reply
        else:
            self.acknowledged.append(self._pending["id"])
            self.question, self._pending = reply["next"], None

    async def turn(self) -> None:
        """Send until something is acknowledged."""
        while (status := await self.attempt()) != 200:
            assert status in (NO_REPLY, 429, 503), f"an answer was rejected with {status}"
            await asyncio.sleep(PAUSE)


def study_with_judges(path: Path | str, items: int, judges: int, **settings: Any) -> list[str]:
    """Make a study of items i0, i1, … and return a token for each of its judges."""
    listed = [{"id": f"i{k}", "title": f"item {k}"} for k in range(items)]
    with Study.create(path, listed, seed=1, **settings) as study:
        return [study.tokens.make("judge", f"judge {k}") for k in range(judges)]


def check_answers(path: Path | str, judges: Iterable[RetryingJudge]) -> int:
    """Open the study as the next process would: what was acknowledged is there once, and nothing else; count it."""
    acknowledged = Counter(answer for judge in judges for answer in judge.acknowledged)
    with Study.open(path) as study:
        state = study._state
        stored = Counter(answer.id.rpartition("/")[2] for answer in study.answers())
    assert not acknowledged - stored, "an acknowledged answer is lost"
    assert not stored - acknowledged, "an answer counts twice, or was never acknowledged"
    with open_log(path, write=False) as log:
        folded = State()
        for event in log.events():
            folded.apply(event)
    assert facts(folded) == facts(state), "the state is not the fold of the log"
    return acknowledged.total()
