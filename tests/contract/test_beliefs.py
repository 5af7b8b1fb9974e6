"""Every belief is held to one contract, and the contract finds planted faults."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from penchant import Preferences, simulate, worth
from penchant.belief import NormalBelief
from penchant.gp import LinkedGP, MonotoneGP, PreferenceGP
from penchant.online import OnlineMixture, SparseBelief
from penchant.online.likelihood import AnswerLikelihood
from penchant.simulate import DenseBelief, DiagonalPropagated, GlickoRated, Propagated
from penchant.worth import (
    BradleyTerry,
    CrowdBradleyTerry,
    Elo,
    Glicko,
    Glicko2,
    PlackettLuce,
    Thurstone,
    WinRate,
)
from tests.contract.belief import N_DRAWS, BeliefContract
from tests.contract.model import N_ITEMS, judged

Make = Callable[[Preferences], Any]


def fitted(model: Any) -> Make:
    return lambda preferences: clone(model).fit(preferences)


FEATURES = np.column_stack([np.linspace(0, 1, N_ITEMS), np.cos(np.arange(N_ITEMS))])

BELIEFS: dict[str, Make] = {
    "BradleyTerry": fitted(BradleyTerry()),
    "BradleyTerry of a given prior": fitted(BradleyTerry(0.1)),
    "Thurstone": fitted(Thurstone()),
    "PlackettLuce": fitted(PlackettLuce()),
    "CrowdBradleyTerry": fitted(CrowdBradleyTerry()),
    "Elo": fitted(Elo()),
    "Glicko": fitted(Glicko()),
    "Glicko2": fitted(Glicko2()),
    "LinkedGP": lambda preferences: LinkedGP(scale=1.5).fit(n_items=N_ITEMS).learn(preferences),
    "PreferenceGP": lambda preferences: PreferenceGP(noise=0.7).fit_pairs(FEATURES, preferences).belief(),
    "MonotoneGP": lambda preferences: (
        MonotoneGP(decreasing=[0], lengthscale=0.4, scale=1.5, noise=0.7)
        .fit_pairs(FEATURES, preferences)
        .belief()
    ),
    "LinkedGP, live": lambda preferences: LinkedGP(scale=1.5).live(preferences, features=FEATURES),
    "PreferenceGP, live": lambda preferences: PreferenceGP(noise=0.7).live(preferences, features=FEATURES),
    "MonotoneGP, live": lambda preferences: MonotoneGP(
        decreasing=[0], lengthscale=0.4, scale=1.5, noise=0.7
    ).live(preferences, features=FEATURES),
    "OnlineMixture": lambda preferences: BradleyTerry().live(preferences),
    "OnlineMixture of a given prior": lambda preferences: Thurstone(0.3).live(preferences),
    "OnlineMixture of any covariance": lambda preferences: OnlineMixture.from_prior(
        map(str, range(N_ITEMS)), 2.0 * np.eye(N_ITEMS), noise=0.7
    ).learn(preferences),
    "DenseBelief": lambda preferences: DenseBelief(2.0 * np.eye(N_ITEMS)).learn(preferences),
    "Propagated": lambda preferences: Propagated(N_ITEMS, scale=1.5).learn(preferences),
    "DiagonalPropagated": lambda preferences: DiagonalPropagated(N_ITEMS, scale=1.5).learn(preferences),
    "GlickoRated": lambda preferences: GlickoRated(N_ITEMS, scale=1.5).learn(preferences),
}


class TestBeliefs(BeliefContract):
    @pytest.fixture(params=BELIEFS)
    def make(self, request: pytest.FixtureRequest) -> Make:
        return BELIEFS[request.param]


class TestWinRate(BeliefContract):
    @pytest.fixture
    def make(self) -> Make:
        return fitted(WinRate())

    def test_noise_is_in_units_of_the_mean(self, make: Make) -> None:
        """The score is the log odds against all comers: of two that met one another alone, they are opposite."""
        model = make(Preferences.from_pairs([(0, 1)] * 7 + [(1, 0)] * 3, items=range(2)))
        assert model.mean[0] == pytest.approx(-model.mean[1])
        assert model.mean[0] > 0


class TestSparseBelief(BeliefContract):
    """A belief of many items knows the covariances of compared items alone, and draws from the marginals."""

    @pytest.fixture(
        params=[AnswerLikelihood.logistic(), AnswerLikelihood("probit", 1.0)], ids=["logistic", "probit"]
    )
    def make(self, request: pytest.FixtureRequest) -> Make:
        def made(preferences: Preferences) -> SparseBelief:
            belief = SparseBelief(list(map(str, range(N_ITEMS))), request.param, precision=0.2)
            return belief.learn(preferences)

        return made

    def test_the_covariance_is_one(self, belief: SparseBelief) -> None:
        """It is symmetric, has the variances on its diagonal, and correlations between −1 and 1."""
        covariance, variance = belief.covariance(), belief.variance()
        np.testing.assert_allclose(covariance, covariance.T, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(covariance.diagonal(), variance, rtol=1e-6)
        assert (np.abs(covariance) <= np.sqrt(np.outer(variance, variance)) * (1 + 1e-9)).all()
        for bound in belief.variance_bounds():
            np.testing.assert_array_equal(bound, variance)

    def test_draws_follow_the_moments(self, belief: SparseBelief) -> None:
        """Means and variances of draws are the belief's own up to the error of drawing; draws are independent."""
        drawn = belief.sample(N_DRAWS, 3)
        error = np.sqrt(belief.variance() / N_DRAWS)
        assert (np.abs(drawn.mean(axis=0) - belief.mean) < 5 * error).all()
        np.testing.assert_allclose(drawn.var(axis=0), belief.variance(), rtol=0.15)
        assert np.abs(np.corrcoef(drawn.T) - np.eye(N_ITEMS)).max() < 0.15


def test_every_belief_is_held_to_the_contract() -> None:
    """Each public class with the moments of items is made by one of the functions above."""
    public = {
        kind
        for package in (worth, simulate)
        for name in package.__all__
        if inspect.isclass(kind := getattr(package, name)) and issubclass(kind, NormalBelief)
    }
    held = {type(make(judged())) for make in BELIEFS.values()} | {WinRate}
    missing = {kind.__name__ for kind in public - held if not inspect.isabstract(kind)}
    assert len(public) >= 10
    assert missing == set()


# -- planted faults ------------------------------------------------------------------------------------------


class CountsTwice(DenseBelief):
    def update(self, better: int, worse: int) -> Any:
        self.counts_[better] += 1
        return super().update(better, worse)


class SelectsFromTheEnd(DenseBelief):
    def variance(self, rows: Any = None) -> Any:
        return super().variance(None) if rows is None else super().variance(rows)[::-1]


class HasOtherVariances(DenseBelief):
    def variance(self, rows: Any = None) -> Any:
        return 1.1 * super().variance(rows)


class DrawsTooNarrow(DenseBelief):
    def sample(self, n_draws: int, seed: int = 0, *, rows: Any = None) -> Any:
        mean = self.mean if rows is None else self.mean[rows]
        return mean + 0.8 * (super().sample(n_draws, seed, rows=rows) - mean)


class DrawsTheSame(DenseBelief):
    def sample(self, n_draws: int, seed: int = 0, *, rows: Any = None) -> Any:
        return super().sample(n_draws, 0, rows=rows)


class HasAnotherUnit(DenseBelief):
    noise_ = 1.0


class LearnsBackwards(DenseBelief):
    def _update(self, better: int, worse: int) -> None:
        super()._update(worse, better)


class RanksBackwards(DenseBelief):
    def rank(self, **settings: Any) -> Any:
        ranking = super().rank(**settings)
        object.__setattr__(ranking, "items", ranking.items[::-1])
        return ranking


class HasABar(DenseBelief):
    def learn(self, preferences: Any, worse: Any = None) -> Any:
        decided = Preferences.from_pairs([(0, 1)], items=range(N_ITEMS))
        super().learn(decided)
        self.mean = np.append(self.mean, 0.0)
        return self


class IsWiderInPart(DenseBelief):
    def most_probable(self) -> Any:
        return DenseBelief(2 * self._covariance)


class GivesOtherArrays(DenseBelief):
    def chooser_arrays(self) -> Any:
        return self.mean, self.variance(), 2 * self.covariance()


class HasNoNoise(DenseBelief):
    noise_ = float("nan")


FAULTS = {
    CountsTwice: "test_everything_has_one_row_an_item",
    SelectsFromTheEnd: "test_rows_select",
    HasOtherVariances: "test_the_covariance_is_one",
    DrawsTooNarrow: "test_draws_follow_the_moments",
    DrawsTheSame: "test_draws_are_reproducible_and_select_rows",
    HasAnotherUnit: "test_noise_is_in_units_of_the_mean",
    LearnsBackwards: "test_learning_moves_the_belief",
    RanksBackwards: "test_the_ranking_is_of_the_means",
    HasABar: "test_the_bar_has_no_row",
    IsWiderInPart: "test_the_most_probable_component_has_moments",
    GivesOtherArrays: "test_arrays_for_the_chooser_are_its_moments",
    HasNoNoise: "test_asking_and_stopping_take_it",
}


def run(kind: type, name: str) -> None:
    """Run one test of the contract on a belief."""

    def make(preferences: Preferences) -> Any:
        return kind(2.0 * np.eye(N_ITEMS)).learn(preferences)

    test = getattr(BeliefContract(), name)
    given = {"belief": lambda: make(judged()), "make": lambda: make}
    test(**{argument: given[argument]() for argument in inspect.signature(test).parameters})


@pytest.mark.parametrize(
    ("kind", "name"), FAULTS.items(), ids=lambda value: getattr(value, "__name__", value)
)
def test_the_contract_finds_planted_faults(kind: type, name: str) -> None:
    """For each promise there is a belief that breaks it, and the suite fails on it."""
    with pytest.raises(Exception) as found:  # noqa: PT011 (whatever the test raises)
        run(kind, name)
    assert found.value is not None


def test_every_promise_has_a_planted_fault() -> None:
    """The list of faults above covers the whole contract, and the sound belief passes each of its tests."""
    promises = {name for name in vars(BeliefContract) if name.startswith("test_")}
    assert set(FAULTS.values()) == promises
    for name in promises:
        run(DenseBelief, name)
