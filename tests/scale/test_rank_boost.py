"""RankBoost on a cluster finds the stumps of one machine."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.errors import InvalidInput
from penchant.rankers import RankBoost
from penchant.scale import fit, rank_boost
from penchant.scale.rank_boost import PairMean, next_state
from tests.scale.graded_data import client_peak, graded, letor, many, table

dask = pytest.importorskip("dask")


def assert_same(found, local):
    """The same stumps, and numbers that differ by rounding."""
    assert [stump[:3] for stump in found.stumps_] == [stump[:3] for stump in local.stumps_]
    assert_allclose([stump[3] for stump in found.stumps_], [stump[3] for stump in local.stumps_], rtol=1e-9)
    assert_allclose(found.z_, local.z_, rtol=1e-9)
    assert_allclose(found.edges_, local.edges_, rtol=1e-9)
    assert_allclose(found.risk_, local.risk_, rtol=1e-9)
    assert_allclose(found.bound_, local.bound_, rtol=1e-9)


@pytest.mark.parametrize("settings", [{"n_bins": 16}, {"balance": 1.0, "smoothing": 0.01}])
def test_the_stumps_are_those_of_one_machine(client, settings):
    """Weighted rows in three partitions that cut queries, with fewer bins than values and with more."""
    X, grades, qid, weight = graded(decimals=2)
    frame = table(X, grades, qid, weight)
    local = RankBoost(6, **settings).fit(frame.iloc[:, :6], grades, qid=qid, sample_weight=weight)
    parts = [dask.delayed(frame[start : start + 170]) for start in range(0, len(X), 170)]
    found = fit(RankBoost(6, **settings), parts, weight="w", client=client)
    assert_same(found, local)
    assert_allclose(found.predict(frame.iloc[:, :6]), local.predict(frame.iloc[:, :6]), rtol=1e-9)


def test_sparse_text_is_boosted(client, tmp_path):
    """LETOR files, the first of which has only equal grades."""
    X, grades, qid, _ = graded(12, 8, 4, decimals=1)
    grades[:24] = 1
    for part in range(4):
        rows = slice(24 * part, 24 * part + 24)
        (tmp_path / f"{part}.txt").write_text(letor(X[rows], grades[rows], qid[rows]))
    found = fit(RankBoost(3), str(tmp_path / "*.txt"), client=client)
    assert_same(found, RankBoost(3).fit(X, grades, qid=qid))


def _killing(rows, state, split, alpha, folder):
    """Return the state after a round; the process that comes to the sixth one ends itself, once."""
    marks = Path(folder)
    (marks / f"state-{len(list(marks.iterdir()))}").touch()
    if len(list(marks.iterdir())) >= 6 and not (marks / "killed").exists():
        (marks / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return next_state(rows, state, split, alpha)


def test_a_worker_that_is_killed_between_rounds_changes_nothing(client, tmp_path, monkeypatch):
    """Its rows are read and boosted again elsewhere, and the stumps are the same."""
    X, grades, qid, _ = graded(12, 8, 4, decimals=1)
    parts = [dask.delayed((X[k : k + 48], grades[k : k + 48], qid[k : k + 48])) for k in (0, 48)]
    monkeypatch.setattr(rank_boost, "next_state", partial(_killing, folder=str(tmp_path)))
    found = fit(RankBoost(5), parts, client=client)
    assert (tmp_path / "killed").exists()
    assert_same(found, RankBoost(5).fit(X, grades, qid=qid))


def test_means_add_up_by_their_weights():
    """Also where the weights themselves would overflow."""
    both = PairMean(1000.0, np.array([1.0])) + PairMean(1000.0 + np.log(3), np.array([5.0]))
    assert_allclose(both.value, [4.0])
    nothing = PairMean(-np.inf, None)
    assert (nothing + both) is both
    assert (both + nothing) is both


def test_what_needs_all_rows_is_rejected(client):
    """All thresholds and held-out queries before anything runs; grades that never differ after reading."""
    for model, message in (
        (RankBoost(n_bins=None), "n_bins"),
        (RankBoost(n_iter_no_change=3), "n_iter_no_change"),
    ):
        with pytest.raises(InvalidInput, match=f"{message} must be"):
            fit(model, [dask.delayed(1)])
    X, grades, qid, _ = graded(2, 3, 2)
    with pytest.raises(InvalidInput, match="must have different grades"):
        fit(RankBoost(), [dask.delayed((X, 0 * grades, qid))], client=client)


def test_the_client_holds_sums_only(client):
    """60,000 rows of 40 features, 19 MB as arrays, take the client less than 5 MB at any time."""
    parts = [dask.delayed(many)(seed) for seed in range(4)]
    fit(RankBoost(1, n_bins=32), parts[:1], client=client)  # modules are loaded
    found, peak = client_peak(lambda: fit(RankBoost(3, n_bins=32), parts, client=client))
    assert len(found.stumps_) == 3
    assert peak < 5
