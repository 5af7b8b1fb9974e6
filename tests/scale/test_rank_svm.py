"""RankSVM on a cluster has an objective within what its tolerance promises of one machine's."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.errors import InvalidInput
from penchant.rankers import RankSVM
from penchant.scale import fit, rank_svm
from penchant.scale.graded_files import GradedChunk
from penchant.scale.rank_svm import paired_rows, sampled, short_rows
from tests.scale.graded_data import client_peak, graded, letor, many, table

dask = pytest.importorskip("dask")
DATA = graded()


def objective(model, X, grades, qid, weight):
    """½‖w‖² + C/|P| Σ loss, pair by pair."""
    loss = total = 0.0
    scores = X @ model.coef_
    for query in np.unique(qid):
        rows = np.flatnonzero(qid == query)
        better = grades[rows][:, None] > grades[rows]
        lack = np.maximum(0, 1 - (scores[rows][:, None] - scores[rows]))
        mass = np.outer(weight[rows], weight[rows]) * better
        loss += (mass * (lack**2 if model.loss == "squared_hinge" else lack)).sum()
        total += mass.sum()
    return model.coef_ @ model.coef_ / 2 + model.C * loss / total


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_the_objective_is_that_of_one_machine(client, loss):
    """Weighted rows in five partitions that cut queries: both objectives are within tol of the least."""
    X, grades, qid, weight = DATA
    frame = table(*DATA)
    parts = [dask.delayed(frame[start : start + 100]) for start in range(0, len(X), 100)]
    tol = 1e-4 if loss == "squared_hinge" else 1e-2
    found = fit(RankSVM(C=10, loss=loss, tol=tol), parts, weight="w", client=client)
    local = RankSVM(C=10, loss=loss, tol=tol).fit(frame.iloc[:, :6], grades, qid=qid, sample_weight=weight)
    assert type(found) is RankSVM
    assert found.gap_ <= found.tol
    assert_allclose(found.objective_, objective(found, *DATA), rtol=1e-9)
    assert_allclose(found.objective_, local.objective_, rtol=local.tol)
    apart = np.sqrt(2 * local.tol * local.objective_)  # of the least, of either
    assert np.linalg.norm(found.coef_ - local.coef_) <= 2 * apart
    assert found.feature_names_in_.tolist() == local.feature_names_in_.tolist()
    assert_allclose(found.predict(frame.iloc[:, :6]), X @ found.coef_)


def test_collections_and_files_are_taken(client, tmp_path):
    """Dask arrays with other chunks, a DataFrame, Parquet and LETOR files give one objective."""
    import dask.array as da
    import dask.dataframe as dd

    X, grades, qid, _ = DATA
    frame = table(X, grades, qid)
    for number, start in enumerate(range(0, len(X), 160)):
        rows = slice(start, start + 160)
        frame[rows].to_parquet(tmp_path / f"{number}.parquet")
        (tmp_path / f"{number}.txt").write_text(letor(X[rows], grades[rows], qid[rows]))
    local = RankSVM(tol=1e-2).fit(X, grades, qid=qid)
    chunks = {"y": da.from_array(grades, chunks=90), "qid": da.from_array(qid, chunks=480)}
    for data, beside in (
        (da.from_array(X, chunks=(200, 3)), chunks),
        (dd.from_pandas(frame, npartitions=3), {}),
        (dd.from_pandas(frame.rename(columns={"qid": "q"}), npartitions=3), {"y": "grade", "qid": "q"}),
        (tmp_path, {}),
        (str(tmp_path / "*.txt"), {}),
    ):
        found = fit(RankSVM(tol=1e-2), data, client=client, **beside)
        assert_allclose(found.objective_, local.objective_, rtol=local.tol)
    single = fit(
        RankSVM(tol=1e-2), da.from_array(X.astype(np.float32), chunks=(200, 6)), client=client, **chunks
    )
    assert_allclose(single.objective_, local.objective_, rtol=2 * local.tol)


def test_a_sample_stands_for_the_curvature():
    """The second moments of the sampled differences of all pairs are the curvature itself."""
    X, grades, qid, weight = graded(5, 6, 3)
    rows = paired_rows(GradedChunk("", X, grades, qid, weight))
    short = short_rows(rows, 1.0, np.array([0.1, -0.2, 0.3]))
    found = sampled(rows, short, None, 10_000)
    expected = np.column_stack([X.T @ short.curvature(X[:, k]) for k in range(3)])
    assert_allclose(found, expected, rtol=1e-10)


def test_what_needs_all_rows_is_rejected(client):
    """Kernels before anything runs; grades that never differ after reading."""
    with pytest.raises(InvalidInput, match=r'kernel must be "linear"'):
        fit(RankSVM(kernel="rbf"), [dask.delayed(1)])
    X, grades, qid, _ = DATA
    parts = [dask.delayed((X, 0 * grades, qid))]
    with pytest.raises(InvalidInput, match="must have different grades"):
        fit(RankSVM(), parts, client=client)


def test_partitions_without_pairs_count_nothing(client):
    """A partition whose grades are all equal adds nothing, as on one machine."""
    X, grades, qid, _ = DATA
    flat = (X[:24], np.ones(24), qid[:24] + 1000)
    found = fit(RankSVM(), [dask.delayed(flat), dask.delayed((X, grades, qid))], client=client)
    assert_allclose(found.objective_, RankSVM().fit(X, grades, qid=qid).objective_, rtol=found.tol)


def _killing(rows, short, direction, folder):
    """Return the product; the process that comes to the third one ends itself, once."""
    marks = Path(folder)
    (marks / f"product-{len(list(marks.iterdir()))}").touch()
    if len(list(marks.iterdir())) == 5 and not (marks / "killed").exists():
        (marks / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rank_svm.curved(rows, short, direction)


def test_a_worker_that_is_killed_in_a_newton_step_changes_nothing(client, tmp_path, monkeypatch):
    """Its rows are read again elsewhere, and the weights are the same up to the rounding of sums."""
    from functools import partial

    X, grades, qid, _ = DATA
    parts = [
        dask.delayed((X[k : k + 120], grades[k : k + 120], qid[k : k + 120])) for k in range(0, 480, 120)
    ]
    whole = fit(RankSVM(), parts, client=client)
    original = rank_svm.PartitionedShortfall.curvature

    def curvature(self, direction):
        monkeypatch.setattr(rank_svm, "curved", partial(_killing, folder=str(tmp_path)))
        try:
            return original(self, direction)
        finally:
            monkeypatch.undo()
            monkeypatch.setattr(rank_svm.PartitionedShortfall, "curvature", curvature)

    monkeypatch.setattr(rank_svm.PartitionedShortfall, "curvature", curvature)
    found = fit(RankSVM(), parts, client=client)
    assert (tmp_path / "killed").exists()
    assert_allclose(found.coef_, whole.coef_, rtol=1e-9)


def test_the_client_holds_sums_only(client):
    """60,000 rows of 40 features, 19 MB as arrays, take the client less than 3 MB at any time."""
    parts = [dask.delayed(many)(seed) for seed in range(4)]
    found, peak = client_peak(lambda: fit(RankSVM(tol=0.1), parts, client=client))
    assert found.gap_ <= found.tol
    assert peak < 3
