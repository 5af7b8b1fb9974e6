"""Many judges who answer at once are asked about different pairs, and none of their answers is lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.load import finished, hanging_up
from benchmarks.served import STUDY, Server
from penchant.store import SQLiteLog
from penchant.study.events import ANSWERED, ASKED
from tests.reliability.part import Part
from tests.reliability.retrying import RetryingJudge, check_answers, study_with_judges

JUDGES = 50
ANSWERS, BRIEF_ANSWERS = 40, 6
ITEMS = (14, 40)
"""Items are drawn between these: all pairs of the fewest are enough for all judges."""


class Watched(RetryingJudge):
    """A judge whose pair nobody else may hold, from the reply that brings it until the answer is sent."""

    held: dict[frozenset[str], str]

    async def attempt(self) -> int:
        """Let go of the pair, send, and take the next one."""
        if self.question is not None:
            self.held.pop(pair(self.question), None)
        status = await super().attempt()
        if self.question is not None:
            other = self.held.setdefault(pair(self.question), self.name)
            assert other == self.name, f"{other} and {self.name} hold one pair at the same time"
        return status


def pair(question: dict[str, Any]) -> frozenset[str]:
    return frozenset((question["left"]["id"], question["right"]["id"]))


def trial(number: int, folder: Path) -> Counter[str]:
    """Let fifty judges answer forty questions each."""
    return answered(number, folder, ANSWERS)


def brief(number: int, folder: Path) -> Counter[str]:
    """Let them answer six each."""
    return answered(number, folder, BRIEF_ANSWERS)


def answered(number: int, folder: Path, answers: int) -> Counter[str]:
    path, luck = folder / "study.db", random.Random(number)
    items = luck.randint(*ITEMS)
    tokens = study_with_judges(path, items, JUDGES, repeats=luck.choice((0.0, 0.2)))
    worth = [luck.gauss(0, 1) for _ in range(items)]
    with Server(STUDY, path, for_seconds=300) as server:
        judges = [Watched(server.port, token, f"j{k}", worth) for k, token in enumerate(tokens)]
        for judge in judges:
            judge.held = judges[0].held if judge is not judges[0] else {}
        finished(_answering(judges, answers))
        assert server.stop() == 0, server.complaints()
    questions = check_pairs(path)
    return Counter(
        {"acknowledged answers, each there once": check_answers(path, judges), "questions": questions}
    )


async def _answering(judges: list[Watched], answers: int) -> None:
    async def answer(judge: Watched) -> None:
        while len(judge.acknowledged) < answers:
            await judge.turn()

    async with hanging_up(*judges):
        await asyncio.gather(*map(answer, judges))


def check_pairs(path: Path) -> int:
    """Read in the log that no pair was asked while a question about it was open; count the questions."""
    held: dict[str, frozenset[str]] = {}
    count = 0
    with SQLiteLog.open(path, write=False) as log:
        for event in log.events():
            if event.kind == ASKED:
                asked = frozenset((event.content["left"], event.content["right"]))
                assert asked not in held.values(), "a pair was asked that somebody else holds"
                held[event.id] = asked
                count += 1
            elif event.kind == ANSWERED:
                del held[event.content["question"]]
    return count


PART = Part(
    name="crowd",
    claim=f"{JUDGES} judges who answer at once never hold one pair at the same time, and no answer is lost.",
    unit="studies",
    full=100,
    trial=trial,
    brief=brief,
)
