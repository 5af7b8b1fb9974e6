"""Clients are found, other versions rejected, and a lost worker changes no answer."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from operator import add
from pathlib import Path

import numpy as np
import pytest

from penchant._version import __version__
from penchant.errors import InvalidInput, Unreachable
from penchant.progress import reported_to
from penchant.scale import fit
from penchant.scale.cluster import Cluster, connected
from penchant.worth import BradleyTerry

delayed = pytest.importorskip("dask").delayed


def test_sums_are_those_of_all_partitions(client):
    """A sum over more partitions than are added at once is that of all of them."""
    futures = client.map(int, range(70))
    cluster = Cluster(client)
    assert cluster.result(cluster.total(futures, add)) == sum(range(70))


def test_an_address_and_a_client_are_taken(client, cluster):
    """Both lead to the workers; a client made from an address is closed at the end."""
    with connected(cluster.scheduler_address) as found:
        own = found.client
        assert own is not client
    assert own.status == "closed"
    with connected(client) as found:
        assert found.client is client
    assert client.status == "running"


def test_what_is_no_client_is_rejected():
    """Without a client there is a remedy in the message, as for any other object."""
    with pytest.raises(InvalidInput, match=r"client must be .*distributed\.Client"), connected(None):
        pass
    with pytest.raises(InvalidInput, match="client must be a synchronous"), connected(7):
        pass


def test_an_address_where_nobody_replies_is_rejected(monkeypatch):
    """A port of the loopback where nothing listens."""
    monkeypatch.setattr("penchant.scale.cluster.WAIT", 1.0)
    with pytest.raises(Unreachable, match="address of a Dask scheduler"), connected("tcp://127.0.0.1:9"):
        pass


def test_another_version_of_penchant_is_rejected(client, monkeypatch):
    """The error names the worker, both versions and what to do."""
    monkeypatch.setattr("penchant.scale.cluster.__version__", "99.0")
    with (
        pytest.raises(InvalidInput, match=r"worker tcp://.* must have Penchant 99\.0, .* install the same"),
        connected(client),
    ):
        pass


def test_a_worker_with_another_version_installed_is_rejected(tmp_path):
    """A process of its own, whose Penchant is an older one; nothing was patched."""
    (tmp_path / "penchant").mkdir()
    (tmp_path / "penchant" / "__init__.py").write_text("__version__ = '0.0.9'\n")
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as older:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", older.scheduler_address, "--no-nanny"]
        with subprocess.Popen(
            [*command, "--no-dashboard", "--nthreads", "1"],
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            stderr=subprocess.DEVNULL,
        ) as worker:
            try:
                message = rf"must have Penchant {re.escape(__version__)}.* got 0\.0\.9"
                with pytest.raises(InvalidInput, match=message), connected(older.scheduler_address):
                    pass
            finally:
                worker.kill()


def test_partitions_that_are_done_are_reported(client):
    """Progress counts partitions, from none to all; then the client fits, which is the second half."""
    seen = []
    parts = [delayed(np.array([[0, 1], [1, 0]])) for _ in range(3)]
    with reported_to(lambda done, total: seen.append((done, total))):
        fit(BradleyTerry(), parts, client=client)
    assert seen[:4] == [(0, 200), (33, 200), (66, 200), (100, 200)]
    assert min(seen[4:], default=(100, 200)) >= (100, 200)


def test_a_client_plays_simulations(client):
    """Workers play the runs that one machine plays."""
    from penchant.coactive import PreferencePerceptron, RankingMap
    from penchant.simulate import StrictRanking, WebSearch, play

    web = WebSearch.synthetic(n_queries=10, n_documents=5, n_features=3, seed=0)
    learner = PreferencePerceptron(RankingMap(), n_features=3)
    found, local = (
        play(learner, StrictRanking(0.5), web, runs=3, compiled=False, executor=executor)
        for executor in (client, None)
    )
    assert np.array_equal(found.presented, local.presented)


def _slow(seed, marks, die):
    """Return comparisons, slowly; the first worker that gets to a partition that ``die`` names ends itself."""
    time.sleep(0.05)
    mark = Path(marks, f"killed-{seed}")
    if die and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    random = np.random.default_rng(seed)
    better = random.integers(0, 9, 300)
    return np.column_stack([better, (better + random.integers(1, 9, 300)) % 9])


def test_a_worker_that_is_killed_changes_nothing(client, tmp_path):
    """One of two processes is killed while it holds partitions; scores and counts are the same to the last bit."""
    whole = fit(
        BradleyTerry(prior=1.0), [delayed(_slow)(k, str(tmp_path), False) for k in range(8)], client=client
    )
    found = fit(
        BradleyTerry(prior=1.0), [delayed(_slow)(k, str(tmp_path), k == 4) for k in range(8)], client=client
    )
    assert (tmp_path / "killed-4").exists()
    assert found.counts_.tolist() == whole.counts_.tolist()
    assert found.totals_.tolist() == whole.totals_.tolist()
    assert np.array_equal(found.scores_, whole.scores_)


def test_a_worker_that_comes_later_is_checked(client, monkeypatch):
    """Another version that joins while tasks run is found at the end."""
    with pytest.raises(InvalidInput, match=r"must have Penchant 99\.0"), connected(client):
        monkeypatch.setattr("penchant.scale.cluster.__version__", "99.0")


def test_a_cluster_that_starts_workers_for_tasks_is_taken():
    """An adaptive one may have none at first."""
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=0, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as adaptive:
        adaptive.adapt(minimum=0, maximum=1, interval="50ms")
        with Client(adaptive, set_as_default=False) as own:
            found = fit(BradleyTerry(), [delayed(np.array([[0, 1], [1, 0]]))], client=own)
    assert found.counts_.tolist() == [2, 2]
