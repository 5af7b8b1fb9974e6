"""A server that is killed under load loses no answer that it acknowledged, and counts none twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path

from benchmarks.load import finished, hanging_up
from tests.reliability.forked import Forked
from tests.reliability.part import Part
from tests.reliability.retrying import NO_REPLY, RetryingJudge, check_answers, study_with_judges

ITEMS, JUDGES = 30, 16
KILLS, BRIEF_KILLS = 10, 3


def trial(number: int, folder: Path) -> Counter[str]:
    """Kill ten servers of one study while judges answer."""
    return killed(number, folder, KILLS)


def brief(number: int, folder: Path) -> Counter[str]:
    """Kill three of them."""
    return killed(number, folder, BRIEF_KILLS)


def killed(number: int, folder: Path, kills: int) -> Counter[str]:
    path = folder / "study.db"
    tokens = study_with_judges(path, ITEMS, JUDGES)
    with Forked(path) as server:
        server.start()
        judges = [RetryingJudge(server.port, token, f"j{k}", [0.0] * ITEMS) for k, token in enumerate(tokens)]
        finished(_answering(server, judges, kills, random.Random(number)))
        server.kill()
    return Counter(
        {
            "acknowledged answers, each there once": check_answers(path, judges),
            "requests without a reply, sent again": sum(judge.statuses[NO_REPLY] for judge in judges),
        }
    )


async def _answering(server: Forked, judges: list[RetryingJudge], kills: int, luck: random.Random) -> None:
    """Let judges answer while servers are killed, then let each get the reply that it waits for."""
    over = asyncio.Event()

    async def answer(judge: RetryingJudge) -> None:
        while not over.is_set():
            await judge.turn()

    async def kill() -> None:
        for _ in range(kills):
            before = _acknowledged(judges)
            while _acknowledged(judges) == before:  # each server gets as far as to acknowledge something
                await asyncio.sleep(0.001)
            await asyncio.sleep(luck.uniform(0, 0.3))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        over.set()

    async with hanging_up(*judges):
        await asyncio.gather(kill(), *map(answer, judges))


def _acknowledged(judges: list[RetryingJudge]) -> int:
    return sum(len(judge.acknowledged) for judge in judges)


PART = Part(
    name="server_kills",
    claim="A server that is killed under load has every answer that it acknowledged on disk, once; clients that send "
    "again under the same id lose nothing.",
    unit=f"studies, whose servers are killed {KILLS} times each",
    full=50,
    trial=trial,
    brief=brief,
)
