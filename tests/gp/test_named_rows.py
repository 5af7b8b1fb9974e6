"""Rows of features by their columns' names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from penchant.errors import InvalidInput
from penchant.gp.named_rows import Columns

FRAME = pd.DataFrame({"range": [1.0, 2.0], "price": [3, 4]})


def test_a_frame_is_read_by_name() -> None:
    """Columns in another order, and more of them, give the same rows."""
    columns = Columns.of(FRAME)
    assert columns.labels == ("range", "price")
    other = FRAME[["price", "range"]].assign(colour=0)
    np.testing.assert_array_equal(columns.rows(other), columns.rows(FRAME))


def test_columns_are_found_by_name_and_by_index() -> None:
    """One or several."""
    columns = Columns.of(FRAME)
    assert columns.places("price").tolist() == [1]
    assert columns.places([0, "price"]).tolist() == [0, 1]
    assert Columns.of(np.ones((2, 3))).places(2).tolist() == [2]
    assert columns.places(()).tolist() == []


def test_names_come_before_indices() -> None:
    """Columns that are called 1 and 0 are meant by these names; an index means nothing among numbered names."""
    swapped = Columns.of(pd.DataFrame(np.ones((2, 2)), columns=[1, 0]))
    assert swapped.places([0]).tolist() == [1]
    with pytest.raises(InvalidInput, match="column must be one of '3', '5', got 0"):
        Columns.of(pd.DataFrame(np.ones((2, 2)), columns=[3, 5])).place(0)


def test_one_row_is_read_by_its_labels() -> None:
    """A Series in another order is the same row; one without the names is refused; one row meets many."""
    columns = Columns.of(FRAME)
    one = FRAME.iloc[0]
    first, second = columns.sides(one[["price", "range"]], FRAME)
    np.testing.assert_array_equal(first, [[1, 3], [1, 3]])
    np.testing.assert_array_equal(second, FRAME)
    with pytest.raises(InvalidInput, match="X must have the column 'range', got none"):
        columns.sides(pd.Series([1.0, 3.0]), one)
    unnamed, _ = Columns.of(np.ones((2, 2))).sides(one, [1.0, 2.0])
    np.testing.assert_array_equal(unnamed, [[1, 3]])


def test_what_is_not_there_is_refused() -> None:
    """Absent and repeated names, wrong shapes, wrong indices."""
    columns = Columns.of(FRAME)
    for wrong, words in (
        (lambda: columns.rows(FRAME[["range"]]), "X must have the column 'price', got none"),
        (lambda: columns.rows([[1.0]]), "X must have 2 columns, as when fitted"),
        (lambda: columns.place("colour"), "column must be one of 'range', 'price', got 'colour'"),
        (lambda: columns.place(True), "got True"),
        (lambda: Columns.of(np.ones((2, 3))).place(3), "an index from 0 to 2, got 3"),
        (lambda: Columns.of([1.0, 2.0]), "X must have rows and columns"),
        (lambda: Columns.of([[1.0], [1.0, 2.0]]), "X must have rows of one length"),
        (lambda: columns.sides(np.ones((2, 2)), np.ones((3, 2))), "as many rows, or one, got 2 and 3"),
        (lambda: Columns.of(pd.concat([FRAME, FRAME], axis=1)), "columns of X must have different names"),
    ):
        with pytest.raises(InvalidInput, match=words):
            wrong()
