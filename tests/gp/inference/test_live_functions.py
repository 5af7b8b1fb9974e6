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


def test_a_preference_gp_has_the_learned_kernel() -> None:
    """The kernel is that of a fit to the same answers."""
    fitted = PreferenceGP().fit_pairs(FEATURES, decided(80))
    belief: Any = PreferenceGP().live(decided(80), features=FEATURES)
    np.testing.assert_allclose(belief._parts.prior.kernel.theta, fitted.kernel_.theta, atol=1e-6)


def test_a_monotone_gp_starts_from_its_own_posterior() -> None:
    """Mean and covariance are those of ``fit_pairs(…).belief(X)``."""
    model = MODELS["MonotoneGP"]
    fitted = type(model)(**model.get_params()).fit_pairs(FEATURES, decided(80)).belief(FEATURES)
    belief = model.live(decided(80), features=FEATURES)
    np.testing.assert_allclose(belief.mean, fitted.mean, atol=1e-9)
    np.testing.assert_allclose(belief.covariance(), fitted.covariance(), atol=1e-5)
    assert belief.counts_.tolist() == fitted.counts_.tolist()


def test_without_answers_a_monotone_utility_rises() -> None:
    """Along an increasing feature the mean rises and along a decreasing one it falls, by ⅓ over its range each."""
    frame = pd.DataFrame({"range": [0.0, 300, 0, 0], "battery": [5.0, 5, 9, 5], "price": [2.0, 2, 2, 8]})
    model = MonotoneGP(increasing=["range", "battery"], decreasing=["price"])
    belief = model.live(Preferences.from_pairs([], items=range(4)), features=frame)
    np.testing.assert_allclose(belief.mean[1:] - belief.mean[0], [1 / 3, 1 / 3, -1 / 3])
    sd = np.sqrt(belief.variance())
    assert (sd > 0.5).all()
    assert dict(belief.explain(1, 0).features)["range"] == pytest.approx(1 / 3)


def test_only_answers_about_different_features_are_fitted() -> None:
    """Items with equal features may be compared: nothing is learned from it, and nothing fails."""
    frame = pd.DataFrame(np.repeat([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0]], N // 2, axis=0), index=IDS)
    frame.columns = list(FEATURES.columns)
    for model in (MODELS["PreferenceGP"], MODELS["MonotoneGP"]):
        belief = model.live(preferences(60), features=frame)
        belief.answer(0, 1, 0)
        assert belief.mean[0] - belief.mean[1] == pytest.approx(0, abs=1e-2)


def test_answers_about_more_items_are_learned_after_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a fit to 15 of the 30 items the belief about all is close to that of a fit to all."""
    model = MODELS["MonotoneGP"]
    whole = model.live(preferences(200), features=FEATURES)
    monkeypatch.setattr(live_functions, "FITTED_ITEMS", 15)
    part = model.live(preferences(200), features=FEATURES)
    assert part._n_pairs > whole._n_pairs
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
