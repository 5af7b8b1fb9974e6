"""What a turn of a running study costs: an answer that is on disk, the next question, and the progress; and opening it.

Each study has answers already, given to random pairs as the Bradley–Terry model says: its events are those of a study
that was asked and answered one by one. The figures are CPU time over all threads of the process, with the background
work, over as many turns as lie between two starts of the belief from all answers, and the longest turn by the clock:
fewer turns would show one of the starts, or none. Opening a study takes until its next question is on disk, with a
snapshot of its belief and without one; the libraries are loaded. Optuna asks for two numbers and is told whether the
first one was better, with its default sampler and its storage in an SQLite file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count as counting
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "What does a turn of a running study cost: answer, next question and progress? And opening it?"
OPTUNA = "Optuna"
SIZES = (
    (50, 1_000),
    (50, 100_000),
    (200, 100),
    (200, 1_000),
    (200, 100_000),
    (1_000, 1_000),
    (1_000, 100_000),
    (10_000, 1_000),
    (10_000, 100_000),
    (100_000, 100_000),
)
"""Items and answers of the studies without features."""
LINKED = ((1_000, 1_000), (10_000, 1_000))
"""Items and answers of the studies with four features and links."""
OPENED = ((1_000, 100_000),)
"""Items and answers of the studies that are opened."""
TRIALS = (200, 100), (200, 1_000)
"""Numbers and trials of the studies of Optuna; ten thousand take ten minutes to make."""
TURNS, QUICK_TURNS = 100, 20
"""The fewest turns of a call, and those of a quick one."""
JUDGES = 64
FILE = "study.db"
WARM = 3
FIRST = 30
"""Turns before those that are measured."""
QUIET = 0.01
"""Seconds of CPU in a fifth of a second below which nothing is computed in the background."""

Turns = list[tuple[float, float]]
"""CPU and wall seconds of each turn."""


def cases(quick: bool) -> list[Case]:
    """Return one judge by items and answers, with one thread and with all, many judges at once, and Optuna."""
    turns = QUICK_TURNS if quick else None
    sizes = TRIALS[1:] if quick else SIZES
    return [
        *(case for items, answers in sizes for case in _beside(items, answers, turns)),
        *(
            _case(
                OURS,
                f"{_named(items, answers)}, all threads",
                partial(taking, items, answers, turns),
                threads=os.cpu_count() or 1,
            )
            for items, answers in sizes
            if answers == 1_000
        ),
        *(
            _case(
                OURS,
                f"{_named(items, answers)}, features and links",
                partial(taking, items, answers, turns, linked=True),
                warm=0,
            )
            for items, answers in (() if quick else LINKED)
        ),
        _case(
            OURS,
            f"{_named(200, 1_000)}, {JUDGES} judges at once",
            partial(crowd, 200, 1_000, 3 if quick else 40),
            told=many,
        ),
        *(
            _case(
                OURS,
                f"{_named(items, answers)}, opened {'with' if snapshot else 'without'} a snapshot",
                partial(opening, items, answers, snapshot=snapshot),
                told=opened,
            )
            for items, answers in (((200, 1_000),) if quick else OPENED)
            for snapshot in (False, True)
        ),
    ]


def _beside(items: int, answers: int, turns: int | None) -> list[Case]:
    """Return one judge on one thread, and Optuna beside where it can have so many trials."""
    what = _named(items, answers)
    cases = [_case(OURS, what, partial(taking, items, answers, turns))]
    if (items, answers) in TRIALS:
        optuna = partial(asking_optuna, items, answers, turns or TURNS)
        cases.append(_case(OPTUNA, what, optuna, requires=("optuna==5.0.0",)))
    return cases


def _named(items: int, answers: int) -> str:
    return f"{items:,} items, {answers:,} answers"


def _case(
    who: str,
    what: str,
    prepare: Callable[[], Callable[[], object]],
    *,
    told: Callable[[Any], Answer] | None = None,
    threads: int = 1,
    requires: tuple[str, ...] = (),
    warm: int = WARM,
) -> Case:
    return Case(
        who=who,
        what=what,
        prepare=prepare,
        answer=told or alone,
        threads=threads,
        requires=requires,
        warm=1 if requires else warm,
        limit=900.0,
    )


def taking(
    items: int, answers: int, turns: int | None = None, *, linked: bool = False
) -> Callable[[], object]:
    """Return a call that takes more turns of one judge; of each, its CPU and wall seconds.

    Without a number of ``turns`` there are as many as between two starts, and at least 100. What was begun when the
    study was opened is waited for: in a study that has run so far it is done.
    """
    count = max(TURNS, between_starts(items, answers, linked=linked)) if turns is None else turns
    study, answer = studied(items, answers - FIRST, linked=linked)
    question = study.ask("judge")

    def turn() -> None:
        nonlocal question
        question = study.turn(question, answer(question)).question
        study.progress()

    timed(turn, FIRST)
    rest()
    return lambda: timed(turn, count)


def rest() -> None:
    """Wait until nothing is computed in the background."""
    from time import process_time, sleep

    used = -1.0
    while process_time() - used > QUIET:
        used = process_time()
        sleep(0.2)


def between_starts(items: int, answers: int, *, linked: bool = False) -> int:
    """Return how many answers there are from the next start of the belief to the one after it."""
    from itertools import pairwise

    from penchant.study.learning import LINKED as LINKED_STARTS
    from penchant.study.learning import MANY, QUICK
    from penchant.study.starting import QUICK_ITEMS

    schedule = LINKED_STARTS if linked else QUICK if items <= QUICK_ITEMS else MANY
    starts = [start.count for start in schedule.refits(9 * answers + TURNS)]
    return next(after - before for before, after in pairwise(starts) if before >= answers)


def timed(turn: Callable[[], None], count: int) -> Turns:
    """Return the CPU and wall seconds of each of ``count`` turns."""
    from time import perf_counter, process_time

    taken = []
    for _ in range(count):
        cpu, wall = process_time(), perf_counter()
        turn()
        taken.append((process_time() - cpu, perf_counter() - wall))
    return taken


def crowd(items: int, answers: int, each: int) -> Callable[[], object]:
    """Return a call in which judges in threads of their own take turns; it returns the turns and the seconds of all."""
    from concurrent.futures import ThreadPoolExecutor
    from time import perf_counter

    study, answer = studied(items, answers)

    def judge(name: str) -> list[float]:
        waited = []
        question = study.ask(name)
        for _ in range(each):
            begun = perf_counter()
            question = study.turn(question, answer(question)).question
            study.progress()
            waited.append(perf_counter() - begun)
        return waited

    def more() -> tuple[list[float], float]:
        begun = perf_counter()
        with ThreadPoolExecutor(JUDGES) as threads:
            waited = [
                wait for waits in threads.map(judge, [f"judge {k}" for k in range(JUDGES)]) for wait in waits
            ]
        return waited, perf_counter() - begun

    return more


def opening(items: int, answers: int, *, snapshot: bool) -> Callable[[], float]:
    """Return a call that opens a study and asks a question, and returns the CPU seconds until it is on disk."""
    from time import process_time

    from penchant.study import Study
    from penchant.study.snapshots import NAME

    study, _ = studied(items, answers)
    folder: TemporaryDirectory[str] = study.folder
    study.ask("judge")
    study.close()
    judges = map("judge {}".format, counting())

    def call() -> float:
        place = Path(folder.name) / FILE
        if not snapshot:
            with Study.open(place) as study:
                study._log.snapshots.delete(NAME)
        begun = process_time()
        with Study.open(place) as study:
            study.ask(next(judges))
            return process_time() - begun

    return call


def studied(items: int, answers: int, *, linked: bool = False) -> tuple[Any, Callable[[Any], str]]:
    """Return an open study that has ``answers``, and a judge who answers its questions."""
    import numpy as np
    from scipy.special import expit

    from penchant.study import Study

    folder = TemporaryDirectory()
    path = Path(folder.name) / FILE
    random = np.random.default_rng(11)
    features = random.standard_normal((items, 4))
    worth = features @ [1.0, 0.7, 0.4, 0.1] if linked else 1.5 * random.standard_normal(items)
    rows = list(
        items_of(features, random)
        if linked
        else ({"id": f"i{k}", "title": f"item {k}"} for k in range(items))
    )
    settings = {"features": tuple("abcd")} if linked else {}
    Study.create(path, rows, seed=1, **settings).close()
    pairs = random.integers(items, size=(answers, 2))
    pairs[:, 1] = (pairs[:, 0] + 1 + pairs[:, 1] % (items - 1)) % items
    first_wins = random.random(answers) < expit(worth[pairs[:, 0]] - worth[pairs[:, 1]])
    write(path, pairs.tolist(), first_wins.tolist())
    study = Study.open(path)
    study.folder = folder  # removed with the study

    def answer(question: Any) -> str:
        gap = worth[int(question.left[1:])] - worth[int(question.right[1:])]
        return "left" if random.random() < expit(gap) else "right"

    return study, answer


def items_of(features: Any, random: Any) -> Iterator[dict[str, Any]]:
    """Yield items with four features and links to three others each."""
    count = len(features)
    for number, values in enumerate(features):
        others = {f"i{other}": 1.0 for other in random.integers(count, size=3).tolist() if other != number}
        columns = dict(zip("abcd", values.tolist(), strict=True))
        yield {"id": f"i{number}", "title": f"item {number}", "links": others, **columns}


def write(path: Any, pairs: list[list[int]], first_wins: list[bool]) -> None:
    """Append the questions and answers to the log of a study, thousands at a time."""
    from penchant.store import SQLiteLog
    from penchant.study.events import ANSWERED, ASKED

    with SQLiteLog.open(path) as log:
        for start in range(0, len(pairs), 5_000):
            entries: list[tuple[str, str, dict[str, str], int]] = []
            for number, ((left, right), first) in enumerate(
                zip(pairs[start : start + 5_000], first_wins[start : start + 5_000], strict=True), start
            ):
                asked = {"left": f"i{left}", "right": f"i{right}", "judge": f"judge {number % 7}"}
                told = {"question": f"q{number}", "choice": "left" if first else "right"}
                entries += [(f"q{number}", ASKED, asked, 1), (f"a{number}", ANSWERED, told, 1)]
            log.append_all(entries)


def asking_optuna(numbers: int, trials: int, turns: int) -> Callable[[], object]:
    """Return a call that asks and tells Optuna ``turns`` more times, on a study that has ``trials``."""
    import atexit
    from random import Random

    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    folder, luck = TemporaryDirectory(), Random(11)
    atexit.register(folder.cleanup)
    study = optuna.create_study(storage=f"sqlite:///{Path(folder.name) / FILE}")
    both = {name: optuna.distributions.IntDistribution(0, numbers - 1) for name in ("left", "right")}

    def value(left: int, right: int) -> float:
        return float(luck.random() < 1 / (1 + 2.718 ** ((right - left) / 60)))

    def made() -> Any:
        chosen = {name: luck.randrange(numbers) for name in both}
        return optuna.trial.create_trial(params=chosen, distributions=both, value=value(**chosen))

    study.add_trials([made() for _ in range(trials)])

    def turn() -> None:
        trial = study.ask(both)
        study.tell(trial, value(**trial.params))

    return lambda: timed(turn, turns)


def alone(taken: Any) -> Answer:
    """Return the CPU time of a turn and the longest one."""
    cpu, wall = [turn[0] for turn in taken], [turn[1] for turn in taken]
    return {
        "CPU ms a turn": round(1e3 * fmean(cpu), 3),
        "median": round(1e3 * median(cpu), 3),
        "longest, ms by the clock": round(1e3 * max(wall), 1),
    }


def opened(taken: Any) -> Answer:
    """Return the CPU time of opening."""
    return {"CPU s to the first question": round(taken, 2)}


def many(result: Any) -> Answer:
    """Return the turns in a second, and how long most of them took."""
    waited, seconds = result
    ordered = sorted(waited)
    return {
        "turns/s": round(len(waited) / seconds),
        "99 % within ms": round(1e3 * ordered[int(0.99 * len(ordered))], 1),
        "longest, ms by the clock": round(1e3 * ordered[-1], 1),
    }


def completed(rows: list[dict[str, Any]]) -> None:
    """Add to Optuna's rows the ratio to the study of as many items and answers."""
    ours = {row["what"]: row["answer"] for row in rows if row["who"] == OURS}
    for row in rows:
        if row["who"] == OPTUNA:
            ratio = row["answer"]["CPU ms a turn"] / ours[row["what"]]["CPU ms a turn"]
            row["answer"]["× Penchant"] = f"{ratio:.0f}"
