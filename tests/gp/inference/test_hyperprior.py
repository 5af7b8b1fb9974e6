from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as scikit

from penchant.gp import Kernel, Linear, Matern12, Matern52, ScikitKernel, SquaredExponential, WhiteNoise
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.evidence import Evidence, Search
from penchant.gp.inference.hyperprior import OWN_SD, SHARED_SD, VARIANCE, Hyperprior, Units, thresholds
from penchant.gp.inference.likelihood import Probit
from tests.gp.problems import problem

UNITS = Units(np.array([0.5, 2.0, 0.1]), 4.0)
KERNELS = [
    SquaredExponential((1.0, 2.0, 3.0), 2.0),
    Matern52(0.7) + WhiteNoise(0.1) + Linear((1.0, 2.0, 3.0)),
    SquaredExponential(1.0) * Matern12(2.0),
    ScikitKernel(scikit.ConstantKernel(3.0) * scikit.RBF((0.5, 0.8, 1.0)) + scikit.WhiteKernel()),
    ScikitKernel(scikit.RationalQuadratic()),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradients_of_log_densities_are_slopes(kernel: Any) -> None:
    """Central differences of the log density give its gradient, and it has an entry for each hyperparameter."""
    prior = kernel.prior(UNITS)
    theta = kernel.theta + np.linspace(-1, 1, len(kernel.theta))
    steps = 1e-5 * np.eye(len(theta))
    slopes = [(prior.log_density(theta + step) - prior.log_density(theta - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(prior.gradient(theta), slopes, atol=1e-6)
    assert len(kernel.names) == len(theta) == len(prior.centre)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_gradients_of_the_log_posterior_are_slopes(inference: Any) -> None:
    """The search's gradient, evidence and prior together, is that of central differences of its values to 1e-3."""
    given = problem(12, 40, threshold=0.5)
    counts = PairCounts.of(given.pairs, 12, tie=given.tie)
    evidence = Evidence(given.X, counts, np.zeros(12), learn_threshold=True)
    kernel, likelihood = SquaredExponential((0.5, 0.8), 2.0), Probit(1.4, 0.4)
    prior = Hyperprior.joined(kernel.prior(Units.of(given.X, 1.0)), thresholds(1.4))
    search = Search(evidence, kernel, likelihood, inference, prior)
    _, _, gradient = search.log_posterior(search.start, None)
    steps = 1e-2 * np.eye(4)
    values = [
        [search.log_posterior(search.start + sign * step, None)[1] for sign in (1, -1)] for step in steps
    ]
    np.testing.assert_allclose(gradient, [(up - down) / 2e-2 for up, down in values], atol=1e-3)


def test_lengthscales_share_most_of_their_deviation() -> None:
    """The covariance of two log lengthscales is SHARED_SD², their variance OWN_SD² more, around √d deviations."""
    prior = SquaredExponential((1.0, 1.0, 1.0)).prior(UNITS)
    covariance = np.linalg.inv(prior.precision[:3, :3])
    np.testing.assert_allclose(covariance, SHARED_SD**2 + OWN_SD**2 * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.exp(prior.centre), [*(np.sqrt(3) * UNITS.feature_sd), 4.0])
    shared = SquaredExponential(1.0).prior(UNITS)
    assert np.exp(shared.centre[0]) == pytest.approx(np.sqrt((UNITS.feature_sd**2).sum()))


def test_constant_features_do_not_count() -> None:
    """Beside a constant feature the others have the prior that they have without it."""
    with_constant = Units.of(np.array([[0.0, 0.1, 7.3], [1.0, 0.1, 2.0], [3.0, 0.1, 4.0]]), 1.0)
    without = Units(with_constant.feature_sd[[0, 2]], with_constant.variance)
    assert with_constant.feature_sd[1] == 0.0
    for kind in (lambda n: SquaredExponential((2.0,) * n), lambda n: Linear((2.0,) * n)):
        whole, part = kind(3).prior(with_constant), kind(2).prior(without)
        kept = [place for place in range(len(whole.centre)) if place != 1]
        np.testing.assert_allclose(whole.centre[kept], part.centre)
        np.testing.assert_allclose(whole.precision[np.ix_(kept, kept)], part.precision)
        assert whole.centre[1] == np.log(2.0)


def test_only_one_factor_of_a_product_takes_the_scale() -> None:
    """In a product the first variance that is learned is near 4 noise², the next near 1; a kept one takes none."""
    units = Units(np.ones(1), VARIANCE * 100)
    first, second = SquaredExponential(1.0, variance_bounds=None), SquaredExponential(1.0)
    np.testing.assert_allclose(np.exp((second * second).prior(units).centre), [1, 400, 1, 1])
    np.testing.assert_allclose(np.exp((first * second).prior(units).centre)[3], 400)
    np.testing.assert_allclose(np.exp((second + second).prior(units).centre), [1, 400, 1, 400])


def test_a_kernel_of_ones_own_has_only_its_bounds() -> None:
    """A kernel class that says nothing of priors and names is learned with a flat prior."""

    class Own(Linear):
        names = Kernel.names  # type: ignore[assignment, attr-defined]
        prior = Kernel.prior  # type: ignore[assignment, attr-defined]

    assert Own((1.0, 2.0)).names == ("hyperparameter[0] of Own", "hyperparameter[1] of Own")
    assert not Own((1.0, 2.0)).prior(UNITS).precision.any()
