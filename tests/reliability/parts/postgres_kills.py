"""Two processes serve one study in PostgreSQL: whoever is killed, no acknowledged answer is lost or counts twice."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.load import finished, hanging_up
from tests.postgresql import Server
from tests.reliability.forked import Forked
from tests.reliability.part import Part
from tests.reliability.retrying import NO_REPLY, RetryingJudge, check_answers, study_with_judges

ITEMS, JUDGES = 20, 6
PROCESS, DATABASE = "process", "database"
KILLS = (PROCESS, PROCESS, PROCESS, PROCESS, PROCESS, DATABASE) * 2
BRIEF_KILLS = (PROCESS, DATABASE)
TAKEOVER = 2.0
"""Seconds in which another process is to acknowledge answers after the one that wrote was killed."""


class RoamingJudge(RetryingJudge):
    """A judge who tries the other server where one does not take an answer."""

    def __init__(self, ports: Sequence[int], token: str, name: str) -> None:
        super().__init__(ports[0], token, name, [0.0] * ITEMS)
        self._ports = ports

    async def attempt(self) -> int:
        status = await super().attempt()
        if status != 200:
            self.close()
            self.port = next(port for port in self._ports if port != self.port)
        return status


def trial(number: int, folder: Path) -> Counter[str]:
    """Kill ten of the processes that serve a study, and the database twice."""
    return killed(number, KILLS)


def brief(number: int, folder: Path) -> Counter[str]:
    """Kill the process that writes, and the database."""
    return killed(number, BRIEF_KILLS)


def killed(number: int, kills: Sequence[str]) -> Counter[str]:
    with ExitStack() as stack:
        database = stack.enter_context(Server())
        address = database.address()
        tokens = study_with_judges(address, ITEMS, JUDGES)
        servers = []
        for _ in range(2):  # one after the other: the second finds what the first has compiled
            servers.append(stack.enter_context(Forked(address, for_seconds=300)))
            servers[-1].start()
        ports = [server.port for server in servers]
        judges = [RoamingJudge(ports, token, f"j{k}") for k, token in enumerate(tokens)]
        counts = finished(_answering(database, servers, judges, kills, random.Random(number)))
        for server in servers:
            server.kill()
        counts["acknowledged answers, each there once"] = check_answers(address, judges)
    counts["requests without a reply, sent again"] = sum(judge.statuses[NO_REPLY] for judge in judges)
    return counts


async def _answering(
    database: Server,
    servers: Sequence[Forked],
    judges: Sequence[RoamingJudge],
    kills: Sequence[str],
    luck: random.Random,
) -> Counter[str]:
    """Let judges answer while servers and the database are killed, then let each get the reply that it waits for."""
    over = asyncio.Event()
    counts: Counter[str] = Counter()

    async def answer(judge: RoamingJudge) -> None:
        while not over.is_set():
            await judge.turn()

    async def acknowledged() -> None:
        before = _acknowledged(judges)
        while _acknowledged(judges) == before:
            await asyncio.sleep(0.001)

    async def kill() -> None:
        for place, what in enumerate(kills):
            await acknowledged()
            await asyncio.sleep(luck.uniform(0, 0.3))
            if what == DATABASE:
                await asyncio.to_thread(database.kill)
                await asyncio.to_thread(database.start)
                counts["databases killed"] += 1
                continue
            writing = max(servers, key=lambda server: sum(judge.port == server.port for judge in judges))
            server = writing if place == 0 else luck.choice(servers)
            await asyncio.to_thread(server.kill)
            begun = time.monotonic()
            if server is writing:
                await acknowledged()
                late = "" if time.monotonic() - begun < TAKEOVER else f", after more than {TAKEOVER:g} s"
                counts[f"writing processes killed, and taken over{late}"] += 1
            else:
                counts["waiting processes killed"] += 1
            await asyncio.to_thread(server.start)
        await acknowledged()
        over.set()

    async with hanging_up(*judges):
        await asyncio.gather(kill(), *map(answer, judges))
    return counts


def _acknowledged(judges: Sequence[RetryingJudge]) -> int:
    return sum(len(judge.acknowledged) for judge in judges)


PART = Part(
    name="postgres_kills",
    claim="Two processes serve one study in PostgreSQL: when either of them or the database is killed, every answer "
    "that was acknowledged is there once, and the other process takes over.",
    unit=f"studies, of which {KILLS.count(PROCESS)} processes and {KILLS.count(DATABASE)} databases are killed each",
    full=10,
    trial=trial,
    brief=brief,
    needs=("postgres",),
)
