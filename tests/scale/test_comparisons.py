"""Counting on a cluster gives the totals, and so the model, of one machine."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.preferences import PairCounts
from penchant.scale import comparisons, fit
from penchant.scale.comparisons import PartitionCounts, count_partition
from penchant.worth import BradleyTerry, Thurstone

delayed = pytest.importorskip("dask").delayed


def votes(n=400, n_items=12, seed=0):
    random = np.random.default_rng(seed)
    pairs = np.array([random.choice(n_items, 2, replace=False) for _ in range(n)])
    worth = np.linspace(-1, 1, n_items)
    lose = random.random(n) > 1 / (1 + np.exp(worth[pairs[:, 1]] - worth[pairs[:, 0]]))
    pairs[lose] = pairs[lose, ::-1]
    return pd.DataFrame({"winner": pairs[:, 0], "loser": pairs[:, 1]}).map(lambda item: f"item {item}")


@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
def test_a_model_is_that_of_one_machine(client, kind):
    """Scores, counts and ranking of four partitions equal those of all rows at once."""
    table = votes()
    parts = [delayed(table[start::4]) for start in range(4)]
    found = fit(kind(prior=0.5), parts, client=client, options={"better": "winner", "worse": "loser"})
    local = kind(prior=0.5).fit(Preferences.from_frame(table, better="winner", worse="loser"))
    assert type(found) is kind
    assert found.items_ == local.items_
    assert_allclose(found.scores_, local.scores_, atol=1e-7)
    assert found.counts_.tolist() == local.counts_.tolist()
    assert_allclose(found.variance(), local.variance(), rtol=1e-5)


def test_files_tables_and_arrays_are_taken(client, tmp_path):
    """Parquet and CSV files, a dask DataFrame and a dask array of row numbers give one model."""
    import dask.array as da
    import dask.dataframe as dd

    table = votes(120)
    for number in range(3):
        table[number::3].to_parquet(tmp_path / f"part-{number}.parquet")
        table[number::3].to_csv(tmp_path / f"part-{number}.csv", index=False)
    local = BradleyTerry(prior=0.5).fit(Preferences.from_frame(table))
    inputs = [
        tmp_path,
        str(tmp_path / "*.parquet"),
        sorted(tmp_path.glob("*.csv")),
        dd.from_pandas(table, npartitions=3),
    ]
    for data in inputs:
        found = fit(BradleyTerry(prior=0.5), data, client=client)
        assert found.items_ == local.items_
        assert_allclose(found.scores_, local.scores_, atol=1e-7)
    numbers = np.array([[1, 0], [0, 2], [2, 1], [1, 2]])
    found = fit(BradleyTerry(prior=0.5), da.from_array(numbers, chunks=(2, 1)), client=client)
    assert_allclose(
        found.scores_, BradleyTerry(prior=0.5).fit(Preferences.from_pairs(numbers)).scores_, atol=1e-7
    )


def test_rows_that_cannot_be_read_are_named(client, tmp_path):
    """A row without an item is left out, and a warning names its file and line."""
    (tmp_path / "good.csv").write_text("winner,loser\na,b\nb,a\n")
    (tmp_path / "holes.csv").write_text("winner,loser\na,b\n,a\n")
    with pytest.warns(PenchantWarning, match=r"holes\.csv: .*line 3"):
        found = fit(BradleyTerry(), str(tmp_path / "*.csv"), client=client)
    assert found.counts_.tolist() == [3, 3]


def test_a_file_that_cannot_be_read_is_named(client, tmp_path):
    """A damaged file is named by the error, which is one of Penchant's own."""
    votes(20).to_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"no table")
    with pytest.raises(InvalidInput, match=r"b\.parquet"):
        fit(BradleyTerry(), tmp_path, client=client)


def test_rankings_need_errors_of_the_model():
    """Rows of several comparisons would have to be kept for their clusters, and only counts are."""
    rankings = Preferences.from_rankings([["a", "b", "c"]])
    with pytest.raises(InvalidInput, match="errors must be"):
        count_partition("partition 0", (rankings,), "auto", {})
    assert count_partition("partition 0", (rankings,), "model", {}).counts.n_comparisons == 3


def test_more_pairs_than_the_client_fits_are_an_error(monkeypatch):
    """Which names the limit, before they come to the client."""
    monkeypatch.setattr(comparisons, "MOST_PAIRS", 2)
    pairs = [("a", "b"), ("b", "c"), ("c", "d")]
    parts = [PartitionCounts(PairCounts.of(Preferences.from_pairs([pair]))) for pair in pairs]
    both = parts[0].plus(parts[1])
    with pytest.raises(InvalidInput, match="different pairs of items must be at most 2"):
        both.plus(parts[2])
    with pytest.raises(InvalidInput, match="different pairs of items must be at most 2"):
        count_partition("partition 0", (pairs,), "auto", {})


def test_settings_that_need_rows_are_rejected(client):
    """Errors by judges, which need the rows, are rejected before anything runs."""
    with pytest.raises(InvalidInput, match="errors must be"):
        fit(BradleyTerry(errors="judge"), [delayed(votes(4))], client=client)


def _many(seed):
    random = np.random.default_rng(seed)
    better = random.integers(0, 50, 400_000)
    return np.column_stack([better, (better + random.integers(1, 50, len(better))) % 50])


def test_the_client_holds_counts_only(client):
    """1,600,000 comparisons, 26 MB as arrays, take the client less than 4 MB at any time."""
    parts = [delayed(_many)(seed) for seed in range(4)]
    fit(BradleyTerry(prior=1.0), parts[:1], client=client)  # modules are loaded
    tracemalloc.start()
    try:
        found = fit(BradleyTerry(prior=1.0), parts, client=client)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.counts_.sum() == 2 * 1_600_000
    assert peak < 4e6


@pytest.mark.parametrize(
    "part",
    [votes(1)[:0], np.zeros((0, 2), dtype=int), [], "votes.csv", "nothing.csv"],
    ids=lambda part: str(part)[:9],
)
def test_a_partition_without_rows_has_no_counts(part, tmp_path):
    """Filters leave such partitions behind, and jobs write such files."""
    (tmp_path / "votes.csv").write_text("winner,loser\n")
    (tmp_path / "nothing.csv").touch()
    given = str(tmp_path / part) if isinstance(part, str) else part
    assert count_partition("partition 0", (given,), "auto", {}) == PartitionCounts(None)


def test_partitions_without_rows_change_nothing(client):
    """Wherever they are among the others; if all are so, that is an error."""
    table, none = votes(30), votes(1)[:0]
    found = fit(
        BradleyTerry(prior=0.5), list(map(delayed, (none, table[:9], none, table[9:]))), client=client
    )
    assert_allclose(
        found.scores_, BradleyTerry(prior=0.5).fit(Preferences.from_frame(table)).scores_, atol=1e-7
    )
    with pytest.raises(InvalidInput, match="partitions must hold comparisons"):
        fit(BradleyTerry(), [delayed(none)], client=client)


def test_a_partition_of_rejected_rows_is_reported():
    """Its rows are left out as those of other partitions are."""
    table = pd.DataFrame({"winner": ["a"], "loser": ["a"]})
    found = count_partition("partition 3", (table,), "auto", {})
    assert found.counts is None
    assert found.rejected[0].startswith("partition 3: the table must hold at least one usable row")


def test_columns_that_are_named_are_read_as_those_that_are_found():
    """A missing cell makes a column of whole numbers one of doubles: ids stay the same, and the row is left out."""
    table = pd.DataFrame({"a": [1, 2, 10], "b": [2.0, 10.0, np.nan]})
    counts, rejected, _ = count_partition("p", (table,), "auto", {"better": "a", "worse": "b"})
    assert counts.catalogue.ids == ("1", "2", "10")
    assert len(rejected) == 1


def test_what_is_no_table_is_rejected():
    """With the name of the partition."""
    with pytest.raises(InvalidInput, match="partition 1: a partition must be Preferences, a table or pairs"):
        count_partition("partition 1", (None,), "auto", {})
