"""Expectation propagation for paired comparisons, beside site-by-site updates and integrals written out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr

from penchant import Preferences
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.inference.learned_scale import learn_scale
from penchant.worth.inference.newton import maximise
from penchant.worth.inference.pairs import NO_TOTALS, PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.propagation import (
    Drawn,
    Exact,
    PairLikelihood,
    Propagation,
    hermite,
    propagate,
    sites_at,
)
from tests.worth.simulated import comparisons, rounds

WORTH = np.array([2.0, 1.0, 0.3, -0.5, -2.8])


def answers_of(
    preferences: Preferences, link: Any = BradleyTerry._link, tie: float | None = None
) -> PairLikelihood:
    totals = NO_TOTALS.plus(preferences)
    return PairLikelihood(PairGraph(totals.pairs, preferences.n_items), totals.weight, link, tie)


def propagated(answers: PairLikelihood, prior: Prior, tolerance: float = 1e-10) -> Propagation:
    start = sites_at(answers, np.zeros(answers.graph.n_items))
    return propagate(answers, prior, *start, Exact(), tolerance=tolerance)


def one_by_one(answers: PairLikelihood, prior: Prior, sweeps: int = 60) -> tuple[Any, Any, float]:
    """Return mean, covariance and log evidence of EP that visits one site after the other, by adaptive integrals."""
    n_items, (first, second) = answers.graph.n_items, (answers.graph.first, answers.graph.second)
    tau, nu, log_mass = np.zeros((3, len(first)))
    toward = np.zeros((len(first), n_items))
    toward[np.arange(len(first)), first], toward[np.arange(len(first)), second] = 1, -1
    for _ in range(sweeps):
        for site, a in enumerate(toward):
            C = np.linalg.inv(prior.matrix() + toward.T @ (tau[:, None] * toward))
            m = C @ toward.T @ nu
            cavity = 1 / (a @ C @ a) - tau[site]
            centre = (a @ m / (a @ C @ a) - nu[site]) / cavity

            def density(
                d: float, power: int, site: int = site, v: float = 1 / cavity, c: float = centre
            ) -> float:
                likelihood = answers.link.log_likelihood(
                    np.array([[d]]), answers.weight[:, site, None, None], answers.tie
                )[0, 0]
                return float(d**power * np.exp(likelihood - (d - c) ** 2 / (2 * v)) / np.sqrt(2 * np.pi * v))

            reach = [centre - 12 / np.sqrt(cavity), centre, centre + 12 / np.sqrt(cavity)]
            mass, one, two = (
                sum(quad(density, *ends, args=(power,), limit=200)[0] for ends in pairwise(reach))
                for power in range(3)
            )
            mean, variance = one / mass, two / mass - (one / mass) ** 2
            tau[site], nu[site] = 1 / variance - cavity, mean / variance - cavity * centre
            log_mass[site] = (
                np.log(mass)
                + 0.5 * np.log1p(tau[site] / cavity)
                - 0.5 * ((nu[site] + cavity * centre) ** 2 / (tau[site] + cavity) - cavity * centre**2)
            )
    P = prior.matrix() + toward.T @ (tau[:, None] * toward)
    m = np.linalg.solve(P, toward.T @ nu)
    ratio = np.linalg.slogdet(prior.matrix())[1] - np.linalg.slogdet(P)[1]
    return m, np.linalg.inv(P), float(log_mass.sum() + (ratio + nu @ toward @ m) / 2)


@pytest.mark.parametrize(
    ("link", "tie", "people"),
    [
        (BradleyTerry._link, None, {}),
        (BradleyTerry._link, -0.3, {"ties": 0.7}),
        (Thurstone._link, None, {"probit": True}),
        (Thurstone._link, 0.4, {"probit": True, "ties": 0.4}),
    ],
)
def test_all_sites_at_once_reach_the_fixed_point_of_one_by_one(link: Any, tie: Any, people: Any) -> None:
    """Mean, covariance and evidence are those of sequential EP with adaptive integrals, with and without ties."""
    answers = answers_of(comparisons(WORTH, 25, 3, **people), link, tie)
    prior = Prior(0.3, 5)
    mean, covariance, evidence = one_by_one(answers, prior, sweeps=8)
    found = propagated(answers, prior)
    np.testing.assert_allclose(found.mean, mean, atol=2e-4)
    P = Prior(0.3, 5).matrix()
    np.add.at(P, (answers.graph.first, answers.graph.first), found.tau)
    np.add.at(P, (answers.graph.second, answers.graph.second), found.tau)
    np.subtract.at(P, (answers.graph.first, answers.graph.second), found.tau)
    np.subtract.at(P, (answers.graph.second, answers.graph.first), found.tau)
    np.testing.assert_allclose(np.linalg.inv(P), covariance, atol=5e-4)
    assert found.evidence == pytest.approx(evidence, abs=1e-3)


def test_two_items_are_exact() -> None:
    """With one pair, mean, variance and evidence are those of the integral over the difference itself."""
    answers = answers_of(Preferences.from_pairs([(0, 1)] * 7 + [(1, 0)] * 2))
    prior = Prior(0.2, 2)
    found = propagated(answers, prior)

    def density(d: float, power: int) -> float:
        return float(d**power * np.exp(7 * d - 9 * np.logaddexp(0, d) - d**2 / 20) / np.sqrt(20 * np.pi))

    mass, one, two = (quad(density, -40, 40, args=(power,), limit=400)[0] for power in range(3))
    assert found.mean[0] - found.mean[1] == pytest.approx(one / mass, rel=2e-4)
    assert found.pair_sd[0] ** 2 == pytest.approx(two / mass - (one / mass) ** 2, rel=1e-3)
    assert found.evidence == pytest.approx(np.log(mass), abs=1e-4)


def test_the_posterior_is_that_of_importance_sampling() -> None:
    """Means and standard deviations of five items are those of the posterior itself to a few percent."""
    preferences = rounds(np.append(WORTH, 0.0), 6, 1)
    answers, prior = answers_of(preferences), Prior(0.15, 6)
    found = propagated(answers, prior)
    C = np.linalg.inv(found.hessian(answers).matrix())
    rng = np.random.default_rng(0)
    root = np.linalg.cholesky(1.6 * C)
    noise = rng.standard_normal((200_000, 6))
    stretch = np.sqrt(5 / rng.chisquare(5, (200_000, 1)))
    x = found.mean + (noise * stretch) @ root.T
    d = x[:, answers.graph.first] - x[:, answers.graph.second]
    log_target = answers.link.log_likelihood(d, answers.weight[:, None, :], None).sum(axis=1)
    log_target -= 0.15 * (x**2).sum(axis=1) / 2
    distance = ((x - found.mean) @ np.linalg.inv(1.6 * C) * (x - found.mean)).sum(axis=1)
    log_weight = log_target + (5 + 6) / 2 * np.log1p(distance / 5)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    mean = weight @ x
    sd = np.sqrt(weight @ (x - mean) ** 2)
    np.testing.assert_allclose(found.mean, mean, atol=0.05)
    np.testing.assert_allclose(np.sqrt(np.diag(C)), sd, rtol=0.05)


@pytest.mark.parametrize("features", [None, np.array([[1.0], [0.5], [0.0], [-0.5], [-1.0]])])
def test_the_slope_is_that_of_the_evidence(features: Any) -> None:
    """The derivative of the log evidence by log scale agrees with finite differences, with features and without."""
    answers = answers_of(comparisons(WORTH, 40, 5))

    def at(t: float) -> Propagation:
        return propagated(answers, Prior(float(np.exp(-2 * t)), 5, features))

    for t in (-0.5, 0.7):
        slope = (at(t + 1e-3).evidence - at(t - 1e-3).evidence) / 2e-3  # type: ignore[operator]
        assert at(t).gradient == pytest.approx(slope, abs=2e-3)


def test_the_bar_has_a_prior_of_its_own() -> None:
    """Its precision takes no part in the slope by the scale, and features leave it alone."""
    answers = answers_of(comparisons(WORTH, 40, 5))
    X = np.array([[1.0], [0.5], [-0.5], [-1.0], [0.0]])

    def at(t: float) -> Propagation:
        return propagated(answers, Prior(float(np.exp(-2 * t)), 5, X, bar_precision=0.1))

    slope = (at(0.301).evidence - at(0.299).evidence) / 2e-3  # type: ignore[operator]
    assert at(0.3).gradient == pytest.approx(slope, abs=2e-3)
    prior = Prior(2.0, 5, X, bar_precision=0.1)
    assert prior.matrix()[-1, -1] == pytest.approx(0.1)
    assert prior.log_determinant == pytest.approx(np.linalg.slogdet(prior.matrix())[1])
    C = np.linalg.inv(prior.matrix())
    assert prior.pair_variance(np.array([0]), np.array([4]))[0] == pytest.approx(
        C[0, 0] + C[4, 4] - 2 * C[0, 4]
    )


@pytest.mark.parametrize("answered", [4, 12])
def test_drawn_variances_lead_to_nearly_the_same(answered: int) -> None:
    """Means are off by a small part of their standard deviation, and the slope by a small part of its size."""
    worth = 2 * np.random.default_rng(1).standard_normal(300)
    answers, prior = answers_of(rounds(worth, answered, 3)), Prior(0.25, 300)
    start = sites_at(answers, np.zeros(300))
    exact = propagate(answers, prior, *start, Exact(), tolerance=1e-6)
    drawn = propagate(answers, prior, *start, Drawn(), tolerance=5e-3)
    sd = np.sqrt(np.diag(np.linalg.inv(exact.hessian(answers).matrix())))
    assert np.sqrt((((drawn.mean - exact.mean) / sd) ** 2).mean()) < 0.1
    assert drawn.gradient == pytest.approx(exact.gradient, abs=0.05 * 300)
    np.testing.assert_allclose(drawn.pair_sd, exact.pair_sd, rtol=0.35)


def test_huge_and_one_sided_counts_converge() -> None:
    """Counts of millions, items that never lose, and both together have finite sites that are not negative."""
    cases = [
        Preferences.from_pairs([(0, 1), (1, 0)], weight=[5e6, 1e6]),
        Preferences.from_pairs([(0, 1), (1, 2)], weight=[1e4, 1.0]),
        Preferences.from_pairs([(0, 1), (1, 2), (2, 0)], weight=[1e-3, 1e3, 5.0]),
        Preferences.from_pairs([(0, i) for i in range(1, 30)] * 50),
    ]
    for preferences in cases:
        answers = answers_of(preferences)
        prior = Prior(0.1, preferences.n_items)
        mode = maximise(NO_TOTALS.plus(preferences), answers.link, prior).scores
        found = propagate(answers, prior, *sites_at(answers, mode), Exact(), tolerance=1e-6)
        assert (found.tau >= 0).all()
        assert np.isfinite(found.mean).all()
        assert found.evidence is not None
        assert np.isfinite(found.evidence)


def test_quadrature_is_of_the_normal_distribution() -> None:
    """Weights sum to the mass of e^{x²/2} times the normal density, and powers have their moments."""
    for count in (7, 31):
        x, log_weight = hermite(count)
        weight = np.exp(log_weight - x * x / 2)
        assert weight.sum() == pytest.approx(1)
        assert weight @ x**2 == pytest.approx(1)
        assert weight @ x**4 == pytest.approx(3)


def test_log_likelihoods_are_those_of_the_outcomes() -> None:
    """Both links agree with the logarithm of their probabilities, and stay finite far away from 0."""
    d = np.linspace(-6, 6, 25)
    one = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    for link, tie in ((BradleyTerry._link, 0.3), (Thurstone._link, 0.6)):
        outcomes = link.outcomes(d, tie)
        for column, weight in zip((0, 2, 1), one, strict=True):
            told = link.log_likelihood(d, weight[:, None] * np.ones(25), tie)
            np.testing.assert_allclose(told, np.log(outcomes[:, column]), atol=1e-9)
            far = link.log_likelihood(np.array([-60.0, 60.0]), weight[:, None] * np.ones(2), tie)
            assert np.isfinite(far).all()
    won = Thurstone._link.log_likelihood(d, one[0][:, None] * np.ones(25), None)
    np.testing.assert_allclose(won, log_ndtr(d / np.sqrt(2)))


def test_learning_the_scale_is_symmetric() -> None:
    """Turning all answers round turns the scores round; renaming items permutes them."""
    preferences = comparisons(WORTH, 60, 8)
    pairs = preferences.pairs()
    turned = Preferences.from_pairs(pairs[:, ::-1], items=range(5))
    model, other = BradleyTerry().fit(preferences), BradleyTerry().fit(turned)
    np.testing.assert_allclose(model.scores_, -other.scores_, atol=1e-6)
    np.testing.assert_allclose(model.interval()[:, 0], -other.interval()[:, 1], atol=1e-6)
    order = np.array([3, 0, 4, 1, 2])
    renamed = BradleyTerry().fit(Preferences.from_pairs(order[pairs], items=range(5)))
    np.testing.assert_allclose(renamed.scores_[order], model.scores_, atol=1e-6)


def test_no_answers_leave_the_prior() -> None:
    """Without answers, scores are 0 and their spread is that of the scale's prior."""
    found = learn_scale(NO_TOTALS, BradleyTerry._link, lambda precision: Prior(precision, 4))
    np.testing.assert_allclose(found.middle.mean, 0)
    assert 1.5 < found.middle.prior.precision**-0.5 < 5
