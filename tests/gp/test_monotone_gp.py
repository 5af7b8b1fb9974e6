"""MonotoneGP: monotone by proof, likelihoods in order, error bars, refusals in words."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted, PenchantWarning, UnknownItem
from penchant.gp import MonotoneGP
from penchant.saving import load, save, to_bytes

KEPT = {"lengthscale": 0.3, "scale": 0.3, "noise": 0.2}


def wavy(X: Any) -> Any:
    """A utility that rises in the first feature, falls in the second, and does as it likes in the others."""
    return 2 * X[:, 0] + 0.3 * np.sin(6 * X[:, 0]) - X[:, 1] ** 2 + np.cos(4 * X[:, 2:]).sum(axis=1)


def asked(n: int = 20, m: int = 60, d: int = 2, seed: int = 0, noise: float = 0.2) -> tuple[Any, Any]:
    """Random rows, and comparisons by a person with the utility `wavy` and rating noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)])
    rated = wavy(X)[pairs] + rng.normal(0, noise, pairs.shape)
    return X, np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])


def fitted(d: int = 2, seed: int = 0, **settings: Any) -> tuple[MonotoneGP, Any, Any]:
    X, pairs = asked(d=d, seed=seed)
    model = MonotoneGP(increasing=[0], decreasing=[1], **{**KEPT, **settings})
    return model.fit_pairs(X, pairs), X, pairs


# -- the algorithm ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_utility_is_monotone_where_f_map_is_not(seed: int) -> None:
    """Nowhere in the box does a slope fall below what is certified, which is above 0."""
    model, _, _ = fitted(d=3, seed=seed, lengthscale=0.15, scale=1.0)
    points = np.random.default_rng(seed).uniform(*model.box_.T, size=(20_000, 3))
    assert (model.gradient(points, alpha=0)[:, :2] * [1, -1]).min() < 0
    slopes = model.gradient(points)[:, :2] * [1, -1]
    assert (slopes >= model.certificate_.slope).all()
    assert (model.certificate_.slope > 0).all()


def test_free_features_do_as_they_like() -> None:
    """A feature that is best in the middle keeps its peak beside one that must rise."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    pairs = np.array([rng.choice(40, 2, replace=False) for _ in range(300)])
    rated = (X[:, 0] - 6 * (X[:, 1] - 0.5) ** 2)[pairs] + rng.normal(0, 0.1, pairs.shape)
    model = MonotoneGP(increasing=0).fit_pairs(
        X, np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])
    )
    line = np.column_stack([np.full(50, 0.5), np.linspace(0.05, 0.95, 50)])
    assert 0.35 < line[model.predict(line).argmax(), 1] < 0.65
    assert model.direction_.tolist() == [1, 0]
    assert model.gamma_[1] == 0


def test_the_blend_is_the_papers() -> None:
    """α* = max β̂/(γ − β̂) + 1, α̃ = min(α* + ε, 1), y = α̃ f_lin + (1 − α̃) f_MAP."""
    model, X, _ = fitted(lengthscale=0.15, scale=1.0, epsilon=0.02)
    beta, gamma = np.abs(model.beta_), model.gamma_
    assert (gamma <= 0).all()
    assert gamma.min() < 0
    assert model.alpha_star_ == pytest.approx((beta / (gamma - beta)).max() + 1)
    assert model.alpha_ == pytest.approx(model.alpha_star_ + 0.02)
    blend = model.alpha_ * model.f_lin_ + (1 - model.alpha_) * model.f_map_
    np.testing.assert_allclose(model.predict(X), blend, atol=1e-12)
    np.testing.assert_allclose(model.predict(X, alpha=0), model.f_map_, atol=1e-12)
    np.testing.assert_allclose(model.predict(X, alpha=1), X @ model.beta_, atol=1e-12)
    assert np.abs(model.beta_).sum() == pytest.approx(1)


def test_f_map_is_the_most_likely() -> None:
    """The mode, found by a solver that knows nothing of the problem: −log L(f) + ½‖f − f_lin‖² by K⁻¹."""
    from scipy.optimize import minimize

    model, X, pairs = fitted()
    K = model.smooth_.kernel(X)

    def objective(f: Any) -> float:
        lead = (f[pairs[:, 0]] - f[pairs[:, 1]]) / (np.sqrt(2) * model.noise_)
        rest = f - model.f_lin_
        return float(-log_ndtr(lead).sum() + 0.5 * rest @ np.linalg.solve(K + 1e-9 * np.eye(len(K)), rest))

    found = minimize(objective, model.f_lin_, method="BFGS", options={"gtol": 1e-6})
    assert objective(model.f_map_) <= found.fun + 1e-4
    used = np.unique(pairs)
    np.testing.assert_allclose(model.f_map_[used], found.x[used], atol=1e-2)


def test_a_monotone_f_map_still_gives_epsilon() -> None:
    """Where f_MAP is monotone already, α* is 0 and α̃ is ε."""
    model, _, _ = fitted(lengthscale=3.0, scale=0.05)
    assert (model.certificate_.bound > 0).all()
    assert model.alpha_star_ == 0
    assert model.alpha_ == 0.01


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.1, 2), lengthscale=st.floats(0.1, 2))
def test_likelihood_falls_from_f_map_to_f_lin(seed: int, scale: float, lengthscale: float) -> None:
    """−log L rises strictly in α on a grid of [0, 1]."""
    X, pairs = asked(12, 40, 2, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        model = MonotoneGP(increasing=0, lengthscale=lengthscale, scale=scale, noise=0.3).fit_pairs(X, pairs)
    losses = []
    for alpha in np.linspace(0, 1, 21):
        f = alpha * model.f_lin_ + (1 - alpha) * model.f_map_
        losses.append(-log_ndtr((f[pairs[:, 0]] - f[pairs[:, 1]]) / (np.sqrt(2) * 0.3)).sum())
    assert (np.diff(losses) > 0).all()


def test_gradients_match_finite_differences() -> None:
    """Of the blend and of f_MAP."""
    model, _, _ = fitted(d=3, bounds=[(-0.1, 1.1)] * 3)
    points = np.random.default_rng(1).random((30, 3))
    for alpha in (None, 0.0):
        numeric = [
            (model.predict(points + step, alpha=alpha) - model.predict(points - step, alpha=alpha)) / 2e-5
            for step in 1e-5 * np.eye(3)
        ]
        np.testing.assert_allclose(model.gradient(points, alpha=alpha), np.transpose(numeric), atol=1e-7)


def test_a_safe_bound_is_used_when_the_budget_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With next to no budget the utility is monotone still, only closer to linear, and that is said."""
    monkeypatch.setattr("penchant.gp.certificate.MOST_VISITS", {True: 2000, False: 2000})
    with pytest.warns(PenchantWarning, match="the budget ran out .* monotone, but may be closer to linear"):
        cautious, *_ = fitted(d=3, lengthscale=0.2, scale=0.5)
    assert not cautious.certificate_.closed
    monkeypatch.undo()
    free, *_ = fitted(d=3, lengthscale=0.2, scale=0.5)
    assert free.certificate_.closed
    assert cautious.alpha_ > free.alpha_
    points = np.random.default_rng(0).uniform(*cautious.box_.T, size=(5000, 3))
    assert (cautious.gradient(points)[:, :2] * [1, -1]).min() > 0


# -- data ----------------------------------------------------------------------------------------------------


def test_frames_preferences_and_arrays_say_the_same() -> None:
    """Names and ids, in any order of columns, give what indices give."""
    X, pairs = asked()
    plain = MonotoneGP(increasing=0, decreasing=1, **KEPT).fit_pairs(X, pairs)
    frame = pd.DataFrame(X, columns=["range", "price"], index=[f"car {i}" for i in range(len(X))])
    said = Preferences.from_pairs([(f"car {a}", f"car {b}") for a, b in pairs])
    named = MonotoneGP(increasing="range", decreasing=["price"], **KEPT).fit_pairs(frame, said)
    np.testing.assert_allclose(named.predict(frame[["price", "range"]]), plain.predict(X), atol=1e-9)
    assert named.certificate_.features == ("range", "price")
    assert named.feature_names_in_ == ("range", "price")


def test_the_same_item_twice_is_one_item() -> None:
    """Rows with the same features share a utility, and a pair said twice has the weight two."""
    X, pairs = asked()
    model = MonotoneGP(increasing=0, decreasing=1, **KEPT)
    doubled = np.vstack([X, X])
    moved = pairs + len(X) * (np.arange(pairs.size).reshape(pairs.shape) % 2)
    first = model.fit_pairs(X, np.vstack([pairs, pairs])).predict(X)
    second = model.fit_pairs(doubled, moved, weight=np.full(len(pairs), 2.0))
    np.testing.assert_allclose(second.predict(X), first, atol=1e-9)


def test_units_change_nothing_but_units() -> None:
    """In metres or kilometres: the same order, the same α̃, slopes in other units."""
    X, pairs = asked(40, 150)
    plain = MonotoneGP(increasing=0, decreasing=1).fit_pairs(X, pairs)
    unit = np.array([1000.0, 0.01])
    other = MonotoneGP(increasing=0, decreasing=1).fit_pairs(X * unit, pairs)
    assert other.alpha_ == pytest.approx(plain.alpha_, abs=1e-3)
    ratio = np.polyfit(plain.predict(X), other.predict(X * unit), 1)[0]
    np.testing.assert_allclose(
        np.diff(other.predict(X * unit)), ratio * np.diff(plain.predict(X)), atol=2e-3 * ratio
    )


def test_a_wider_box_asks_for_no_less() -> None:
    """What holds in a box holds in a smaller one: α̃ grows with the box."""
    small, *_ = fitted(lengthscale=0.2, scale=0.6)
    wide, *_ = fitted(lengthscale=0.2, scale=0.6, bounds={0: (-0.5, 1.5)})
    assert wide.alpha_star_ >= small.alpha_star_ - 1e-3
    assert wide.box_[0].tolist() == [-0.5, 1.5]
    assert wide.box_[1].tolist() == small.box_[1].tolist()


def test_hyperparameters_are_chosen_by_evidence() -> None:
    """None chooses; what comes out explains the comparisons better than a poor guess."""
    X, pairs = asked(30, 120)
    chosen = MonotoneGP(increasing=0, decreasing=1).fit_pairs(X, pairs)
    poor = MonotoneGP(increasing=0, decreasing=1, lengthscale=0.05, scale=2.0, noise=1.0).fit_pairs(X, pairs)
    assert chosen.log_evidence_ > poor.log_evidence_ + 3
    assert chosen.lengthscale_.shape == (2,)


def test_a_thousand_items_fit() -> None:
    """1,000 items and 10,000 comparisons, hyperparameters given, with the gap closed."""
    X, pairs = asked(1000, 10_000, 3)
    model = MonotoneGP(increasing=0, decreasing=1, lengthscale=0.7, scale=0.5, noise=0.15).fit_pairs(X, pairs)
    assert model.certificate_.closed
    lead = model.predict(X)[pairs]
    assert (lead[:, 0] > lead[:, 1]).mean() > 0.85


# -- confidence ----------------------------------------------------------------------------------------------


def test_chances_follow_differences() -> None:
    """P(a beats b) is Φ of the difference over √(2·noise² + its variance); the two chances sum to one."""
    model, X, _ = fitted(seed=1)
    a, b = X[:10], X[10:]
    mean, std = model.difference(a, b)
    np.testing.assert_allclose(mean, model.predict(a) - model.predict(b), atol=1e-12)
    expected = ndtr(mean / np.sqrt(2 * model.noise_**2 + std**2))
    np.testing.assert_allclose(model.win_probability(a, b), expected, atol=1e-12)
    np.testing.assert_allclose(model.win_probability(a, b) + model.win_probability(b, a), 1, atol=1e-12)
    assert model.win_probability(X[0], X[0]) == 0.5
    assert isinstance(model.win_probability(X[0], X[1]), float)
    assert model.win_probability(X, X[0]).shape == (20,)


def test_a_better_item_is_the_likelier_winner() -> None:
    """At least as good everywhere and better somewhere: above ½, however little was asked."""
    model, _, _ = fitted(seed=2, lengthscale=0.15, scale=1.0)
    rng = np.random.default_rng(0)
    worse = rng.uniform(*model.box_.T, size=(500, 2))
    better = np.column_stack(
        [rng.uniform(worse[:, 0], model.box_[0, 1]), rng.uniform(model.box_[1, 0], worse[:, 1])]
    )
    assert (model.win_probability(better, worse) > 0.5).all()


def test_the_deviation_holds_the_spread_and_the_move() -> None:
    """std² is the posterior variance plus the square of what the blend moved f_MAP by."""
    model, X, _ = fitted(lengthscale=0.2, scale=0.6)
    mean, std = model.predict(X, return_std=True)
    expected = model.smooth_.variance(X) + (mean - model.f_map_) ** 2
    np.testing.assert_allclose(std**2, expected, rtol=1e-9)


def test_more_answers_make_it_surer() -> None:
    """Ten times the answers narrow every difference but those that the blend moved."""
    few, X, pairs = fitted(lengthscale=2.0, scale=0.2)
    many = MonotoneGP(increasing=[0], decreasing=[1], **{**KEPT, "lengthscale": 2.0, "scale": 0.2})
    many.fit_pairs(X, np.tile(pairs, (10, 1)))
    wide, narrow = (model.smooth_.difference_variance(X[:10], X[10:]) for model in (few, many))
    assert (narrow < wide).all()


# -- state ---------------------------------------------------------------------------------------------------


def test_saved_and_loaded_it_is_the_same(tmp_path: Any) -> None:
    """The same bytes, the same answers, the same certificate."""
    model, X, _ = fitted()
    save(model, tmp_path / "model.penchant")
    loaded = load(tmp_path / "model.penchant")
    assert to_bytes(loaded) == to_bytes(model)
    np.testing.assert_array_equal(loaded.predict(X, return_std=True), model.predict(X, return_std=True))
    assert repr(loaded.certificate_) == repr(model.certificate_)
    assert to_bytes(fitted()[0]) == to_bytes(model)


def test_a_failed_fit_leaves_the_model_as_it_was() -> None:
    """Bad pairs after a good fit change nothing."""
    model, X, _ = fitted()
    before = to_bytes(model)
    with pytest.raises(InvalidInput):
        model.fit_pairs(X, [(0, 99)])
    assert to_bytes(model) == before


def test_the_certificate_reads_well() -> None:
    """It names the features, what is proven of f_MAP and of the utility, as words and as a table."""
    model, *_ = fitted(lengthscale=0.15, scale=1.0)
    assert "feature 0: the utility rises by at least " in repr(model.certificate_)
    assert "feature 1: the utility falls by at least " in repr(
        MonotoneGP(decreasing=1).fit_pairs(*asked()).certificate_
    )
    table = model.certificate_.to_frame()
    assert list(table.index) == ["feature 0", "feature 1"]
    assert (table["gap"] >= 0).all()
    assert (table["gap"] <= 1e-4 * table["scale"]).all()


# -- caveats and refusals --------------------------------------------------------------------------------------


def test_flat_contradiction_gives_the_linear_utility_and_says_so() -> None:
    """People who want less of what must be good: α̃ is 1, by name, and the utility is linear with the right sign."""
    X, pairs = asked(40, 200)
    frame = pd.DataFrame(X, columns=["range", "price"])
    with pytest.warns(PenchantWarning, match="only a linear .* monotone in range .alpha is 1.* contradict"):
        model = MonotoneGP(decreasing="range", **KEPT).fit_pairs(frame, pairs)
    assert model.alpha_ == 1
    assert model.beta_[0] < 0
    np.testing.assert_array_equal(model.predict(frame), X @ model.beta_)


def test_short_lengthscales_are_not_blamed_on_the_comparisons_alone() -> None:
    """Where f_MAP jumps from item to item, the warning names the feature that asks for most, and both reasons."""
    X, pairs = asked(12, 60)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = MonotoneGP(increasing=[0, 1], lengthscale=1e-3, scale=0.8, noise=0.1).fit_pairs(X, pairs)
    beta = np.abs(model.beta_)
    hardest = int(np.argmax(beta / (model.gamma_ - beta)))
    words = [str(warning.message) for warning in said if "alpha is 1" in str(warning.message)]
    assert len(words) == 1
    assert f"monotone in feature {hardest} (alpha" in words[0]
    assert "contradict it, or the lengthscale is too short" in words[0]


def test_numbered_columns_of_a_frame_are_names() -> None:
    """Column 0 of a frame whose columns are 1 and 0 is the second."""
    X, pairs = asked()
    frame = pd.DataFrame(X[:, ::-1], columns=[1, 0])
    assert MonotoneGP(increasing=[0], **KEPT).fit_pairs(frame, pairs).direction_.tolist() == [0, 1]


def test_separable_comparisons_are_said() -> None:
    """Where nobody contradicts a linear utility, a prior bounds the weights, with a warning."""
    X = np.random.default_rng(0).random((10, 2))
    order = np.argsort(-X.sum(axis=1))
    with pytest.warns(PenchantWarning, match="no comparison contradicts .* most likely weights are infinite"):
        model = MonotoneGP(increasing=[0, 1], **KEPT).fit_pairs(X, np.column_stack([order[:-1], order[1:]]))
    assert np.isfinite(model.predict(X)).all()


def test_contradictory_pairs_cancel() -> None:
    """Everybody said everything both ways: no one is better, and nothing breaks."""
    X, pairs = asked()
    model = MonotoneGP(increasing=0, decreasing=1).fit_pairs(X, np.vstack([pairs, pairs[:, ::-1]]))
    np.testing.assert_allclose(model.win_probability(X[:10], X[10:]), 0.5, atol=1e-3)


def test_rows_outside_the_box_are_said() -> None:
    """Nothing is proven there."""
    model, X, _ = fitted()
    far = r"feature 0 of row 19 is 20,000, outside .* to .*: 1 of 20 rows lie outside the box"
    with pytest.warns(PenchantWarning, match=far):
        model.predict(np.vstack([X[:-1], [[20_000.0, 0.5]]]))
    named = pd.DataFrame([[2.0, 0.5]], index=["cab"])
    with pytest.warns(PenchantWarning, match="feature 0 of 'cab' is 2, outside "):
        model.predict(named)


BAD_SETTINGS = [
    ({"increasing": ()}, "must name a feature, got none"),
    ({"increasing": [0], "decreasing": [0]}, "increasing or decreasing, got both"),
    ({"increasing": [5]}, "column must be one of an index from 0 to 1, got 5"),
    ({"increasing": "range"}, "column must be one of .* got 'range'"),
    ({"increasing": 0, "epsilon": 0}, "epsilon must be a number above 0, got 0"),
    ({"increasing": 0, "epsilon": None}, "epsilon must be a number above 0, got None"),
    ({"increasing": 0, "epsilon": 2}, "epsilon must be at most 1, got 2"),
    ({"increasing": 0, "noise": -1}, "noise must be a number above 0, got -1"),
    ({"increasing": 0, "scale": float("nan")}, "scale must be a number above 0, got nan"),
    (
        {"increasing": 0, "lengthscale": [1, 2, 3]},
        "lengthscale must be a number above 0 or one for each of 2",
    ),
    ({"increasing": 0, "lengthscale": 0}, "lengthscale must be a number above 0"),
    ({"increasing": 0, "bounds": [(0.2, 1), (0, 1)]}, "bounds of feature 0 must contain the rows of X, from"),
    ({"increasing": 0, "bounds": [(0, 1)]}, "bounds must be a pair .low, high. for each of 2 features"),
    ({"increasing": 0, "bounds": {0: (0, 1, 2)}}, "bounds of feature 0 must be a pair"),
    ({"increasing": 0, "bounds": [None, (0, 1)]}, "bounds of feature 0 must be a pair .* got None"),
    ({"increasing": 0, "bounds": 5}, "bounds must be a pair .low, high. for each of 2 features, got 5"),
    ({"increasing": 0, "scale": 1e200}, "scale must be from 1e-50 to 1e.50, got 1e.200"),
    ({"increasing": 0, "noise": 1e-150}, "noise must be from 1e-50 to 1e.50, got 1e-150"),
    (
        {"increasing": 0, **KEPT, "lengthscale": 1e-200},
        "slope of f_MAP in feature 0 must have a finite bound",
    ),
]


@pytest.mark.parametrize(("setting", "words"), BAD_SETTINGS)
def test_bad_settings_are_rejected(setting: dict[str, Any], words: str) -> None:
    """Each says what, the limit, what came and what to do."""
    X, pairs = asked()
    with pytest.raises(InvalidInput, match=words):
        MonotoneGP(**setting).fit_pairs(X, pairs)


def test_bad_data_is_rejected() -> None:
    """NaN, constant features, unknown rows and ids, nothing to learn from, the wrong number of columns."""
    X, pairs = asked()
    model = MonotoneGP(increasing=0)
    hole = X.copy()
    hole[3, 1] = np.nan
    flat = np.column_stack([X[:, 0], np.ones(len(X))])
    for wrong, said, words in (
        (hole, pairs, "feature of row 3, column 1 must be a finite number, got nan"),
        (flat, pairs, "feature 1 must differ between rows, got 1 in all of them: leave it out"),
        (X, np.empty((0, 2)), "pairs must have at least one row"),
        (X, [(0, 20)], "pair 0 must be two different rows from 0 to 19"),
        (X[:, 0], pairs, "X must have rows and columns"),
        (X[[0] * 2 + [1]], [(0, 1)], "pairs must compare rows with different features"),
        (X, Preferences.from_pairs([("a", "b")]), "features of named items must be a DataFrame"),
    ):
        with pytest.raises(InvalidInput, match=words):
            model.fit_pairs(wrong, said)
    with pytest.raises(UnknownItem, match="'b'"):
        model.fit_pairs(pd.DataFrame(X), Preferences.from_pairs([("0", "b")]))
    with pytest.raises(InvalidInput, match="ties only"):
        model.fit_pairs(X, Preferences.from_pairs([(0, 1)], tie=[True]))
    model.fit_pairs(X, pairs)
    with pytest.raises(InvalidInput, match="X must have 2 columns"):
        model.predict(X[:, :1])
    with pytest.raises(InvalidInput, match="as many rows, or one"):
        model.win_probability(X[:2], X[:3])
    for alpha in (2, "a"):
        with pytest.raises(InvalidInput, match="alpha must be from 0 to 1"):
            model.predict(X, alpha=alpha)  # type: ignore[arg-type]


def test_it_refuses_to_be_asked_before_it_learned() -> None:
    """Asking before fitting says so."""
    for ask in (
        lambda m: m.predict([[0]]),
        lambda m: m.gradient([[0]]),
        lambda m: m.win_probability([0], [1]),
    ):
        with pytest.raises(NotFitted, match="MonotoneGP must be fitted first"):
            ask(MonotoneGP(increasing=0))
