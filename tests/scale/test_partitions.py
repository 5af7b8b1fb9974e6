"""Files, collections and delayed objects become named partitions; anything else is rejected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from penchant.errors import InvalidInput
from penchant.scale.partitions import named_errors, partitions_beside, partitions_of

delayed = pytest.importorskip("dask").delayed


def test_files_are_partitions_by_their_names(tmp_path):
    """A folder stands for its Parquet files, a pattern for those that match, in the order of their names."""
    for name in ("b.parquet", "a.parquet", "c.csv"):
        (tmp_path / name).touch()
    inside = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    assert [each.name for each in partitions_of(tmp_path)] == inside
    assert [each.name for each in partitions_of(str(tmp_path / "*.parquet"))] == inside
    assert [each.parts for each in partitions_of([tmp_path / "c.csv"])] == [(str(tmp_path / "c.csv"),)]


def test_collections_and_delayed_objects_keep_their_partitions():
    """Rows stay where they are; the columns of an array come into one chunk."""
    import dask.array as da
    import dask.dataframe as dd

    table = dd.from_pandas(pd.DataFrame({"a": range(6)}), npartitions=3)
    array = da.from_array(np.zeros((6, 2)), chunks=(2, 1))
    assert len(partitions_of(table)) == len(partitions_of(array)) == 3
    assert partitions_of(array)[0].parts[0].compute().shape == (2, 2)
    assert [each.name for each in partitions_of([delayed(1), delayed(2)])] == ["partition 0", "partition 1"]


@pytest.mark.parametrize("data", [[], 7, np.zeros((2, 2)), [delayed(1), "a.csv"]])
def test_other_data_are_rejected(data):
    """Arrays in memory need no cluster, and a mixed list is none of the forms."""
    with pytest.raises(InvalidInput, match="data must be a dask array"):
        partitions_of(data)


def test_a_pattern_without_files_is_rejected(tmp_path):
    """The message repeats the pattern."""
    with pytest.raises(InvalidInput, match=r"none-\*\.csv"):
        partitions_of(str(tmp_path / "none-*.csv"))


def test_errors_begin_with_the_name():
    """Of what came from elsewhere the kind is kept; a file that a worker cannot open asks for a shared folder."""
    with pytest.raises(InvalidInput, match=r"^part-1: KeyError: 'x'"), named_errors("part-1"):
        raise KeyError("x")
    with pytest.raises(InvalidInput, match="every worker can read"), named_errors("part-1"):
        raise FileNotFoundError("part-1")
    with pytest.raises(KeyboardInterrupt), named_errors("part-1"):
        raise KeyboardInterrupt


def test_a_column_in_memory_beside_an_array_is_rejected():
    """With the forms that can be used."""
    import dask.array as da

    X = da.from_array(np.zeros((6, 2)), chunks=(2, 2))
    with pytest.raises(InvalidInput, match=r"y must be a dask array or Series, .*from_array"):
        partitions_beside(X, y=np.zeros(6))
