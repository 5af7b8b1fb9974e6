"""A server that gets three times what it can do rejects the rest with 503, loses nothing, and recovers in a second."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from benchmarks.load import finished, hanging_up, together
from benchmarks.served import STUDY, Server
from tests.reliability.part import Part
from tests.reliability.retrying import RetryingJudge, check_answers, study_with_judges

ITEMS, CLOSED = 200, 64
JUDGES, BRIEF_JUDGES = 400, 120
QUEUE, BRIEF_QUEUE = 300, 40
"""Requests that may wait: fewer than there are judges, so that it can be full."""
SHARE, OVER = 0.7, 3.0
"""The rates, as shares of what 64 judges reach who answer one question after the other."""
TOLERATED = 0.001
"""Of the answers at the lower rate: where other work stops the machine for QUEUE / rate seconds, the queue is full."""
RECOVERY = 1.0
"""Seconds after the overload by which replies are as quick as before it."""
BUCKET = 0.25
SLOWER, SLACK = 3.0, 0.05
"""Replies are as quick as before when their median is at most so many times that of before, or so much longer."""


class Lengths(NamedTuple):
    """Seconds for which the rate is measured, kept, exceeded, and kept again."""

    closed: float
    steady: float
    overload: float
    after: float


FULL = Lengths(10, 300, 30, 30)
BRIEF = Lengths(0.5, 1, 1, 1)


@dataclass(frozen=True)
class Sent:
    """An answer: when it was due, after how many seconds the reply came, and its status."""

    due: float
    wait: float
    status: int


def trial(number: int, folder: Path) -> Counter[str]:
    """Send answers for five minutes at 70 % of the rate, then at three times the rate, then as before."""
    return loaded(number, folder, FULL, JUDGES, QUEUE, timed=True)


def brief(number: int, folder: Path) -> Counter[str]:
    """Send answers for a second each."""
    return loaded(number, folder, BRIEF, BRIEF_JUDGES, BRIEF_QUEUE, timed=False)


def loaded(
    number: int, folder: Path, lengths: Lengths, judges_in_all: int, queue: int, *, timed: bool
) -> Counter[str]:
    path = folder / "study.db"
    tokens = study_with_judges(path, ITEMS, judges_in_all)
    worth = [random.Random(number).gauss(0, 1.5) for _ in range(ITEMS)]
    with Server(STUDY, path, for_seconds=1_100, queue=queue) as server:
        everybody = [RetryingJudge(server.port, token, f"c{k}", worth) for k, token in enumerate(tokens)]
        finished(together(everybody, 0))  # a question costs more, the more are open
        closed = everybody[: min(CLOSED, queue)]
        finished(together(closed, lengths.closed))  # the first answers of a study take longer
        rate = finished(together(closed, lengths.closed)).rate
        judges = [RetryingJudge(server.port, token, f"j{k}", worth) for k, token in enumerate(tokens)]
        steady, over, after, missing = finished(_phases(judges, rate, lengths, random.Random(number)))
        assert server.stop() == 0, server.complaints()
        assert not server.complaints(), server.complaints()[-2000:]
    statuses = Counter(sent.status for sent in (*steady, *over, *after))
    assert set(statuses) <= {200, 503}, statuses
    if timed:
        early = sum(sent.status == 503 for sent in steady)
        assert early <= TOLERATED * len(steady), f"rejected {early} of {len(steady)} below its rate"
        late = recovered(after, usual=median(sent.wait for sent in steady))
        assert late <= RECOVERY, f"replies were slow until {late:.2f} s after the overload"
    return Counter(
        {
            "acknowledged answers, each there once": check_answers(path, [*closed, *judges]),
            "rejected with 503 at 70 %": sum(sent.status == 503 for sent in steady),
            "rejected with 503 later": sum(sent.status == 503 for sent in (*over, *after)),
            "not sent, since no judge was free": missing,
        }
    )


async def _phases(
    judges: list[RetryingJudge], rate: float, lengths: Lengths, luck: random.Random
) -> tuple[list[Sent], list[Sent], list[Sent], int]:
    async with hanging_up(*judges):
        free = deque(judges)
        await asyncio.gather(*(judge.turn() for judge in judges))  # the first questions
        steady, none = await arriving(free, SHARE * rate, lengths.steady, luck)
        over, some = await arriving(free, OVER * rate, lengths.overload, luck)
        after, few = await arriving(free, SHARE * rate, lengths.after, luck)
        while len(free) < len(judges):
            await asyncio.sleep(0.01)
        await asyncio.gather(*(judge.turn() for judge in judges))  # what was rejected, or one more
    return steady, over, after, none + some + few


async def arriving(
    free: deque[RetryingJudge], rate: float, seconds: float, luck: random.Random
) -> tuple[list[Sent], int]:
    """Send answers at random times at this rate, whether or not earlier ones have replies; wait for none of them.

    Returns
    -------
    list of Sent
        It is filled as replies come.
    int
        How often no judge was free to answer.
    """
    sent: list[Sent] = []
    tasks: set[asyncio.Task[None]] = set()
    missing, begun, due = 0, perf_counter(), 0.0

    async def answer(judge: RetryingJudge, due: float) -> None:
        status = await judge.attempt()
        sent.append(Sent(due, perf_counter() - begun - due, status))
        free.append(judge)

    while (due := due + luck.expovariate(rate)) < seconds:
        early = due - (perf_counter() - begun)
        if early > 0.001:
            await asyncio.sleep(early)
        if free:
            task = asyncio.create_task(answer(free.popleft(), due))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        else:
            missing += 1
            await asyncio.sleep(0)
    return sent, missing


def recovered(after: list[Sent], usual: float) -> float:
    """Return how long after the overload replies came as quickly as before it, and no answer was rejected any more."""
    most = max(SLOWER * usual, usual + SLACK)
    slow = 0.0
    for place in range(int(max(sent.due for sent in after) / BUCKET) + 1):
        begin = place * BUCKET
        part = [sent for sent in after if begin <= sent.due < begin + BUCKET]
        if not part:
            continue
        if median(sent.wait for sent in part) <= most and all(sent.status == 200 for sent in part):
            return slow
        slow = begin + BUCKET
    return slow


PART = Part(
    name="overload",
    claim="At 70 % of what it can do a server rejects at most one answer in a thousand for five minutes; at three "
    "times as much it rejects the rest with 503, loses no answer, and replies as quickly as before a second later.",
    unit="servers",
    full=2,
    trial=trial,
    brief=brief,
)
