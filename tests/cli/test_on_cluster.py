"""`fit` and `rank` with --dask ADDRESS fit on a cluster what they fit to one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import penchant
from penchant.rankers import RankSVM
from tests.cli.typed import run
from tests.scale.graded_data import graded, table

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of one worker, a thread of this process."""
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        yield cluster.scheduler_address


def test_a_ranker_is_fitted_to_partitions(address: str, tmp_path: Path) -> None:
    """Files of a pattern, with the family left out as `penchant fit FILE` does."""
    X, grades, qid, _ = graded(12, 6, 3)
    rows = table(X, grades, qid)
    for part in range(3):
        rows[24 * part : 24 * part + 24].to_parquet(tmp_path / f"{part}.parquet")
    saved = tmp_path / "model.penchant"
    done = run("fit", "--dask", address, tmp_path / "*.parquet", "--save", saved)
    assert done.status == 0, done.err
    assert f"RankSVM(), fitted to 3 partitions on {address}" in done.out
    local = RankSVM().fit(rows[["x0", "x1", "x2"]], grades, qid=qid)
    found = penchant.load(saved)
    assert isinstance(found, RankSVM)
    np.testing.assert_allclose(found.objective_, local.objective_, rtol=local.tol)


def test_a_ranking_is_fitted_to_partitions(address: str, tmp_path: Path) -> None:
    """The same items and scores as from one file; columns can be named."""
    random = np.random.default_rng(0)
    pairs = np.array([random.permutation(5)[:2] for _ in range(60)])
    votes = pd.DataFrame({"up": pairs[:, 0], "down": pairs[:, 1]}).map(lambda item: f"item {item}")
    for part in range(2):
        votes[part::2].to_csv(tmp_path / f"part-{part}.csv", index=False)
    votes.to_csv(tmp_path / "all.csv", index=False)
    named = ("--better", "up", "--worse", "down", "--prior", "1")
    one = json.loads(run("rank", tmp_path / "all.csv", *named, "--json").out)
    found = json.loads(run("rank", tmp_path / "part-*.csv", *named, "--json", "--dask", address).out)
    assert [row["item"] for row in found["items"]] == [row["item"] for row in one["items"]]
    scores = ([row["score"] for row in each["items"]] for each in (found, one))
    np.testing.assert_allclose(*scores, atol=1e-6)
    done = run("rank", tmp_path / "part-*.csv", *named, "--dask", address)
    assert f"2 partitions on {address}" in done.out
    assert "Model: BradleyTerry" in done.out


def test_what_needs_all_rows_is_rejected(tmp_path: Path) -> None:
    """Before the cluster is looked for."""
    for words in (
        ("rank", "a.csv", "--bootstrap", "50"),
        ("rank", "a.csv", "--by", "topic"),
        ("fit", "ranker", "a.csv", "--save", tmp_path / "m.penchant", "--curve", tmp_path / "c.svg"),
    ):
        done = run(*words, "--dask", "tcp://127.0.0.1:9")
        assert done.status != 0
        assert "must not be given with --dask" in done.err


def test_an_address_without_a_scheduler_is_named_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error speaks of the option --dask, not of an argument in Python."""
    monkeypatch.setattr("penchant.scale.cluster.WAIT", 1.0)
    (tmp_path / "votes.csv").write_text("winner,loser\na,b\nb,a\n")
    done = run("rank", tmp_path / "votes.csv", "--dask", "tcp://127.0.0.1:1")
    assert done.status != 0
    assert "--dask must be the address of a Dask scheduler that replies" in done.err
