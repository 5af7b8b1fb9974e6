"""Large files of search engineers and evaluators: how fast they become arrays, and with how much memory."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast are LETOR files and CSV files of comparisons read, beside scikit-learn and pandas?"

FEATURES = 136


def cases(quick: bool) -> list[Case]:
    """Return LETOR beside scikit-learn, whose time grows with the square of the queries, and CSV beside pandas."""
    documents, comparisons = (2_000, 50_000) if quick else (100_000, 2_000_000)
    of_letor, of_csv = f"LETOR, {documents:,} × {FEATURES}", f"CSV, {comparisons:,} comparisons"
    rows: list[tuple[str, str, Callable[[], Callable[[], object]], str]] = [
        ("Penchant", of_letor, lambda: penchant(letor(documents)), ""),
        ("scikit-learn", of_letor, lambda: sklearn(letor(documents)), "no ids, no rejected lines"),
        ("Penchant", of_csv, lambda: penchant(votes(comparisons)), ""),
        ("pandas", of_csv, lambda: pandas(votes(comparisons)), "strings only: no checks, no preferences"),
    ]
    return [
        Case(who=who, what=what, prepare=prepare, answer=told, cannot=cannot, warm=2)
        for who, what, prepare, cannot in rows
    ]


@cache
def letor(count: int) -> Path:
    """Write judged documents of a hundred a query, and return their file."""
    import numpy as np

    random = np.random.default_rng(0)
    path = Path(tempfile.mkdtemp()) / "documents.letor"
    values = [
        " ".join(f"{column}:{value:.6g}" for column, value in enumerate(row, 1))
        for row in random.random((1_000, FEATURES))
    ]
    with path.open("w") as file:
        file.writelines(
            f"{row % 5} qid:{row // 100} {values[row % 1_000]} # docid = d{row}\n" for row in range(count)
        )
    return path


@cache
def votes(count: int) -> Path:
    """Write comparisons of 200 models by 20,000 judges, and return their file."""
    import numpy as np

    random = np.random.default_rng(0)
    path = Path(tempfile.mkdtemp()) / "votes.csv"
    first, step, judge = (
        random.integers(low, high, count) for low, high in ((0, 200), (1, 200), (0, 20_000))
    )
    outcome = np.array(["model_a", "model_b", "tie"])[random.integers(0, 3, count)]
    with path.open("w") as file:
        file.write("model_a,model_b,winner,judge\n")
        file.writelines(
            f"model-{a},model-{(a + s) % 200},{word},judge{j}\n"
            for a, s, word, j in zip(
                first.tolist(), step.tolist(), outcome.tolist(), judge.tolist(), strict=True
            )
        )
    return path


def penchant(path: Path) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant.formats import read_file

    def read() -> Any:
        reading = read_file(path)
        return reading.n_rows if reading.features is None else reading.features.shape[0]

    return read


def sklearn(path: Path) -> Callable[[], object]:
    """Prepare scikit-learn's row."""
    from sklearn.datasets import load_svmlight_file

    return lambda: load_svmlight_file(str(path), query_id=True, zero_based=False)[0].shape[0]


def pandas(path: Path) -> Callable[[], object]:
    """Prepare pandas' row."""
    import pandas as pd

    return lambda: len(pd.read_csv(path, dtype=str))


def told(rows: Any) -> Answer:
    """Tell the rows that were read, and the most memory that the process has had."""
    return {"rows": int(rows), "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
