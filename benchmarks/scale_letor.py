"""LETOR text written to a matrix on disk, from which RankSVM learns.

The text is made from a seed in the system's folder for temporary files, 4.8 GB and 2.2 GB for the matrix, and deleted
at the end.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.case import Case
from benchmarks.child import peak, reset_peak

if TYPE_CHECKING:
    import numpy as np

QUESTION = "With how much memory and time does RankSVM learn from LETOR text through a matrix on disk?"

GRADED, QUICK_GRADED = (4_000_000, 136), (20_000, 20)
"""Rows and features."""
_ROWS = 20_000
_OF_A_QUERY = 100


def cases(quick: bool) -> list[Case]:
    """Return the one row."""
    rows, features = QUICK_GRADED if quick else GRADED
    return [
        Case(
            what=f"LETOR, {rows:,} × {features}, through a matrix to RankSVM",
            prepare=partial(learning, rows, features),
            answer=dict,
            warm=0,
            limit=1_800.0,
        )
    ]


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
        for begin in range(0, n_rows, _ROWS):
            count = min(_ROWS, n_rows - begin)
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
