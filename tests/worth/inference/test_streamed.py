"""The log posterior of counts that are read block by block, against that of totals in memory."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.preferences import Items, PairCounter, PairCounts
from penchant.worth import BradleyTerry
from penchant.worth.inference import streamed
from penchant.worth.inference.newton import LogPosterior, PairHessian
from penchant.worth.inference.pairs import PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.streamed import StreamedHessian, StreamedLogPosterior, group_labels

N_ITEMS = 12


@pytest.fixture(params=[1, 10**8], ids=["disk", "memory"])
def counts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PairCounts:
    monkeypatch.setattr(streamed, "_BLOCK", 5)
    rng = np.random.default_rng(3)
    better = rng.integers(N_ITEMS, size=80)
    worse = (better + rng.integers(1, N_ITEMS, size=80)) % N_ITEMS
    counter = PairCounter(memory=request.param)
    counter.add(better, worse, rng.random(80) < 0.3)
    return counter.finish(Items.named(range(N_ITEMS)))


@pytest.mark.parametrize("tie", [None, -0.3])
def test_gradient_and_hessian_are_those_of_memory(counts: PairCounts, tie: float | None) -> None:
    """In blocks that end among the pairs of an item; the curvature in single precision."""
    pairs, weight = counts.arrays()
    if tie is None:
        weight[2] = 0
    prior, scores = Prior(0.5, N_ITEMS), np.linspace(-1, 1, N_ITEMS)
    graph, link = PairGraph(pairs, N_ITEMS), BradleyTerry._link
    there = StreamedLogPosterior(link, counts, prior)
    here = LogPosterior(link, graph, weight, prior)
    point, expected = there.at(scores, tie), here.at(scores, tie)
    np.testing.assert_allclose(point.gradient, expected.gradient, atol=1e-12)
    assert point.tie_gradient == pytest.approx(expected.tie_gradient, abs=1e-12)
    np.testing.assert_allclose(there.opponents(scores), here.opponents(scores), atol=1e-12)
    assert there.widest(scores) == here.widest(scores)
    hessian, wanted = point.hessian(), expected.hessian()
    assert isinstance(wanted, PairHessian)
    np.testing.assert_allclose(hessian.matrix(), wanted.matrix(), atol=1e-5)
    np.testing.assert_allclose(hessian.diagonal, wanted.diagonal, atol=1e-5)
    damping = np.full(N_ITEMS, 0.3)
    np.testing.assert_allclose(
        hessian.damped(damping, 0.2).product(scores), wanted.damped(damping, 0.2).product(scores), atol=1e-5
    )


@pytest.mark.parametrize("tie", [None, -0.3])
def test_noise_has_the_covariance_of_the_hessian(counts: PairCounts, tie: float | None) -> None:
    """Estimated from many draws, with room for their error."""
    log_posterior = StreamedLogPosterior(BradleyTerry._link, counts, Prior(0.5, N_ITEMS))
    hessian = log_posterior.at(np.zeros(N_ITEMS), tie).hessian()
    assert isinstance(hessian, StreamedHessian)
    rng, wanted = np.random.default_rng(0), hessian.matrix()
    draws = np.concatenate([hessian.noises(rng, 16) for _ in range(250)], axis=1)
    largest = float(np.abs(wanted).max())
    np.testing.assert_allclose(draws @ draws.T / draws.shape[1], wanted, atol=0.12 * largest)


def test_drawn_variances_are_near_the_inverse(counts: PairCounts) -> None:
    """The posterior of many items, on few where the inverse is known."""
    log_posterior = StreamedLogPosterior(BradleyTerry._link, counts, Prior(0.5, N_ITEMS))
    hessian = log_posterior.at(np.zeros(N_ITEMS), -0.3).hessian()
    assert isinstance(hessian, StreamedHessian)
    posterior = hessian.posterior(np.zeros(N_ITEMS, dtype=bool))
    np.testing.assert_allclose(posterior.variance(), np.diag(np.linalg.inv(hessian.matrix())), rtol=0.15)
    assert posterior.sample(20, 0).shape == (20, N_ITEMS)


def test_groups_are_those_that_comparisons_connect() -> None:
    """Whatever block a comparison is in."""
    counter = PairCounter(memory=1)
    counter.add(np.array([0, 3, 5]), np.array([3, 1, 4]))
    labels = group_labels(counter.finish(Items.named(range(6))))
    assert labels[0] == labels[3] == labels[1]
    assert labels[4] == labels[5]
    assert len(set(labels.tolist())) == 3
