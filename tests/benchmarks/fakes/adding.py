"""A question that needs nothing: one row for each thing that can happen to a row."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from benchmarks.case import Cannot, Case

QUESTION = "How fast is adding?"


def cases(quick: bool) -> list[Case]:
    n = 10_000 if quick else 20_000
    return [
        Case(what="sum", prepare=lambda: lambda: sum(range(n)), answer=lambda total: {"total": total}),
        Case(who="twice", what="sum", prepare=lambda: lambda: sum(range(n)) + sum(range(n))),
        Case(who="long", what="sum", prepare=lambda: lambda: sum(range(n)), warm=1),
        Case(who="talks", what="sum", prepare=lambda: lambda: print("not the protocol"), cannot="half of it"),
        Case(who="unable", what="sum", cannot="no addition"),
        Case(who="unprepared", what="sum", prepare=raising(LookupError("no\n data"))),
        Case(who="refuses", what="sum", prepare=raising(Cannot("wants more data"))),
        Case(who="fails", what="sum", prepare=lambda: raising(ValueError("wrong sign"))),
        Case(who="dies", what="sum", prepare=lambda: lambda: os._exit(3)),
        Case(who="hangs", what="sum", prepare=lambda: lambda: time.sleep(60), limit=0.3),
        Case(who="process", what="who am I", prepare=lambda: os.getpid, answer=lambda pid: {"pid": pid}),
        Case(who="fresh", what="who am I", prepare=lambda: once_a_process, fresh=True),
        Case(
            who="threads",
            what="who am I",
            prepare=lambda: threads,
            answer=lambda told: {"threads": told},
            threads=2,
        ),
    ]


def raising(error: Exception) -> Callable[[], Callable[[], object]]:
    def fail() -> Callable[[], object]:
        raise error

    return fail


called = False


def once_a_process() -> None:
    global called
    if called:
        raise Cannot("called twice in one process")
    called = True


def threads() -> str:
    return os.environ["OMP_NUM_THREADS"] + os.environ["NUMBA_NUM_THREADS"]
