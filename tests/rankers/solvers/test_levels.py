from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.rankers.solvers import levels
from penchant.rankers.solvers.levels import Levels


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12))
def test_sums_before_are_sums_over_lower_grades_of_the_query(
    seed: int, n_queries: int, n_grades: int
) -> None:
    """Few deep queries, many shallow ones and compiled code give what two loops over the rows give."""
    rng = np.random.default_rng(seed)
    queries = np.sort(rng.integers(n_queries, size=30))
    grades = rng.integers(n_grades, size=30).astype(float)
    grades = grades[np.lexsort((grades, queries))]
    values = rng.normal(size=30)
    lower = (queries[:, None] == queries) & (grades[:, None] > grades)
    with np.errstate(divide="ignore"):
        logs = np.log(lower @ np.exp(values))
    for threshold in (0, 1000):
        with mock.patch.object(levels, "_COMPILED_FROM", threshold):
            found = Levels.of(grades, queries)
            np.testing.assert_allclose(found.sums_before(values), lower @ values, atol=1e-12)
            np.testing.assert_allclose(found.log_sums_before(values), logs, atol=1e-12)


@pytest.mark.parametrize(("n_queries", "n_grades"), [(1, 30), (30, 1), (1, 1)])
def test_the_largest_and_the_smallest_queries(n_queries: int, n_grades: int) -> None:
    """One query of many levels, many of one row, and one row are summed too."""
    grades = np.tile(np.arange(n_grades, dtype=float), n_queries)
    found = Levels.of(grades, np.repeat(np.arange(n_queries), n_grades))
    assert found.sums_before(np.ones(len(grades))).tolist() == grades.tolist()
