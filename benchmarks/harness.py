"""The harness: a question in, its measured rows out.

Every row runs in a process of its own. The rows of one task are measured in turns, so that a busy moment of
the machine falls on all of them alike, and the first turn is told apart from the warm ones that follow. The tasks are
measured one after the other; those of a question that counts and does not time (``TIMED = False``) side by side. A row
whose calls take long makes fewer of them, so that all questions together end in two hours.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pkgutil import iter_modules
from types import ModuleType

from benchmarks.case import Case
from benchmarks.rows import Row
from benchmarks.worker import Worker

REPEATS, QUICK_REPEATS = 7, 3
SECONDS, QUICK_SECONDS = 30.0, 2.0
"""By the clock, after which a row that is timed makes no further call, once it has made a warm one. Where each call
gives a part of the answer (``EVERY_CALL = True``), all are made."""


@dataclass(frozen=True)
class Question:
    """One file of the folder: its name, its sentence, and its rows."""

    name: str
    text: str
    module: ModuleType

    def cases(self, quick: bool) -> list[Case]:
        """Return the rows; neighbours of the same task are measured together."""
        return list(self.module.cases(quick))


def discover(package: str = "benchmarks") -> dict[str, Question]:
    """Return the questions of a package by name: its modules that define ``QUESTION`` and ``cases``."""
    found = {}
    for info in iter_modules(import_module(package).__path__):
        if info.name == "__main__":
            continue
        module = import_module(f"{package}.{info.name}")
        if isinstance(getattr(module, "QUESTION", None), str) and callable(getattr(module, "cases", None)):
            found[info.name] = Question(info.name, module.QUESTION, module)
    return found


def run(
    question: Question,
    *,
    quick: bool = False,
    repeats: int | None = None,
    step: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Measure every row of a question.

    Parameters
    ----------
    question : Question
    quick : bool
        Ask for the small version of the question, and repeat less.
    repeats : int, optional
        Warm calls of each row.
    step : callable
        Called after each turn of each row, whether or not it could be measured.
    """
    workers = [
        Worker(question.module.__name__, number, case, quick=quick)
        for number, case in enumerate(question.cases(quick))
    ]
    tasks = [list(task) for _, task in groupby(workers, key=lambda worker: worker.case.what)]
    timed = getattr(question.module, "TIMED", True)
    limited = timed and repeats is None and not getattr(question.module, "EVERY_CALL", False)
    seconds = (QUICK_SECONDS if quick else SECONDS) if limited else math.inf
    with ThreadPoolExecutor(1 if timed else os.cpu_count() or 1) as pool:
        list(pool.map(lambda task: take_turns(task, rounds(quick, repeats), seconds, step), tasks))
    return [worker.row for worker in workers]


def rounds(quick: bool, repeats: int | None) -> int:
    """Return how often each row is measured: once cold, then as often as asked."""
    return 1 + (repeats or (QUICK_REPEATS if quick else REPEATS))


def take_turns(workers: list[Worker], rounds: int, seconds: float, step: Callable[[], None]) -> None:
    """Measure the rows of one task, turn by turn; of each no more calls after so many seconds."""
    with ExitStack() as stack:
        for worker in workers:
            stack.callback(worker.stop)
            worker.attempt(worker.start)
        for turn in range(rounds):
            for worker in workers:
                if _is_due(worker, turn, seconds):
                    worker.attempt(worker.measure)
                step()
        for worker in workers:
            worker.attempt(worker.finish)


def _is_due(worker: Worker, turn: int, seconds: float) -> bool:
    """Return whether a row makes a call in this turn: its case allows it, and its time is not over."""
    most = worker.case.warm
    if most is not None and turn > most:
        return False
    return turn <= 1 or sum(sample.wall for sample in worker.row.samples) < seconds
