"""Keep the queries of graded rows whole: compare the partitions, and move the rows of queries that are cut.

Rows are compared inside a query only. Where partitions cut a query apart, its rows move to one of these, from worker to
worker: to the one that gets the fewest queries so, the first where several do. Queries are compared by hashes, on the
workers too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints
from penchant.counts import counted
from penchant.errors import InvalidInput, PenchantWarning
from penchant.scale.cluster import Cluster, dask_modules
from penchant.scale.graded_files import Columns, GradedChunk, graded_chunk, widened
from penchant.scale.partitions import Partition

MOST_CUT = 10_000
"""The most queries that are brought together; more are cut only where rows are in no order of queries at all."""
_HASHES = 1_000_000
"""Queries that one task compares."""


class Facts(NamedTuple):
    """What the client knows of a chunk; ``kind`` is how its queries are labelled."""

    name: str
    n_rows: int
    n_features: int
    names: tuple[str, ...] | None
    sparse: bool
    kind: str
    n_queries: int
    rejected: str


class GradedPartitions(NamedTuple):
    """Futures of chunks whose queries are whole, and what they have in common."""

    chunks: list[Any]
    n_rows: int
    n_features: int
    names: tuple[str, ...] | None


def facts(chunk: GradedChunk) -> Facts:
    """Return what the client needs to know of a chunk."""
    kind = "" if chunk.qid is None else "text" if chunk.qid.dtype.kind == "O" else "numbers"
    n_queries = 0 if chunk.qid is None else len(np.unique(chunk.qid))
    sparse = not isinstance(chunk.X, np.ndarray)
    n_rows, n_features = chunk.X.shape
    return Facts(chunk.name, n_rows, n_features, chunk.names, sparse, kind, n_queries, chunk.rejected)


def graded_partitions(
    estimator: Any,
    partitions: list[Partition],
    columns: Columns,
    cluster: Cluster,
    options: Mapping[str, Any],
    *,
    fitted: bool = False,
) -> GradedPartitions:
    """Read the graded rows of all partitions into the workers' memory, queries whole."""
    delayed = dask_modules()[0].delayed
    tasks = [
        delayed(graded_chunk)(each.name, each.parts, columns, estimator, dict(options), fitted)
        for each in partitions
    ]
    chunks = cluster.compute(tasks)
    cluster.wait(chunks)
    known = [Facts(*each) for each in cluster.results(cluster.each(facts, chunks))]
    _report_rejected(known)
    filled = [number for number, each in enumerate(known) if each.n_rows]
    if not filled:
        raise InvalidInput("partitions must have rows, got none: give graded rows")
    chunks, known = [chunks[number] for number in filled], [known[number] for number in filled]
    n_features = _agreed(known)
    if len({each.n_features for each in known}) > 1:
        chunks = cluster.each(widened, chunks, shared=(n_features,))
    if len(chunks) > 1:
        if not known[0].kind:
            raise InvalidInput.of(
                "qid",
                "name the query of each row where there is more than one partition",
                "none",
                "give qid, or all rows as one partition",
            )
        chunks = _whole_queries(chunks, known, cluster)
    return GradedPartitions(chunks, sum(each.n_rows for each in known), n_features, known[0].names)


def _report_rejected(known: list[Facts]) -> None:
    rejected = [f"{each.name}: {each.rejected}" for each in known if each.rejected]
    if rejected:
        more = len(rejected) - 1
        others = f" (and rows of {counted(more, 'other partition')})" if more else ""
        warn(rejected[0] + others, PenchantWarning, stacklevel=5)


def _agreed(known: list[Facts]) -> int:
    """Return the number of features, or raise where two partitions do not fit together."""
    first = known[0]
    for each in known[1:]:
        same_width = each.n_features == first.n_features or (each.sparse and first.sparse)
        if each.names != first.names or not same_width:
            raise InvalidInput.of(
                each.name,
                f"have the features of {first.name}, {_listed(first, each)}",
                _listed(each, first),
                "make them the same",
            )
        if each.kind != first.kind:
            raise InvalidInput.of(
                f"qid of {each.name}",
                f"be {first.kind or 'absent'} as in {first.name}",
                each.kind or "none",
                "convert one of them",
            )
    return max(each.n_features for each in known)


def _listed(each: Facts, other: Facts) -> str:
    """Return the features of a chunk, from shortly before the first that another one has not at the same place."""
    if each.names is None:
        return f"{each.n_features:,} without names"
    same = takewhile(lambda pair: pair[0] == pair[1], zip(each.names, other.names or (), strict=False))
    start = max(sum(1 for _ in same) - 2, 0)
    shown = each.names[start : start + 5]
    return ("…, " if start else "") + ", ".join(shown) + (", …" if start + 5 < len(each.names) else "")


def query_hashes(chunk: GradedChunk) -> NDArray[np.uint64]:
    """Return a hash for each different query of a chunk, the same in every process, sorted."""
    return np.unique(_hashes(chunk.qid))


def _hashes(qid: Any) -> NDArray[np.uint64]:
    from pandas.util import hash_array

    return np.asarray(hash_array(qid, categorize=True), dtype=np.uint64)


def cut_queries(hashes: list[NDArray[np.uint64]], part: int, n_parts: int) -> list[tuple[int, list[int]]]:
    """Return the queries that several partitions hold, as hashes, with the partitions; those of one of n parts."""
    mine = [each[each % np.uint64(n_parts) == part] if n_parts > 1 else each for each in hashes]
    every = np.concatenate(mine)
    owner = np.repeat(np.arange(len(mine)), [len(each) for each in mine])
    order = np.argsort(every, kind="stable")
    every, owner = every[order], owner[order]
    starts = np.flatnonzero(np.append(True, every[1:] != every[:-1])) if len(every) else np.empty(0, np.int64)
    stops = np.append(starts[1:], len(every))
    several = np.flatnonzero(stops - starts > 1)
    if len(several) > MOST_CUT:
        raise _too_many_cut(len(several))
    return [(int(every[starts[k]]), owner[starts[k] : stops[k]].tolist()) for k in several]


def _too_many_cut(count: int) -> InvalidInput:
    return InvalidInput.of(
        "queries that are in several partitions",
        f"be at most {MOST_CUT:,}",
        f"{count:,}",
        'bring the rows of each query together first: DataFrame.shuffle("qid"), or files that hold whole queries',
    )


def _whole_queries(chunks: list[Any], known: list[Facts], cluster: Cluster) -> list[Any]:
    """Return chunks in which each query is whole, in the partition with rows of it that gets the fewest queries."""
    hashes = cluster.each(query_hashes, chunks)
    n_parts = 1 + sum(each.n_queries for each in known) // _HASHES
    searches = [
        cluster.client.submit(cut_queries, hashes, part, n_parts, pure=False) for part in range(n_parts)
    ]
    cut = [found for some in cluster.results(searches) for found in some]
    if len(cut) > MOST_CUT:
        raise _too_many_cut(len(cut))
    leaving: dict[int, list[tuple[int, int]]] = {}
    gained = [0] * len(chunks)
    for query, owners in cut:
        home = min(owners, key=gained.__getitem__)
        gained[home] += 1
        for other in owners:
            if other != home:
                leaving.setdefault(other, []).append((query, home))
    whole = list(chunks)
    arriving: dict[int, list[Any]] = {}
    for source, moves in leaving.items():
        for home in sorted({home for _, home in moves}):
            queries = [query for query, to in moves if to == home]
            moved = cluster.client.submit(rows_of, chunks[source], queries, True, pure=False)
            arriving.setdefault(home, []).append(moved)
        every = [query for query, _ in moves]
        whole[source] = cluster.client.submit(rows_of, chunks[source], every, False, pure=False)
    for home, more in arriving.items():
        whole[home] = cluster.client.submit(joined, [whole[home], *more], pure=False)
    return whole


def rows_of(chunk: GradedChunk, queries: list[int], inside: bool) -> GradedChunk:
    """Return the rows of these queries, given as hashes, or all others."""
    found = np.isin(_hashes(chunk.qid), np.array(queries, dtype=np.uint64))
    return chunk.taken(np.flatnonzero(found == inside))


def joined(chunks: list[GradedChunk]) -> GradedChunk:
    """Return the rows of several chunks as one."""
    X: Any
    if all(isinstance(chunk.X, np.ndarray) for chunk in chunks):
        X = np.concatenate([chunk.X for chunk in chunks])
    else:
        from scipy.sparse import csr_array, vstack

        X = vstack([csr_array(chunk.X) for chunk in chunks], format="csr")
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(chunk, name) for chunk in chunks])
        for name in ("grades", "qid", "weight")
    }
    return replace(chunks[0], X=X, **columns)


def note_features(model: Any, found: GradedPartitions) -> None:
    """Note on a model how many features there are and what they are called, as its own `fit` does."""
    model.n_features_in_ = found.n_features
    vars(model).pop("feature_names_in_", None)
    if found.names is not None:
        model.feature_names_in_ = np.array(found.names, dtype=object)


def no_pairs(n_rows: int) -> InvalidInput:
    """Return the error of data in which nothing is compared."""
    return InvalidInput(
        "two rows of one query must have different grades and weights above 0, got none in "
        f"{n_rows:,} rows: give grades that differ"
    )


def has_pairs(chunk: GradedChunk) -> bool:
    """Say whether some query of a chunk has two grades among rows of weight above 0."""
    kept = chunk.weight > 0
    if not kept.any():
        return False
    codes, grades = chunk.queries.codes[kept], chunk.grades[kept]
    order: Ints = np.lexsort((grades, codes))
    codes, grades = codes[order], grades[order]
    return bool(((codes[1:] == codes[:-1]) & (grades[1:] != grades[:-1])).any())
