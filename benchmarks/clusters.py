"""Dask clusters for benchmarks: graded rows that their workers make, and calls whose CPU time includes the workers'.

Nothing of Penchant is needed here, so that peers can use it from environments of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.case import Answer, Case

FEATURES, DOCUMENTS, PARTITIONS, HELD_OUT = 20, 25, 4, 400

Timed = Callable[[], dict[str, Any]]


WAYS = ((0, "no Dask"), (1, "1 worker"), (2, "2 workers"))
"""How many workers there are, and what that is called."""


def growing(
    who: str,
    sizes: Sequence[int],
    what: Callable[[int], str],
    prepare: Callable[[int, int], Timed],
    answer: Callable[[Any], Answer],
) -> list[Case]:
    """Return rows for each size, without Dask and with one and two workers; ``prepare`` takes size and workers."""
    return [
        Case(
            who=f"{who}, {how}",
            what=what(size),
            prepare=partial(prepare, size, workers),
            answer=answer,
            warm=2,
        )
        for size in sizes
        for workers, how in WAYS
    ]


def client_of(workers: int) -> Any:
    """Return the client of a new cluster with so many worker processes of one thread, which ends with this process."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
    )
    return Client(cluster)


def graded(seed: int, n_queries: int) -> tuple[Any, Any, Any]:
    """Return features, grades from 0 to 3 and queries, whose numbers no other seed has."""
    import numpy as np

    random = np.random.default_rng(seed)
    n = n_queries * DOCUMENTS
    X = random.normal(size=(n, FEATURES))
    worth = X @ np.linspace(1, -1, FEATURES) + 0.5 * X[:, 0] * X[:, 1] + 2 * random.normal(size=n)
    grades = np.digitize(worth, [0.0, 3.0, 6.0])
    return X, grades, np.repeat(np.arange(n_queries), DOCUMENTS) + seed * 10_000_000


def held_out() -> tuple[Any, Any]:
    """Return features and grades of queries that nobody learns from."""
    X, grades, _ = graded(99, HELD_OUT)
    return X, grades


def collections(client: Any, n_queries: int) -> tuple[Any, Any, Any]:
    """Return features, grades and queries as dask arrays of `PARTITIONS` chunks, in the memory of the workers."""
    import dask
    import dask.array as da
    import numpy as np
    from distributed import wait

    each = n_queries // PARTITIONS
    made = [dask.delayed(graded, nout=3)(seed, each) for seed in range(PARTITIONS)]
    shapes = [(each * DOCUMENTS, FEATURES), (each * DOCUMENTS,), (each * DOCUMENTS,)]
    kinds = [np.float64, np.int64, np.int64]
    arrays = tuple(
        da.concatenate([da.from_delayed(parts[k], shapes[k], dtype=kinds[k]) for parts in made])
        for k in range(3)
    )
    held = client.persist(arrays)
    wait(held)
    return tuple(held)  # type: ignore[return-value]


def in_memory(n_queries: int) -> tuple[Any, Any, Any]:
    """Return the same rows in the memory of this process."""
    import numpy as np

    parts = [graded(seed, n_queries // PARTITIONS) for seed in range(PARTITIONS)]
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))  # type: ignore[return-value]


def timed(work: Callable[[], Any], client: Any = None) -> Timed:
    """Return a call that does ``work`` and tells its wall time and the CPU time of this process and of the workers.

    After several calls the wall time is the least of all but the first, which loads and compiles.
    """
    walls: list[float] = []

    def call() -> dict[str, Any]:
        workers, own, start = _worker_cpu(client), time.process_time(), time.perf_counter()
        result = work()
        walls.append(time.perf_counter() - start)
        spent = {"client": time.process_time() - own, "workers": _worker_cpu(client) - workers}
        return {"result": result, "wall": min(walls[1:] or walls), **spent}

    return call


def _worker_cpu(client: Any) -> float:
    return 0.0 if client is None else float(sum(client.run(time.process_time).values()))


def costs(told: dict[str, Any]) -> dict[str, str]:
    """Return what a call cost as figures."""
    return {
        "s": f"{told['wall']:.3f}",
        "CPU s, client": f"{told['client']:.3f}",
        "CPU s, workers": f"{told['workers']:.3f}",
    }


def mean_ndcg(scores: Any, grades: Any) -> float:
    """Return NDCG@10 of queries of `DOCUMENTS` rows each."""
    import numpy as np

    scores, grades = np.reshape(scores, (-1, DOCUMENTS)), np.reshape(grades, (-1, DOCUMENTS))
    discounts = 1 / np.log2(np.arange(2, 12))
    ranked = np.take_along_axis(grades, np.argsort(-scores, axis=1, kind="stable"), axis=1)[:, :10]
    best = -np.sort(-grades, axis=1)[:, :10]
    return float(np.mean(ranked @ discounts / (best @ discounts)))


def with_ratios(rows: list[dict[str, Any]]) -> None:
    """Add to rows of one task how the time and the CPU time of one worker relate to no Dask, and of two to one."""
    by_name = {(row["what"], row["who"]): row["answer"] for row in rows}
    for row in rows:
        kind, _, how = row["who"].rpartition(", ")
        beside = {"1 worker": "no Dask", "2 workers": "1 worker"}.get(how)
        other = by_name.get((row["what"], f"{kind}, {beside}"))
        if beside and other:
            answer = row["answer"]
            answer[f"time × {beside}"] = f"{float(answer['s']) / float(other['s']):.2f}"
            answer[f"CPU × {beside}"] = f"{_cpu(answer) / _cpu(other):.2f}"


def _cpu(answer: dict[str, Any]) -> float:
    return float(answer["CPU s, client"]) + float(answer["CPU s, workers"])
