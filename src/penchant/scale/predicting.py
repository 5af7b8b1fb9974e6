"""Score rows that are partitioned over a cluster, and evaluate the scores: workers sum the metrics of their queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.metrics.by_query import USUAL, by_query
from penchant.metrics.evaluation import Evaluation, Figure
from penchant.metrics.queries import query_weights
from penchant.metrics.ties import Ties
from penchant.scale.cluster import connected, dask_modules
from penchant.scale.graded import graded_partitions
from penchant.scale.graded_files import Columns, GradedChunk, graded_chunk
from penchant.scale.partitions import named_errors, partitions_beside, partitions_of


def predict(
    model: Any,
    data: Any,
    *,
    y: str | None = None,
    qid: str | None = None,
    client: Any = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Return the scores of rows that are partitioned over a Dask cluster.

    Parameters
    ----------
    model : fitted ranker
        RankSVM, RankBoost or any other whose scores need one row alone.
    data : dask array or DataFrame, path, pattern or list of paths, or list of delayed objects
        As `fit` takes it. Of a table those columns are used that the model was fitted to.
    y, qid : str, optional
        Columns of a table that are no features, ``grade`` and ``qid`` unless given.
    client : dask.distributed.Client or str, optional
        Only to check the versions of its workers and begin at once there. None: scores are computed when they are used.
    options : mapping, optional
        How LETOR files are read.

    Returns
    -------
    dask array of shape (n_rows,)
        One chunk for each partition; of files and delayed objects the lengths are not known before it is computed.

    Examples
    --------
    >>> import dask.array as da
    >>> from penchant.rankers import RankSVM
    >>> model = RankSVM().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> scores = predict(model, da.from_array(np.array([[1.0], [4.0], [3.0]]), chunks=(2, 1)))
    >>> bool((np.diff(scores.compute(scheduler="synchronous")) > 0).tolist() == [True, False])
    True
    """
    dask = dask_modules()[0]
    import dask.array as da

    _check_model(model)
    partitions = partitions_of(data)
    chunks = getattr(data, "chunks", ((np.nan,) * len(partitions),))[0]
    task = dask.delayed(partition_scores)
    columns, read = Columns.of(y, qid, None), dict(options or {})
    pieces = [
        da.from_delayed(task(each.name, each.parts, model, columns, read), shape=(size,), dtype=np.float64)
        for each, size in zip(partitions, chunks, strict=True)
    ]
    scores = da.concatenate(pieces, allow_unknown_chunksizes=True)
    if client is None:
        return scores
    with connected(client) as cluster:
        return cluster.client.persist(scores)


def partition_scores(
    name: str, parts: tuple[Any, ...], model: Any, columns: Columns, options: Mapping[str, Any]
) -> Floats:
    """Return the scores of a partition's rows."""
    return chunk_scores(graded_chunk(name, parts, columns, model, options, True), model)


def chunk_scores(chunk: GradedChunk, model: Any) -> Floats:
    """Return the scores of checked rows."""
    from penchant.rankers.ranker import ranking_scores

    if not len(chunk.grades):
        return np.zeros(0)
    with named_errors(chunk.name):
        return np.asarray(ranking_scores(_unnamed(model), chunk.X, chunk.qid), dtype=np.float64)


def _unnamed(model: Any) -> Any:
    """Return a model that takes its own columns as an array, which have been put in order already."""
    if not hasattr(model, "feature_names_in_"):
        return model
    from copy import copy

    without = copy(model)
    del without.feature_names_in_
    return without


def _check_model(model: Any) -> None:
    from penchant.rankers.ranker import check_fitted

    if not hasattr(model, "predict") or not hasattr(model, "__sklearn_tags__"):
        raise InvalidInput.of(
            "model", "be a fitted ranker", repr(model), "give RankSVM, RankBoost or another"
        )
    check_fitted(model)
    if getattr(model, "on", "objects") == "differences":
        raise InvalidInput.of(
            "model",
            'give a row a score by itself, on="objects"',
            'on="differences"',
            "predict one query at a time",
        )


class MetricSums(NamedTuple):
    """Sums over queries of the values v of one metric with the weights w of the queries.

    Attributes
    ----------
    n, skipped : int
        Queries in which the metric is defined, and others.
    w, wv, ww, wwv, wwvv : float
        Σ w, Σ wv, Σ w², Σ w²v and Σ w²v².
    """

    n: int
    skipped: int
    w: float
    wv: float
    ww: float
    wwv: float
    wwvv: float

    @classmethod
    def of(cls, values: Floats, defined: Any, weights: Floats | None) -> MetricSums:
        """Add up the values of some queries."""
        w = np.ones(len(values)) if weights is None else weights
        used = defined & (w > 0)
        v, w = values[used], w[used]
        sums = (np.sum(each) for each in (w, w * v, w**2, w**2 * v, w**2 * v**2))
        return cls(len(v), len(values) - len(v), *map(float, sums))

    def figure(self, name: str) -> Figure:
        """Return the weighted mean over queries with its standard error, as `penchant.metrics.evaluate` does."""
        if not self.n:
            raise InvalidInput(
                f"{name} must exist in at least one query, got none of {self.skipped}: give grades that differ"
            )
        mean = self.wv / self.w
        squares = max(0.0, self.wwvv - 2 * mean * self.wwv + mean**2 * self.ww) / self.w**2
        error = float(np.sqrt(squares * self.n / (self.n - 1))) if self.n > 1 else float("nan")
        return Figure(name, mean, error, self.n, self.skipped)


Sums = dict[str, MetricSums]


def add_sums(first: Sums, second: Sums) -> Sums:
    """Return the sums over the queries of both."""
    if not first or not second:
        return first or second
    return {
        name: MetricSums._make(a + b for a, b in zip(sums, second[name], strict=True))
        for name, sums in first.items()
    }


def evaluate(
    model: Any,
    data: Any,
    y: Any = None,
    *,
    qid: Any = None,
    weight: Any = None,
    k: int = 10,
    ties: Ties = "average",
    metrics: Sequence[str] = USUAL,
    relevant: float = 1.0,
    client: Any = None,
    options: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Measure how a fitted ranker orders graded rows that are partitioned over a Dask cluster.

    The result is that of `penchant.metrics.evaluate` on all rows. Neither rows nor scores come to the client: workers
    compute the metrics of each query and add them up.

    Parameters
    ----------
    model : fitted ranker
    data, y, qid, weight, client, options
        As in `fit`; queries that partitions cut are brought together. A query counts as much as the mean weight of its
        rows.
    k, ties, metrics, relevant
        As in `penchant.metrics.evaluate`.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from penchant.rankers import RankSVM
    >>> X, grades = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 2])
    >>> model = RankSVM().fit(X, grades)
    >>> with Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     found = evaluate(model, da.from_array(X, chunks=(4, 1)), da.from_array(grades, chunks=4), client=client)
    >>> round(found["NDCG@10"].mean, 3)
    0.95
    """
    dask_modules()
    _check_model(model)
    partitions = partitions_beside(data, y=y, qid=qid, weight=weight)
    settings: dict[str, Any] = {"k": k, "ties": ties, "metrics": tuple(metrics), "relevant": relevant}
    by_query([0, 1], [0, 1], qid=None, **{**settings, "metrics": metrics})  # which checks them
    with connected(client) as cluster:
        columns = Columns.of(y, qid, weight)
        rows = graded_partitions(model, partitions, columns, cluster, options or {}, fitted=True)
        highest = cluster.result(cluster.total(cluster.each(highest_grade, rows.chunks), max))
        measured = partial(metric_sums, model=model, weighted=weight is not None, highest=highest, **settings)
        sums = cluster.each(measured, rows.chunks)
        cluster.wait(sums)
        total = cluster.result(cluster.total(sums, add_sums))
    return Evaluation(tuple(MetricSums(*sums).figure(name) for name, sums in total.items()))


def highest_grade(chunk: GradedChunk) -> float:
    """Return the highest grade of a partition."""
    if np.isnan(chunk.grades).any():
        raise InvalidInput(f"{chunk.name}: y must be the grades of the rows, got none: name their column")
    return float(chunk.grades.max(initial=-np.inf))


def metric_sums(
    chunk: GradedChunk,
    *,
    model: Any,
    weighted: bool,
    highest: float,
    metrics: Sequence[str],
    **settings: Any,
) -> Sums:
    """Return the sums of the metrics of a partition's queries; none where it has no rows."""
    if not len(chunk.grades):
        return {}
    scores = chunk_scores(chunk, model)
    with named_errors(chunk.name):
        measured = by_query(
            chunk.grades,
            scores,
            qid=chunk.qid,
            metrics=metrics,
            highest=highest if "err" in metrics else None,
            **settings,
        )
        # Weights that are all 0 are an error on one machine, and may be those of one partition here.
        counted = weighted and chunk.weight.any()
        weights = query_weights(measured.queries, chunk.weight) if counted else None
        if weighted and not counted:
            weights = np.zeros(len(measured.queries.starts))
        return {
            name: MetricSums.of(values, defined, weights)
            for name, (values, defined) in measured.values.items()
        }
