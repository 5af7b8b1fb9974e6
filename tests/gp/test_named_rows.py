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
        (lambda: Columns.of(pd.concat([FRAME, FRAME], axis=1)), "columns of X must have different names"),
    ):
        with pytest.raises(InvalidInput, match=words):
            wrong()
