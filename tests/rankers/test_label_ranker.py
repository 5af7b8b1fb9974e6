"""Ranking labels, by votes of classifiers and by the consensus of neighbours: against definitions, on real sets."""

from __future__ import annotations

import tarfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from penchant.errors import InvalidInput, NotFitted
from penchant.rankers import LabelRanker, NearestLabelRanker, mean_tau, mean_tau_x
from penchant.saving import load, save, to_bytes
from tests.conftest import DATA

BOTH = [LabelRanker(), NearestLabelRanker(5)]


def ranked(n: int = 60, d: int = 3, k: int = 4, seed: int = 0, noise: float = 0.3) -> tuple[Any, Any]:
    """Rows, and complete rankings of k labels by noisy linear scores."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, k)) + noise * rng.normal(size=(n, k))
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1


def with_gaps(ranks: Any, seed: int = 0, share: float = 0.4) -> Any:
    return np.where(np.random.default_rng(seed).random(ranks.shape) < share, 0, ranks)


# -- votes of classifiers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classifier", "p"),
    [
        (LogisticRegression(), lambda c, X: c.predict_proba(X)[:, 1]),
        (RidgeClassifier(), lambda c, X: expit(c.decision_function(X))),
        (DecisionTreeClassifier(max_depth=2, random_state=0), lambda c, X: c.predict_proba(X)[:, 1]),
    ],
)
def test_votes_are_those_of_the_definition(classifier: Any, p: Any) -> None:
    """Each two labels have a classifier on the rows that order them; votes are sums, ranks sort the votes."""
    X, complete = ranked()
    ranks = with_gaps(complete)
    model = LabelRanker(classifier).fit(X, ranks)
    votes = np.zeros((len(X), 4))
    for a, b in combinations(range(4), 2):
        rows = [r for r in range(len(X)) if ranks[r, a] and ranks[r, b]]
        judge = clone(classifier).fit(X[rows], [int(ranks[r, a] < ranks[r, b]) for r in rows])
        votes[:, a] += p(judge, X)
        votes[:, b] += 1 - p(judge, X)
    np.testing.assert_allclose(model.votes(X), votes, atol=1e-9)
    for row, predicted in zip(votes, model.predict(X), strict=True):
        assert np.argsort(predicted).tolist() == sorted(range(4), key=lambda label: -round(row[label], 10))


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 5), share=st.sampled_from([0.0, 0.3, 0.7]))
def test_preferences_sum_to_one_and_ranks_are_complete(seed: int, k: int, share: float) -> None:
    """Whatever is missing, F + Fᵀ = 1, votes sum to k(k − 1)/2, and each rank is given once."""
    X, complete = ranked(12, 2, k, seed)
    ranks = with_gaps(complete, seed, share)
    ranks[0] = complete[0]
    model = LabelRanker(KNeighborsClassifier(1)).fit(X, ranks)
    F = model.preferences(X)
    np.testing.assert_allclose(F + F.transpose(0, 2, 1), 1, atol=1e-12)
    np.testing.assert_allclose(model.votes(X).sum(axis=1), k * (k - 1) / 2, atol=1e-9)
    for either in (model, NearestLabelRanker(3).fit(X, ranks)):
        assert (np.sort(either.predict(X), axis=1) == np.arange(1, k + 1)).all()


def test_one_order_votes_all_and_no_order_votes_half() -> None:
    """Labels 0 and 1 are only seen as 0 ≻ 1: 1 and 0. Labels 0 and 2 are never seen together, or tied: ½."""
    X = np.arange(6.0)[:, None]
    ranks = [[1, 2, 0], [1, 3, 0], [0, 2, 1], [0, 1, 2], [2, 0, 2], [0, 2, 1]]
    F = LabelRanker().fit(X, ranks).preferences(X)
    np.testing.assert_array_equal(F[:, 0, 1], 1.0)
    np.testing.assert_array_equal(F[:, 1, 0], 0.0)
    np.testing.assert_array_equal(F[:, 0, 2], 0.5)
    assert ((F[:, 1, 2] > 0) & (F[:, 1, 2] < 1)).all()


def test_ties_of_votes_go_to_the_lower_column() -> None:
    """Labels with the same votes, also but for rounding, are ranked in the order of their columns."""
    X = np.zeros((2, 1))
    model = LabelRanker().fit(X, [[1, 2, 0, 0], [2, 1, 0, 0]])
    np.testing.assert_array_equal(model.predict(X), [[1, 2, 3, 4], [1, 2, 3, 4]])


def test_weights_count_rows() -> None:
    """A weight of two is the row twice, of zero not at all; a classifier that takes none refuses them."""
    X, ranks = ranked(40)
    weight = np.random.default_rng(2).integers(0, 3, size=40)
    weighted = LabelRanker().fit(X, ranks, sample_weight=weight)
    repeated = LabelRanker().fit(np.repeat(X, weight, axis=0), np.repeat(ranks, weight, axis=0))
    np.testing.assert_allclose(weighted.votes(X), repeated.votes(X), atol=1e-5)
    with pytest.raises(InvalidInput, match="takes no sample_weight"):
        LabelRanker(KNeighborsClassifier()).fit(X, ranks, sample_weight=weight)


def test_sparse_features_are_the_dense_ones() -> None:
    """A sparse matrix gives what the dense one gives."""
    X, ranks = ranked()
    X[np.abs(X) < 0.4] = 0
    dense, sparse = LabelRanker().fit(X, ranks), LabelRanker().fit(csr_array(X), ranks)
    np.testing.assert_allclose(sparse.votes(csr_array(X)), dense.votes(X), atol=1e-6)


# -- the consensus of neighbours --------------------------------------------------------------------------


# -- what both promise ------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", BOTH)
def test_what_is_there_is_learned(model: Any) -> None:
    """From 400 rankings by noisy linear scores, τ on 200 new rows is above 0.6, with a third missing above 0.5."""
    X, ranks = ranked(600, 3, 4, seed=1)
    assert clone(model).fit(X[:400], ranks[:400]).score(X[400:], ranks[400:]) > 0.6
    gaps = with_gaps(ranks[:400], share=1 / 3)
    assert clone(model).fit(X[:400], gaps).score(X[400:], ranks[400:]) > 0.5


@pytest.mark.parametrize("model", BOTH)
def test_renaming_labels_permutes_ranks(model: Any) -> None:
    """Labels are known by their ranks alone: in another order of columns, each keeps its rank."""
    X, ranks = ranked()
    columns = [2, 0, 3, 1]
    model = clone(model) if isinstance(model, LabelRanker) else NearestLabelRanker(1)
    plain, moved = clone(model).fit(X, ranks), clone(model).fit(X, ranks[:, columns])
    np.testing.assert_array_equal(moved.predict(X), plain.predict(X)[:, columns])


@pytest.mark.parametrize("model", BOTH)
def test_only_the_order_inside_a_row_counts(model: Any) -> None:
    """Ranks with gaps, 2 and 7 instead of 1 and 2, say the same."""
    X, ranks = ranked()
    stretched = ranks**2 + 1
    np.testing.assert_array_equal(
        clone(model).fit(X, stretched).predict(X), clone(model).fit(X, ranks).predict(X)
    )


@pytest.mark.parametrize("model", BOTH)
def test_it_only_stores_settings_and_leaves_inputs_alone(model: Any) -> None:
    """The constructor only stores, fitting changes neither settings nor data, and twice gives the same bytes."""
    X, ranks = ranked()
    before = X.copy(), ranks.copy()
    assert sorted(vars(clone(model))) == sorted(model.get_params(deep=False))
    fitted = clone(model).fit(X, ranks)
    assert fitted.get_params(deep=False) == model.get_params(deep=False)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(ranks, before[1])
    X[:] = 0.0
    np.testing.assert_array_equal(fitted.predict(before[0]), clone(model).fit(*before).predict(before[0]))


@pytest.mark.parametrize("model", BOTH)
def test_saved_and_loaded_it_answers_the_same(model: Any, tmp_path: Path) -> None:
    """The same bytes again, the same ranks; constant votes are kept too."""
    pytest.importorskip("skops")
    X, ranks = ranked()
    ranks[:, 3] = 4 + ranks[:, :3].max(axis=1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    fitted = clone(model).fit(frame, pd.DataFrame(ranks))
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    save(fitted, tmp_path / "model")
    loaded: Any = load(tmp_path / "model")
    assert to_bytes(loaded) == to_bytes(fitted) == to_bytes(clone(model).fit(frame, ranks))
    np.testing.assert_array_equal(loaded.predict(frame), fitted.predict(frame))


def test_they_work_in_a_pipeline_and_a_search() -> None:
    """Inside Pipeline and GridSearchCV, by τ as it is or by τ_x through make_scorer."""
    X, ranks = ranked(80)
    folds = KFold(3)
    nearest = GridSearchCV(
        make_pipeline(StandardScaler(), NearestLabelRanker()),
        {"nearestlabelranker__n_neighbors": [3, 7]},
        cv=folds,
        error_score="raise",
    ).fit(X, ranks)
    voted = GridSearchCV(
        LabelRanker(LogisticRegression()),
        {"estimator__C": [0.1, 10.0]},
        cv=folds,
        scoring=make_scorer(mean_tau_x),
        error_score="raise",
    ).fit(X, ranks)
    assert nearest.best_score_ > 0.4
    assert voted.best_score_ > 0.6


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([1, 2, 3], r"one column a label and at least two, got shape \(3,\)"),
        ([[1], [1], [1]], "at least two"),
        ([[1, 2], [1, 2]], "ranks must have 3 rows"),
        ([[1, 2], [1, -2], [1, 2]], r"rank of row 1, label 1 must be a whole number .* got -2"),
        ([[1, 2], [1, 1.5], [1, 2]], r"row 1, label 1 .* got 1.5"),
        ([[1, 2], [1, np.nan], [1, 2]], "finite number, got nan"),
        ([[1, 0], [1, 1], [0, 0]], "must put one label before another"),
    ],
)
def test_wrong_ranks_are_rejected(model: Any, ranks: Any, words: str) -> None:
    """Vectors, a single label, missing rows, negatives, halves, NaN, and rankings that say nothing."""
    with pytest.raises(InvalidInput, match=words):
        clone(model).fit(np.zeros((3, 2)), ranks)


@pytest.mark.parametrize("model", BOTH)
def test_wrong_features_and_moments_are_rejected(model: Any) -> None:
    """NaN, another number of features, asking too early."""
    X, ranks = ranked(10)
    with pytest.raises(InvalidInput, match="NaN"):
        clone(model).fit(np.full((10, 3), np.nan), ranks)
    with pytest.raises(InvalidInput, match="2 features"):
        clone(model).fit(X, ranks).predict(X[:, :2])
    for kind in (NotFitted, NotFittedError):
        with pytest.raises(kind, match="must be fitted first"):
            clone(model).predict(X)


def test_wrong_settings_are_rejected() -> None:
    """No neighbours, and a class instead of a classifier."""
    X, ranks = ranked(10)
    for wrong in (0, 2.5, True):
        with pytest.raises(InvalidInput, match="n_neighbors must be a whole number of at least 1"):
            NearestLabelRanker(wrong).fit(X, ranks)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="estimator must be a scikit-learn classifier"):
        LabelRanker(LogisticRegression).fit(X, ranks)


# -- scores -----------------------------------------------------------------------------------------------


# Mean τ by ten folds: a band around what was measured, for votes and for neighbours.
REAL = {
    "label_ranking": {
        "iris": ((0.84, 0.91), (0.90, 0.96)),
        "wine": ((0.93, 0.98), (0.91, 0.97)),
        "stock": ((0.75, 0.80), (0.90, 0.94)),
        "vehicle": ((0.84, 0.88), (0.84, 0.88)),
    },
    "partial_label_ranking": {
        "iris": ((0.74, 0.84), (0.74, 0.84)),
        "wine": ((0.81, 0.89), (0.80, 0.88)),
    },
}


@pytest.mark.needs("data:label-ranking")
def test_real_sets_are_learned(tmp_path: Path) -> None:
    """On public sets τ (τ_x where rankings have ties) by ten folds lies in its band, for both rankers."""
    with tarfile.open(DATA / "label-ranking" / "label-ranking.tar.xz") as archive:
        members = [f"label-ranking/{kind}/{name}.csv" for kind, names in REAL.items() for name in names]
        archive.extractall(tmp_path, members=map(archive.getmember, members), filter="data")
    for kind, names in REAL.items():
        for name, bands in names.items():
            path = tmp_path / "label-ranking" / kind / f"{name}.csv"
            n_features = int(path.read_text().split(",")[1])
            X, ranks = np.split(np.loadtxt(path, delimiter=",", skiprows=1), [n_features], axis=1)
            scoring = make_scorer(mean_tau if kind == "label_ranking" else mean_tau_x)
            for model, (low, high) in zip(BOTH, bands, strict=True):
                steps = make_pipeline(StandardScaler(), clone(model))
                folds = KFold(10, shuffle=True, random_state=0)
                assert low < cross_val_score(steps, X, ranks, cv=folds, scoring=scoring).mean() < high, name
