"""Proportional odds: against the definition, against finite differences, on real scales."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.rankers import OrdinalRegression
from penchant.saving import load, save, to_bytes
from tests.conftest import DATA

DISTRIBUTION = {"logit": expit, "probit": norm.cdf}


def rated(
    n: int = 120, d: int = 3, k: int = 4, seed: int = 0, link: str = "logit"
) -> tuple[Any, Any, Any, Any]:
    """Rows, categories drawn from the model, and the weights and cuts that they were drawn with."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    cuts = np.linspace(-1.0, 1.5, k - 1)
    noise = rng.logistic(size=n) if link == "logit" else rng.normal(size=n)
    return X, np.searchsorted(cuts, X @ w + noise), w, cuts


def slow_loss(w: Any, cuts: Any, X: Any, y: Any, alpha: float, link: str, weight: Any = None) -> float:
    """The objective, row by row, as the definition has it."""
    bounds = np.r_[-np.inf, cuts, np.inf]
    weight = np.ones(len(X)) if weight is None else weight
    total = alpha / 2 * float(w @ w)
    for x, category, times in zip(X, y, weight, strict=True):
        cdf = DISTRIBUTION[link]
        total -= times * np.log(cdf(bounds[category + 1] - w @ x) - cdf(bounds[category] - w @ x))
    return total


def loss_of(model: OrdinalRegression, X: Any, y: Any, weight: Any = None) -> float:
    codes = np.searchsorted(model.classes_, y)
    return slow_loss(model.coef_, model.thresholds_, X, codes, model.alpha, model.link, weight)


@pytest.mark.filterwarnings("ignore:y is text")
@pytest.mark.parametrize("link", ["logit", "probit"])
def test_it_passes_the_checks_of_scikit_learn(link: Any) -> None:
    """Every check for classifiers holds, with either link."""
    check_estimator(OrdinalRegression(link=link), on_skip=None)


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("alpha", [0.05, 3.0])
def test_it_finds_the_minimum_of_the_definition(link: Any, alpha: float) -> None:
    """A general optimiser on the objective written from its definition ends no lower, and at the same place."""
    X, y, _, _ = rated(60, 2, 3, seed=1)
    model = OrdinalRegression(alpha, link=link).fit(X, y)

    def objective(free: Any) -> float:
        return slow_loss(free[:2], np.array([free[2], free[2] + np.exp(free[3])]), X, y, alpha, link)

    with np.errstate(all="ignore"):  # it may look where a category has no room
        found = minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    assert loss_of(model, X, y) <= found.fun + 1e-9
    np.testing.assert_allclose(model.coef_, found.x[:2], atol=1e-4)
    np.testing.assert_allclose(model.thresholds_, [found.x[2], found.x[2] + np.exp(found.x[3])], atol=1e-4)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(3, 25),
    d=st.integers(1, 30),
    k=st.integers(2, 5),
    scale=st.sampled_from([0.01, 1.0, 50.0]),
    alpha=st.sampled_from([1e-3, 1.0, 100.0]),
    link=st.sampled_from(["logit", "probit"]),
)
def test_nothing_near_the_answer_is_better(
    seed: int, n: int, d: int, k: int, scale: float, alpha: float, link: Any
) -> None:
    """On any small data, also with more features than rows, no small step in any direction lowers the loss."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * scale + 3 * scale
    y = rng.integers(k, size=n)
    y[:2] = 0, 1
    _, codes = np.unique(y, return_inverse=True)
    model = OrdinalRegression(alpha, link=link).fit(X, y)
    assert (np.diff(model.thresholds_) > 0).all()
    best = slow_loss(model.coef_, model.thresholds_, X, codes, alpha, link)
    for _ in range(8):
        w = model.coef_ + 1e-3 / scale * rng.normal(size=d)
        cuts = np.sort(model.thresholds_ + 1e-3 * rng.normal(size=len(model.thresholds_)))
        assert slow_loss(w, cuts, X, codes, alpha, link) >= best - 1e-7 * (1 + abs(best))


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_weights_and_cuts_are_recovered(link: Any) -> None:
    """From 4,000 rows drawn from the model, each weight and cut is found to within 0.15."""
    X, y, w, cuts = rated(4000, 3, 5, seed=3, link=link)
    model = OrdinalRegression(0.01, link=link).fit(X, y)
    np.testing.assert_allclose(model.coef_, w, atol=0.15)
    np.testing.assert_allclose(model.thresholds_, cuts, atol=0.15)
    frequency = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.predict_proba(X).mean(axis=0), frequency, atol=0.01)


@given(seed=st.integers(0, 10_000), link=st.sampled_from(["logit", "probit"]))
def test_probabilities_are_those_of_the_definition(seed: int, link: Any) -> None:
    """Each row sums to 1, and P(y ≤ k) is F(θ_k − wᵀx)."""
    X, y, _, _ = rated(40, 2, 4, seed=seed)
    model = OrdinalRegression(link=link).fit(X, y)
    cumulative = np.cumsum(model.predict_proba(X), axis=1)
    np.testing.assert_allclose(cumulative[:, -1], 1, atol=1e-12)
    expected = DISTRIBUTION[link](model.thresholds_ - model.decision(X)[:, None])
    np.testing.assert_allclose(cumulative[:, :-1], expected, atol=1e-12)


def test_the_median_has_as_much_below_as_above() -> None:
    """predicts="median" gives the first category with P(y ≤ k) ≥ ½, and "mode" the likeliest."""
    X, y, _, _ = rated(300, 3, 5, seed=4)
    mode = OrdinalRegression().fit(X, y)
    median = OrdinalRegression(predicts="median").fit(X, y)
    probability = mode.predict_proba(X)
    np.testing.assert_array_equal(mode.predict(X), mode.classes_[probability.argmax(axis=1)])
    middle = (np.cumsum(probability, axis=1) >= 0.5).argmax(axis=1)
    np.testing.assert_array_equal(median.predict(X), median.classes_[middle])
    assert median.category_error(X, y) == pytest.approx(np.abs(median.predict(X) - y).mean())


def test_reversing_the_scale_turns_the_sign() -> None:
    """The scale read from the other end gives −w and the cuts mirrored: nothing knows which end is up."""
    X, y, _, _ = rated(80, 3, 4, seed=5)
    model = OrdinalRegression().fit(X, y)
    back = OrdinalRegression(categories=[3, 2, 1, 0]).fit(X, y)
    np.testing.assert_allclose(back.coef_, -model.coef_, atol=1e-8)
    np.testing.assert_allclose(back.thresholds_, -model.thresholds_[::-1], atol=1e-8)
    np.testing.assert_array_equal(back.classes_, [3, 2, 1, 0])


def test_two_categories_are_logistic_regression() -> None:
    """With two categories it is ridge logistic regression, the cut being minus the intercept."""
    from sklearn.linear_model import LogisticRegression

    X, y, _, _ = rated(100, 3, 2, seed=6)
    model = OrdinalRegression(2.0).fit(X, y)
    other = LogisticRegression(C=0.5, tol=1e-10, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_[0], atol=1e-6)
    np.testing.assert_allclose(-model.thresholds_, other.intercept_, atol=1e-6)


def test_a_weight_of_two_is_the_row_twice_and_of_zero_not_at_all() -> None:
    """Row weights count rows."""
    X, y, _, _ = rated(50, 2, 3, seed=7)
    weight = np.random.default_rng(0).integers(0, 3, size=50)
    weighted = OrdinalRegression().fit(X, y, sample_weight=weight)
    repeated = OrdinalRegression().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)
    np.testing.assert_allclose(weighted.thresholds_, repeated.thresholds_, atol=1e-6)


def test_separated_data_stay_finite() -> None:
    """Where a line separates the categories perfectly, the ridge keeps weights and cuts finite."""
    X = np.arange(9.0)[:, None]
    y = np.repeat([0, 1, 2], 3)
    for link in ("logit", "probit"):
        model = OrdinalRegression(1e-6, link=link).fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.thresholds_).all()
        np.testing.assert_array_equal(model.predict(X), y)


def test_text_goes_by_the_given_order() -> None:
    """Labels of text in the order of categories= give the model of the numbers, and text comes out."""
    X, y, _, _ = rated(60, 2, 3, seed=8)
    words = np.array(["poor", "fair", "good"])
    model = OrdinalRegression(categories=("poor", "fair", "good")).fit(X, words[y])
    numbers = OrdinalRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, numbers.coef_)
    np.testing.assert_array_equal(model.predict(X), words[numbers.predict(X)])
    assert model.category_error(X, words[y]) == numbers.category_error(X, y)


def test_text_without_an_order_is_warned_about() -> None:
    """The order of the alphabet is said aloud, since it is seldom the right one; two words have no order."""
    X = np.arange(6.0)[:, None]
    with pytest.warns(PenchantWarning, match=r"fair < good < poor.*categories="):
        OrdinalRegression().fit(X, ["poor", "poor", "fair", "fair", "good", "good"])
    OrdinalRegression().fit(X, ["no", "no", "no", "yes", "yes", "yes"])


def test_ordered_categoricals_are_known() -> None:
    """A pandas ordered categorical brings its own order; categories that never occur have no column."""
    X, y, _, _ = rated(60, 2, 3, seed=9)
    frame = pd.DataFrame(X, columns=["price", "weight"])
    kind = pd.CategoricalDtype(["awful", "poor", "fair", "good"], ordered=True)
    series = pd.Series(np.array(["poor", "fair", "good"])[y], dtype=kind)
    model = OrdinalRegression().fit(frame, series)
    assert model.classes_.tolist() == ["poor", "fair", "good"]
    assert model.feature_names_in_.tolist() == ["price", "weight"]
    np.testing.assert_allclose(model.coef_, OrdinalRegression().fit(X, y).coef_)
    awful = pd.Series(["awful"] * 60, dtype=kind)
    places = [kind.categories.get_loc(label) for label in model.predict(frame)]
    assert model.category_error(frame, awful) == pytest.approx(np.mean(places))


def test_it_works_in_a_pipeline_and_a_search() -> None:
    """Inside Pipeline and GridSearchCV, scored by any metric of scikit-learn."""
    X, y, _, _ = rated(90, 3, 3, seed=10)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), OrdinalRegression(predicts="median")),
        {"ordinalregression__alpha": [0.1, 1.0], "ordinalregression__link": ["logit", "probit"]},
        scoring="neg_mean_absolute_error",
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert -1 < search.best_score_ < 0


def test_saved_and_loaded_it_answers_the_same(tmp_path: Path) -> None:
    """A file without pickle holds all of it: the same bytes again, the same probabilities."""
    X, y, _, _ = rated(40, 2, 3, seed=11)
    model = OrdinalRegression(categories=["c", "a", "b"]).fit(
        pd.DataFrame(X, columns=["u", "v"]), np.array(["c", "a", "b"])[y]
    )
    save(model, tmp_path / "model")
    loaded: Any = load(tmp_path / "model")
    assert to_bytes(loaded) == to_bytes(model)
    frame = pd.DataFrame(X, columns=["u", "v"])
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": -1}, r"alpha must be .* at least 0, got -1"),
        ({"alpha": float("nan")}, "alpha must be"),
        ({"link": "cauchit"}, r"link must be one of logit, probit, got 'cauchit'"),
        ({"predicts": "mean"}, r"predicts must be one of mode, median"),
        ({"categories": [0, 1, 1]}, "categories must be different"),
        ({"categories": [0, 1]}, r"y of row 2 must be one of the categories \[0, 1\], got 2"),
    ],
)
def test_wrong_settings_are_rejected(settings: Any, words: str) -> None:
    """What, limit, what came, what to do."""
    with pytest.raises(InvalidInput, match=words):
        OrdinalRegression(**settings).fit([[0.0], [1.0], [2.0]], [0, 1, 2])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[0.0], [np.nan]], [0, 1], "NaN"),
        ([[0.0], [1.0]], [0, 0], "at least two classes, got 1"),
        ([[0.0], [1.0]], ["a", None], "y of row 1 must be a label"),
        ([[0.0], [1.0]], pd.Series(["a", pd.NA], dtype="string"), "y of row 1 must be a label"),
        ([[0.0], [1.0]], pd.Categorical(["a", None]), "y of row 1 must be a label"),
        ([[0.0], [1.0]], [0, 1, 2], "y must have 2 entries"),
        ([[0.0], [1.0]], [0.5, 1.25], "continuous"),
        (np.empty((0, 2)), [], "0 sample"),
    ],
)
def test_wrong_data_are_rejected(X: Any, y: Any, words: str) -> None:
    """Missing values, a single category, labels that are none, no rows: each is rejected."""
    with pytest.raises(InvalidInput, match=words):
        OrdinalRegression().fit(X, y)


def test_it_refuses_to_be_asked_before_it_learned() -> None:
    """Both Penchant's and scikit-learn's word for it."""
    for kind in (NotFitted, NotFittedError):
        with pytest.raises(kind, match="must be fitted first"):
            OrdinalRegression().predict([[1.0]])


# The mean absolute error of always saying the middle category, and a band around what 5 folds gave.
REAL = {
    "swd": (0.633, 0.41, 0.48),
    "esl": (1.131, 0.27, 0.35),
    "lev": (0.717, 0.38, 0.45),
    "car": (0.415, 0.06, 0.10),
}


@pytest.mark.needs("data:ordinal")
def test_real_scales_are_learned(tmp_path: Path) -> None:
    """On four public sets the error in categories by five folds lies in its band, far below the constant's."""
    with tarfile.open(DATA / "ordinal" / "ordinal.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    for name, (constant, low, high) in REAL.items():
        table = np.loadtxt(tmp_path / "ordinal" / f"{name}.csv", delimiter=",", skiprows=1)
        X, y = table[:, :-1], table[:, -1].astype(int)
        rows = np.random.default_rng(0).permutation(len(y))
        model = make_pipeline(StandardScaler(), OrdinalRegression(predicts="median"))
        predicted = cross_val_predict(model, X[rows], y[rows], cv=KFold(5))
        assert np.abs(np.median(y) - y).mean() == pytest.approx(constant, abs=0.001), name
        assert low < np.abs(predicted - y[rows]).mean() < high, name
