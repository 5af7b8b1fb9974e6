"""A server that gets three times what it can do rejects the rest with 503, loses nothing, and recovers in a second."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from benchmarks.load import finished, hanging_up, together
from benchmarks.served import STUDY, Server
from penchant.serve import Limits
from tests.reliability.part import Part
from tests.reliability.retrying import RetryingJudge, check_answers, study_with_judges

ITEMS, CLOSED = 200, 64
QUEUE, BRIEF_QUEUE = Limits().queue, 40
"""Requests that may wait: as many as by default, and fewer where there is no time to fill the queue."""
JUDGES, BRIEF_JUDGES = Limits().connections - 20, 140
"""More than may wait, so that the queue can be full, and fewer than may be connected."""
WINDOWS = 3
"""Of the time in which the rate is measured: the median of them holds where other work disturbs one."""
SHARE, OVER = 0.7, 3.0
"""The rates, as shares of what 64 judges reach who answer one question after the other."""
TOLERATED = 0.001
"""Of the answers at the lower rate: where other work stops the machine for QUEUE / rate seconds, the queue is full."""
RECOVERY = 1.0
"""Seconds after the overload by which replies are as quick as before it."""
BUCKET = 0.25
SLOWER, SLACK = 3.0, 0.05
"""Replies are as quick as before when their median is at most so many times that of before, or so much longer."""
LATE = 0.05
"""Seconds that the sender may be late; where it was stopped for longer, what was due meanwhile is sent later."""
MOST_LATE = 0.02
"""Of the time at the lower rate that the sender may have been stopped: more is another load than the one claimed."""


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
        rate = median(finished(together(closed, lengths.closed)).rate for _ in range(WINDOWS))
        judges = [RetryingJudge(server.port, token, f"j{k}", worth) for k, token in enumerate(tokens)]
        steady, over, after = finished(_phases(judges, rate, lengths, random.Random(number)))
        final = finished(together(judges[:CLOSED], lengths.closed)).rate if timed else rate
        assert server.stop() == 0, server.complaints()
        assert not server.complaints(), server.complaints()[-2000:]
    acknowledged = check_answers(path, [*closed, *judges])
    statuses = Counter(sent.status for phase in (steady, over, after) for sent in phase.sent)
    assert set(statuses) <= {200, 503}, statuses
    if timed:
        check_times(
            steady, after, f"64 judges reached {rate:.0f} answers a second before and {final:.0f} after"
        )
    return Counter(
        {
            "acknowledged answers, each there once": acknowledged,
            "rejected with 503 at 70 %": steady.rejected,
            "rejected with 503 later": over.rejected + after.rejected,
            "not sent, since no judge was free": steady.missing + over.missing + after.missing,
            "ms in which the sender was stopped": round(1000 * (steady.late + over.late + after.late)),
        }
    )


@dataclass
class Phase:
    """What was sent at one rate; `sent` is filled as replies come.

    Attributes
    ----------
    seconds : float
        How long answers were due.
    missing : int
        How often no judge was free to answer.
    late : float
        For how many seconds the sender was stopped by other work: answers that were due then are sent later, at their
        rate, and not all at once, which would be another load.
    """

    seconds: float
    sent: list[Sent] = field(default_factory=list)
    missing: int = 0
    late: float = 0.0

    @property
    def rejected(self) -> int:
        """The number of answers that were rejected."""
        return sum(sent.status == 503 for sent in self.sent)


def check_times(steady: Phase, after: Phase, rates: str) -> None:
    """Check that the lower rate was kept, that hardly an answer was rejected at it, and how soon it was so again."""
    assert steady.late <= MOST_LATE * steady.seconds, (
        f"the sender was stopped for {steady.late:.1f} of {steady.seconds:.0f} s, so that this is another load: run "
        f"it on a quiet machine ({rates})"
    )
    assert steady.rejected + steady.missing <= TOLERATED * len(steady.sent), (
        f"rejected {steady.rejected} of {len(steady.sent)} below its rate, {steady.missing} not sent ({rates})"
    )
    late = recovered(after.sent, usual=median(sent.wait for sent in steady.sent))
    assert late <= RECOVERY, f"replies were slow until {late:.2f} s after the overload ({rates})"


async def _phases(
    judges: list[RetryingJudge], rate: float, lengths: Lengths, luck: random.Random
) -> tuple[Phase, Phase, Phase]:
    async with hanging_up(*judges):
        free = deque(judges)
        await asyncio.gather(*(judge.turn() for judge in judges))  # the first questions
        with _no_collections():
            steady = await arriving(free, SHARE * rate, lengths.steady, luck)
            over = await arriving(free, OVER * rate, lengths.overload, luck)
            after = await arriving(free, SHARE * rate, lengths.after, luck)
        while len(free) < len(judges):
            await asyncio.sleep(0.01)
        await asyncio.gather(*(judge.turn() for judge in judges))  # what was rejected, or one more
    return steady, over, after


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep the garbage collector from stopping the sender: it would send in bursts."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def arriving(free: deque[RetryingJudge], rate: float, seconds: float, luck: random.Random) -> Phase:
    """Send answers at random times at this rate, whether or not earlier ones have replies; wait for none of them."""
    phase = Phase(seconds)
    tasks: set[asyncio.Task[None]] = set()
    begun, due = perf_counter(), 0.0

    async def answer(judge: RetryingJudge, due: float, from_: float) -> None:
        status = await judge.attempt()
        phase.sent.append(Sent(due, perf_counter() - from_ - due, status))
        free.append(judge)

    while (due := due + luck.expovariate(rate)) < seconds:
        early = due - (perf_counter() - begun)
        if early < -LATE:
            phase.late -= early
            begun -= early
            early = 0.0
        await asyncio.sleep(early if early > 0.001 else 0)
        if free:
            task = asyncio.create_task(answer(free.popleft(), due, begun))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        else:
            phase.missing += 1
    return phase


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
    claim="With its default queue, at 70 % of what it can do, a server rejects at most one answer in a thousand for "
    "five minutes; at three times what it can do it rejects the rest with 503, loses no answer, and replies as quickly "
    "as before a second later.",
    unit="servers",
    full=2,
    trial=trial,
    brief=brief,
)
