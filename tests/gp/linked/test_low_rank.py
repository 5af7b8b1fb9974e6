"""The low-rank belief is the dense one, also where it is compressed or scaled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr

from penchant.gp import LinkedGP
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.basis import StoredBasis
from penchant.gp.linked.low_rank import Dual, LowRankBelief
from penchant.gp.linked.priors import FeaturePrior
from tests.gp.linked.reference import DenseBelief, N, answers


def test_rows_that_are_kept_move_with_each_answer(known: dict[str, np.ndarray]) -> None:
    """A row that was asked for before an answer is right after it."""
    model = LinkedGP().fit(known["features"])
    for better, worse in answers(N, 30, seed=4):
        model.covariance([0, 1])
        model.update(better, worse)
    fresh = LinkedGP().fit(known["features"]).update(*answers(N, 30, seed=4).T)
    np.testing.assert_allclose(model.covariance([0, 1]), fresh.covariance()[:2], atol=1e-12)


def test_forgetting_directions_makes_variances_larger_only(known: dict[str, np.ndarray]) -> None:
    """With few columns kept no variance is too small, and none is too large by more than is said."""
    pairs = answers(N, 400, seed=5)
    few = LinkedGP(lengthscale=0.5, most_columns=20).fit(known["features"])
    whole = LinkedGP(lengthscale=0.5).fit(known["features"])
    for better, worse in pairs:
        few.update(better, worse), whole.update(better, worse)
        if few.lost_ > 0:
            break
    assert 0 < few.lost_ < 1
    assert (few.variance() >= whole.variance() - 1e-12).all()
    assert (few.variance() <= whole.variance() + few.lost_ + 1e-12).all()
    np.testing.assert_allclose(few.mean, whole.mean, atol=1e-12)
    np.testing.assert_allclose(few.covariance().diagonal(), few.variance(), atol=1e-12)
    assert LinkedGP(lengthscale=0.5).fit(known["features"]).update(*pairs.T).lost_ == 0


def test_an_answer_far_from_belief_keeps_the_variance_sound() -> None:
    """When somebody contradicts what is believed at z = −100, variances stay positive and finite."""
    model = LinkedGP().fit(covariance=np.array([[1e4, 0.0], [0.0, 1e4]]))
    model.update([0] * 40, [1] * 40)
    model.update(1, 0)
    assert np.isfinite(model.mean).all()
    assert (model.variance() > 0).all()
    certain = LinkedGP().fit(covariance=np.diag([1e-8, 1e-8]))
    certain._belief.components[0].mean = np.array([-100.0, 0.0])
    assert (certain.update(0, 1).variance() > 0).all()


def test_a_belief_is_the_dense_one_and_comes_back_from_its_dual() -> None:
    """After 25 answers m and K are those of the dense equations; its dual on the same prior is the same belief."""
    rng = np.random.default_rng(8)
    prior = FeaturePrior(rng.normal(size=(9, 2)), scale=1.5, lengthscale=1.0)
    belief, dense = LowRankBelief(prior), DenseBelief(prior.block(np.arange(9)))
    for pair in answers(9, 25, seed=1):
        before = dense.mean[pair[0]] - dense.mean[pair[1]]
        direction = np.eye(9)[pair[0]] - np.eye(9)[pair[1]]
        log = belief.learn(Answers(pair[None], np.ones(1), np.zeros(1, dtype=bool)), Probit(1.0))
        assert log == pytest.approx(log_ndtr(before / np.sqrt(1 + direction @ dense.covariance @ direction)))
        dense.learn(*pair)
    again = LowRankBelief(prior, belief.dual())
    for each in (belief, again):
        np.testing.assert_allclose(each.mean, dense.mean, atol=1e-9)
        np.testing.assert_allclose(each.covariance(np.arange(9)), dense.covariance, atol=1e-9)
        np.testing.assert_allclose(each.variance([3, 1]), dense.covariance.diagonal()[[3, 1]], atol=1e-9)
    assert belief.rank <= 8


def test_a_scaled_belief_is_that_of_the_scaled_prior() -> None:
    """With the basis of the plain prior and a factor of 4, moments are those of four times the covariance."""
    features = np.random.default_rng(9).normal(size=(6, 2))
    items, rng = np.array([0, 2, 5]), np.random.default_rng(2)
    dual = Dual(items, rng.normal(size=3), 0.1 * rng.normal(size=(3, 2)))
    prior = FeaturePrior(features, scale=1.0, lengthscale=1.0)
    scaled = LowRankBelief.scaled(prior, dual, 4.0, StoredBasis(prior, items, np.eye(3)))
    plain = LowRankBelief(FeaturePrior(features, scale=2.0, lengthscale=1.0), dual)
    np.testing.assert_allclose(scaled.mean, plain.mean)
    np.testing.assert_allclose(scaled.covariance(np.arange(6)), plain.covariance(np.arange(6)), atol=1e-12)
    np.testing.assert_allclose(scaled.variance(), plain.variance(), atol=1e-12)
