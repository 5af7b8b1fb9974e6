"""Thresholds of features that are spread over partitions are those of one machine, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from penchant.rankers.solvers.stumps import BinnedFeatures
from penchant.scale.thresholds import as_keys, as_values, shared_thresholds

pytest.importorskip("dask")


class Here:
    """A cluster that computes at once, in this process."""

    def each(self, function, *columns, shared=()):
        return [function(*items, *shared) for items in zip(*columns, strict=True)]

    def shared(self, value):
        return value

    def total(self, values, add):
        total = values[0]
        for value in values[1:]:
            total = add(total, value)
        return total

    def result(self, value):
        return value


def spread(X, parts):
    """The sorted columns of the rows of each part."""
    return [[np.sort(column) for column in X[parts == part].T] for part in range(3)]


numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e300, 1e300), st.just(-0.0))


@given(st.lists(st.tuples(numbers, st.integers(0, 2)), min_size=2, max_size=60), st.integers(2, 12))
def test_any_values_in_any_partitions(rows, n_bins):
    """Ties, tiny and huge values, and partitions without rows."""
    X, parts = np.array([[row[0]] for row in rows]), np.array([row[1] for row in rows])
    found = shared_thresholds(Here(), spread(X, parts), len(X), n_bins)
    expected = BinnedFeatures.of(X, np.arange(len(X)), n_bins).thresholds
    assert_array_equal(found[0], expected[0])


def test_many_rows_of_several_distributions():
    """Normal, exponential, heavily tied and constant features; partitions that are sorted by the first."""
    random = np.random.default_rng(0)
    n = 6000
    X = np.column_stack(
        [random.normal(size=n), random.exponential(size=n) ** 9, random.poisson(200, n), np.ones(n)]
    )
    X = X[np.argsort(X[:, 0])]
    found = shared_thresholds(Here(), spread(X, np.arange(n) * 3 // n), n, 64)
    for some, others in zip(found, BinnedFeatures.of(X, np.arange(n), 64).thresholds, strict=True):
        assert_array_equal(some, others)


def test_keys_are_in_the_order_of_the_values():
    """Neighbouring doubles have neighbouring keys, across zero too."""
    values = np.array([-1e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e308])
    keys = as_keys(values)
    assert (np.diff(keys) > 0).all()
    assert keys[4] - keys[3] == keys[3] - keys[2] == 1
    assert_array_equal(as_values(keys), values)
