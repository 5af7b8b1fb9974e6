"""Comparisons counted from a file, fitted and ranked in bounded memory, where their different pairs fit into it.

The files are made from a seed in the system's folder for temporary files, and deleted at the end. 100,000,000
comparisons, whose different pairs go to disk, are `scale_disk`, and features on disk are `scale_letor`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.case import Answer, Case
from benchmarks.child import peak, reset_peak

if TYPE_CHECKING:
    import numpy as np

QUESTION = "With how much memory and time are 10,000,000 comparisons of a file counted, fitted and ranked?"

COMPARED = ((10_000_000, 1_000), (10_000_000, 100_000))
"""Comparisons and items."""
QUICK_COMPARED = ((200_000, 2_000),)
MEMORY = 2**31
"""The bytes that counting and fitting may take."""
_ROWS = 1_000_000


def cases(quick: bool) -> list[Case]:
    """Return a row for each file of comparisons."""
    compared, memory = (QUICK_COMPARED, MEMORY // 1_000) if quick else (COMPARED, MEMORY)
    return [ranked(rows, items, memory, 900.0) for rows, items in compared]


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
