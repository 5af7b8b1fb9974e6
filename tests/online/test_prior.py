"""Priors with a dense covariance, beside the inverse of the precision and conditioning written out."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.online.prior import CorrelatedPrior, DensePrior, IndependentPrior, MixedPrior, prior_of_state

PAIRS = np.array([[0, 1], [0, 2], [2, 3]], dtype=np.int32)
TAU, NU = np.array([0.5, 2.0, 0.1]), np.array([0.3, -1.0, 0.2])
SMOOTH = np.exp(-((np.arange(4)[:, None] - np.arange(4)) ** 2) / 8)


def conditioned(mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """The posterior of differences that were measured as ν/τ with variance 1/τ."""
    apart = np.zeros((len(PAIRS), len(mean)))
    apart[np.arange(len(PAIRS)), PAIRS[:, 0]] = 1
    apart[np.arange(len(PAIRS)), PAIRS[:, 1]] = -1
    gain = covariance @ apart.T @ np.linalg.inv(apart @ covariance @ apart.T + np.diag(1 / TAU))
    return mean + gain @ (NU / TAU - apart @ mean), covariance - gain @ apart @ covariance


PRIORS = {
    "independent": IndependentPrior(np.array([[1.0, 1.0, 1.0, 4.0], [3.0, 3.0, 3.0, 4.0]])),
    "correlated": CorrelatedPrior(SMOOTH, np.array([1.0, 3.0]), np.array([0.5, 0.0, -1.0, 0.0])),
    "mixed": MixedPrior(np.stack([SMOOTH, 2.0 * SMOOTH + np.eye(4)]), np.array([0.5, 0.0, -1.0, 0.0])),
    "singular": CorrelatedPrior(np.outer([1.0, 2, 3, 4], [1.0, 2, 3, 4]), np.array([1.0, 0.5]), np.zeros(4)),
}


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("k", [0, 1])
def test_the_posterior_is_that_of_measured_differences(name: str, k: int) -> None:
    """Sites are measurements of differences: mean and covariance are the prior's, conditioned on them."""
    prior = PRIORS[name]
    mean, covariance, narrowed = prior.posterior(k, PAIRS, TAU, NU)
    expected_mean, expected = conditioned(prior.mean, prior.covariance(k))
    np.testing.assert_allclose(mean, expected_mean, atol=1e-9)
    np.testing.assert_allclose(covariance, expected, atol=1e-9)
    if name != "singular":
        logarithms = np.linalg.slogdet(prior.covariance(k))[1] - np.linalg.slogdet(expected)[1]
        assert narrowed == pytest.approx(logarithms)
    assert (covariance == covariance.T).all()
    assert covariance.flags.c_contiguous


@pytest.mark.parametrize("name", PRIORS)
def test_without_sites_the_posterior_is_the_prior(name: str) -> None:
    """No pairs leave mean and covariance as they are."""
    prior = PRIORS[name]
    mean, covariance, narrowed = prior.posterior(1, PAIRS[:0], TAU[:0], NU[:0])
    assert narrowed == pytest.approx(0)
    np.testing.assert_allclose(mean, prior.mean)
    np.testing.assert_allclose(covariance, prior.covariance(1), atol=1e-12)


@pytest.mark.parametrize("name", PRIORS)
def test_products_and_precisions_are_those_of_the_covariance(name: str) -> None:
    """Products, precisions of differences and what kernels take agree with the matrix; the state makes it again."""
    prior: DensePrior = PRIORS[name]
    values = np.array([1.0, -2.0, 0.5, 0.0])
    again = prior_of_state(prior.state())
    for k in range(2):
        covariance = prior.covariance(k)
        np.testing.assert_allclose(prior.times(k, values), covariance @ values)
        np.testing.assert_allclose(again.covariance(k), covariance)
        own = np.diag(covariance)
        variance = own[PAIRS[:, 0]] + own[PAIRS[:, 1]] - 2 * covariance[PAIRS[:, 0], PAIRS[:, 1]]
        np.testing.assert_allclose(prior.pair_precision(k, PAIRS), 1 / variance)
    arrays, factors = prior.for_kernels
    assert arrays.shape in ((2, 1, 4), (1, 4, 4), (2, 4, 4))
    assert factors.shape == (2,)
    assert prior.shape == (2, 4)


@pytest.mark.parametrize("name", PRIORS)
def test_components_can_be_chosen(name: str) -> None:
    """The prior of the second component alone gives the same posterior to the last bit."""
    prior = PRIORS[name]
    before = prior.posterior(1, PAIRS, TAU, NU)
    chosen = prior.chosen([1])
    assert chosen.shape == (1, 4)
    after = chosen.posterior(0, PAIRS, TAU, NU)
    assert after.covariance.tolist() == before.covariance.tolist()
    assert (after.mean.tolist(), after.narrowed) == (before.mean.tolist(), before.narrowed)


def test_items_are_added_before_the_bar() -> None:
    """New items have the variance of the others; a prior with correlations does not know theirs."""
    wider = PRIORS["independent"].with_items(2, bar=True)
    assert isinstance(wider, IndependentPrior)
    assert wider.variances.tolist() == [[1, 1, 1, 1, 1, 4], [3, 3, 3, 3, 3, 4]]
    assert PRIORS["correlated"].with_items(1, bar=True) is None


def test_weights_beyond_double_precision_are_rejected() -> None:
    """Sites whose precision has no Cholesky factor are rejected with a message."""
    with pytest.raises(InvalidInput, match="weights must not outweigh"):
        PRIORS["independent"].posterior(0, PAIRS, np.array([1e30, 1e-5, np.nan]), NU)
