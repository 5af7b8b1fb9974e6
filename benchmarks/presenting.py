"""What presenting and feedback cost in a running coactive study, when both are on disk, and how many bytes they take.

Candidates are items of the study by id, or come with each presentation: as named features or as a dense matrix. A
round is one presentation and one click on its third place. The figures are rounds in a second of CPU time over all
threads of the process, for one caller, for the same caller without the CPU time of the store, which commits twice a
round, and for many that share commits; and the longest round by the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = (
    "How many presentations with feedback does a study take in a second of CPU time, and how large are they?"
)
SIZES = (
    ("by id", 25, 136, 0),
    ("by id", 25, 136, 100_000),
    ("by id, the same each time", 3_900, 50, 0),
    ("by id, others each time", 3_900, 50, 0),
    ("named, 20 of 136 each", 25, 136, 0),
    ("named, all 136", 25, 136, 0),
    ("dense", 25, 136, 0),
)
"""How candidates are given, how many there are, their features, and the rounds that the study has already."""
ROUNDS, QUICK_ROUNDS = 400, 40
WARM = 3
THREADS = 64
ITEMS = 4_000


def cases(quick: bool) -> list[Case]:
    """Return one case for each form of candidates, and one with all threads."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    return [
        Case(
            who=OURS,
            what=f"{candidates:,} × {features}, {form}" + (f", after {before:,} rounds" if before else ""),
            prepare=partial(presenting, form, candidates, features, before, rounds),
            answer=answered,
            limit=900.0,
            warm=WARM,
        )
        for form, candidates, features, before in SIZES
        if not (quick and before)
    ]


def presenting(form: str, candidates: int, features: int, before: int, rounds: int) -> Callable[[], object]:
    """Return a call that plays rounds with one caller, then with several; it returns what they took."""
    import atexit
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path
    from statistics import median
    from tempfile import TemporaryDirectory
    from time import perf_counter, process_time

    import numpy as np

    from penchant.store.entry import canonical
    from penchant.study import Study

    folder, random = TemporaryDirectory(), np.random.default_rng(11)
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "study.db"
    X = random.standard_normal((ITEMS, features)).round(3)
    names = [f"feature {k}" for k in range(features)]
    rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    items = [{"id": f"i{k}", "title": "item", **rows[k]} for k in range(ITEMS)] if "by id" in form else []
    study = Study.create(path, items, kind="coactive", seed=1, names=names)

    def context() -> Any:
        if "the same" in form:
            return list(everything)
        chosen = random.choice(ITEMS, candidates, replace=False).tolist()
        if "by id" in form:
            return [f"i{k}" for k in chosen]
        if form == "dense":
            return X[chosen]
        if "all" in form:
            return {f"i{k}": rows[k] for k in chosen}
        kept = [random.choice(features, 20, replace=False).tolist() for _ in chosen]
        return {
            f"i{k}": {names[j]: rows[k][names[j]] for j in few} for k, few in zip(chosen, kept, strict=True)
        }

    everything = [f"i{k}" for k in range(candidates)]

    def turn(given: Any) -> float:
        begun = perf_counter()
        shown = study.present(given)
        study.feedback(shown, clicked=[shown.order[2]])
        return perf_counter() - begun

    fill(study, context, before)

    writing = [0.0]

    def timed(append: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            begun = process_time()
            try:
                return append(*given)
            finally:
                writing[0] += process_time() - begun

        return call

    calls: list[dict[str, float]] = []

    def run() -> dict[str, float]:
        """Return the medians of all calls so far but the first."""
        calls.append(measured())
        warm = calls[1:] or calls
        return {name: median(call[name] for call in warm) for name in calls[0]}

    def measured() -> dict[str, float]:
        contexts = [context() for _ in range(rounds)]
        writing[0] = 0.0
        count, stored = study._log.side.sizes()
        append, study._log.append_all = study._log.append_all, timed(study._log.append_all)
        cpu = process_time()
        longest = max(map(turn, contexts))
        alone = process_time() - cpu
        study._log.append_all = append
        others = [context() for _ in range(rounds)]
        cpu = process_time()
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(turn, others))
        together = process_time() - cpu
        more, later = study._log.side.sizes()
        events = list(study._log.events(after=max(0, study.revision() - 200)))
        presented = [event for event in events if event.kind == "presented"]
        log = sum(len(canonical(event.id, event.content)) for event in presented) / len(presented)
        return {
            "alone": rounds / alone,
            "unwritten": rounds / (alone - writing[0]),
            "together": rounds / together,
            "longest": longest,
            "context": (later - stored) / max(1, more - count) if more > count else later / more,
            "event": log,
        }

    return run


def fill(study: Any, context: Callable[[], Any], rounds: int) -> None:
    """Play rounds whose events are those of single calls, with a thousand in each commit."""
    for start in range(0, rounds, 1_000):
        with study._changing():
            for number in range(start, start + 1_000):
                shown = study._present(context(), None, True, None, None)
                click = {"presentation": shown.id, "clicked": [number % 3]}
                study._record([(f"f-{number}", "feedback", click, 2)])


def answered(found: Any) -> Answer:
    """Return the rounds in a CPU second, the longest round, and the bytes of a presentation."""
    return {
        "rounds/CPU s": round(found["alone"]),
        "without the store": round(found["unwritten"]),
        f"of {THREADS} threads": round(found["together"]),
        "longest, ms by the clock": round(1e3 * found["longest"], 1),
        "bytes of a context": round(found["context"]),
        "of its event": round(found["event"]),
    }
