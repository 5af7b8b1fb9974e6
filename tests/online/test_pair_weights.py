"""What compared pairs contribute to a difference, against the equation of a normal posterior written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.checks import Floats
from penchant.online.pair_weights import PairSites
from tests.online.simulated import written_out

N_ROWS = 5


class Posterior:
    """The posterior of sites under a prior of any covariance."""

    def __init__(self, pairs: Any, tau: Floats, nu: Floats, prior: Floats, mean: Floats) -> None:
        self.prior = prior
        self.contrasts = np.zeros((len(pairs), len(prior)))
        rows = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        self.contrasts[np.arange(len(rows)), rows[:, 0]] = 1.0
        self.contrasts[np.arange(len(rows)), rows[:, 1]] = -1.0
        precision = np.linalg.inv(prior) + self.contrasts.T @ (tau[:, None] * self.contrasts)
        self.covariance = np.linalg.inv(precision)
        pull = nu - tau * (self.contrasts @ mean)
        self.moved = self.covariance @ (self.contrasts.T @ pull)
        apart = self.contrasts @ (mean + self.moved)
        self.sites = PairSites(rows[:, 0], rows[:, 1], tau, nu - tau * apart, self.contrasts @ self.moved)


@st.composite
def posteriors(draw: st.DrawFn) -> tuple[Any, Floats, Floats, Floats, Floats]:
    """Pairs with sites, a prior covariance and prior means."""
    every = [(i, j) for i in range(N_ROWS) for j in range(N_ROWS) if i < j]
    pairs = draw(st.lists(st.sampled_from(every), unique=True, max_size=10))
    some = st.floats(0.01, 50)
    tau = np.array(draw(st.lists(some, min_size=len(pairs), max_size=len(pairs))))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    root = rng.normal(size=(N_ROWS, N_ROWS))
    nu = tau * rng.normal(size=len(pairs))
    return pairs, tau, nu, root @ root.T + 0.1 * np.eye(N_ROWS), rng.normal(size=N_ROWS)


@given(posteriors(), st.floats(0, 0.1))
def test_weights_are_those_of_the_equation_and_add_up(given_: Any, error: float) -> None:
    """With the exact Σ(e_a − e_b) they are the reference; with a wrong one they still add up to vᵀ(m − m₀)."""
    pairs, tau, nu, prior, mean = given_
    made, along = Posterior(pairs, tau, nu, prior, mean), np.array([1.0, 0.0, 0.0, -1.0, 0.0])
    solved = made.covariance @ along
    found = made.sites.contributions(along, solved, prior.__matmul__)
    expected = written_out(pairs, tau, nu, np.linalg.inv(prior), 0, 3, mean)
    np.testing.assert_allclose(found, [expected[pair] for pair in pairs], atol=1e-6)
    assert found.sum() == pytest.approx(along @ made.moved, abs=1e-7)
    wrong = made.sites.contributions(along, solved + error, prior.__matmul__)
    np.testing.assert_allclose(wrong, found, atol=1e-6)  # a level has no effect on differences
    wrong = made.sites.contributions(along, solved * (1 + error), prior.__matmul__)
    assert wrong.sum() == pytest.approx(along @ made.moved, abs=1e-6)


@given(posteriors())
def test_a_part_of_the_scores_is_split_by_its_covariance(given_: Any) -> None:
    """Of scores that are a sum of two parts, the weights of one are those of a posterior over both, written out."""
    pairs, tau, nu, prior, mean = given_
    made = Posterior(pairs, tau, nu, prior, mean)
    own = np.array(
        [0.05, 0.0, 0.0, -0.03, 0.0]
    )  # of variances 0.05 and 0.03 of items 0 and 3, beside the others
    found = made.sites.own_contributions(own, made.covariance.__matmul__, prior.__matmul__)
    # The part u has the prior covariance own with the scores, so that Cov(u, ξ | answers) = own (1 − L Σ).
    precision = made.contrasts.T @ (tau[:, None] * made.contrasts)
    covariance = own - own @ precision @ made.covariance
    pull = nu - tau * (made.contrasts @ mean)
    np.testing.assert_allclose(found, pull * (made.contrasts @ covariance), atol=1e-6)
    part = own @ (made.contrasts.T @ made.sites.gradient)
    assert found.sum() == pytest.approx(part, abs=1e-7)


@given(posteriors())
def test_independent_priors_are_solved_without_a_matrix(given_: Any) -> None:
    """Σ right is that of the inverse, and 0 in groups that ``right`` does not reach."""
    pairs, tau, nu, _, mean = given_
    pairs = [pair for pair in pairs if (pair[0] < 3) == (pair[1] < 3)]  # rows 0 to 2 and rows 3 and 4
    tau, nu, precision = tau[: len(pairs)], nu[: len(pairs)], np.array([0.5, 1.0, 2.0, 0.5, 0.1])
    made, right = Posterior(pairs, tau, nu, np.diag(1 / precision), mean), np.array([1.0, -1.0, 0, 0, 0])
    solved = made.sites.solve(precision, right)
    np.testing.assert_allclose(solved, made.covariance @ right, atol=1e-8)
    assert not solved[3:].any()
