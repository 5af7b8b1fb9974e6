"""Rankers on a Dask cluster as rows grow, without Dask and with one and two workers, beside LightGBM and Dask-ML.

Workers hold the rows before the time begins. Comparisons and models for each user are `scale_counts` and `scale_users`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.clusters import (
    DOCUMENTS,
    FEATURES,
    WAYS,
    Timed,
    client_of,
    collections,
    costs,
    growing,
    held_out,
    in_memory,
    mean_ndcg,
    timed,
    with_ratios,
)

QUESTION = (
    "How does the cost of rankers on Dask grow, beside LightGBM's Dask ranker and Dask-ML's linear models?"
)

PEERS = ("lightgbm", "dask-ml", "dask[array,dataframe]", "distributed")
QUERIES = (400, 1_600, 6_400, 25_600)
ROUNDS = 20
WARM = (2, 2, 2, 1)
"""Warm calls of each size; the last takes longest, and varies least."""
completed = with_ratios


def cases(quick: bool) -> list[Case]:
    """Return four sizes; the rows of each are measured in turns."""
    sizes = (40, 80) if quick else QUERIES
    return [replace(case, warm=warm) for n, warm in zip(sizes, WARM, strict=False) for case in sized(n)]


def sized(n: int) -> list[Case]:
    """Return the rows of one size."""
    what = f"{n * DOCUMENTS:,} rows × {FEATURES}"
    found = [
        case
        for kind in ("RankSVM", "RankBoost")
        for case in growing(f"{OURS} {kind}", [n], lambda _: what, partial(ours, kind), told)
    ]
    peers: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
        "LightGBM ranker": lightgbm,
        "Dask-ML regression of grades": dask_ml,
    }
    return found + [
        Case(
            who=f"{who}, {how}",
            what=what,
            requires=PEERS,
            prepare=partial(theirs, fit, n, workers),
            answer=told,
        )
        for who, fit in peers.items()
        for workers, how in WAYS[1:]
    ]


def ours(kind: str, n: int, workers: int) -> Timed:
    """Prepare a ranker on one machine, or on a cluster."""
    from penchant import scale
    from penchant.rankers import RankBoost, RankSVM

    def model() -> Any:
        return RankSVM(C=10) if kind == "RankSVM" else RankBoost(ROUNDS)

    if not workers:
        X, y, qid = in_memory(n)
        return timed(lambda: model().fit(X, y, qid=qid).predict)
    client = client_of(workers)
    X, y, qid = collections(client, n)
    return timed(lambda: scale.fit(model(), X, y, qid=qid, client=client).predict, client)


def theirs(fit: Callable[[Any, Any, Any, Any], Any], n: int, workers: int) -> Timed:
    """Prepare a peer on a cluster."""
    client = client_of(workers)
    X, y, qid = collections(client, n)
    return timed(lambda: fit(client, X, y, qid), client)


def lightgbm(client: Any, X: Any, y: Any, qid: Any) -> Any:
    """Boost as many trees as RankBoost has rounds, and return what predicts."""
    import dask.array as da
    import numpy as np
    from lightgbm import DaskLGBMRanker  # type: ignore[import-not-found]

    each = X.chunks[0][0] // DOCUMENTS
    group = da.from_array(np.full(each * len(X.chunks[0]), DOCUMENTS), chunks=each)
    ranker = DaskLGBMRanker(client=client, n_estimators=ROUNDS, verbosity=-1).fit(X, y, group=group)
    return ranker.to_local().predict


def dask_ml(client: Any, X: Any, y: Any, qid: Any) -> Any:
    """Regress the grades linearly, which knows no queries, and return what predicts."""
    from dask_ml.linear_model import LinearRegression  # type: ignore[import-not-found]

    model = LinearRegression(solver="lbfgs").fit(X, y.astype(float))
    return lambda rows: rows @ model.coef_


def told(found: Any) -> Answer:
    """Tell the time, and how well queries are ordered that nobody learned from."""
    X, grades = held_out()
    return costs(found) | {"NDCG@10": f"{mean_ndcg(found['result'](X), grades):.4f}"}
