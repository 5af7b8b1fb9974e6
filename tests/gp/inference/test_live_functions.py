"""Live beliefs of `PreferenceGP` and `MonotoneGP`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.gp import MonotoneGP, PreferenceGP, SquaredExponential
from penchant.gp.inference import live_functions
from tests.gp.live import FEATURES, IDS, LINKS, UTILITY, N, check_live, decided, preferences

MODELS = {
    "PreferenceGP": PreferenceGP(),
    "PreferenceGP, logit": PreferenceGP(likelihood="logit", indifference=0.2),
    "MonotoneGP": MonotoneGP(increasing=["range", "battery"], decreasing="price"),
    "MonotoneGP, lifted": MonotoneGP(increasing="range", lift={"price": "log"}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("count", [0, 5, 80])
def test_it_is_a_live_belief(name: str, count: int) -> None:
    """From no answers, a few or many."""
    check_live(MODELS[name].live(preferences(count), features=FEATURES))


@pytest.mark.parametrize("name", MODELS)
def test_the_result_depends_on_the_arguments_alone(name: str) -> None:
    """Two calls give the same bytes, whatever the order of a frame's rows."""
    once = MODELS[name].live(preferences(60), features=FEATURES)
    again = MODELS[name].live(preferences(60), features=FEATURES.iloc[::-1])
    assert once.mean.tobytes() == again.mean.tobytes()
    assert not hasattr(MODELS[name], "n_features_in_")


@pytest.mark.parametrize("name", MODELS)
def test_it_learns_the_utility(name: str) -> None:
    """After 200 answers the means are close to the true utilities."""
    belief = MODELS[name].live(preferences(200), features=FEATURES)
    assert np.corrcoef(belief.mean, UTILITY)[0, 1] > 0.9


def test_a_preference_gp_is_the_fitted_one() -> None:
    """With a kernel that is kept, mean and covariance are those of `fit_pairs`, within 0.01 sd."""
    model = PreferenceGP(SquaredExponential(1.2, 2.0), optimizer=None, noise=0.5, mean=[0.5, 0.0, 0.0])
    belief = model.live(decided(80), features=FEATURES)
    mean, covariance = model.fit_pairs(FEATURES, decided(80)).predict(FEATURES, return_cov=True)
    sd = np.sqrt(covariance.diagonal())
    assert np.abs((belief.mean - mean) / sd).max() < 0.01
    np.testing.assert_allclose(belief.covariance(), covariance, atol=0.01 * sd.max() ** 2)
    assert belief.noise_ == 0.5


def test_a_preference_gp_averages_over_kernels_as_a_fit_does() -> None:
    """The first kernel is that of a fit to the same answers, and means and sds of the mixture are close to its."""
    fitted = PreferenceGP().fit_pairs(FEATURES, decided(80))
    belief: Any = PreferenceGP().live(decided(80), features=FEATURES)
    np.testing.assert_allclose(belief._parts.priors[0].kernel.theta, fitted.kernel_.theta, atol=1e-6)
    mean, sd = fitted.predict(FEATURES, return_std=True)
    apart = belief.mean - mean
    assert np.abs((apart - apart.mean()) / sd).max() < 0.05
    np.testing.assert_allclose(np.sqrt(belief.variance()), sd, rtol=0.05)


@pytest.mark.parametrize("name", ["PreferenceGP", "MonotoneGP"])
def test_many_items_have_fewer_components(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 9 kernels for few items and 3 for more, before and after learning, with about the same sds."""
    model = MODELS[name]
    for count in (0, 80):
        few = model.live(preferences(count), features=FEATURES)
        assert 3 < len(few.weights_) <= live_functions.MOST_COMPONENTS
        monkeypatch.setattr(live_functions, "FEW_ITEMS", N - 1)
        many = model.live(preferences(count), features=FEATURES)
        monkeypatch.undo()
        assert len(many.weights_) <= live_functions.MOST_COMPONENTS_OF_MANY
        ratio = np.sqrt(many.variance() / few.variance())
        assert 0.7 < ratio.mean() < 1.3


@pytest.mark.parametrize("name", MODELS)
def test_before_enough_answers_it_has_the_prior_of_the_hyperparameters(name: str) -> None:
    """A few answers weigh the kernels of the prior mixture, and its variance is at least the usual 4 noise²."""
    empty, few = (MODELS[name].live(preferences(count), features=FEATURES) for count in (0, 5))
    assert len(empty.weights_) > 1
    assert (empty.variance() / empty.noise_**2 > 4).all()
    assert np.abs(few.weights_ - empty.weights_).max() > 1e-3


@pytest.mark.parametrize("name", MODELS)
def test_a_tie_is_possible_before_the_first_one(name: str) -> None:
    """It has a small probability, which falls with the answers; a given indifference of 0 has none."""
    model = MODELS[name]
    if getattr(model, "indifference", None) is not None:
        assert PreferenceGP(indifference=0.0).live(decided(30), features=FEATURES).tie_ is None
        return
    chances = [
        model.live(decided(count), features=FEATURES).outcome_probabilities(0, 1)[2] for count in (0, 30, 100)
    ]
    assert 0.1 > chances[0] > chances[1] > chances[2] > 0


def test_what_was_learned_is_attributed_to_answers() -> None:
    """Contributions of a monotone utility add up to the difference of two means, less that of the prior means."""
    belief: Any = MODELS["MonotoneGP"].live(preferences(80), features=FEATURES)
    prior = belief._parts.priors[0].mean(FEATURES.to_numpy())
    for a, b in ((3, 7), (11, 20)):
        total = sum(weight for *_, weight in belief.contributions(a, b))
        assert total == pytest.approx(belief.mean[a] - belief.mean[b] - (prior[a] - prior[b]), abs=1e-8)


def coverage(kind: str, n_runs: int, n_answers: int) -> float:
    """Return how often the 95 % intervals of items, relative to their mean, hold the truth.

    Utilities rise along three features, linearly or curved, and may have parts that features do not explain.
    """
    rng, held = np.random.default_rng(5), []
    for run in range(n_runs):
        X = rng.uniform(size=(20, 3))
        size = (1.0, 2.0, 4.0)[run % 3]
        columns = (
            X if kind == "linear" else np.column_stack([X[:, 0] ** 2, np.sqrt(X[:, 1]), np.tanh(3 * X[:, 2])])
        )
        utility = columns @ rng.uniform(0.3, 1, 3)
        utility = size * (utility - utility.mean()) / utility.std()
        if kind == "residual":
            utility = utility + 0.4 * size * rng.normal(size=20)
        pairs = np.array([rng.choice(20, 2, replace=False) for _ in range(n_answers)])
        rated = utility[pairs] + rng.normal(size=pairs.shape)
        pairs = np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])
        given = Preferences.from_pairs(pairs.tolist(), items=range(20))
        belief: Any = MonotoneGP(increasing=[0, 1, 2]).live(given, features=X)
        drawn = belief.sample(600, seed=1) / belief.noise_
        drawn -= drawn.mean(axis=1, keepdims=True)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        truth = utility - utility.mean()
        held.append(((low <= truth) & (truth <= high)).mean())
    return float(np.mean(held))


@pytest.mark.parametrize("kind", ["linear", "curved", "residual"])
@pytest.mark.parametrize("n_answers", [14, 60])
def test_intervals_of_a_monotone_utility_hold_the_truth(kind: str, n_answers: int) -> None:
    """Intervals of 95 % hold it in at least 88 % of cases, also where a line separates all answers."""
    assert coverage(kind, 12, n_answers) > 0.88


def test_without_answers_a_monotone_utility_rises() -> None:
    """Along an increasing feature the mean rises and along a decreasing one it falls, by ⅓ over its range each."""
    frame = pd.DataFrame({"range": [0.0, 300, 0, 0], "battery": [5.0, 5, 9, 5], "price": [2.0, 2, 2, 8]})
    model = MonotoneGP(increasing=["range", "battery"], decreasing=["price"])
    belief = model.live(Preferences.from_pairs([], items=range(4)), features=frame)
    np.testing.assert_allclose(belief.mean[1:] - belief.mean[0], [1 / 3, 1 / 3, -1 / 3])
    assert dict(belief.explain(1, 0).features)["range"] == pytest.approx(1 / 3)


def test_only_answers_about_different_features_are_fitted() -> None:
    """Items with equal features may be compared: a function of features learns nothing from it, and nothing fails.

    In a monotone utility each item has a part of its own.
    """
    frame = pd.DataFrame(np.repeat([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0]], N // 2, axis=0), index=IDS)
    frame.columns = list(FEATURES.columns)
    for name, least, most in (("PreferenceGP", -1e-2, 1e-2), ("MonotoneGP", 1e-2, 1.0)):
        belief = MODELS[name].live(preferences(60), features=frame)
        before = belief.mean[0] - belief.mean[1]
        belief.answer(0, 1, 0)
        assert least < belief.mean[0] - belief.mean[1] - before < most


@pytest.mark.parametrize("name", ["PreferenceGP", "MonotoneGP"])
def test_kernels_are_learned_from_a_part_of_many_items(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With kernels from 15 of the 30 items, all answers are learned, and the belief is close to that with all."""
    whole = MODELS[name].live(preferences(200), features=FEATURES)
    monkeypatch.setattr(live_functions, "LEARNED_ITEMS", 15)
    part = MODELS[name].live(preferences(200), features=FEATURES)
    assert part._n_pairs == whole._n_pairs
    assert np.corrcoef(whole.mean, part.mean)[0, 1] > 0.95


def test_limits_are_errors_that_say_what_to_do() -> None:
    """Too many items, links, a function as mean, and no features."""
    model = MODELS["MonotoneGP"]
    for arguments, message in (
        ({}, "features must be given for MonotoneGP"),
        ({"features": FEATURES, "links": LINKS}, "links must be None"),
    ):
        with pytest.raises(InvalidInput, match=message):
            model.live(preferences(20), **arguments)
    with pytest.raises(InvalidInput, match="mean"):
        PreferenceGP(mean=lambda rows: rows[:, 0]).live(preferences(20), features=FEATURES)
    many = Preferences.from_pairs([(0, 1)], items=range(2001))
    with pytest.raises(InvalidInput, match="2,000"):
        PreferenceGP().live(many, features=np.zeros((2001, 1)))
