from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.gp import Linear, Matern52, SquaredExponential, WhiteNoise
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.evidence import Evidence, Search, learn_hyperparameters
from penchant.gp.inference.likelihood import Logit, Probit
from tests.gp.problems import problem

GIVEN = problem(12, 40, threshold=0.5)
COUNTS = PairCounts.of(GIVEN.pairs, 12, weight=GIVEN.weight, tie=GIVEN.tie)
KERNELS = [SquaredExponential((0.5, 0.8), 2.0), Matern52(0.7) + WhiteNoise(0.1) + Linear((1.0, 2.0))]


@pytest.mark.parametrize("inference", ["laplace", "ep"])
@pytest.mark.parametrize("likelihood", [Probit(1.4, 0.4), Logit(1.0, 0.4)], ids=repr)
@pytest.mark.parametrize("kernel", KERNELS, ids=["se", "sum"])
def test_gradients_of_the_evidence_are_slopes(inference: Any, likelihood: Any, kernel: Any) -> None:
    """By every hyperparameter, the threshold among them, central differences give the same to 2e-5."""
    evidence = Evidence(GIVEN.X, COUNTS, 0.1 * GIVEN.utility, learn_threshold=True)
    search = Search(evidence, kernel, likelihood, inference)

    def value(theta: Any) -> float:
        return evidence.posterior(*search.at(theta), inference).log_evidence

    found = evidence.gradient(kernel, likelihood, evidence.posterior(kernel, likelihood, inference))
    steps = 1e-4 * np.eye(len(search.start))
    slopes = [(value(search.start + step) - value(search.start - step)) / 2e-4 for step in steps]
    np.testing.assert_allclose(found, slopes, atol=2e-5)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_the_search_ends_on_a_top(inference: Any) -> None:
    """The gradient is nearly 0 but for hyperparameters at a bound, and the evidence has risen."""
    evidence = Evidence(GIVEN.X, COUNTS, np.zeros(12), learn_threshold=True)
    start = SquaredExponential((0.5, 0.8), 0.5)
    likelihood = Probit(1.4, 0.1)
    kernel, learned_likelihood = learn_hyperparameters(evidence, start, likelihood, inference)
    belief = evidence.posterior(kernel, learned_likelihood, inference)
    assert belief.log_evidence > evidence.posterior(start, likelihood, inference).log_evidence
    gradient = evidence.gradient(kernel, learned_likelihood, belief)
    free = np.append((np.abs(kernel.theta[:, None] - kernel.bounds) > 1e-9).all(axis=1), True)
    assert np.abs(gradient[free]).max() < 0.1
    assert 0.1 < learned_likelihood.threshold < 1.5


def test_kept_hyperparameters_are_kept() -> None:
    """What has no room stays as it was, to the last digits."""
    evidence = Evidence(GIVEN.X, COUNTS, np.zeros(12))
    start = SquaredExponential(0.5, 2.0, lengthscale_bounds=None)
    kernel, likelihood = learn_hyperparameters(evidence, start, Probit(1.4, 0.4), "laplace")
    assert kernel.lengthscale == pytest.approx(0.5, rel=1e-12)
    assert kernel.variance != 2.0
    assert likelihood == Probit(1.4, 0.4)


def test_restarts_find_more_and_a_seed_repeats_them() -> None:
    """From a bad start, other starts find a clearly higher evidence; the same seed finds the same."""
    evidence = Evidence(GIVEN.X, COUNTS, np.zeros(12))
    start = SquaredExponential((0.011, 90.0), 1e-3)

    def value(**settings: Any) -> tuple[float, Any]:
        kernel, likelihood = learn_hyperparameters(evidence, start, Probit(1.4, 0.4), "laplace", **settings)
        return evidence.posterior(kernel, likelihood, "laplace").log_evidence, kernel

    (alone, _), (best, kernel), (_, again) = value(), value(restarts=3, seed=1), value(restarts=3, seed=1)
    assert best > alone + 0.5
    assert kernel == again
