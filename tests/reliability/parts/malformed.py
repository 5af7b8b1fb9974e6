"""Whatever is sent to a server, it replies with an error of one shape, writes nothing and stays as large as it is."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from benchmarks.load import finished, hanging_up
from benchmarks.served import STUDY, Server
from benchmarks.wire import Connection, Reply, got, posted
from penchant.store import SQLiteLog
from penchant.study import Study
from tests.reliability.malforming import MAKERS, Malformed, Target, malformed
from tests.reliability.part import Part

REQUESTS, BRIEF_REQUESTS = 5_000, 12 * len(MAKERS)
FIRST = 1_000
"""After so many requests the server is as large as it gets."""
AT_ONCE = 16
PATIENCE = 20.0
PAUSE = 0.3
"""Seconds after which no more is sent of a request that is not whole."""
REPORTS = (
    "ranking",
    "settled",
    "checks",
    "predictions",
    "certainty",
    "upcoming",
    "activity",
    "why?a=i0&b=i1",
)
GROWTH = 24 * 1024**2
"""Bytes by which the memory of the server may differ between two looks at it."""


def trial(number: int, folder: Path) -> Counter[str]:
    """Send five thousand malformed requests to one server."""
    return sent(number, folder, REQUESTS, first=FIRST)


def brief(number: int, folder: Path) -> Counter[str]:
    """Send a few of each kind."""
    return sent(number, folder, BRIEF_REQUESTS)


def sent(number: int, folder: Path, count: int, *, first: int | None = None) -> Counter[str]:
    paths = folder / "compare.db", folder / "coactive.db"
    items = [{"id": f"i{k}", "title": f"item {k}", "x": k} for k in range(6)]
    with Study.create(paths[0], items, seed=1) as study:
        judge, owner = study.tokens.make("judge", "ann"), study.tokens.make("owner", "bob")
        question = study.ask("ann").id
    with Study.create(paths[1], items, kind="coactive", seed=1) as study:
        app, presentation = study.tokens.make("app", "shop"), study.present(["i0", "i1", "i2"]).id
    events = written(paths)
    with Server(STUDY, *paths, for_seconds=600) as server:
        target = Target(server.port, judge, question, owner, app, presentation)
        process = psutil.Process(server.process.pid)
        numbers = range(number * count, (number + 1) * count)
        counts, before = Counter[str](), None
        if first is not None:
            finished(reported(target))
            counts += finished(sending(numbers[:first], target))
            before, numbers = process.memory_info().rss, numbers[first:]
        counts += finished(sending(numbers, target))
        after = process.memory_info().rss
        assert finished(healthy(target)), "it does not answer any more"
        server.stop()
        said = server.complaints()
    assert "Traceback" not in said, said[-2000:]
    assert before is None or after - before <= GROWTH, f"it grew by {(after - before) / 1024**2:.0f} MB"
    assert written(paths) == events, "an event was written"
    return counts


def written(paths: Iterable[Path]) -> list[str]:
    """Return the ids of all events."""
    ids: list[str] = []
    for path in paths:
        with SQLiteLog.open(path, write=False) as log:
            ids += [event.id for event in log.events()]
    return ids


async def reported(target: Target) -> None:
    """Ask for every report once: the libraries that they load stay, and must not be taken for a leak."""
    connection = await Connection.open(target.port)
    async with hanging_up(connection):
        for report in REPORTS:
            await connection.send(got(target.port, f"/v1/{report}", target.owner))


async def sending(numbers: range, target: Target) -> Counter[str]:
    """Send malformed requests, several at once, each over a connection of its own."""
    counts, left = Counter[str](), iter(numbers)

    async def visitor() -> None:
        for number in left:
            request = malformed(number, target)
            reply = await replied(request, target.port)
            counts[checked(request, reply)] += 1

    await asyncio.gather(*(visitor() for _ in range(AT_ONCE)))
    return counts


async def replied(request: Malformed, port: int) -> Reply | None:
    """Return the reply, or None where the server hangs up without one."""
    connection = await Connection.open(port)
    async with hanging_up(connection):
        reply = connection.send(request.data)
        if request.cut:
            await asyncio.wait([reply], timeout=PAUSE)
            connection.end_sending()
        try:
            return await asyncio.wait_for(reply, PATIENCE)
        except ConnectionError:
            return None


def checked(request: Malformed, reply: Reply | None) -> str:
    """Check a reply, and return what it is counted as."""
    shown = f"{request.kind}: {request.data[:300]!r} got {reply!r:.600}"
    if reply is None:
        assert request.cut, f"no reply to {shown}"
        return "no reply to what was not whole"
    if reply.status < 400:
        assert request.harmless, f"accepted {shown}"
        return "accepted, since it does not matter"
    assert reply.status < 500 or reply.status in (503, 507), f"failed {shown}"
    assert is_error(reply), f"another shape {shown}"
    return "rejected"


def is_error(reply: Reply) -> bool:
    """Return whether the body has the one shape of errors."""
    try:
        body: Any = json.loads(reply.body)
    except ValueError:
        return False
    error = body.get("error", {}) if isinstance(body, dict) else {}
    return set(error) == {"code", "message", "hint"} and all(
        isinstance(text, str) and text for text in error.values()
    )


async def healthy(target: Target) -> bool:
    """Return whether the server still says that it works, and still asks the judge the same."""
    connection = await Connection.open(target.port)
    async with hanging_up(connection):
        health = await connection.send(got(target.port, "/v1/health", target.owner))
        question = await connection.send(posted(target.port, "/v1/questions", target.judge, b"{}"))
    return health.status == 200 and question.json()["id"] == target.question


PART = Part(
    name="malformed",
    claim="Whatever is sent, whole or not, the server replies with an error of one shape or hangs up, fails at "
    "nothing, writes no event and does not grow.",
    unit=f"servers, each with {REQUESTS:,} malformed requests",
    full=4,
    trial=trial,
    brief=brief,
)
