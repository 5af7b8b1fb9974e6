"""Features as covariates of worth: what they are worth, and what they tell about items nobody asked about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted, PenchantWarning, UnknownItem
from penchant.saving import from_bytes, to_bytes
from penchant.worth import BradleyTerry, Thurstone
from tests.worth.simulated import comparisons

RNG = np.random.default_rng(8)
X = RNG.normal(size=(60, 3))
BETA = np.array([1.0, -0.5, 0.0])


def taught(Model: Any = BradleyTerry, n_rows: int = 6000, asked: int = 60, **settings: Any) -> Any:
    """A model of worths that are X β and little else; only the first ``asked`` items were asked about."""
    worth = X @ BETA + 0.1 * np.random.default_rng(9).normal(size=60)
    said = comparisons(worth[:asked], n_rows, seed=10, probit=Model is Thurstone)
    preferences = Preferences.from_pairs(said.pairs(), items=range(60))
    return Model(**{"prior": 25.0, **settings}).fit(preferences, features=X)


@pytest.mark.parametrize("Model", [BradleyTerry, Thurstone])
def test_coefficients_are_recovered(Model: Any) -> None:
    """Features that make the worth are found to make it."""
    np.testing.assert_allclose(taught(Model).coef_, BETA, atol=0.12)


def test_it_is_the_joint_maximum() -> None:
    """Worth and coefficients are those of a plain maximisation over β and residuals together."""
    from scipy.optimize import minimize

    preferences = comparisons(X[:6] @ BETA, 40, seed=1)
    model = BradleyTerry(0.5, feature_prior=2.0).fit(preferences, features=X[:6])
    centred, pairs = X[:6] - X[:6].mean(axis=0), preferences.pairs()

    def loss(point: Any) -> Any:
        beta, residual = point[:3], point[3:]
        worth = centred @ beta + residual
        fit = np.logaddexp(0, worth[pairs[:, 1]] - worth[pairs[:, 0]]).sum()
        return fit + 0.25 * residual @ residual + beta @ beta

    best = minimize(loss, np.zeros(9), tol=1e-12).x
    np.testing.assert_allclose(model.coef_, best[:3], atol=1e-4)
    np.testing.assert_allclose(model.scores_, centred @ best[:3] + best[3:], atol=1e-4)


def test_features_narrow_what_nobody_asked_about() -> None:
    """Items never compared are told apart by features, with intervals that are narrow and hold the truth."""
    model = taught(asked=50)
    plain = BradleyTerry(prior=0.1).fit(Preferences.from_pairs([(0, 1), (1, 0)], items=range(60)))
    unseen = np.arange(50, 60)
    assert np.corrcoef(model.scores_[unseen], X[unseen] @ BETA)[0, 1] > 0.95
    assert (model.variance(unseen) < 0.1 * plain.variance(unseen)).all()
    truth = (X - X.mean(axis=0)) @ BETA
    lower, upper = model.interval(0.999)[unseen].T
    assert ((lower < truth[unseen]) & (truth[unseen] < upper)).all()


def test_prediction_of_new_items() -> None:
    """A known but unasked item is predicted as it was learned, with its standard deviation."""
    model = taught(asked=50)
    worth, std = model.predict(X[50:], return_std=True)
    np.testing.assert_allclose(worth, model.scores_[50:], atol=1e-8)
    np.testing.assert_allclose(std, np.sqrt(model.variance()[50:]), rtol=0.05)
    np.testing.assert_array_equal(model.predict(X[50:]), worth)
    far = model.predict(100 * X[:1], return_std=True)[1]
    assert far[0] > 5 * std.max()


def test_a_frame_is_matched_by_id() -> None:
    """Rows of a frame in another order belong to the same items."""
    named = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")])
    frame = pd.DataFrame({"price": [3.0, 1.0, 2.0]}, index=["c", "a", "b"])
    model = BradleyTerry().fit(named, features=frame)
    sorted_model = BradleyTerry().fit(named, features=frame.loc[["a", "b", "c"]])
    np.testing.assert_array_equal(model.scores_, sorted_model.scores_)
    with pytest.raises(UnknownItem, match="got none for 'b'"):
        BradleyTerry().fit(named, features=frame.loc[["a", "c"]])


def test_many_items_with_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the posterior is drawn rather than written out, features count as much."""
    from penchant.worth import paired

    exact = taught(n_rows=300)
    monkeypatch.setattr(paired, "DENSE_ITEMS", 10)
    drawn = taught(n_rows=300)
    assert "draws" in drawn.posterior().method
    np.testing.assert_allclose(np.sqrt(drawn.variance() / exact.variance()), 1, atol=0.06)


def test_saving_and_updating() -> None:
    """Features are part of the state; known items may get more answers, new ones need a new fit."""
    model = from_bytes(to_bytes(taught(n_rows=200)))
    model.update(Preferences.from_pairs([(0, 1)], items=range(60)))
    assert model.coef_.shape == (3,)
    with pytest.raises(InvalidInput, match="got '60': fit again with the features"):
        model.update(Preferences.from_pairs([(0, 60)]))


def test_what_is_refused() -> None:
    """No prior with features, columns that do not fit, and asking for coefficients that were never learned."""
    with pytest.raises(InvalidInput, match="prior must be above 0 where features are given"):
        taught(prior=0)
    with pytest.raises(InvalidInput, match=r"features must have shape \(n, 3\), got \(2, 2\)"):
        taught(n_rows=100).predict(X[:2, :2])
    with pytest.raises(InvalidInput, match="feature of row 0, column 1 must be a finite number"):
        BradleyTerry().fit(comparisons(BETA, 9, 0), features=[[1, np.nan], [0, 1], [2, 2]])
    with pytest.warns(PenchantWarning, match="2 groups"):
        plain = BradleyTerry().fit(Preferences.from_pairs([(0, 1), (2, 3)]))
    with pytest.raises(NotFitted, match="must be fitted with features"):
        plain.predict(X)
    assert not hasattr(plain, "coef_")
