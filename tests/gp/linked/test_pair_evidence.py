"""Expectation propagation on pairs gives what it gives on items."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.pair_evidence import propagated_pairs
from penchant.gp.linked.posterior import compared, propagated

N, M = 60, 40
RNG = np.random.default_rng(0)
PAIRS = np.array([RNG.choice(N, 2, replace=False) for _ in range(M)])
PAIRS[5] = PAIRS[4][::-1]  # two answers about one pair
WEIGHT = np.where(np.arange(M) == 1, 0.5, np.where(np.arange(M) == 2, 3.0, 1.0))
TIE = np.arange(M) == 3
ITEMS, COUNTS = compared(Answers(PAIRS, WEIGHT, TIE))
POINTS = RNG.normal(size=(len(ITEMS), 3))
APART = ((POINTS[:, None] - POINTS) ** 2).sum(axis=2)
COVARIANCE = 2 * np.exp(-APART / 8) + 0.1 * np.eye(len(ITEMS))
LIKELIHOOD = Probit(1.0, 0.1)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_evidence_and_gradient_are_those_on_items(scale: float) -> None:
    """With ties, weights and both answers about one pair."""
    on_items = propagated(scale * COVARIANCE, COUNTS, LIKELIHOOD, tolerance=1e-7, quiet=True)
    on_pairs = propagated_pairs(scale * COVARIANCE, COUNTS, LIKELIHOOD, None, 1e-7)
    assert on_pairs.log_evidence == pytest.approx(on_items.log_evidence, abs=1e-5)
    expected = on_items.covariance_gradient()
    np.testing.assert_allclose(
        on_pairs.covariance_gradient(), expected, atol=1e-4 * float(np.abs(expected).max())
    )


def test_it_continues_from_sites() -> None:
    """From the sites of a fixed point one sweep is enough, and the result stays."""
    found = propagated_pairs(COVARIANCE, COUNTS, LIKELIHOOD, None, 1e-7)
    again = propagated_pairs(COVARIANCE, COUNTS, LIKELIHOOD, found.sites, 1e-3)
    assert again.sites is found.sites
    assert again.log_evidence == pytest.approx(found.log_evidence, abs=1e-9)


def test_what_is_no_number_has_no_evidence() -> None:
    """A covariance without a factor gives NaN, which a search takes as improbable."""
    broken = np.full_like(COVARIANCE, np.nan)
    assert np.isnan(propagated_pairs(broken, COUNTS, LIKELIHOOD, None, 1e-3).log_evidence)
