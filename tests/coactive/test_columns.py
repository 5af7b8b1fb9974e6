"""Columns of named features, and matrices in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from penchant.coactive import NamedMatrix
from penchant.coactive.columns import Columns
from penchant.errors import InvalidInput


def test_columns_do_not_change() -> None:
    """Joined names and recorded kinds make other columns."""
    columns = Columns(["a"], grows=True)
    wider = columns.joined(["b", "a", "b"])
    assert columns.names == ("a",)
    assert wider.names == ("a", "b")
    assert wider.joined(["b"]) is wider
    found = wider.entries([{"c": "d", "e=f": 1.0}])
    assert wider.recorded(found).categories == {"c=d"}
    assert wider.recorded(found).numbers == {"e=f"}
    assert not wider.categories


def test_without_names_there_is_one_column_of_nothing() -> None:
    """A learner needs a column, which holds 0."""
    assert Columns((), grows=True).matrix([{"a": 1.0}, {}]).toarray().tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("make", [np.array, csr_array], ids=["dense", "sparse"])
def test_columns_of_a_named_matrix_are_found_by_name(make) -> None:
    """In any order; those without a column are left out, those without a name are 0."""
    columns = Columns(["a", "b", "c"], grows=True)
    found = columns.matrix(NamedMatrix(make([[1.0, 2.0, 3.0], [4.0, 0.0, 6.0]]), ["c", "x", "a"]))
    dense = found if isinstance(found, np.ndarray) else found.toarray()
    assert dense.tolist() == [[3.0, 0.0, 1.0], [6.0, 0.0, 4.0]]


@pytest.mark.parametrize("make", [np.array, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1e101])
def test_a_number_that_cannot_be_used_is_named(make, value: float) -> None:
    """By its feature and its candidate."""
    given = NamedMatrix(make([[1.0, 2.0], [3.0, value]]), ["price", "stars"])
    with pytest.raises(InvalidInput, match="feature 'stars' of candidate 1 must be a number within"):
        Columns(["price"], grows=True).matrix(given)
    with pytest.raises(InvalidInput, match="feature 'stars' of candidate 'q' must be a number within"):
        Columns(["price"], grows=True).matrix(given, ids=["p", "q"])


@pytest.mark.parametrize(
    ("values", "names"),
    [(np.eye(2), ["a"]), (np.eye(2), ["a", "a"]), (np.ones(2), ["a", "b"]), (np.eye(2), ["a", 1])],
)
def test_names_must_fit_the_matrix(values, names) -> None:
    """One text a column, each once."""
    with pytest.raises(InvalidInput, match="names must be different texts, one a column"):
        Columns(["a", "b"], grows=True).matrix(NamedMatrix(values, names))
