from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.metrics.queries import Queries
from penchant.rankers.solvers.pair_sums import FEW_PAIRS, GradedPairs, StatedPairs, implied_pairs
from tests.rankers.pair_problems import implied


@st.composite
def graded_lists(draw: Any) -> tuple[np.ndarray, ...]:
    """Grades with ties, queries of any size, weights with zeros, scores with ties."""
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grades = rng.integers(draw(st.integers(1, 12)), size=n).astype(float)
    grades[:2] = 0, 1
    qid = rng.integers(draw(st.integers(1, 6)), size=n)
    qid[:2] = 0
    weight = rng.integers(0, 4, size=n) * 0.5 if draw(st.booleans()) else np.ones(n)
    weight[:2] = 1
    scores = rng.integers(-6, 7, size=n) / 4 + draw(st.sampled_from([0.0, 1000.0]))
    return grades, qid, weight, scores


@given(graded_lists(), st.sampled_from([1.0, 0.3]))
def test_sums_over_implied_pairs_are_those_over_pairs_written_out(data: Any, margin: float) -> None:
    """Linear and squared lacks, their slopes and curvature: the merges and two plain loops agree."""
    grades, qid, weight, scores = data
    graded = GradedPairs(grades, Queries.of(qid, len(grades)), weight)
    rows, products = implied(grades, qid, weight)
    stated = StatedPairs(rows[products > 0], products[products > 0])
    assert graded.n_pairs == np.count_nonzero(products)
    assert graded.total == pytest.approx(stated.total)
    fast, slow = graded.short_of(margin, scores), stated.short_of(margin, scores)
    direction = np.cos(np.arange(len(grades)))
    np.testing.assert_allclose(fast.linear, slow.linear, atol=1e-9)
    np.testing.assert_allclose(fast.squared, slow.squared, atol=1e-9)
    np.testing.assert_allclose(fast.gradient, slow.gradient, atol=1e-9)
    if margin == 0.3:  # which no two scores are apart: curvature jumps where a pair just reaches its margin
        np.testing.assert_allclose(fast.curvature(direction), slow.curvature(direction), atol=1e-9)


def test_a_long_list_of_real_grades_is_summed_in_levels() -> None:
    """With all grades different, a thousand rows still agree with half a million pairs written out."""
    rng = np.random.default_rng(0)
    grades, scores = rng.normal(size=1000), rng.normal(size=1000)
    queries = Queries.of(None, 1000)
    graded = implied_pairs(grades, queries, np.ones(1000))
    assert isinstance(graded, GradedPairs)
    assert graded.n_pairs == 499_500 > FEW_PAIRS
    better, worse = np.nonzero(grades[:, None] > grades)
    stated = StatedPairs(np.column_stack([better, worse]), np.ones(len(better)))
    fast, slow = graded.short_of(1.0, scores), stated.short_of(1.0, scores)
    np.testing.assert_allclose(fast.gradient, slow.gradient, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fast.squared, slow.squared, rtol=1e-12)


def test_few_pairs_are_written_out() -> None:
    """A short list needs no compiled code."""
    pairs = implied_pairs(np.array([0.0, 1.0, 2.0]), Queries.of(None, 3), np.array([1.0, 0.0, 3.0]))
    assert isinstance(pairs, StatedPairs)
    assert (pairs.better.tolist(), pairs.worse.tolist(), pairs.total) == ([2], [0], 3.0)
