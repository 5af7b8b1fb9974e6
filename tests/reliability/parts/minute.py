"""Fifty judges who read, think and answer for a minute: nothing is lost, and how long they wait is measured."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from time import perf_counter

from benchmarks.load import Waits, finished, hanging_up
from benchmarks.served import STUDY, Server
from tests.reliability.part import Part
from tests.reliability.retrying import RetryingJudge, check_answers, study_with_judges

JUDGES = 50
ITEMS = 40
SECONDS, BRIEF_SECONDS = 60.0, 1.5
THINKING, BRIEF_THINKING = 1.0, 0.2
"""Seconds that a judge takes to answer, on average."""
WARMING = 5
"""Answers before the first one that counts: a new installation compiles what the first ones need."""


def trial(number: int, folder: Path) -> Counter[str]:
    """Let them answer for a minute."""
    return answered(number, folder, SECONDS, THINKING)


def brief(number: int, folder: Path) -> Counter[str]:
    """Let them answer, hurriedly, for a moment."""
    return answered(number, folder, BRIEF_SECONDS, BRIEF_THINKING)


def answered(number: int, folder: Path, seconds: float, thinking: float) -> Counter[str]:
    path, luck = folder / "study.db", random.Random(number)
    tokens = study_with_judges(path, ITEMS, JUDGES)
    worth = [luck.gauss(0, 1) for _ in range(ITEMS)]
    with Server(STUDY, path, for_seconds=300) as server:
        judges = [RetryingJudge(server.port, token, f"j{k}", worth) for k, token in enumerate(tokens)]
        waits = finished(_answering(judges, seconds, thinking, luck))
        assert server.stop() == 0, server.complaints()
    kept = check_answers(path, judges)
    assert kept == len(waits.turns) + WARMING
    return Counter(
        {
            "acknowledged answers, each there once": kept,
            "ms within which 95 % of them were acknowledged": round(1000 * waits.within(0.95)),
        }
    )


async def _answering(
    judges: list[RetryingJudge], seconds: float, thinking: float, luck: random.Random
) -> Waits:
    waits = Waits(seconds=seconds)

    async def answer(judge: RetryingJudge, end: float) -> None:
        while (pause := luck.expovariate(1 / thinking)) < end - perf_counter():
            await asyncio.sleep(pause)
            begun = perf_counter()
            await judge.turn()
            waits.turns.append(perf_counter() - begun)

    async with hanging_up(*judges):
        await asyncio.gather(*(judge.start() for judge in judges))
        for _ in range(WARMING):
            await judges[0].turn()
        end = perf_counter() + seconds
        await asyncio.gather(*(answer(judge, end) for judge in judges))
    return waits


PART = Part(
    name="minute",
    claim=f"{JUDGES} judges who think for a second before each answer lose none of them in a minute.",
    unit="minutes",
    full=1,
    trial=trial,
    brief=brief,
)
