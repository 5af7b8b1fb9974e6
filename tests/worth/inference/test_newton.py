"""The log posterior of paired comparisons: derivatives against finite differences, solutions against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant import Preferences
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.inference import newton
from penchant.worth.inference.newton import LogPosterior, maximise
from penchant.worth.inference.pairs import NO_TOTALS, PairGraph, PairTotals
from penchant.worth.inference.prior import Prior
from tests.worth.inference.noise import covariance_of
from tests.worth.simulated import comparisons

N = 6
LINKS = [BradleyTerry._link, Thurstone._link]
X = np.random.default_rng(0).normal(size=(N, 2))
PRIORS = {"plain": Prior(0.3, N), "features": Prior(0.3, N, X, 0.7, tie_precision=0.2)}
SCORES = np.random.default_rng(1).normal(size=N)
STEP = 1e-6

both_links = pytest.mark.parametrize("link", LINKS, ids=lambda link: type(link).__name__)


def totals_of(n_items: int = N, n_rows: int = 60, ties: float = 0.7) -> PairTotals:
    return NO_TOTALS.plus(comparisons(np.linspace(-1, 1, n_items), n_rows, 3, ties=ties))


def posterior_of(link: Any, prior: Prior, ties: float = 0.7) -> LogPosterior:
    totals = totals_of(ties=ties)
    return LogPosterior(link, PairGraph(totals.pairs, N), totals.weight, prior)


def value(at: LogPosterior, scores: Any, tie: float | None) -> float:
    """Return the log posterior, added up from the probabilities of the outcomes."""
    difference = scores[at.graph.first] - scores[at.graph.second]
    chances = at.link.outcomes(difference, tie)[:, [0, 2, 1]].T
    total = float((at.weight[at.weight > 0] * np.log(chances[at.weight > 0])).sum())
    total -= float(scores @ at.prior.matrix() @ scores) / 2
    return total - (0.0 if tie is None else at.prior.tie_precision * tie**2 / 2)


@both_links
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("tie", [None, 0.4])
def test_the_gradient_is_that_of_the_log_posterior(link: Any, prior: str, tie: float | None) -> None:
    """Central differences of the value, in each score and in the tie parameter, agree with the gradient."""
    at = posterior_of(link, PRIORS[prior], 0.0 if tie is None else 0.7)
    point = at.at(SCORES, tie)
    slope = [(value(at, SCORES + h, tie) - value(at, SCORES - h, tie)) / (2 * STEP) for h in STEP * np.eye(N)]
    assert_allclose(point.gradient, slope, atol=1e-6)
    if tie is None:
        assert point.tie_gradient == 0.0
        assert point.largest_gradient == pytest.approx(np.abs(slope).max())
    else:
        in_tie = (value(at, SCORES, tie + STEP) - value(at, SCORES, tie - STEP)) / (2 * STEP)
        assert point.tie_gradient == pytest.approx(in_tie, abs=1e-6)
        assert point.largest_gradient == pytest.approx(max(np.abs(slope).max(), abs(in_tie)))


@both_links
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("tie", [None, 0.4])
def test_the_hessian_is_the_slope_of_the_gradient(link: Any, prior: str, tie: float | None) -> None:
    """With the tie parameter maximised out it is H − h hᵀ / c, each from differences of the gradient."""
    at = posterior_of(link, PRIORS[prior], 0.0 if tie is None else 0.7)
    points = [(at.at(SCORES + h, tie), at.at(SCORES - h, tie)) for h in STEP * np.eye(N)]
    expected = np.column_stack([(low.gradient - high.gradient) / (2 * STEP) for high, low in points])
    if tie is not None:
        high, low = at.at(SCORES, tie + STEP), at.at(SCORES, tie - STEP)
        across = (low.gradient - high.gradient) / (2 * STEP)
        expected -= np.outer(across, across) / ((low.tie_gradient - high.tie_gradient) / (2 * STEP))
    hessian = at.at(SCORES, tie).hessian()
    assert_allclose(hessian.matrix(), expected, atol=1e-5)
    assert_allclose(hessian.product(np.eye(N)), hessian.matrix(), atol=1e-12)
    assert_allclose(hessian.product(SCORES), hessian.matrix() @ SCORES, atol=1e-12)
    assert_allclose(hessian.diagonal, np.diag(hessian.matrix()), atol=1e-12)


@both_links
@pytest.mark.parametrize("tie", [None, 0.4])
def test_noise_has_the_hessian_as_its_covariance(link: Any, tie: float | None) -> None:
    """With features, with ties and with a prior on the tie parameter."""
    hessian: Any = (
        posterior_of(link, PRIORS["features"], 0.0 if tie is None else 0.7).at(SCORES, tie).hessian()
    )
    assert_allclose(covariance_of(hessian.noise), hessian.matrix(), atol=1e-10)


@pytest.mark.parametrize("tie", [None, 0.4])
def test_damping_is_added_to_the_diagonal(tie: float | None) -> None:
    """The tie parameter's own curvature is raised too, which leaves more of the Hessian of the scores."""
    hessian: Any = (
        posterior_of(LINKS[0], PRIORS["features"], 0.0 if tie is None else 0.7).at(SCORES, tie).hessian()
    )
    damping = np.linspace(0.1, 1.0, N)
    damped = hessian.damped(damping, 2.0)
    across, c = hessian.across, hessian.tie_curvature
    expected = hessian.matrix() + np.diag(damping) + np.outer(across, across) * (1 / c - 1 / (c + 2.0))
    assert_allclose(damped.product(np.eye(N)), expected, atol=1e-12)
    assert_allclose(damped.diagonal, np.diag(expected), atol=1e-12)
    right = np.arange(N, dtype=float)
    assert_allclose(damped.solve(right, 1e-12), np.linalg.solve(expected, right), atol=1e-8)


@pytest.mark.parametrize("n_items", [N, 250])
def test_steps_are_those_of_numpy(n_items: int) -> None:
    """Few items are solved directly and many by conjugate gradients; both solve for steps that sum to 0."""
    totals = totals_of(n_items, 10 * n_items)
    at = LogPosterior(LINKS[0], PairGraph(totals.pairs, n_items), totals.weight, Prior(0.1, n_items))
    hessian = at.at(np.zeros(n_items), 0.4).hessian()
    right = np.random.default_rng(0).normal(size=n_items)
    right -= right.mean()
    assert_allclose(hessian.solve(right, 1e-12), np.linalg.solve(hessian.matrix(), right), atol=1e-7)


def test_a_singular_hessian_has_no_step() -> None:
    """Two groups that were never compared, without a prior: the step is not a number."""
    totals = NO_TOTALS.plus(Preferences.from_pairs([(0, 1), (1, 0), (2, 3), (3, 2)]))
    at = LogPosterior(LINKS[0], PairGraph(totals.pairs, 4), totals.weight, Prior(0.0, 4))
    assert np.isnan(at.at(np.zeros(4), None).hessian().solve(np.array([1.0, -1.0, 0.0, 0.0]), 1e-9)).all()


@both_links
@pytest.mark.parametrize("ties", [0.0, 0.7])
def test_the_maximum_is_where_the_gradient_vanishes(link: Any, ties: float) -> None:
    """The mode is flat, sums to 0, and no random neighbour has a larger log posterior."""
    mode = maximise(totals_of(ties=ties), link, PRIORS["plain"])
    at = posterior_of(link, PRIORS["plain"], ties)
    assert mode.converged
    assert mode.gradient < 1e-7
    assert (mode.tie is None) == (ties == 0)
    assert abs(mode.scores.sum()) < 1e-9
    top, rng = value(at, mode.scores, mode.tie), np.random.default_rng(0)
    for _ in range(20):
        assert value(at, mode.scores + 0.01 * rng.normal(size=N), mode.tie) < top


@both_links
def test_the_bar_has_a_prior_of_its_own(link: Any) -> None:
    """The maximum is found where its precision is another than that of the items; scores then do not sum to 0."""
    mode = maximise(totals_of(ties=0.0), link, Prior(20.0, N, bar_precision=0.5))
    assert mode.converged
    assert mode.gradient < 1e-7
    assert 20 * mode.scores[:-1].sum() + 0.5 * mode.scores[-1] == pytest.approx(0, abs=1e-6)


@both_links
@pytest.mark.parametrize("n_items", [1, 3])
def test_without_answers_all_scores_are_zero(link: Any, n_items: int) -> None:
    """One item, or several that were never compared, stay at the mean of the prior."""
    mode = maximise(NO_TOTALS, link, Prior(0.1, n_items))
    assert mode.scores.tolist() == [0.0] * n_items
    assert mode.tie is None
    assert mode.converged


@both_links
def test_nearly_certain_answers_still_converge(link: Any) -> None:
    """Where the curvature vanishes, damped steps lead to the finite maximum that a tiny prior leaves."""
    chain = np.column_stack([np.arange(7), np.arange(1, 8)])
    totals = NO_TOTALS.plus(Preferences.from_pairs(chain, weight=np.full(7, 1e4)))
    mode = maximise(totals, link, Prior(1e-9, 8))
    assert mode.converged
    assert (np.diff(mode.scores) < -1).all()


def test_steps_that_run_out_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode says that it did not converge, and how large a gradient is left."""
    monkeypatch.setattr(newton, "_MOST_STEPS", 1)
    mode = maximise(totals_of(ties=0.7), LINKS[0], PRIORS["plain"])
    assert not mode.converged
    assert mode.gradient > newton.TOLERANCE
