"""A partition of graded rows is read from files, tables, arrays and tuples; errors name the partition and the row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from penchant.errors import InvalidInput
from penchant.rankers import RankSVM
from penchant.scale.graded_files import Columns, graded_chunk
from tests.scale.graded_data import graded, letor, table

X, GRADES, QID, WEIGHT = graded(3, 4, 3)


def chunk(*parts, columns=Columns(), **settings):  # noqa: B008  (immutable)
    return graded_chunk("part-7", parts, columns, RankSVM(), {}, **settings)


def test_all_forms_give_the_same_rows(tmp_path):
    """Tables, tuples, arrays side by side and files of three formats hold one partition."""
    frame = table(X, GRADES, QID)
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "a.txt").write_text(letor(X, GRADES, QID))
    forms = [(frame,), ((X, GRADES, QID),), (X, GRADES, QID, None)]
    forms += [(str(tmp_path / name),) for name in ("a.parquet", "a.csv", "a.txt")]
    for parts in forms:
        found = chunk(*parts)
        dense = found.X if isinstance(found.X, np.ndarray) else found.X.toarray()
        assert_array_equal(dense, X)
        assert_array_equal(found.grades, GRADES)
        assert_array_equal(found.queries.codes, QID)
        assert_array_equal(found.weight, np.ones(len(X)))


def test_columns_are_named():
    """Other names than grade and qid are given, and a column of weights."""
    frame = table(X, GRADES, QID, WEIGHT).rename(columns={"grade": "stars", "qid": "user"})
    found = chunk(frame, columns=Columns("stars", "user", "w"))
    assert found.names == ("x0", "x1", "x2")
    assert_array_equal(found.weight, WEIGHT)
    with pytest.raises(InvalidInput, match=r"part-7: the table must have a column 'level', got x0, x1"):
        chunk(frame, columns=Columns("level"))
    with pytest.raises(InvalidInput, match="part-7: y must be the grades"):
        chunk(frame)


def test_rows_that_cannot_be_used_are_named():
    """The error begins with the partition and names feature and row."""
    holes, words = table(X, GRADES, QID), table(X, GRADES, QID)
    holes.loc[5, "x1"] = np.nan
    words["x2"] = words["x2"].astype(object)
    words.loc[3, "x2"] = "many"
    for given, message in (
        (holes, "part-7: feature 'x1' of row 5 must be a finite number, got nan"),
        (words, "part-7: feature 'x2' of row 3 must be a number, got 'many'"),
    ):
        with pytest.raises(InvalidInput, match=message):
            chunk(given)
    from scipy.sparse import csr_array

    broken = X.copy()
    broken[4, 2] = np.inf
    with pytest.raises(InvalidInput, match="feature 2 of row 4 must be a finite number, got inf"):
        chunk(csr_array(broken), GRADES, QID, None)
    with pytest.raises(InvalidInput, match="part-7: weight of row 1 must be at least 0, got -2"):
        chunk(X, GRADES, QID, np.where(np.arange(len(X)) == 1, -2, 1))
    with pytest.raises(InvalidInput, match=r"part-7: qid of row 2 must be a whole number or text, got 0\.5"):
        chunk(X, GRADES, np.where(np.arange(len(X)) == 2, 0.5, QID), None)
    with pytest.raises(InvalidInput, match="part-7: qid of row 0 must be a label"):
        chunk(X, GRADES, np.array([None, *"abcdefghijk"], dtype=object), None)


def test_lines_that_are_left_out_are_reported(tmp_path):
    """A line of LETOR text that is broken is left out and named by its number."""
    (tmp_path / "a.txt").write_text(letor(X, GRADES, QID) + "no document\n")
    found = chunk(str(tmp_path / "a.txt"))
    assert len(found.grades) == len(X)
    assert "line 13" in found.rejected


def test_a_partition_may_be_empty():
    """Dask leaves such partitions after a filter."""
    assert chunk(table(X, GRADES, QID)[:0]).X.shape == (0, 3)


def test_rows_for_a_fitted_model_need_no_grades():
    """Its own features are taken from a table with more columns; those that LETOR text leaves out are 0."""
    frame = table(X, GRADES, QID)
    model = RankSVM().fit(frame[["x2", "x0"]], GRADES, qid=QID)
    found = graded_chunk("part-7", (frame.drop(columns="grade"),), Columns(), model, {}, True)
    assert np.isnan(found.grades).all()
    assert_array_equal(found.X, X[:, [2, 0]])
    from scipy.sparse import csr_array

    wide = RankSVM().fit(X, GRADES, qid=QID)
    assert graded_chunk("part-7", (csr_array(X[:, :2]),), Columns(), wide, {}, True).X.shape == X.shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x1": pd.Timestamp("2020-01-01")}, "feature 'x1' must hold numbers, got datetime64"),
        ({"x1": pd.array([1, None] * 6, dtype="Int64")}, "feature 'x1' of row 1 must be a number"),
        ({"qid": np.inf}, "qid of row 0 must be a whole number or text, got inf"),
        ({"qid": 1e30}, "qid of row 0 must be a whole number or text, got 1e\\+30"),
    ],
)
def test_values_that_would_become_other_numbers_are_rejected(change, message):
    """Times, missing whole numbers, and queries that no whole number stands for."""
    X, grades, qid, _ = graded(4, 3, 3)
    with pytest.raises(InvalidInput, match=message):
        graded_chunk("p", (table(X, grades, qid).assign(**change),), Columns(), RankSVM(), {})


def test_columns_of_one_name_are_rejected():
    """Which of them is the feature is not known."""
    X, grades, qid, _ = graded(4, 3, 3)
    twice = table(X, grades, qid).rename(columns={"x1": "x0"})
    with pytest.raises(InvalidInput, match="columns of the table must have different names, got 'x0' twice"):
        graded_chunk("p", (twice,), Columns(), RankSVM(), {})


def test_queries_may_be_the_index_of_a_table():
    """As pandas writes it to Parquet; they would be lost, and all rows compared."""
    X, grades, qid, _ = graded(4, 3, 3)
    found = graded_chunk("p", (table(X, grades, qid).set_index("qid"),), Columns(), RankSVM(), {})
    assert found.qid.tolist() == qid.tolist()
    assert found.names == ("x0", "x1", "x2")


def test_a_folder_called_like_a_value_is_no_feature(tmp_path):
    """A path may hold a=1 for reasons of its own."""
    X, grades, qid, _ = graded(4, 3, 3)
    place = tmp_path / "run=3" / "a.parquet"
    place.parent.mkdir()
    table(X, grades, qid).to_parquet(place)
    assert graded_chunk("p", (str(place),), Columns(), RankSVM(), {}).names == ("x0", "x1", "x2")


@pytest.mark.parametrize("name", ["a.csv", "a.txt"])
def test_an_empty_file_has_no_rows(tmp_path, name):
    """As an empty table has none."""
    (tmp_path / name).touch()
    assert len(graded_chunk("p", (str(tmp_path / name),), Columns(), RankSVM(), {}).grades) == 0
