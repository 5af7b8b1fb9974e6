"""The prior on the compared items, and its derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.prior_derivatives import ComparedPrior, solved_rows, spread_of
from tests.gp.linked.reference import random_graph


@pytest.mark.parametrize("degree", [3, 30])
def test_rows_of_a_graph_are_solved_for_sparse_and_dense(degree: int) -> None:
    """By either factorisation they are those of the inverse."""
    rng = np.random.default_rng(degree)
    upper = np.triu(rng.random((40, 40)) < degree / 40, 1).astype(float)
    weights = upper + upper.T
    laplacian = np.diag(weights.sum(axis=1)) - weights
    rows = solved_rows(sparse.csr_array(laplacian), 0.3, np.array([5, 0, 17]))
    inverse = np.linalg.inv(laplacian + 0.3 * np.eye(40))
    np.testing.assert_allclose(rows, inverse[[5, 0, 17]], atol=1e-12)


def test_derivatives_of_the_parts_match_differences() -> None:
    """By the logarithm of each hyperparameter, for features, links, own parts and independent items."""
    rng = np.random.default_rng(4)
    features, links = rng.normal(size=(12, 2)), random_graph(12, rng)
    items = np.array([1, 4, 7, 10])
    given = Settings(1.3, 0.8, 0.7, 1.2, (0.9, 0.6), 0.0, 0.0, 1000, None)
    both, neither = ItemPrior.of(features, links, None, None), ItemPrior.of(None, None, None, 12)
    for item_prior, own in ((both, False), (both, True), (neither, False)):
        start = given._replace(nugget=0.2 if own else 0.0)
        prior = ComparedPrior(item_prior, items, start.mix, own=own)
        assert ("nugget" in prior.names) == own
        total = sum(part.covariance for part in prior.parts(start))
        np.testing.assert_allclose(total, item_prior.prior(start).block(items, items), atol=1e-10)
        for name in prior.names:
            sums = [
                sum(part.covariance for part in prior.parts(start._replace(**{name: value})))
                for value in getattr(start, name) * np.exp([1e-5, -1e-5])
            ]
            derivative = sum(part.derivatives.get(name, 0) for part in prior.parts(start))
            np.testing.assert_allclose(derivative, (sums[0] - sums[1]) / 2e-5, atol=1e-7)


def test_the_spread_is_the_expected_variance_around_the_mean() -> None:
    """Of draws from the covariance; that of a constant utility is next to nothing."""
    root = np.random.default_rng(1).normal(size=(5, 5))
    draws = np.random.default_rng(2).normal(size=(200_000, 5)) @ root.T
    assert spread_of(root @ root.T) == pytest.approx(draws.var(axis=1, ddof=1).mean(), rel=0.02)
    assert spread_of(np.ones((5, 5))) == pytest.approx(1e-9)
