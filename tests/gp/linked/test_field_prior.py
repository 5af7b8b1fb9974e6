"""The prior of many items is that of `ItemPrior` where all items are inducing, and its solves are exact."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp.linked.field_prior import FieldPrior
from penchant.gp.linked.linked_parts import Pairs
from tests.gp.linked.many import KINDS, SETTINGS, N, covariance, field_prior, item_prior


@pytest.mark.parametrize("kind", KINDS)
def test_with_all_items_inducing_it_is_exact(kind: str) -> None:
    """K written out is ω₁²K_a + ω₂²K_r + nugget·I, and the bar is independent."""
    written = covariance(field_prior(kind))
    np.testing.assert_allclose(
        written[:N, :N], item_prior(kind).prior(SETTINGS).block(np.arange(N)), atol=1e-6
    )
    assert written[N, N] > 0
    assert (written[N, :N] == 0).all()


def test_few_inducing_items_keep_the_variances() -> None:
    """Prior variances are exact with five inducing items too."""
    few = field_prior("features", most=5)
    assert few.factor.shape == (N + 1, 5)
    np.testing.assert_allclose(covariance(few).diagonal()[:N], 1.1, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_solves_are_those_of_the_dense_matrix(kind: str) -> None:
    """P loads is ((K − FFᵀ)⁻¹ + L)⁻¹ loads for the sites of some pairs."""
    prior = field_prior(kind, most=10)
    rng = np.random.default_rng(3)
    pairs = Pairs(rng.integers(0, N, 30), rng.integers(0, N + 1, 30), rng.uniform(0.1, 1.0, 30))
    local = covariance(prior) - prior.factor @ prior.factor.T
    L = pairs.times(np.eye(N + 1))
    loads = rng.normal(size=(3, N + 1))
    expected = np.linalg.solve(np.eye(N + 1) + local @ L, local @ loads.T).T
    np.testing.assert_allclose(prior.local_times(pairs, loads), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["features", "both"])
def test_the_feature_part_is_a_function_of_features(kind: str) -> None:
    """At the features of the items it is that of K load."""
    prior, load = field_prior(kind, most=10), np.random.default_rng(4).normal(size=N + 1)
    expected = prior.factor[:-1] @ (load @ prior.factor)
    np.testing.assert_allclose(prior.feature_values(load, prior.features), expected, atol=1e-6)


def test_parts_of_no_weight_are_left_out() -> None:
    """With a mix of 0 neither features nor links count."""
    for mix, kind in (((0.0, 0.8), "links"), ((1.0, 0.0), "features")):
        settings = SETTINGS._replace(mix=mix)
        both = FieldPrior.through(item_prior("both"), settings, ("size", "weight"), 0.7, N)
        one = FieldPrior.through(item_prior(kind), settings, (), 0.7, N)
        np.testing.assert_allclose(covariance(both), covariance(one), atol=1e-12)
