"""Scores of predicted rankings of labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from penchant.errors import InvalidInput
from penchant.metrics import tau_x
from penchant.rankers import mean_tau, mean_tau_x


@given(seed=st.integers(0, 10_000))
def test_scores_are_means_over_rows_of_what_the_truth_ranks(seed: int) -> None:
    """τ is scipy's over the labels that the truth ranks, τ_x our metric's; both weighted means over rows."""
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(0, 4, size=(6, 4)), rng.permuted(np.tile(range(1, 5), (6, 1)), axis=1)
    truth[0] = 1, 2, 0, 0
    weight = rng.random(6) + 0.1
    known = truth > 0
    told = [r for r in range(6) if len(set(truth[r][known[r]])) > 1]
    taus = [kendalltau(truth[r][known[r]], guess[r][known[r]]).statistic for r in told]
    assert mean_tau(truth, guess, sample_weight=weight) == pytest.approx(
        np.average(taus, weights=weight[told])
    )
    two = [r for r in range(6) if known[r].sum() > 1]
    taus = [tau_x(truth[r][known[r]], guess[r][known[r]]) for r in two]
    assert mean_tau_x(truth, guess, sample_weight=weight) == pytest.approx(
        np.average(taus, weights=weight[two])
    )


def test_scores_that_do_not_exist_are_refused() -> None:
    """No row with two labels, and predictions with a hole."""
    with pytest.raises(InvalidInput, match="at least one row"):
        mean_tau([[1, 0], [0, 2]], [[1, 2], [1, 2]])
    with pytest.raises(InvalidInput, match="predicted ranks must be above 0"):
        mean_tau_x([[1, 2]], [[1, 0]])
