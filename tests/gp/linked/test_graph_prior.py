"""The prior of a graph of links."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.gp.linked.graph_prior import ExtendedPrior, GraphPrior, graph_prior, laplacian_precision
from tests.gp.linked.reference import graph_covariance, random_graph


def test_weights_beyond_the_arithmetic_are_rejected() -> None:
    """A link so heavy that the items' own precision is lost beside it is named, not a failed factorisation."""
    links = np.array([[0, 1e19, 2], [1e19, 0, 0], [2, 0, 0]])
    with pytest.raises(InvalidInput, match=r"weights of links must be of one scale, got 1e\+19 at one item"):
        graph_prior(links, beta=1.0, iota=1.0)


def test_rows_by_solves_are_those_of_the_inverse() -> None:
    """Blocks, differences and products by conjugate gradients; bounds contain the variances, and solves close them."""
    links = random_graph(15, np.random.default_rng(0))
    covariance = graph_covariance(links, 0.7, 1.2)
    prior = GraphPrior(laplacian_precision(links, beta=0.7, iota=1.2))
    rows = np.array([3, 11])
    lower, upper = prior.variance_bounds()
    assert (lower <= covariance.diagonal() + 1e-12).all()
    assert (upper >= covariance.diagonal() - 1e-12).all()
    np.testing.assert_allclose(prior.block(rows), covariance[rows], atol=1e-9)
    np.testing.assert_allclose(prior.of_difference(3, 11), covariance[3] - covariance[11], atol=1e-9)
    np.testing.assert_allclose(
        prior.times(rows, np.array([2.0, -1.0])), 2 * covariance[3] - covariance[11], atol=1e-9
    )
    assert prior.variance() is None
    lower, upper = prior.variance_bounds()
    assert lower[3] == upper[3] == pytest.approx(covariance[3, 3])
    apart = covariance[3, 3] + covariance[11, 11] - 2 * covariance[3, 11]
    assert prior.difference_variance(rows[:1], rows[1:])[0] == pytest.approx(apart, rel=1e-6)


def test_new_items_leave_the_covariance_of_the_others() -> None:
    """Items that are linked afterwards have the conditional distribution of the larger graph given the others."""
    from scipy import sparse

    links = random_graph(10, np.random.default_rng(1), degree=5.0)
    old = graph_prior(links[:7, :7], beta=1.0, iota=0.9)
    prior = ExtendedPrior.of(old, sparse.csr_array(links[7:]), beta=1.0, iota=0.9)
    block = prior.block(np.arange(10))
    np.testing.assert_allclose(block[:7, :7], old.block(np.arange(7)))
    np.testing.assert_allclose(block, block.T, atol=1e-12)
    precision = laplacian_precision(links, beta=1.0, iota=0.9).toarray()
    share = -np.linalg.solve(precision[7:, 7:], precision[7:, :7])
    np.testing.assert_allclose(block[7:, :7], share @ block[:7, :7], atol=1e-12)
    own = block[7:, 7:] - share @ block[:7, :7] @ share.T
    np.testing.assert_allclose(own, np.linalg.inv(precision[7:, 7:]), atol=1e-12)
    np.testing.assert_allclose(prior.variance(), block.diagonal())
