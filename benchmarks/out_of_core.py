"""Data larger than memory on one machine: comparisons counted from a file, and RankSVM on LETOR text through a matrix.

The files are made from a seed in the system's folder for temporary files, and deleted at the end. 100,000,000
comparisons, whose different pairs go to disk, are `scale_disk`.
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
from benchmarks.child import peak, reset_peak

if TYPE_CHECKING:
    import numpy as np

QUESTION = "With how much memory and time are 10,000,000 comparisons ranked, and is LETOR text learned from a matrix?"

COMPARED = ((10_000_000, 1_000), (10_000_000, 100_000))
"""Comparisons and items."""
GRADED = ((4_000_000, 136),)
"""Rows and features."""
QUICK_COMPARED, QUICK_GRADED = ((200_000, 2_000),), ((20_000, 20),)
MEMORY = 2**31
"""The bytes that counting and fitting may take."""
_ROWS = 1_000_000
_GRADED_ROWS = 20_000
_OF_A_QUERY = 100


def cases(quick: bool) -> list[Case]:
    """Return a row for each file of comparisons, and for each LETOR file."""
    compared, graded = (QUICK_COMPARED, QUICK_GRADED) if quick else (COMPARED, GRADED)
    return [
        *(ranked(rows, items, MEMORY // 1_000 if quick else MEMORY, 900.0) for rows, items in compared),
        *(
            Case(
                what=f"LETOR, {rows:,} × {features}, through a matrix to RankSVM",
                prepare=partial(learning, rows, features),
                answer=dict,
                warm=0,
                limit=900.0,
            )
            for rows, features in graded
        ),
    ]


def ranked(n_rows: int, n_items: int, memory: int, limit: float) -> Case:
    """Return the row of a file of comparisons, which is ranked once."""
    return Case(
        what=f"CSV, {n_rows:,} comparisons of {n_items:,} items",
        prepare=partial(ranking, n_rows, n_items, memory),
        answer=agreement,
        warm=0,
        limit=limit,
    )


class Ranked(NamedTuple):
    """The CPU seconds, and the most memory in MB, of each step; the counts, the ranking, the true scores by item."""

    seconds: dict[str, float]
    peaks: dict[str, float]
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

        seconds: dict[str, float] = {}
        peaks: dict[str, float] = {}

        def step(name: str, work: Callable[[], Any]) -> Any:
            reset_peak()
            start = time.process_time()
            result = work()
            seconds[name], peaks[name] = time.process_time() - start, peak()
            return result

        counts = step("count", lambda: penchant.count(path, memory=memory, folder=folder.name))
        model = step("fit", lambda: BradleyTerry().fit(counts))
        found = step("intervals and ranks", model.rank)
        return Ranked(seconds, peaks, counts, found, scores)

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

    ranking, scores = result.ranking, result.scores
    item = np.array([int(name[1:]) for name in ranking.items])
    inside = (ranking.lower <= scores[item]) & (scores[item] <= ranking.upper)
    return {
        **{f"{name}, CPU s": round(seconds) for name, seconds in result.seconds.items()},
        **{f"{name}, MB": round(most) for name, most in result.peaks.items()},
        "different pairs": result.counts.n_pairs,
        "pairs are": "on disk" if result.counts.on_disk else "in memory",
        "95 % intervals hold": f"{100 * inside.mean():.1f} %",
        "correlation": round(float(np.corrcoef(ranking.scores, scores[item])[0, 1]), 4),
    }


def learning(n_rows: int, n_features: int) -> Callable[[], dict[str, Any]]:
    """Write LETOR text, and return the call that makes a matrix of it and fits RankSVM to that."""
    folder = tempfile.TemporaryDirectory()
    text = Path(folder.name) / "train.txt"
    utility = write_graded(text, n_rows, n_features)

    def learn() -> dict[str, Any]:
        import numpy as np

        from penchant.rankers import RankSVM
        from penchant.scale import map_letor

        before = reset_peak()
        start = time.process_time()
        rows = map_letor(text, Path(folder.name) / "train")
        writing, most = time.process_time() - start, peak()
        with AnonymousMemory() as memory:
            start = time.process_time()
            model = RankSVM().fit(rows.X, rows.grades, qid=rows.qid)
            fitting = time.process_time() - start
            scores = model.predict(rows.X)
        return {
            "text, MB": round(text.stat().st_size / 2**20),
            "matrix, MB": round(rows.X.nbytes / 2**20),
            "write matrix, CPU s": round(writing, 1),
            "write matrix, MB above start": round(most - before),
            "fit, CPU s": round(fitting, 1),
            "fit and predict, MB beside the matrix": round(memory.most),
            "correlation": round(float(np.corrcoef(scores, utility)[0, 1]), 4),
        }

    return learn


def write_graded(path: Path, n_rows: int, n_features: int) -> np.ndarray:
    """Write graded rows whose features are from 0 to 0.999; return the utilities behind the grades."""
    import numpy as np

    rng = np.random.default_rng(0)
    weights = rng.standard_normal(n_features)
    start = b"0 qid:0000000"
    cells = [b" %d:0.000" % feature for feature in range(1, n_features + 1)]
    ends = len(start) + np.cumsum([len(cell) for cell in cells])
    template = np.frombuffer(start + b"".join(cells) + b"\n", np.uint8)
    utility = np.empty(n_rows)
    bounds = np.zeros(4)
    with path.open("wb") as file:
        for begin in range(0, n_rows, _GRADED_ROWS):
            count = min(_GRADED_ROWS, n_rows - begin)
            values = rng.integers(1000, size=(count, n_features))
            own = values @ weights / 1000 + rng.standard_normal(count)
            utility[begin : begin + count] = own
            if not begin:
                bounds = np.quantile(own, [0.5, 0.75, 0.9, 0.97])
            lines = np.tile(template, (count, 1))
            lines[:, 0] += np.digitize(own, bounds).astype(np.uint8)
            query = np.arange(begin, begin + count) // _OF_A_QUERY
            for digit in range(7):
                lines[:, len(start) - 1 - digit] += (query // 10**digit % 10).astype(np.uint8)
            for digit in range(3):
                lines[:, ends - 1 - digit] += (values // 10**digit % 10).astype(np.uint8)
            file.write(lines.tobytes())
    return utility


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
