"""Priors of utilities that are functions of features, and explanations by features alone."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp import Linear, SquaredExponential, WhiteNoise
from penchant.gp.inference.function_mixture import FunctionMixture, FunctionParts, KernelPrior
from tests.gp.live import FEATURES

ROWS = FEATURES.to_numpy()
WEIGHTS = np.array([0.5, 0.0, -1.0])
SMOOTH = KernelPrior(
    SquaredExponential((1.0, 2.0, 0.5), 1.5),
    WEIGHTS,
    np.full(3, 0.2),
    np.array([1.0, 3.0, 0.5]),
    ("", "sqrt", "log"),
)
OWN = KernelPrior.of(Linear(0.3) + WhiteNoise(0.4), WEIGHTS)
PRIORS = {"smooth": [SMOOTH], "own parts": [OWN], "two": [SMOOTH, SMOOTH]}


def test_covariances_are_parts_of_one_matrix() -> None:
    """Between two groups of rows they are a block of the matrix of all."""
    block = SMOOTH.covariance(ROWS[:4], ROWS[4:])
    np.testing.assert_allclose(block, SMOOTH.matrix(ROWS)[:4, 4:], atol=1e-12)
    assert SMOOTH.mean(ROWS).shape == (len(ROWS),)


def test_the_own_variance_is_what_no_other_row_shares() -> None:
    """That of white noise; a smooth kernel has none."""
    np.testing.assert_allclose(OWN.own_variance(ROWS), 0.4)
    assert not SMOOTH.own_variance(ROWS).any()


@pytest.mark.parametrize("name", PRIORS)
def test_a_state_explains_the_same(name: str) -> None:
    """Kernels are stored as bytes; what comes back gives the same weights, which add up to the means."""
    rng, n_rows, priors = np.random.default_rng(0), len(ROWS), PRIORS[name]
    loads = rng.normal(size=(len(priors), n_rows + 1))
    parts = FunctionParts(priors, ROWS, tuple(FEATURES.columns))
    again = FunctionMixture._parts_of(parts.state())
    found = parts.explain_mixture(list(loads), 3, 8)
    assert again.explain_mixture(list(loads), 3, 8) == found
    last = len(priors) - 1
    assert parts.chosen([last]).own_variances(3, 8).tolist() == parts.own_variances(3, 8)[last:].tolist()
    total, own = priors[0].mean(ROWS), 0.0
    for prior, load, variance in zip(priors, loads, parts.own_variances(3, 8), strict=True):
        total = total + prior.matrix(ROWS) @ load[:-1]
        own += float(variance[0] * load[3] - variance[1] * load[8])
    assert found.total + own == pytest.approx(total[3] - total[8], abs=1e-9)
    assert found.answers == []
    assert bool(own) == (name == "own parts")


def test_a_linear_utility_is_explained_by_its_weights() -> None:
    """The part of a feature is its weight times its difference: prior mean and what was learned."""
    prior = KernelPrior.of(Linear((1.0, 2.0, 0.0001)), np.array([0.3, 0.0, 0.1]))
    load = np.zeros(len(ROWS) + 1)
    load[2], load[5] = 0.7, -0.4
    weights = np.array([0.3, 0.0, 0.1]) + np.array([1.0, 2.0, 0.0001]) * (load[:-1] @ ROWS)
    parts = FunctionParts([prior], ROWS, tuple(FEATURES.columns))
    found = parts.explain_mixture([load], 3, 8)
    np.testing.assert_allclose([weight for _, weight in found.features], weights * (ROWS[3] - ROWS[8]))
