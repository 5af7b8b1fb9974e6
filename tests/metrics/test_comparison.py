"""Paired tests over queries."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_rel

from penchant.errors import InvalidInput
from penchant.metrics import compare, evaluate
from penchant.metrics.comparison import difference


def slow_p(apart: np.ndarray) -> float:
    means = [abs(np.mean(np.array(signs) * apart)) for signs in product((1, -1), repeat=len(apart))]
    return float(np.mean(np.array(means) >= abs(apart.mean()) - 1e-12))


def test_tests_are_those_of_scipy_and_of_all_permutations() -> None:
    """The t test with its interval, and the exact randomisation test."""
    rng = np.random.default_rng(1)
    first, second = rng.random(9), rng.random(9)
    found = difference("MAP", first, second, level=0.9)
    reference = ttest_rel(first, second)
    interval = reference.confidence_interval(0.9)
    assert (found.p_t, found.low, found.high) == pytest.approx(
        (reference.pvalue, interval.low, interval.high)
    )
    assert found.p_randomisation == pytest.approx(slow_p(first - second))
    assert (found.better + found.worse, found.queries) == (9, 9)


def test_drawn_signs_come_near_all_signs() -> None:
    """With more queries the p-value is that of the exact test up to its Monte Carlo error, and the t test's."""
    rng = np.random.default_rng(2)
    first = rng.random(14)
    second = first + rng.normal(0.1, 0.2, 14)
    found = difference("MAP", first, second)
    exact = slow_p(first - second)
    assert abs(found.p_randomisation - exact) < 4 * np.sqrt(exact * (1 - exact) / 10_000) + 1e-4
    assert found.p_randomisation == difference("MAP", first, second).p_randomisation


def test_equal_rankings_do_not_differ() -> None:
    """No difference at all, and one that is the same in every query."""
    same = difference("MAP", np.ones(5), np.ones(5))
    assert (same.difference, same.p_t, same.p_randomisation, same.low, same.high) == (0, 1, 1, 0, 0)
    always = difference("MAP", np.ones(5), np.zeros(5))
    assert (always.p_t, always.p_randomisation) == (0, pytest.approx(2 / 32))


def test_scores_of_any_models_are_compared() -> None:
    """Means are those of `evaluate`, and queries without a relevant row are left out of both."""
    rng = np.random.default_rng(3)
    grades, qid = rng.integers(0, 2, 60), np.repeat(np.arange(12), 5)
    grades[:5] = 0
    one, two = rng.random(60), rng.random(60)
    found = compare(grades, one, two, qid=qid, metrics=["ndcg", "map", "err"], k=3)
    for name in ("NDCG@3", "MAP", "ERR@3"):
        means = [
            evaluate(grades, s, qid=qid, metrics=["ndcg", "map", "err"], k=3)[name].mean for s in (one, two)
        ]
        assert (found[name].first, found[name].second) == pytest.approx(tuple(means))
        assert found[name].queries <= 11
    assert found.to_frame().shape == (3, 11)
    assert "better in" in repr(found)
    with pytest.raises(InvalidInput, match="at least two queries"):
        compare([1, 0], [1, 2], [2, 1], qid=[1, 1])
