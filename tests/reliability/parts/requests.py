"""A server that has handled many requests has no more open files and threads than before, and does not grow."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from benchmarks.load import finished, hanging_up
from benchmarks.served import STUDY, Server
from benchmarks.wire import Connection, got, posted
from penchant.study import Study
from tests.reliability.part import Part

REQUESTS, BRIEF_REQUESTS = 100_000, 700
FIRST = 0.2
"""The share of the requests after which the server is as large as it gets."""
AT_ONCE = 32
KEPT = 50
"""Requests over one connection, after which a new one is opened."""
ROUND = 100
"""Requests among which one is an answer, which a study keeps in memory."""
GROWTH = 24 * 1024**2
"""Bytes by which the memory of the server may differ between two looks at it."""
SPARE = 3
"""Files and threads that may be open at one look and not at another: connections that end, work in the background."""


def trial(number: int, folder: Path) -> Counter[str]:
    """Send a hundred thousand requests to one server."""
    return handled(folder, REQUESTS, flat=True)


def brief(number: int, folder: Path) -> Counter[str]:
    """Send a few of each kind."""
    return handled(folder, BRIEF_REQUESTS, flat=False)


def handled(folder: Path, count: int, *, flat: bool) -> Counter[str]:
    path = folder / "study.db"
    with Study.create(path, [f"item {k}" for k in range(20)], seed=1) as study:
        judges = [study.tokens.make("judge", f"judge {k}") for k in range(AT_ONCE)]
        owner = study.tokens.make("owner", "bob")
    with Server(STUDY, path, for_seconds=1_100) as server:
        process, first = psutil.Process(server.process.pid), int(FIRST * count)
        statuses = finished(visiting(server.port, judges, owner, range(first)))
        before = size(process)
        statuses += finished(visiting(server.port, judges, owner, range(first, count)))
        after = size(process)
        assert server.stop() == 0, server.complaints()
        assert not server.complaints(), server.complaints()[-2000:]
    assert set(statuses) == {200, 401, 404, 422}, statuses
    for what, most in ("files", SPARE), ("threads", SPARE), ("bytes", GROWTH):
        grown = after[what] - before[what]
        assert not flat or grown <= most, f"{what} grew by {grown}, from {before[what]}"
    return Counter({f"replies of status {status}": times for status, times in statuses.items()})


def size(process: Any) -> dict[str, int]:
    """Return how many files and threads are open, and how much memory is used."""
    return {
        "files": process.num_fds() + len(process.net_connections()),
        "threads": process.num_threads(),
        "bytes": process.memory_info().rss,
    }


async def visiting(port: int, judges: list[str], owner: str, numbers: range) -> Counter[int]:
    """Send requests of all kinds, several at once, with a new connection now and then; count the statuses."""
    statuses, left = Counter[int](), iter(numbers)

    async def visitor(judge: str) -> None:
        connection = await Connection.open(port)
        asked = await connection.send(posted(port, "/v1/questions", judge, b"{}"))
        question = asked.json()["id"]
        for place, number in enumerate(left):
            if place % KEPT == KEPT - 1:
                async with hanging_up(connection):
                    pass
                connection = await Connection.open(port)
            reply = await connection.send(request(port, judge, owner, question, number))
            statuses[reply.status] += 1
            if number % ROUND == 0:
                question = reply.json()["next"]["id"]
        async with hanging_up(connection):
            pass

    await asyncio.gather(*map(visitor, judges))
    return statuses


def request(port: int, judge: str, owner: str, question: str, number: int) -> bytes:
    """Return request ``number``: an answer now and then, and otherwise one that writes nothing."""
    answer = f'{{"id": "e-{number}", "question": "{question}", "choice": "left"}}'.encode()
    if number % ROUND == 0:
        return posted(port, "/v1/answers", judge, answer)
    return (
        posted(port, "/v1/questions", judge, b"{}"),
        got(port, "/v1/ranking", owner),
        got(port, "/v1/health", owner),
        got(port, "/", owner),
        got(port, "/v1/nothing", owner),
        posted(port, "/v1/answers", "wrong", answer),
        posted(port, "/v1/answers", judge, answer.replace(b"left", b"none")),
    )[number % 7]


PART = Part(
    name="requests",
    claim="After many requests a server has no more open files and threads than before, and as much memory.",
    unit=f"servers, each with {REQUESTS:,} requests",
    full=1,
    trial=trial,
    brief=brief,
)
