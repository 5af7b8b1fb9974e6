"""One Dask cluster of two worker processes on the loopback for all tests of a process."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def cluster():
    """A real cluster: a scheduler here, and two processes with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
    ) as started:
        yield started


@pytest.fixture(scope="session")
def client(cluster):
    from distributed import Client

    with Client(cluster, set_as_default=False) as connected:
        yield connected
