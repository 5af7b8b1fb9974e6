"""Priors of utilities that are functions of features, and explanations by features alone."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp import Linear, MonotoneGP, SquaredExponential
from penchant.gp.inference.explained_mixture import Dual
from penchant.gp.inference.function_mixture import (
    FittedPrior,
    FunctionMixture,
    FunctionParts,
    FunctionPrior,
    KernelPrior,
)
from tests.gp.live import FEATURES, decided

ROWS = FEATURES.to_numpy()
FITTED = MonotoneGP(increasing="range", lengthscale=1.0, scale=0.5, noise=0.3, lift={"price": "log"})
PRIORS: dict[str, FunctionPrior] = {
    "kernel": KernelPrior(
        SquaredExponential((1.0, 2.0, 0.5), 1.5),
        np.array([0.5, 0.0, -1.0]),
        np.full(3, 0.2),
        ("", "sqrt", "log"),
    ),
    "model": FittedPrior(FITTED.fit_pairs(FEATURES, decided(60))),
}


@pytest.mark.parametrize("name", PRIORS)
def test_covariances_are_parts_of_one_matrix(name: str) -> None:
    """Between two groups of rows they are a block of the matrix of all."""
    prior = PRIORS[name]
    np.testing.assert_allclose(prior.covariance(ROWS[:4], ROWS[4:]), prior.matrix(ROWS)[:4, 4:], atol=1e-12)
    assert prior.mean(ROWS).shape == (len(ROWS),)


def test_a_fitted_prior_is_the_posterior_of_its_model() -> None:
    """Mean and covariance are those of the model's belief."""
    belief = FITTED.belief(FEATURES)
    np.testing.assert_allclose(PRIORS["model"].mean(ROWS), belief.mean)
    np.testing.assert_allclose(PRIORS["model"].matrix(ROWS), belief.covariance())


@pytest.mark.parametrize("name", PRIORS)
def test_a_state_explains_the_same(name: str) -> None:
    """Kernel and model are stored as bytes; what comes back gives the same weights."""
    load = np.random.default_rng(0).normal(size=len(ROWS) + 1)
    parts = FunctionParts(PRIORS[name], ROWS, tuple(FEATURES.columns))
    again = FunctionMixture._parts_of(parts.state())
    dual = Dual(load, [(0, 1)], np.ones(1))
    assert again.explain(dual, 3, 8) == parts.explain(dual, 3, 8)
    total = parts.prior.mean(ROWS) + parts.prior.matrix(ROWS) @ load[:-1]
    assert parts.explain(dual, 3, 8).total == pytest.approx(total[3] - total[8], abs=1e-9)


def test_a_linear_utility_is_explained_by_its_weights() -> None:
    """The part of a feature is its weight times its difference: prior mean and what was learned."""
    prior = KernelPrior(Linear((1.0, 2.0, 0.0001)), np.array([0.3, 0.0, 0.1]), np.zeros(3), ("",) * 3)
    load = np.zeros(len(ROWS) + 1)
    load[2], load[5] = 0.7, -0.4
    weights = np.array([0.3, 0.0, 0.1]) + np.array([1.0, 2.0, 0.0001]) * (load[:-1] @ ROWS)
    found = FunctionParts(prior, ROWS, tuple(FEATURES.columns)).explain(Dual(load, [], np.empty(0)), 3, 8)
    np.testing.assert_allclose([weight for _, weight in found.features], weights * (ROWS[3] - ROWS[8]))
