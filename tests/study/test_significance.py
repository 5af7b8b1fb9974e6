"""Binomial tests and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, false_discovery_control

from penchant.study.significance import holm, p_at_least, p_of_half


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.05, 0.95))
def test_tails_are_those_of_the_binomial_distribution(counts: tuple[int, int], share: float) -> None:
    """One-sided for any share, two-sided for one half."""
    count, total = counts
    one = binomtest(count, total, share, alternative="greater").pvalue
    assert p_at_least([count], [total], share)[0] == pytest.approx(one)
    assert p_of_half([count], [total])[0] == pytest.approx(binomtest(count, total).pvalue)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_multiplies_by_the_number_of_hypotheses_left(p: list[float]) -> None:
    """An adjusted value is the largest of the smaller ones' products, so that order is kept and 1 is the most."""
    expected = [min(1.0, max((len(p) - sum(y < x for y in p)) * x for x in p if x <= value)) for value in p]
    found = holm(p)
    assert found.tolist() == pytest.approx(expected)
    assert (found >= np.array(p)).all()
    if p:  # never below the less strict correction for false discoveries
        assert (found >= false_discovery_control(p) - 1e-12).all()


def test_holm_keeps_the_error_of_a_family() -> None:
    """Of 20 true hypotheses, one is rejected at 5 % in about 5 % of families."""
    rng = np.random.default_rng(0)
    wrong = np.mean([(holm(rng.random(20)) < 0.05).any() for _ in range(2000)])
    assert 0.035 < wrong < 0.065
