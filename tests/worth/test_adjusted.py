"""Covariates of comparisons: published values, a plain reference, errors by judge, and clear messages."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted
from penchant.saving import from_bytes, to_bytes
from penchant.worth import BradleyTerry, Thurstone
from tests.worth.row_reference import baseball, covariance, design, newton, votes, with_ties

BOTH = ("length", "lists")


def test_the_home_advantage_of_baseball_is_the_published_one() -> None:
    """0.3023 with standard error 0.1309, and the abilities beside it (Agresti 2002; BradleyTerry2's vignette)."""
    model = BradleyTerry(prior=0).fit(baseball(), side=True)
    effects = model.effects_
    assert effects.names == ("side",)
    assert effects.estimate[0] == pytest.approx(0.3023, abs=5e-5)
    assert effects.error[0] == pytest.approx(0.1309, abs=5e-5)
    assert effects.p[0] == pytest.approx(0.021, abs=5e-4)
    published = {
        "Boston": (1.1438, 0.3378),
        "Cleveland": (0.7047, 0.3350),
        "Detroit": (1.4754, 0.3446),
        "Milwaukee": (1.6196, 0.3474),
        "New York": (1.2813, 0.3404),
        "Toronto": (1.3271, 0.3403),
    }
    score = dict(zip(model.items_, model.mean, strict=True))
    for team, (ability, error) in published.items():
        assert score[team] - score["Baltimore"] == pytest.approx(ability, abs=5e-5)
        low, high = model.difference_interval(team, "Baltimore")
        assert (high - low) / 2 / 1.959964 == pytest.approx(error, abs=5e-5)


@pytest.mark.parametrize("prior", [0.0, 0.3])
def test_scores_effects_and_errors_are_those_of_the_full_design_matrix(prior: float) -> None:
    """Newton's method on all columns gives the same estimates and the same inverse of the Hessian."""
    prefs = votes(weights=True)
    model = BradleyTerry(prior=prior).fit(prefs, covariates=BOTH, side=True)
    theta, hessian = newton(prefs, BOTH, True, prior)
    expected = covariance(hessian, 5)
    np.testing.assert_allclose(model.scores_, theta[:5] - theta[:5].mean(), atol=1e-7)
    np.testing.assert_allclose(model.effects_.estimate, theta[5:], rtol=1e-6)
    np.testing.assert_allclose(model.effects_.error, np.sqrt(np.diag(expected)[5:]), rtol=1e-6)
    np.testing.assert_allclose(model.covariance(), expected[:5, :5], atol=1e-7)


@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
def test_ties_are_fitted_beside_covariates(kind: Any) -> None:
    """The log posterior written out row by row has the same maximum."""
    prefs = votes(120, 4, ties=True, weights=True)
    model = kind(prior=0.2).fit(prefs, covariates=BOTH, side=True)
    theta = with_ties(prefs, BOTH, True, 0.2, kind.__name__)
    np.testing.assert_allclose(model.scores_, theta[:4], atol=1e-4)
    np.testing.assert_allclose(model.effects_.estimate, theta[4:-1], rtol=2e-3, atol=1e-5)
    assert model.tie_ == pytest.approx(theta[-1], abs=1e-4)


def test_covariates_without_effect_leave_the_scores_as_they_are() -> None:
    """A covariate of pure noise changes scores of the learned prior by little, and its test sees nothing."""
    prefs = votes(4000, 6, effects=(0.0, 0.0))
    plain = BradleyTerry().fit(prefs.without("covariates"))
    adjusted = BradleyTerry().fit(prefs, covariates=BOTH)
    np.testing.assert_allclose(adjusted.mean, plain.mean, atol=0.03)
    np.testing.assert_allclose(adjusted.interval(), plain.interval(), atol=0.03)
    assert (adjusted.effects_.p > 0.001).all()


def test_the_ranking_is_adjusted_for_the_covariate() -> None:
    """An item whose answers are long wins by length alone: adjusted, it is where it belongs."""
    rng = np.random.default_rng(1)
    left, right = rng.integers(4, size=(2, 6000))
    left, right = left[left != right], right[left != right]
    length = 2.0 * ((left == 3) * 1.0 - (right == 3)) + rng.normal(size=len(left))
    worth = np.array([1.0, 0.5, 0.0, -0.5])
    won = rng.random(len(left)) < 1 / (1 + np.exp(-(worth[left] - worth[right] + length)))
    prefs = Preferences.from_answers(
        left, right, np.where(won, "left", "right").tolist(), covariates={"length": length}
    )
    assert BradleyTerry().fit(prefs).rank().items[0] == "3"
    model = BradleyTerry().fit(prefs, covariates=["length"])
    assert model.rank().items == ("0", "1", "2", "3")
    np.testing.assert_allclose(model.mean, worth - worth.mean(), atol=0.12)
    assert model.effects_.estimate[0] == pytest.approx(1, abs=0.1)


def test_errors_by_judge_are_those_of_a_sandwich() -> None:
    """Many judges: the covariance is H⁻¹ Σ u uᵀ H⁻¹ up to the small correction for few clusters."""
    prefs = votes(4000, 4, judges=400)
    model = BradleyTerry(prior=0, errors="judge").fit(prefs, covariates=BOTH, side=True)
    theta, hessian = newton(prefs, BOTH, True, 0.0)
    X = design(prefs, BOTH, True)
    slope = X * (1 / (1 + np.exp(X @ theta)))[:, None]
    summed = np.array([slope[prefs.judge == number].sum(axis=0) for number in range(400)])
    expected = covariance(hessian, 4, summed.T @ summed)
    np.testing.assert_allclose(model.effects_.error, np.sqrt(np.diag(expected)[4:]), rtol=0.03)
    np.testing.assert_allclose(np.sqrt(model.variance()), np.sqrt(np.diag(expected)[:4]), rtol=0.03)
    by_model = BradleyTerry(prior=0, errors="model").fit(prefs, covariates=BOTH, side=True)
    assert model.effects_.error[2] > 1.5 * by_model.effects_.error[2]  # judges lean to a side


def test_a_weight_is_a_repetition_also_in_errors_by_row() -> None:
    """A row of weight 3 is three rows, each a cluster of its own."""
    prefs = votes(200, 4, weights=True)
    assert prefs.weight is not None
    repeated = prefs[np.repeat(np.arange(len(prefs)), prefs.weight.astype(int))].without("weight")
    one, many = (
        BradleyTerry(prior=0.1, errors="row").fit(rows, covariates=BOTH).effects_
        for rows in (prefs, repeated)
    )
    np.testing.assert_allclose(one.estimate, many.estimate, rtol=1e-6)
    np.testing.assert_allclose(one.error, many.error, rtol=1e-6)


def test_many_items_are_fitted_without_a_dense_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """By conjugate gradients and draws the result is that of the dense solution, up to the error of the draws."""
    prefs = votes(1500, 12)
    dense = BradleyTerry(prior=0.3).fit(prefs, covariates=BOTH, side=True)
    variance, error = dense.variance(), dense.effects_.error
    monkeypatch.setattr("penchant.worth.inference.row_newton._DIRECT_ITEMS", 3)
    monkeypatch.setattr("penchant.worth.inference.row_posterior.DENSE_ITEMS", 3)
    sparse = BradleyTerry(prior=0.3).fit(prefs, covariates=BOTH, side=True)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-6)
    np.testing.assert_allclose(sparse.effects_.error, error, rtol=1e-6)
    np.testing.assert_allclose(sparse.variance(), variance, rtol=0.08)


@pytest.mark.parametrize("prior", [0.0, 0.5, "learned"])
def test_update_equals_fitting_all_at_once(prior: float | str) -> None:
    """Rows are kept, so that more of them give what a fit to all gives; a new item comes in as well."""
    prefs = votes(300, 5, judges=20)
    first, second = prefs[:200], prefs[200:]
    whole = BradleyTerry(prior, errors="judge").fit(prefs, covariates=BOTH, side=True)
    parts = BradleyTerry(prior, errors="judge").fit(first, covariates=BOTH, side=True).update(second)
    np.testing.assert_allclose(parts.scores_, whole.scores_, atol=1e-6)
    np.testing.assert_allclose(parts.effects_.error, whole.effects_.error, rtol=1e-5)
    new = Preferences.from_answers(
        [0, 6],
        [6, 0],
        ["left", "right"],
        judge=["x", "y"],
        items=range(7),
        covariates={"lists": [0, 1], "length": [1, 2]},
    )
    if prior:
        assert len(parts.update(new).items_) == 7


def test_update_without_the_covariates_is_rejected_and_changes_nothing() -> None:
    """The message names what is missing."""
    prefs = votes(200)
    model = BradleyTerry().fit(prefs, covariates=BOTH)
    before = model.scores_.copy()
    with pytest.raises(
        InvalidInput, match="covariates must name covariates of the preferences, got 'length'"
    ):
        model.update(prefs.without("covariates"))
    np.testing.assert_array_equal(model.scores_, before)
    assert model.update(prefs[:0]).effects_.names == BOTH


def test_a_saved_model_has_its_effects() -> None:
    """After loading, effects and posterior are those from before."""
    model = BradleyTerry(errors="judge").fit(votes(200, judges=30, ties=True), covariates=BOTH, side=True)
    loaded = from_bytes(to_bytes(model))
    assert isinstance(loaded, BradleyTerry)
    np.testing.assert_allclose(loaded.effects_.error, model.effects_.error)
    np.testing.assert_allclose(loaded.variance(), model.variance())
    assert to_bytes(from_bytes(to_bytes(model.effects_))) == to_bytes(model.effects_)


def test_the_score_of_held_out_rows_counts_their_covariates() -> None:
    """Answers that covariates decide are predicted better with them than without."""
    prefs = votes(2000)
    train, test = prefs[:1000], prefs[1000:]
    adjusted, plain = BradleyTerry().fit(train, covariates=BOTH, side=True), BradleyTerry().fit(train)
    assert adjusted.score(test) > plain.score(test) + 0.02


def test_a_model_without_covariates_says_how_to_get_effects() -> None:
    """The message names the call."""
    with pytest.raises(NotFitted, match=re.escape("call fit(preferences, covariates=names)")):
        _ = BradleyTerry().fit(votes(50)).effects_


def test_both_bad_answers_have_no_side() -> None:
    """They raise the bar, and say nothing about the effect."""
    prefs = votes(300, 4)
    bad = Preferences.from_answers(
        [0, 1, 2],
        [1, 2, 3],
        ["both_bad"] * 3,
        items=range(4),
        covariates={"lists": [1, 2, 3], "length": [9, 9, 9]},
    )
    model = BradleyTerry(0.1).fit(prefs + bad, covariates=BOTH, side=True)
    plain = BradleyTerry(0.1).fit(prefs, covariates=BOTH, side=True)
    np.testing.assert_allclose(model.effects_.estimate, plain.effects_.estimate, rtol=0.02)
    assert model.rank().threshold is not None
    assert model.mean.sum() == pytest.approx(0, abs=1e-8)
