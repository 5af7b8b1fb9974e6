"""Data larger than memory on one machine: comparisons counted from a file, and RankSVM on a memory-mapped matrix.

The files are made from a seed in the system's folder for temporary files, and deleted at the end.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.case import Answer, Case
from benchmarks.child import peak

if TYPE_CHECKING:
    import numpy as np

QUESTION = "With how much memory and time are 100,000,000 comparisons ranked, and memory-mapped features learned from?"

COMPARED = ((10_000_000, 1_000), (10_000_000, 100_000), (100_000_000, 100_000))
"""Comparisons and items."""
MAPPED = ((4_000_000, 136),)
"""Rows and features."""
QUICK_COMPARED, QUICK_MAPPED = ((200_000, 2_000),), ((20_000, 20),)
MEMORY = 2**31
"""The bytes that counting and fitting may take."""
_ROWS = 1_000_000
_OF_A_QUERY = 100


def cases(quick: bool) -> list[Case]:
    """Return a row for each file of comparisons, and for each matrix."""
    compared, mapped = (QUICK_COMPARED, QUICK_MAPPED) if quick else (COMPARED, MAPPED)
    return [
        *(
            Case(
                what=f"CSV, {rows:,} comparisons of {items:,} items",
                prepare=partial(ranking, rows, items, MEMORY // 1_000 if quick else MEMORY),
                answer=agreement,
                warm=1 if quick else 0,
                limit=5_400.0,
            )
            for rows, items in compared
        ),
        *(
            Case(
                what=f"RankSVM, {rows:,} × {features} float32, memory-mapped",
                prepare=partial(learning, rows, features),
                answer=dict,
                warm=1 if quick else 0,
                limit=1_800.0,
            )
            for rows, features in mapped
        ),
    ]


class Ranked(NamedTuple):
    """The CPU seconds of each step, the counts, the ranking, and the true scores by item."""

    seconds: dict[str, float]
    counts: Any
    ranking: Any
    scores: Any


def ranking(n_rows: int, n_items: int, memory: int) -> Callable[[], Ranked]:
    """Write comparisons to a file, and return the call that counts them, fits Bradley–Terry and ranks."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "votes.csv"
    scores = write_comparisons(path, n_rows, n_items)

    def rank() -> Ranked:
        import penchant
        from penchant.worth import BradleyTerry

        seconds, start = {}, time.process_time()
        counts = penchant.count(path, memory=memory, folder=folder.name)
        seconds["count, CPU s"], start = time.process_time() - start, time.process_time()
        model = BradleyTerry().fit(counts)
        seconds["fit"], start = time.process_time() - start, time.process_time()
        found = model.rank()
        seconds["intervals and ranks"] = time.process_time() - start
        return Ranked(seconds, counts, found, scores)

    return rank


def write_comparisons(path: Path, n_rows: int, n_items: int) -> np.ndarray:
    """Write comparisons of random pairs, each won as Bradley–Terry says; return the scores."""
    import numpy as np

    rng = np.random.default_rng(0)
    scores = rng.standard_normal(n_items)
    scores -= scores.mean()
    names = np.array([b"i%06d" % item for item in range(n_items)]).view(np.uint8).reshape(n_items, -1)
    width = names.shape[1]
    with path.open("wb") as file:
        file.write(b"winner,loser\n")
        for start in range(0, n_rows, _ROWS):
            count = min(_ROWS, n_rows - start)
            first = rng.integers(n_items, size=count)
            second = (first + rng.integers(1, n_items, size=count)) % n_items
            lost = rng.random(count) > 1 / (1 + np.exp(scores[second] - scores[first]))
            lines = np.empty((count, 2 * width + 2), np.uint8)
            lines[:, :width], lines[:, width] = names[np.where(lost, second, first)], ord(",")
            lines[:, width + 1 : -1], lines[:, -1] = names[np.where(lost, first, second)], ord("\n")
            file.write(lines.tobytes())
    return scores


def agreement(result: Any) -> Answer:
    """Return the costs, and how the ranking agrees with the scores behind the comparisons."""
    import numpy as np

    memory = peak()
    ranking, scores = result.ranking, result.scores
    item = np.array([int(name[1:]) for name in ranking.items])
    inside = (ranking.lower <= scores[item]) & (scores[item] <= ranking.upper)
    return {
        **{name: round(seconds) for name, seconds in result.seconds.items()},
        "peak MB": round(memory),
        "different pairs": result.counts.n_pairs,
        "pairs are": "on disk" if result.counts.on_disk else "in memory",
        "95 % intervals hold": f"{100 * inside.mean():.1f} %",
        "correlation": round(float(np.corrcoef(ranking.scores, scores[item])[0, 1]), 4),
    }


def learning(n_rows: int, n_features: int) -> Callable[[], dict[str, Any]]:
    """Write a matrix of features to a file, and return the call that fits RankSVM to it, memory-mapped."""
    import numpy as np

    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "features.npy"
    rng = np.random.default_rng(0)
    weights = rng.standard_normal(n_features)
    written = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n_rows, n_features))
    utility = np.empty(n_rows)
    for start in range(0, n_rows, _ROWS // 10):
        block = rng.standard_normal((min(_ROWS // 10, n_rows - start), n_features), dtype=np.float32)
        written[start : start + len(block)] = block
        utility[start : start + len(block)] = block @ weights + 3 * rng.standard_normal(len(block))
    written.flush()
    del written
    grades = np.digitize(utility, np.quantile(utility[:_ROWS], [0.5, 0.75, 0.9, 0.97]))
    qid = np.arange(n_rows) // _OF_A_QUERY

    def learn() -> dict[str, Any]:
        from penchant.rankers import RankSVM

        _ = folder  # whose files live as long as the call
        X = np.load(path, mmap_mode="r")
        with AnonymousMemory() as memory:
            start = time.process_time()
            model = RankSVM().fit(X, grades, qid=qid)
            seconds = time.process_time() - start
            start = time.process_time()
            scores = model.predict(X)
            predicting = time.process_time() - start
        return {
            "matrix, MB": round(X.nbytes / 2**20),
            "fit, CPU s": round(seconds),
            "predict, CPU s": round(predicting, 1),
            "memory above the file's pages, MB": round(memory.most),
            "correlation": round(float(np.corrcoef(scores, utility)[0, 1]), 4),
        }

    return learn


class AnonymousMemory:
    """The most memory, in MB, that this process holds beside pages of files, sampled every 20 ms."""

    def __enter__(self) -> AnonymousMemory:
        self.most, self._stop = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            lines = Path("/proc/self/status").read_text().splitlines()
            held = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))
            self.most = max(self.most, held / 1024)
            if self._stop.wait(0.02):
                return
