"""Rows of B, stored or worked out, are the prior times the directions."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp.linked.basis import Basis, QuickBasis, StoredBasis
from penchant.gp.linked.inducing import InducingPrior
from penchant.gp.linked.priors import FeaturePrior

N = 12
RNG = np.random.default_rng(31)
PRIOR = InducingPrior(
    FeaturePrior(RNG.normal(size=(N, 2)), scale=1.0, lengthscale=1.0), np.array([4, 0, 9]), nugget=0.2
)
START = np.array([2, 7, 8]), RNG.normal(size=(3, 2))
PAIRS = [(0, 7), (1, 7), (1, 0), (5, 3)]


def taught(kind: type[Basis]) -> tuple[Basis, np.ndarray]:
    """Return a basis that starts with two columns, and its directions written out, (N, count)."""
    basis = kind(PRIOR, *START)
    for pair in PAIRS:
        basis.of(*pair)
    directions = np.zeros((N, basis.count))
    directions[START[0], :2] = START[1]
    for place, (first, second) in enumerate([(0, 7), (1, 7), (5, 3)], start=2):
        directions[first, place], directions[second, place] = 1, -1
    return basis, directions


@pytest.mark.parametrize("kind", [StoredBasis, QuickBasis])
def test_rows_are_the_prior_times_the_directions(kind: type[Basis]) -> None:
    """At some items, along all of them, and turned to other sums, B is K₀ times what the directions hold."""
    basis, directions = taught(kind)
    covariance = PRIOR.block(np.arange(N))
    rows = directions.T @ covariance
    items, weights, turn = np.array([3, 3, 11]), RNG.normal(size=5), RNG.normal(size=(5, 2))
    np.testing.assert_allclose(basis.at(items), rows[:, items], atol=1e-12)
    np.testing.assert_allclose(basis.along(weights), weights @ rows, atol=1e-12)
    turned = basis.turned(turn)
    assert turned.count == 2
    np.testing.assert_allclose(turned.at(items), turn.T @ rows[:, items], atol=1e-12)


@pytest.mark.parametrize("kind", [StoredBasis, QuickBasis])
def test_a_difference_that_is_there_takes_no_direction(kind: type[Basis]) -> None:
    """1 − 0 is 1 − 7 less 0 − 7; the dual says how much of each item a sum holds."""
    basis, directions = taught(kind)
    assert basis.count == 5
    assert basis.of(1, 0).tolist() == [0, 0, -1, 1, 0]
    weights = RNG.normal(size=5)
    items, held = basis.dual(weights)
    np.testing.assert_allclose(held, (directions @ weights)[items], atol=1e-12)
    assert items.tolist() == [0, 1, 2, 3, 5, 7, 8]
