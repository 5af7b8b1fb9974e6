"""Dense live beliefs of Gaussian processes: where they start, and how their means are explained."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from penchant.checks import Floats
from penchant.gp.inference.attribution import Explanation
from penchant.gp.inference.explained_mixture import ExplainedMixture
from penchant.gp.inference.live_data import LiveData
from penchant.online import OnlineMixture
from tests.gp.live import FEATURES, IDS, N, preferences

POINTS = FEATURES.to_numpy()
OWN = 0.1
K = np.exp(-((POINTS[:, None] - POINTS) ** 2).sum(axis=2) / 2) + OWN * np.eye(N)
FACTORS = (0.5, 1.0, 2.0)


class Whole:
    """Explains a difference by a feature and the answers: a tenth of each item's variance is its own."""

    def explain_mixture(self, loads: Sequence[Floats], a: int, b: int) -> Explanation:
        smooth = K - OWN * np.eye(N)
        means = [factor * smooth @ load[:N] for factor, load in zip(FACTORS, loads, strict=True)]
        mean = POINTS[:, 0] + np.sum(means, axis=0)
        return Explanation([("shape", float(mean[a] - mean[b]))], [], [])

    def own_variances(self, a: int, b: int) -> Floats:
        return np.multiply.outer(FACTORS, (OWN, OWN))

    def chosen(self, components: Sequence[int]) -> Whole:
        return self

    def state(self) -> dict[str, object]:
        return {}


class Explained(ExplainedMixture):
    @staticmethod
    def _parts_of(state: object) -> Whole:
        return Whole()


def started(count: int) -> Explained:
    return Explained.started(
        LiveData.of(preferences(count)),
        K,
        Whole(),
        noise=0.5,
        tie=0.2,
        mean=POINTS[:, 0],
        factors=FACTORS,
        weights=(0.2, 0.5, 0.3),
        bar_variance=1.5,
        model="here",
    )


def test_it_starts_where_sweeps_over_all_pairs_end() -> None:
    """Accelerated sweeps end at the fixed point of `OnlineMixture`, whose own take longer where items depend."""
    data = LiveData.of(preferences(80))
    plain = OnlineMixture.from_prior(
        IDS,
        K + 1e-6 * K.diagonal().mean() * np.eye(N),
        noise=0.5,
        mean=POINTS[:, 0],
        tie=0.2,
        factors=FACTORS,
        weights=(0.2, 0.5, 0.3),
        bar_variance=1.5,
    )
    pairs, totals = data.totals()
    plain.begin(pairs, totals, counts=data.counts)
    made = started(80)
    np.testing.assert_allclose(made.mean, plain.mean, atol=2e-3)
    np.testing.assert_allclose(made.variance(), plain.variance(), rtol=2e-3)


def test_each_component_may_have_its_own_covariance() -> None:
    """Three multiples of one matrix give the belief of three factors of it."""
    data = LiveData.of(preferences(80))
    several = Explained.started(
        data,
        np.multiply.outer(FACTORS, K),
        Whole(),
        noise=0.5,
        tie=0.2,
        mean=POINTS[:, 0],
        weights=(0.2, 0.5, 0.3),
        bar_variance=np.multiply(FACTORS, 1.5),
        model="here",
    )
    factors = started(80)
    for belief in (several, factors):
        for answer in ((3, 8, 0), (2, 5, 2), (1, 9, 3)):
            belief.answer(*answer)
    np.testing.assert_allclose(several.mean, factors.mean, atol=1e-6)
    np.testing.assert_allclose(several.covariance(), factors.covariance(), atol=1e-6)
    again = Explained.from_state(several.state())
    assert again.answer(0, 1, 0) == several.answer(0, 1, 0)


def test_without_answers_it_is_the_prior() -> None:
    """Mean and covariance are those given, at the mean of the factors."""
    made = started(0)
    np.testing.assert_allclose(made.mean, POINTS[:, 0])
    np.testing.assert_allclose(made.covariance(), 1.2 * K, atol=1e-5)


def test_explanations_add_up_and_name_the_bar() -> None:
    """Answers explain what items have of their own, by the posterior covariance; the row of the bar is −1."""
    made = started(80)
    for _ in range(3):
        made.answer(2, 4, 3)
    found = made.explain(4, 9)
    assert found.total == pytest.approx(made.mean[4] - made.mean[9], abs=1e-12)
    expected, own = np.zeros(made._n_pairs), np.zeros(N + 1)
    pairs, prior = made._pairs[: made._n_pairs], np.append(POINTS[:, 0], 0.0)
    contrasts = np.eye(N + 1)[pairs[:, 0]] - np.eye(N + 1)[pairs[:, 1]]
    wide = np.diag(np.full(N + 1, 1.5))
    wide[:N, :N] = K
    for factor, weight, sites in zip(FACTORS, made.weights_, made._sites, strict=True):
        tau, nu = sites[: len(pairs), :2].T
        own[[4, 9]] = factor * OWN, -factor * OWN
        precision = contrasts.T @ (tau[:, None] * contrasts)
        covariance = np.linalg.inv(np.linalg.inv(factor * wide) + precision)
        own_covariance = own - own @ precision @ covariance
        expected += weight * (nu - tau * (contrasts @ prior)) * (contrasts @ own_covariance)
    answers = {(first, second): weight for first, second, weight in found.answers}
    named = [tuple(pair) for pair in np.where(pairs < N, pairs, -1).tolist()]
    np.testing.assert_allclose([answers[pair] for pair in named], expected, atol=1e-4)
    assert answers[4, -1] < 0
