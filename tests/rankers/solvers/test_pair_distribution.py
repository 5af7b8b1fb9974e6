"""The distribution over pairs that boosting reweighs, beside single pairs."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.rankers.solvers import levels, pair_distribution
from tests.rankers.test_rank_boost import graded, implied_pairs


@given(graded(weights=True), st.sampled_from([1.0, 200.0, 5000.0]), st.randoms(use_true_random=False))
def test_the_distribution_is_that_of_single_pairs(data: Any, scale: float, random: Any) -> None:
    """Sums over levels give the pulls, ε⁻ and risk of the pairs one by one, for scores of any size."""
    _, grades, qid, weight = (np.array(column) for column in data)
    every = np.array([random.choice([-2, -1, 0, 1, 2.5]) * scale for _ in grades])
    h_of_all = np.array([random.random() < 0.5 for _ in grades])
    pairs = np.array(implied_pairs(grades, qid))
    for threshold in (0, 2000):
        with mock.patch.object(levels, "_COMPILED_FROM", threshold):
            summed = pair_distribution.GradedDistribution(grades.astype(float), qid, weight)
            alone = pair_distribution.StatedDistribution(pairs, weight[pairs].prod(axis=1))
            # From 0 in steps, since a single Z may not overflow.
            for share in np.linspace(0, 1, 40):
                with np.errstate(over="ignore"):
                    summed.reweigh(-share * every[summed.rows])
                    alone.reweigh(-share * every[alone.rows])
        by_row = np.argsort(summed.rows)
        assert summed.rows[by_row].tolist() == alone.rows.tolist()
        assert summed.size == pytest.approx(alone.size)
        np.testing.assert_allclose(summed.pull[by_row], alone.pull, atol=1e-9)
        with mock.patch.object(levels, "_COMPILED_FROM", threshold):
            wrong = summed.wrong(h_of_all[summed.rows])
        assert wrong == pytest.approx(alone.wrong(h_of_all[alone.rows]), abs=1e-9)
        assert summed.risk(every[summed.rows]) == pytest.approx(alone.risk(every[alone.rows]), abs=1e-12)
