"""Queries that partitions cut are brought together, and partitions that do not fit together are rejected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from penchant.errors import InvalidInput, PenchantWarning
from penchant.rankers import RankSVM
from penchant.scale import graded
from penchant.scale.cluster import Cluster
from penchant.scale.graded import cut_queries, graded_partitions, has_pairs, query_hashes
from penchant.scale.graded_files import Columns, GradedChunk
from penchant.scale.partitions import partitions_of
from tests.scale.graded_data import graded as made
from tests.scale.graded_data import letor, table

delayed = pytest.importorskip("dask").delayed


def whole(client, parts, **settings):
    cluster = Cluster(client)
    found = graded_partitions(RankSVM(), partitions_of(parts), Columns(), cluster, {}, **settings)
    return found, cluster.results(found.chunks)


def rows_of(chunks):
    return sorted(
        (tuple(row), grade, str(query))
        for chunk in chunks
        for row, grade, query in zip(chunk.X.tolist(), chunk.grades, chunk.qid, strict=True)
    )


@pytest.mark.parametrize("labels", ["numbers", "texts"])
def test_queries_are_whole_wherever_they_were_cut(client, labels):
    """Rows in any order: each query ends up in one partition, and no row is lost or doubled."""
    X, grades, qid, _ = made(15, 4, 3)
    order = np.random.default_rng(1).permutation(len(X))
    names = qid if labels == "numbers" else np.array([f"query {query}" for query in qid])
    frame = table(X, grades, names).iloc[order]
    parts = [delayed(frame[start : start + 16]) for start in range(0, 60, 16)]
    found, chunks = whole(client, parts)
    owners = [set(map(str, chunk.qid)) for chunk in chunks]
    assert sum(map(len, owners)) == len(set.union(*owners)) == 15
    one = GradedChunk("all", X, grades, names, np.ones(len(X)))
    assert rows_of(chunks) == rows_of([one])
    assert (found.n_rows, found.n_features, found.names) == (60, 3, ("x0", "x1", "x2"))


def test_a_query_in_all_partitions_moves_to_the_first(client):
    """Also where that is more than two, and where the others hold nothing else."""
    X, grades, qid, _ = made(1, 9, 2)
    _, chunks = whole(client, [delayed((X[k::3], grades[k::3], qid[k::3])) for k in range(3)])
    assert [len(chunk.grades) for chunk in chunks] == [9, 0, 0]


def test_the_search_for_cut_queries_can_be_divided():
    """Every part finds the queries of its own hashes, all together those of the whole search."""
    X, grades, _, _ = made(10, 2, 2)
    random = np.random.default_rng(0)
    chunks = [GradedChunk("", X, grades, random.integers(0, 12, 20), np.ones(20)) for _ in range(3)]
    hashes = [query_hashes(chunk) for chunk in chunks]
    parts = [found for part in range(4) for found in cut_queries(hashes, part, 4)]
    assert sorted(parts) == sorted(cut_queries(hashes, 0, 1))


def test_too_many_cut_queries_are_rejected(monkeypatch):
    """The message says how to partition."""
    monkeypatch.setattr(graded, "MOST_CUT", 1)
    hashes = [np.array([1, 2, 3], dtype=np.uint64)] * 2
    with pytest.raises(InvalidInput, match=r"at most 1, got 3: .*shuffle"):
        cut_queries(hashes, 0, 1)


def test_partitions_must_fit_together(client):
    """Other features, other kinds of queries, and none at all are rejected with the partition's name."""
    X, grades, qid, _ = made(4, 3, 3)
    first = table(X, grades, qid)
    for second, message in (
        (first.rename(columns={"x1": "y1"}), "partition 1 must have the features of partition 0"),
        (first.assign(qid=first["qid"].astype(str)), "qid of partition 1 must be numbers"),
        (first.drop(columns="x2"), "partition 1 must have the features"),
    ):
        with pytest.raises(InvalidInput, match=message):
            whole(client, [delayed(first), delayed(second)])
    with pytest.raises(InvalidInput, match="qid must name the query of each row"):
        whole(client, [delayed((X, grades))] * 2)
    with pytest.raises(InvalidInput, match="partitions must have rows"):
        whole(client, [delayed(first[:0])])


def test_a_worker_that_cannot_read_names_file_and_row(client, tmp_path):
    """A cell that is empty, a damaged file, and one that only the client has seen."""
    X, grades, qid, _ = made(4, 3, 3)
    frame = table(X, grades, qid)
    frame.to_parquet(tmp_path / "0.parquet")
    frame.loc[7, "x2"] = np.nan
    frame.to_parquet(tmp_path / "1.parquet")
    with pytest.raises(
        InvalidInput, match=r"1\.parquet: feature 'x2' of row 7 must be a finite number, got nan"
    ):
        whole(client, str(tmp_path / "*.parquet"))
    (tmp_path / "1.parquet").write_bytes(b"no table")
    with pytest.raises(InvalidInput, match=r"1\.parquet: Arrow"):
        whole(client, str(tmp_path / "*.parquet"))
    partitions = partitions_of(str(tmp_path / "0.parquet"))
    (tmp_path / "0.parquet").unlink()
    with pytest.raises(InvalidInput, match=r"0\.parquet must be a file that every worker can read"):
        graded_partitions(RankSVM(), partitions, Columns(), Cluster(client), {})


def test_text_may_leave_out_features(client, tmp_path):
    """Where the last feature is 0 in a whole file, its matrix has a column less; broken lines are named."""
    X, grades, qid, _ = made(4, 3, 3)
    X[:6, 2] = 0
    (tmp_path / "0.txt").write_text(letor(X[:6], grades[:6], qid[:6]))
    (tmp_path / "1.txt").write_text(letor(X[6:], grades[6:], qid[6:]) + "??\n")
    with pytest.warns(PenchantWarning, match=r"1\.txt: .*line 7"):
        found, chunks = whole(client, str(tmp_path / "*.txt"))
    assert found.n_features == 3
    assert [chunk.X.shape for chunk in chunks] == [(6, 3), (6, 3)]


def test_pairs_need_two_grades_in_one_query():
    """Rows of weight 0 do not count."""
    X = np.zeros((3, 1))
    for grades, qid, weight, expected in (
        ([0, 1, 1], [0, 0, 1], [1, 1, 1], True),
        ([0, 1, 1], [0, 1, 1], [1, 1, 1], False),
        ([0, 1, 1], [0, 0, 1], [1, 0, 1], False),
        ([0, 1, 1], [0, 0, 1], [0, 0, 0], False),
    ):
        rows = GradedChunk("", X, np.array(grades, float), np.array(qid), np.array(weight, float))
        assert has_pairs(rows) is expected


def test_queries_in_no_order_are_spread_over_the_partitions(client):
    """Where every partition has rows of every query, no partition gets all of them."""
    X, grades, qid, _ = made(12, 3, 2)
    _, chunks = whole(client, [delayed((X[k::3], grades[k::3], qid[k::3])) for k in range(3)])
    assert [len(chunk.grades) for chunk in chunks] == [12, 12, 12]


def test_rows_of_text_and_of_arrays_are_joined():
    """Sparse and dense rows of one query."""
    from scipy.sparse import csr_array

    X = np.eye(3)
    dense = GradedChunk("a", X, np.zeros(3), np.zeros(3, dtype=int), np.ones(3))
    both = graded.joined([dense, replace(dense, X=csr_array(X))])
    assert both.X.toarray().tolist() == [*X.tolist(), *X.tolist()]


def test_features_that_differ_late_are_shown():
    """The message begins shortly before the first difference."""
    names = tuple(f"x{k}" for k in range(9))
    first, second = (
        graded.Facts(name, 1, 9, found, False, "numbers", 1, "")
        for name, found in (("a", names), ("b", (*names[:7], "y7", "x8")))
    )
    with pytest.raises(
        InvalidInput, match=r"b must have the features of a, …, x5, x6, x7, x8, got …, x5, x6, y7"
    ):
        graded._agreed([first, second])
