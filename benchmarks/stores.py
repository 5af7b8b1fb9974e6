"""Durable turns a second of a study in an SQLite file and in PostgreSQL, side by side: ``python -m benchmarks.stores``.

The server is started on this computer, in a temporary folder; both sync every commit. Rounds alternate between the two.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from penchant.study import CompareStudy
from tests.postgresql import Server

ITEMS = 30
JUDGES = (1, 16)


def turns(study: CompareStudy, judges: int, count: int) -> float:
    """Return the turns a second of judges who answer at once, each ``count`` times."""

    def answer(judge: int) -> None:
        question = study.ask(f"judge {judge}")
        for number in range(count):
            question = study.turn(question, ("left", "right")[number % 2]).question

    begun = time.perf_counter()
    with ThreadPoolExecutor(judges) as threads:
        list(threads.map(answer, range(judges)))
    return judges * count / (time.perf_counter() - begun)


def measured(places: Sequence[tuple[str, Path | str]], rounds: int, count: int) -> list[str]:
    """Return the rows of a table: for each store and number of judges the median of the rounds, and the CPU time."""
    studies = {
        name: CompareStudy.create(place, [f"item {k}" for k in range(ITEMS)], seed=1)
        for name, place in places
    }
    rows = []
    for judges in JUDGES:
        found: dict[str, list[float]] = {name: [] for name in studies}
        spent = dict.fromkeys(studies, 0.0)
        for number in range(rounds + 1):
            for name, study in studies.items():
                before = _cpu()
                rate = turns(study, judges, count)
                if number:  # the first compiles, connects and fills caches
                    found[name].append(rate)
                    spent[name] += _cpu() - before
        for name, rates in found.items():
            each = 1000 * spent[name] / (rounds * judges * count)
            spread = f"{min(rates):,.0f}–{max(rates):,.0f}"
            rows.append(f"| {name} | {judges} | {median(rates):,.0f} | {spread} | {each:.2f} |")
    for study in studies.values():
        study.close()
    return rows


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=40, help="turns of each judge in a round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        places = [("SQLite", Path(folder) / "study.db"), ("PostgreSQL", server.address())]
        print("| store | judges at once | turns a second | least and most of the rounds | CPU ms a turn |")
        print("|---|---|---|---|---|")
        print("\n".join(measured(places, options.rounds, options.count)))


if __name__ == "__main__":
    main()
