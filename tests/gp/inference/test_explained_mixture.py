"""Dense live beliefs of Gaussian processes: where they start, and their means in the dual form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from penchant.gp.inference.attribution import Explanation
from penchant.gp.inference.explained_mixture import Dual, ExplainedMixture
from penchant.gp.inference.live_data import LiveData
from penchant.online import OnlineMixture
from tests.gp.live import FEATURES, IDS, N, preferences

POINTS = FEATURES.to_numpy()
K = np.exp(-((POINTS[:, None] - POINTS) ** 2).sum(axis=2) / 2) + 0.1 * np.eye(N)
FACTORS = (0.5, 1.0, 2.0)


class Whole:
    """Explains a difference by the answers alone."""

    def explain_mixture(self, duals: Sequence[Dual], a: int, b: int) -> Explanation:
        return Explanation([], [], [(*duals[0].pairs[0], 1.0), (2, N, 0.5)])

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


def test_the_mean_is_that_of_its_duals() -> None:
    """m = m₀ + Σ K_k load_k over the components, also after more answers."""
    made = started(80)
    made.answer(3, 8, 0)
    wide = np.zeros((N + 1, N + 1))
    wide[:N, :N], wide[N, N] = K, 1.5
    duals = made._duals()
    expected = POINTS[:, 0] + sum(
        (factor * wide @ dual.load)[:N] for factor, dual in zip(FACTORS, duals, strict=True)
    )
    np.testing.assert_allclose(made.mean, expected, atol=1e-4)
    assert all(len(dual.pairs) == len(dual.gradients) for dual in duals)


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
    """Whatever the parts leave out is shared among them, and the row of the bar is −1."""
    made = started(80)
    answers = made.explain(4, 9).answers
    assert sum(weight for *_, weight in answers) == pytest.approx(made.mean[4] - made.mean[9], abs=1e-12)
    assert answers[1][:2] == (2, -1)
