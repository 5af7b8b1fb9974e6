"""How many answers and presentations the HTTP service takes in a second, when each is on disk before its reply.

The server is a process of its own on this computer, as ``penchant serve`` runs it, and so is the load: judges and
applications that send one request after another over kept connections. Beside it, in turns on the same machine, runs
the least that such a service costs: FastAPI that writes each body to an SQLite file and replies as much (`echo`), under
the same settings of the server. The figures are medians over the runs after the first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.case import OURS, Answer, Case

QUESTION = (
    "How many answers and presentations does the service take in a second, each on disk before its reply?"
)
BARE = "FastAPI and SQLite alone"
SPEED, CPU = "speed, × FastAPI and SQLite alone", "CPU, × the same"
EACH = "server's CPU, ms each"
BEFORE = 1_000
"""Answers that a study has before the load, unless it has more."""
ANSWERS = (
    (200, BEFORE, 1, ""),
    (200, BEFORE, 8, ""),
    (200, BEFORE, 64, "≥ 800/s, p99 < 150 ms, × ≥ 0.4"),
    (10_000, BEFORE, 64, "≥ 200/s"),
    (200, 50_000, 64, "≥ 800/s, p99 < 150 ms, × ≥ 0.4"),
)
"""Items, answers before, judges, and the goal."""
PRESENTATIONS = (("by id", "≥ 500/s"), ("136 numbers of each in the body", "≥ 150/s"))
CANDIDATES, FEATURES, ITEMS, APPS, BODIES = 25, 136, 4_000, 16, 200
RANKED, RANKED_BEFORE = 200, 50_000
SECONDS, QUICK_SECONDS = 4.0, 0.5
RANKINGS, QUICK_RANKINGS = 10, 2
WARM = 5
FOR_SECONDS = 1_800.0
"""After which a server stops by itself."""


class Load(NamedTuple):
    """A server that runs, the visitors of one run, and whatever else the load needs."""

    server: Any
    tokens: list[str]
    worth: list[float]


def cases(quick: bool) -> list[Case]:
    """Return answers by items and judges, presentations by form, and the ranking, each beside the bare service."""
    seconds = QUICK_SECONDS if quick else SECONDS
    made = []
    for items, before, judges, goal in ANSWERS[:3] if quick else ANSWERS:
        what = f"answers, {items:,} items{_after(before)}, {judges} judge{'s' * (judges > 1)}"
        made += _beside(what, partial(answering, items, before, judges, seconds), goal)
    for form, goal in PRESENTATIONS:
        what = f"presentations with feedback, {CANDIDATES} candidates {form}"
        made += _beside(what, partial(presenting, form, seconds), goal)
    before = BEFORE if quick else RANKED_BEFORE
    times = QUICK_RANKINGS if quick else RANKINGS
    what = f"ranking of {RANKED} items{_after(before)}"
    return [*made, *_beside(what, partial(ranking, before, times), "first byte < 200 ms")]


def _after(answers: int) -> str:
    return f" after {answers:,} answers" if answers > BEFORE else ""


def _beside(what: str, prepare: Callable[[str], Callable[[], object]], goal: str) -> list[Case]:
    return [
        Case(
            who=who,
            what=what,
            prepare=partial(prepare, who),
            answer=partial(answered, goal if who == OURS else ""),
            threads=2,
            warm=WARM,
        )
        for who in (OURS, BARE)
    ]


def answering(
    items: int, before: int, judges: int, seconds: float, who: str
) -> Callable[[], list[dict[str, float]]]:
    """Return a call in which judges answer for some seconds; it returns the figures of every run so far."""
    from benchmarks.load import Judge, finished, together

    load = comparing(who, items, before, judges)

    def run(number: int) -> dict[str, float]:
        visitors = [
            Judge(load.server.port, token, f"{number}-{place}", load.worth)
            for place, token in enumerate(load.tokens[1:])
        ]
        return waited(load.server, lambda: finished(together(visitors, seconds)))

    return repeated(run)


def presenting(form: str, seconds: float, who: str) -> Callable[[], list[dict[str, float]]]:
    """Return a call in which applications present and give feedback; it returns the figures of every run so far."""
    from itertools import cycle

    from benchmarks.load import App, finished, together

    server, token, bodies = coactive(who, form)

    def run(number: int) -> dict[str, float]:
        visitors = [
            App(server.port, token, f"{number}-{place}", cycle(bodies[place:] + bodies[:place]).__next__)
            for place in range(APPS)
        ]
        return waited(server, lambda: finished(together(visitors, seconds)))

    return repeated(run)


def ranking(before: int, times: int, who: str) -> Callable[[], list[dict[str, float]]]:
    """Return a call that asks for the ranking after an answer and again; it returns the figures of every run so far."""
    from benchmarks.load import Judge, finished, first_bytes, hanging_up

    load = comparing(who, RANKED, before, 1)
    owner, judge = load.tokens

    async def looking(number: int) -> dict[str, float]:
        visitor = Judge(load.server.port, judge, str(number), load.worth)
        async with hanging_up(visitor):
            await visitor.start()
            before = cpu_of(load.server)
            cold, warm, size = await first_bytes(load.server.port, owner, visitor.turn, times)
            cpu = (cpu_of(load.server) - before) / times
        return {"cold": median(cold), "longest": max(cold), "warm": median(warm), "size": size, "cpu": cpu}

    return repeated(lambda number: finished(looking(number)))


def repeated(run: Callable[[int], dict[str, float]]) -> Callable[[], list[dict[str, float]]]:
    """Return a call that runs once more, and returns the figures of every run so far."""
    runs: list[dict[str, float]] = []

    def once_more() -> list[dict[str, float]]:
        runs.append(run(len(runs)))
        return runs

    return once_more


def waited(server: Any, load: Callable[[], Any]) -> dict[str, float]:
    """Return how many turns were taken in a second, how long they took, and what they cost the server."""
    before = cpu_of(server)
    waits = load()
    return {
        "rate": waits.rate,
        "half": waits.within(0.5),
        "most": waits.within(0.99),
        "cpu": (cpu_of(server) - before) / len(waits.turns),
    }


def cpu_of(server: Any) -> float:
    """Return the CPU seconds that a server has used."""
    import psutil  # type: ignore[import-untyped]

    times = psutil.Process(server.process.pid).cpu_times()
    return float(times.user + times.system)


def comparing(who: str, items: int, before: int, judges: int) -> Load:
    """Return a server of a study that has answers, with the tokens of its owner and of its judges."""
    import numpy as np
    from scipy.special import expit

    from benchmarks.turn import write
    from penchant.study import Study

    random = np.random.default_rng(11)
    worth = 1.5 * random.standard_normal(items)
    if who == BARE:
        return Load(_started(_folder() / "echo.db", bare=True), ["token"] * (1 + judges), worth.tolist())
    path = _folder() / "study.db"
    Study.create(path, [{"id": f"i{k}", "title": f"item {k}"} for k in range(items)], seed=1).close()
    pairs = random.integers(items, size=(before, 2))
    pairs[:, 1] = (pairs[:, 0] + 1 + pairs[:, 1] % (items - 1)) % items
    first_wins = random.random(before) < expit(worth[pairs[:, 0]] - worth[pairs[:, 1]])
    write(path, pairs.tolist(), first_wins.tolist())
    with Study.open(path) as study:
        tokens = [
            study.tokens.make("owner", "load"),
            *(study.tokens.make("judge", f"judge {k}") for k in range(judges)),
        ]
    return Load(_started(path), tokens, worth.tolist())


def coactive(who: str, form: str) -> tuple[Any, str, list[bytes]]:
    """Return a server of a coactive study, the token of an application, and candidates as JSON."""
    import json

    import numpy as np

    from penchant.study import Study

    random = np.random.default_rng(11)
    X = random.standard_normal((ITEMS, FEATURES)).round(3)
    names = [f"feature {k}" for k in range(FEATURES)]
    by_id = form == "by id"
    bodies = []
    for _ in range(BODIES):
        chosen = random.choice(ITEMS, CANDIDATES, replace=False)
        ids = [f"i{k}" for k in chosen]
        given = ids if by_id else {"ids": ids, "features": names, "rows": X[chosen].tolist()}
        bodies.append(json.dumps(given).encode())
    if who == BARE:
        return _started(_folder() / "echo.db", bare=True), "token", bodies
    rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    items = [{"id": f"i{k}", "title": "item", **row} for k, row in enumerate(rows)] if by_id else []
    path = _folder() / "study.db"
    with Study.create(path, items, kind="coactive", seed=1, names=names) as study:
        token = study.tokens.make("app", "load")
    return _started(path), token, bodies


def _folder() -> Path:
    """Return a new folder, which goes when this process ends."""
    import atexit
    from tempfile import TemporaryDirectory

    folder = TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _started(path: Path, *, bare: bool = False) -> Any:
    """Return a server of the file, which stops when this process ends."""
    import atexit

    from benchmarks import echo, served

    server = served.Server(echo.PROGRAM if bare else served.STUDY, path, for_seconds=FOR_SECONDS)
    atexit.register(server.stop)
    return server


def answered(goal: str, runs: Any) -> Answer:
    """Return the medians of the runs after the first, and what they are to be."""
    figures = {name: median(run[name] for run in runs[1:] or runs) for name in runs[0]}
    if "cold" in figures:
        told: dict[str, float | int | str] = {
            "first byte after an answer, ms": round(1e3 * figures["cold"], 1),
            "longest": round(1e3 * figures["longest"], 1),
            "unchanged, ms": round(1e3 * figures["warm"], 1),
            "server's CPU, ms": round(1e3 * figures["cpu"], 1),
            "bytes": round(figures["size"]),
        }
    else:
        told = {
            "a second": round(figures["rate"]),
            "p50, ms": round(1e3 * figures["half"], 1),
            "p99, ms": round(1e3 * figures["most"], 1),
            EACH: round(1e3 * figures["cpu"], 2),
        }
    return told | ({"goal": goal} if goal else {})


def completed(rows: list[dict[str, Any]]) -> None:
    """Add to Penchant's rows how fast they are beside the bare service."""
    bare = {row["what"]: row["answer"] for row in rows if row["who"] == BARE}
    for row in rows:
        beside = bare.get(row["what"])
        if row["who"] != OURS or not beside or not row["answer"]:
            continue
        ours = row["answer"]
        speed = (
            ours["a second"] / beside["a second"]
            if "a second" in ours
            else beside["unchanged, ms"] / ours["unchanged, ms"]
        )
        goal = ours.pop("goal", None)
        ours[SPEED] = f"{speed:.2f}"
        if EACH in ours:
            ours[CPU] = f"{ours[EACH] / beside[EACH]:.1f}"
        if goal:
            ours["goal"] = goal
