"""Judges and applications that send one request after another over kept connections, as many at once as wanted."""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any, TypeVar

from benchmarks.wire import Connection, Reply, got, posted

Result = TypeVar("Result")
CHOICES = ("left", "right")


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Run ``work`` on the quickest event loop that is installed."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        from asyncio import new_event_loop
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)


@dataclass
class Waits:
    """How long each of some turns took, in seconds, over so many seconds."""

    turns: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Turns in a second."""
        return len(self.turns) / self.seconds

    def within(self, share: float) -> float:
        """Return the seconds within which this share of the turns was done."""
        ordered = sorted(self.turns)
        return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


class Rejected(Exception):
    """A reply of another status than 200."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status}: {reply.body[:300].decode(errors='replace')}")
        self.reply = reply


class Judge:
    """One judge: answers the question at hand, of which the reply holds the next.

    Parameters
    ----------
    port : int
    token : str
    name : str
        Makes the ids of the answers differ from those of others that use the token.
    worth : sequence of float
        How good items ``i0``, ``i1``, … are; judges answer as the Bradley–Terry model says.
    """

    def __init__(self, port: int, token: str, name: str, worth: Sequence[float]) -> None:
        self.port, self.token, self.name = port, token, name
        self.connection: Connection | None = None
        self.question: dict[str, Any] | None = None
        self._worth, self._random, self._numbers = worth, random.Random(name), count()

    async def start(self) -> None:
        """Connect, and ask for the first question."""
        self.connection = await Connection.open(self.port)
        reply = await self.connection.send(posted(self.port, "/v1/questions", self.token, b"{}"))
        self.question = checked(reply).json()

    async def turn(self) -> None:
        """Answer, and take the next question from the reply."""
        assert self.connection is not None
        assert self.question is not None
        reply = await self.connection.send(posted(self.port, "/v1/answers", self.token, self.answer()))
        self.question = checked(reply).json()["next"]

    def answer(self) -> bytes:
        """Return the body of a new answer to the question at hand."""
        assert self.question is not None
        left, right = (self._worth[int(self.question[side]["id"][1:])] for side in CHOICES)
        choice = CHOICES[self._random.random() > 1 / (1 + math.exp(right - left))]
        body = {"id": f"{self.name}-{next(self._numbers)}", "question": self.question["id"], "choice": choice}
        return json.dumps(body).encode()

    def close(self) -> None:
        """End the connection."""
        if self.connection is not None:
            self.connection.close()


class App:
    """One application: presents candidates, and sends a click on the third place."""

    def __init__(self, port: int, token: str, name: str, candidates: Callable[[], bytes]) -> None:
        self.port, self.token, self.name = port, token, name
        self.connection: Connection | None = None
        self._candidates, self._numbers = candidates, count()

    async def start(self) -> None:
        """Connect."""
        self.connection = await Connection.open(self.port)

    async def turn(self) -> None:
        """Present, and give feedback."""
        assert self.connection is not None
        number = next(self._numbers)
        body = b'{"id": "p-%s-%d", "candidates": %s}' % (self.name.encode(), number, self._candidates())
        shown = checked(
            await self.connection.send(posted(self.port, "/v1/presentations", self.token, body))
        ).json()
        click = {"id": f"f-{self.name}-{number}", "presentation": shown["id"], "clicked": [shown["order"][2]]}
        request = posted(self.port, "/v1/feedback", self.token, json.dumps(click).encode())
        checked(await self.connection.send(request))

    def close(self) -> None:
        """End the connection."""
        if self.connection is not None:
            self.connection.close()


def checked(reply: Reply) -> Reply:
    """Return a reply of the status 200, and raise `Rejected` for another."""
    if reply.status != 200:
        raise Rejected(reply)
    return reply


@asynccontextmanager
async def hanging_up(*visitors: Judge | App | Connection) -> AsyncIterator[None]:
    """End all connections at the end, while the event loop still runs."""
    try:
        yield
    finally:
        for visitor in visitors:
            visitor.close()
        await asyncio.sleep(0)


async def together(visitors: Sequence[Judge | App], seconds: float) -> Waits:
    """Let all take turns, each one after the other, for so many seconds."""
    waits = Waits()

    async def turns(visitor: Judge | App) -> None:
        now = perf_counter()
        while now < end:
            await visitor.turn()
            now, before = perf_counter(), now
            waits.turns.append(now - before)

    async with hanging_up(*visitors):
        await asyncio.gather(*(visitor.start() for visitor in visitors))
        begun = perf_counter()
        end = begun + seconds
        await asyncio.gather(*map(turns, visitors))
        waits.seconds = perf_counter() - begun
    return waits


async def first_bytes(
    port: int, token: str, before: Callable[[], Awaitable[None]], repeats: int
) -> tuple[list[float], list[float], int]:
    """Return the seconds to the first byte of the ranking after a change, and without one, and the bytes of it."""
    connection = await Connection.open(port)
    cold, warm, size = [], [], 0
    async with hanging_up(connection):
        for _ in range(repeats):
            await before()
            for waits in (cold, warm):
                begun = perf_counter()
                reply = checked(await connection.send(got(port, "/v1/ranking", token)))
                waits.append(connection.first_byte - begun)
                size = len(reply.body)
    return cold, warm, size
