"""Sites and moments of many items are those of expectation propagation with a dense covariance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.field_posterior import FieldSites, moments_of, posterior_sites
from tests.gp.linked.many import KINDS, SETTINGS, N, answers, covariance, exact, field_prior

LIKELIHOOD = Probit(1.0, SETTINGS.threshold)


@pytest.mark.parametrize("kind", KINDS)
def test_means_and_variances_are_those_of_full_propagation(kind: str) -> None:
    """Means are within 0.03 sd, and variances within 10 %: both rest on variances estimated from draws."""
    prior, given = field_prior(kind), answers()
    mean, dense = exact(prior, given)
    moments = moments_of(prior, posterior_sites(prior, given, LIKELIHOOD))
    sd = np.sqrt(dense.diagonal())
    assert np.abs((moments.mean - mean) / sd).max() < 0.03
    assert np.abs(moments.variance / dense.diagonal() - 1).max() < 0.1
    first, second = moments.edge_first, moments.edge_second
    differences = sd[first] ** 2 + sd[second] ** 2 - 2 * dense[first, second]
    assert np.abs(moments.edge_variance / differences - 1).mean() < 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_moments_of_given_sites_are_exact_but_for_the_draws(kind: str) -> None:
    """EEᵀ + P is (K⁻¹ + L)⁻¹: E takes no draws, and the mean neither."""
    prior = field_prior(kind, most=10)
    sites = FieldSites.of(answers())
    rng = np.random.default_rng(0)
    sites = replace(sites, tau=rng.uniform(0, 1, len(sites.tau)), nu=rng.normal(size=len(sites.tau)))
    pairs, moments = sites.pairs(), moments_of(prior, sites)
    K, L = covariance(prior), pairs.times(np.eye(N + 1))
    dense = np.linalg.solve(np.eye(N + 1) + K @ L, K)
    local = K - prior.factor @ prior.factor.T
    given_w = np.linalg.solve(np.eye(N + 1) + local @ L, local)
    np.testing.assert_allclose(moments.shared @ moments.shared.T, dense - given_w, atol=1e-6)
    load = pairs.spread(sites.copies * sites.nu, N + 1)
    np.testing.assert_allclose(moments.mean, dense @ load, atol=1e-6)


def test_without_neighbours_variances_are_exact() -> None:
    """An item that is neither linked nor compared has its prior variance, whatever the draws."""
    moments = moments_of(field_prior("neither"), FieldSites.of(Answers.none()))
    np.testing.assert_allclose(moments.variance[:N], SETTINGS.scale**2 + SETTINGS.nugget)
    assert len(moments.edge_variance) == 0


def test_equal_answers_are_one_site() -> None:
    """Sites stand in the order in which their answers came first; ties have no side; weights add up."""
    given = Answers(
        np.array([[3, 1], [1, 3], [3, 1], [5, 2], [2, 5]]),
        np.array([1.0, 1.0, 0.5, 1.0, 2.0]),
        np.array([False, False, False, True, True]),
    )
    sites = FieldSites.of(given)
    assert sites.first.tolist() == [3, 1, 2]
    assert sites.second.tolist() == [1, 3, 5]
    assert sites.tie.tolist() == [False, False, True]
    assert sites.count.tolist() == [1.5, 1.0, 3.0]


def test_the_result_is_a_function_of_its_arguments() -> None:
    """All draws have fixed seeds."""
    prior, given = field_prior("both"), answers()
    once, again = (moments_of(prior, posterior_sites(prior, given, LIKELIHOOD)) for _ in range(2))
    assert (once.mean == again.mean).all()
    assert (once.variance == again.variance).all()
