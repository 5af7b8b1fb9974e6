"""Any classifier as a ranker: against all pairs written out by hand, and against its own promises."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from penchant import Preferences
from penchant.errors import CannotSave, InvalidInput, NotFitted
from penchant.metrics import ndcg, ndcg_scorer
from penchant.orders import agreement, cohen_order, optimal_order
from penchant.rankers import PairwiseRanker, RankSVM
from penchant.saving import load, save, to_bytes


def graded(n: int = 30, d: int = 3, n_queries: int = 4, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    qid = rng.integers(n_queries, size=n)
    qid[:2] = 0
    grades = np.digitize(X @ w + 0.3 * rng.normal(size=n), [-1, 0, 1])
    grades[:2] = 0, 3
    return X, grades, qid


def slow_pairs(grades: Any, qid: Any) -> list[tuple[int, int]]:
    rows = range(len(grades))
    return [(i, j) for i in rows for j in rows if qid[i] == qid[j] and grades[i] > grades[j]]


def slow_preference(p: Any, a: Any, b: Any) -> float:
    return float((p(a, b) + 1 - p(b, a)) / 2)


@pytest.mark.parametrize(
    "model",
    [
        PairwiseRanker(),
        PairwiseRanker(DecisionTreeClassifier(max_depth=3, random_state=0), features="difference"),
    ],
)
def test_it_passes_the_checks_of_scikit_learn(model: PairwiseRanker) -> None:
    """Every check holds but one: a score cannot be the same in other company, since it is a place in an order."""
    why = "the score of a row is its place among the rows that it is ranked with"
    check_estimator(
        model, on_skip=None, expected_failed_checks={"check_methods_subset_invariance": why}, on_fail="raise"
    )


@pytest.mark.parametrize("features", ["concatenate", "difference"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_classifier_sees_every_pair_inside_a_query_both_ways(features: Any, weighted: bool) -> None:
    """It is the classifier fitted by hand on (a, b) → 1 and (b, a) → 0, with the products of row weights."""
    X, grades, qid = graded()
    weight = np.random.default_rng(1).integers(0, 4, size=len(X)).astype(float) if weighted else None
    model = PairwiseRanker(LogisticRegression(tol=1e-8), features=features)
    model.fit(X, grades, qid=qid, sample_weight=weight)
    rows, answers, weights = [], [], []
    for i, j in slow_pairs(grades, qid):
        if weighted and weight[i] * weight[j] == 0:
            continue
        for a, b, answer in ((i, j, 1), (j, i, 0)):
            rows.append(np.r_[X[a], X[b]] if features == "concatenate" else X[a] - X[b])
            answers.append(answer)
            weights.append(weight[i] * weight[j] if weighted else 1.0)
    by_hand = LogisticRegression(tol=1e-8).fit(rows, answers, sample_weight=weights)
    np.testing.assert_allclose(model.estimator_.coef_, by_hand.coef_, atol=1e-5)
    assert model.n_pairs_ == len(rows) // 2


class HardLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that says only which."""

    def fit(self, X: Any, y: Any) -> HardLabels:
        self.inner_ = Perceptron().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.inner_.predict(X)


@pytest.mark.parametrize(
    ("classifier", "p"),
    [
        (GaussianNB(), lambda c, v: c.predict_proba([v])[0, 1]),
        (RidgeClassifier(), lambda c, v: expit(c.decision_function([v])[0])),
        (HardLabels(), lambda c, v: c.predict([v])[0]),
    ],
    ids=["probabilities", "decision values", "hard labels"],
)
@pytest.mark.parametrize("features", ["concatenate", "difference"])
def test_preferences_are_those_of_the_definition(classifier: Any, p: Any, features: Any) -> None:
    """F is (p(a, b) + 1 − p(b, a))/2 pair by pair: by probability, by logistic decision value, by hard label."""
    X, grades, qid = graded(seed=2)
    model = PairwiseRanker(classifier, features=features).fit(X, grades, qid=qid)
    F = model.preference_matrix(X[:8])

    def asked(a: Any, b: Any) -> Any:
        return p(model.estimator_, np.r_[a, b] if features == "concatenate" else a - b)

    for i in range(8):
        for j in range(8):
            assert F[i, j] == pytest.approx(slow_preference(asked, X[i], X[j]) if i != j else 0.5)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    classifier=st.sampled_from(
        [None, DecisionTreeClassifier(max_depth=4, random_state=0), KNeighborsClassifier(3), Perceptron()]
    ),
    features=st.sampled_from(["concatenate", "difference"]),
    order=st.sampled_from(["cohen", "exact", "components"]),
)
def test_preferences_sum_to_one_and_ranks_follow_them(
    seed: int, classifier: Any, features: Any, order: Any
) -> None:
    """F + Fᵀ = 1 inside 0 and 1; the ranks are the asked-for order of F; scores never contradict the ranks."""
    X, grades, qid = graded(16, 2, 1, seed)
    model = PairwiseRanker(classifier, features=features, order=order).fit(X, grades, qid=qid)
    new = np.random.default_rng(seed).normal(size=(6, 2))
    F = model.preference_matrix(new)
    np.testing.assert_allclose(F + F.T, 1, atol=1e-12)
    assert ((F >= 0) & (F <= 1)).all()
    best_first = np.argsort(model.rank(new))
    if order == "cohen":
        np.testing.assert_array_equal(best_first, cohen_order(F))
    else:
        best = max(agreement(other, F) for other in permutations(range(6)))
        assert agreement(best_first, F) == pytest.approx(best)
    scores = model.predict(new)
    assert (np.diff(scores[best_first]) <= 0).all()
    by_score = np.argsort(-scores, kind="stable")
    assert agreement(by_score, F) == pytest.approx(agreement(best_first, F))


def test_each_query_is_ranked_by_itself() -> None:
    """With qid, ranks and scores of a query are those of its rows alone, wherever they stand."""
    X, grades, qid = graded(seed=3)
    model = PairwiseRanker().fit(X, grades, qid=qid)
    ranks, scores = model.rank(X, qid=qid), model.predict(X, qid=qid)
    for query in np.unique(qid):
        members = qid == query
        np.testing.assert_array_equal(ranks[members], model.rank(X[members]))
        np.testing.assert_array_equal(scores[members], model.predict(X[members]))


def test_ties_show_in_the_scores() -> None:
    """Equal rows, which no classifier can tell apart, have equal scores; their ranks go by index."""
    X = np.array([[0.0], [2.0], [2.0], [1.0]])
    model = PairwiseRanker().fit(X, [0, 2, 2, 1])
    np.testing.assert_array_equal(model.predict(X), [-3, 0, 0, -2])
    np.testing.assert_array_equal(model.rank(X), [4, 1, 2, 3])
    assert model.score(X, [0, 2, 2, 1]) == 1.0
    assert model.score(X, [0, 2, 1, 0]) == pytest.approx(4 / 5)


def test_grades_and_their_pairs_are_the_same() -> None:
    """fit on grades is fit_pairs on the pairs that they imply, also as Preferences."""
    X, grades, qid = graded(seed=4)
    by_grades = PairwiseRanker().fit(X, grades, qid=qid).preference_matrix(X)
    pairs = slow_pairs(grades, qid)
    by_pairs = PairwiseRanker().fit_pairs(X, pairs).preference_matrix(X)
    prefs = Preferences.from_grades(grades, qid)
    by_preferences = PairwiseRanker().fit_pairs(X, prefs).preference_matrix(X)
    np.testing.assert_allclose(by_pairs, by_grades, atol=1e-6)
    np.testing.assert_allclose(by_preferences, by_grades, atol=1e-6)


def test_a_pair_twice_is_weight_two() -> None:
    """Saying it twice and giving it the weight two are the same."""
    X, grades, qid = graded(seed=5)
    pairs = slow_pairs(grades, qid)
    weight = np.ones(len(pairs))
    weight[0] = 2.0
    twice = PairwiseRanker().fit_pairs(X, [*pairs, pairs[0]])
    weighted = PairwiseRanker().fit_pairs(X, pairs, weight=weight)
    np.testing.assert_allclose(weighted.preference_matrix(X), twice.preference_matrix(X), atol=1e-6)


def test_frames_are_matched_by_index() -> None:
    """Preferences by id find their rows in a frame's index, and the names of the features are kept."""
    frame = pd.DataFrame({"sugar": [0.0, 1.0, 2.0], "milk": [1.0, 0.0, 1.0]}, index=["tea", "cocoa", "syrup"])
    prefs = Preferences.from_pairs([("tea", "cocoa"), ("cocoa", "syrup"), ("tea", "syrup")])
    model = PairwiseRanker().fit_pairs(frame, prefs)
    assert model.rank(frame).tolist() == [1, 2, 3]
    assert model.feature_names_in_.tolist() == ["sugar", "milk"]


@pytest.mark.parametrize("features", ["concatenate", "difference"])
def test_sparse_features_are_the_dense_ones(features: Any) -> None:
    """A sparse matrix gives what the dense one gives."""
    X, grades, qid = graded(seed=6)
    X[np.abs(X) < 0.5] = 0.0
    dense = PairwiseRanker(features=features).fit(X, grades, qid=qid)
    sparse = PairwiseRanker(features=features).fit(csr_array(X), grades, qid=qid)
    np.testing.assert_allclose(sparse.preference_matrix(csr_array(X)), dense.preference_matrix(X), atol=1e-6)


def test_missing_values_go_to_a_classifier_that_takes_them() -> None:
    """NaN is passed on where the classifier takes it, and rejected with a message where not."""
    X, grades, qid = graded(40, seed=7)
    X[0, 0] = np.nan
    boosted = HistGradientBoostingClassifier(max_iter=5, early_stopping=False)
    assert np.isfinite(PairwiseRanker(boosted).fit(X, grades, qid=qid).predict(X, qid=qid)).all()
    with pytest.raises(InvalidInput, match="NaN"):
        PairwiseRanker().fit(X, grades, qid=qid)


def test_badly_scaled_features_do_no_harm() -> None:
    """Features of very different sizes converge without a warning, and rank as well as equal ones."""
    X, grades, qid = graded(60, seed=8)
    plain = PairwiseRanker().fit(X, grades, qid=qid).score(X, grades, qid=qid)
    X = X * [1e4, 1.0, 1e2] + [5e4, 0.0, 0.0]
    assert PairwiseRanker().fit(X, grades, qid=qid).score(X, grades, qid=qid) > plain - 0.02


def test_it_learns_what_a_linear_score_cannot_say() -> None:
    """With a classifier that can, cyclic tastes are learned: each of three kinds beats the next."""
    kinds = np.eye(3)
    X = np.tile(kinds, (4, 1))
    pairs = [(i, j) for i in range(12) for j in range(12) if (j - i) % 3 == 1]
    model = PairwiseRanker(SVC(kernel="poly", degree=2)).fit_pairs(X, pairs)
    F = model.preference_matrix(kinds)
    assert (F[[0, 1, 2], [1, 2, 0]] > 0.6).all()
    assert agreement(np.argsort(model.rank(kinds)), F) == agreement(optimal_order(F), F)


def test_it_works_in_a_pipeline_and_a_search_with_queries() -> None:
    """Pipeline, GridSearchCV and cross_val_score route qid to fit, predict and score."""
    X, grades, qid = graded(80, 3, 8, seed=9)
    with sklearn.config_context(enable_metadata_routing=True):
        folds = GroupKFold(3).set_split_request(groups="qid")
        model = make_pipeline(StandardScaler(), PairwiseRanker(LogisticRegression()))
        grid = {"pairwiseranker__estimator__C": [0.1, 1.0], "pairwiseranker__features": ["difference"]}
        search = GridSearchCV(model, grid, cv=folds, error_score="raise").fit(X, grades, qid=qid)
        assert 0.6 < search.best_score_ <= 1
        scores = cross_val_score(
            model, X, grades, scoring=ndcg_scorer(k=5), cv=folds, params={"qid": qid}, error_score="raise"
        )
        assert (scores > 0.6).all()
        fitted = model.fit(X, grades, qid=qid)
        np.testing.assert_array_equal(
            fitted.predict(X, qid=qid), fitted[-1].predict(fitted[0].transform(X), qid=qid)
        )


@pytest.mark.parametrize("classifier", [None, SVC(), make_pipeline(StandardScaler(), GaussianNB())])
def test_saved_and_loaded_it_answers_the_same(classifier: Any, tmp_path: Path) -> None:
    """The classifier goes through skops: the same bytes again, the same preferences."""
    pytest.importorskip("skops")
    X, grades, qid = graded(seed=10)
    model = PairwiseRanker(classifier, order="components").fit(X, grades, qid=qid)
    save(model, tmp_path / "model")
    loaded: Any = load(tmp_path / "model")
    assert to_bytes(loaded) == to_bytes(model)
    np.testing.assert_array_equal(loaded.preference_matrix(X), model.preference_matrix(X))
    assert repr(clone(loaded)) == repr(clone(model))


@pytest.mark.parametrize("classifier", [HardLabels(), DecisionTreeClassifier(max_depth=2)])
def test_a_classifier_without_a_safe_form_is_refused_when_saving(classifier: Any) -> None:
    """What skops does not trust, a class of one's own or a tree, cannot be saved, and that is said."""
    pytest.importorskip("skops")
    X, grades, qid = graded(seed=11)
    with pytest.raises(CannotSave, match="estimator"):
        to_bytes(PairwiseRanker(classifier).fit(X, grades, qid=qid))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            PairwiseRanker(features="product"),
            r"features must be 'concatenate' or 'difference', got 'product'",
        ),  # type: ignore[arg-type]
        (PairwiseRanker(order="best"), r"order must be 'cohen' or .*, got 'best'"),  # type: ignore[arg-type]
        (PairwiseRanker(LogisticRegression), "estimator must be a scikit-learn classifier"),
        (PairwiseRanker(max_pairs=10), r"at most max_pairs=10, .* got \d+: raise max_pairs.*RankSVM"),
    ],
)
def test_wrong_settings_are_rejected(model: PairwiseRanker, words: str) -> None:
    """What, limit, what came, what to do; for too many pairs also who could take them."""
    X, grades, qid = graded()
    with pytest.raises(InvalidInput, match=words):
        model.fit(X, grades, qid=qid)


def test_wrong_data_are_rejected() -> None:
    """Pairs as grades, equal grades, rows that are not there, weights that cannot be used, too many rows."""
    X, grades, qid = graded()
    with pytest.raises(InvalidInput, match="fit_pairs"):
        PairwiseRanker().fit(X, slow_pairs(grades, qid))
    with pytest.raises(InvalidInput, match="different grades"):
        PairwiseRanker().fit(X, np.ones(len(X)))
    with pytest.raises(InvalidInput, match="pair 0 must be two different rows"):
        PairwiseRanker().fit_pairs(X, [(0, 99)])
    with pytest.raises(InvalidInput, match="takes no sample_weight"):
        PairwiseRanker(KNeighborsClassifier()).fit(X, grades, sample_weight=np.arange(len(X)))
    model = PairwiseRanker().fit(X, grades, qid=qid)
    with pytest.raises(InvalidInput, match=r"at most 5,000, .* got 5,001: give qid"):
        model.predict(np.zeros((5001, 3)))
    with pytest.raises(InvalidInput, match="at most 16 items"):
        PairwiseRanker(order="exact").fit(X, grades).rank(X)
    for kind in (NotFitted, NotFittedError):
        with pytest.raises(kind, match="must be fitted first"):
            PairwiseRanker().rank(X)


def test_single_rows_have_their_answer() -> None:
    """A query of one row is ranked first, in training it says nothing, and alone it is rejected."""
    X, grades, qid = graded(seed=12)
    qid[-1] = 99
    model = PairwiseRanker().fit(X, grades, qid=qid)
    assert model.rank(X, qid=qid)[-1] == 1
    assert model.predict(X[:1]).tolist() == [0.0]
    assert model.n_pairs_ == len(slow_pairs(grades, qid))
    with pytest.raises(InvalidInput, match="1 sample"):
        PairwiseRanker().fit(X[:1], grades[:1])


@pytest.mark.parametrize(
    "model",
    [PairwiseRanker(KNeighborsClassifier(3)), RankSVM(C=10.0, kernel="rbf", on="differences")],
    ids=lambda model: type(model).__name__,
)
def test_scorers_order_the_rows_of_each_query_by_themselves(model: Any) -> None:
    """Inside a search a score is that of predictions with qid, not of one order of all rows."""
    X, grades, qid = graded(60, 3, 6, seed=10)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline, scorer = make_pipeline(StandardScaler(), model), ndcg_scorer(k=3)
        given = {"cv": GroupKFold(3), "params": {"groups": qid, "qid": qid}, "error_score": "raise"}
        found = cross_val_score(pipeline, X, grades, scoring=scorer, **given)
        expected, mixed = [], []
        for train, test in GroupKFold(3).split(X, grades, qid):
            fitted = pipeline.fit(X[train], grades[train], qid=qid[train])
            by_query, together = fitted.predict(X[test], qid=qid[test]), fitted.predict(X[test])
            expected.append(ndcg(grades[test], by_query, qid=qid[test], k=3))
            mixed.append(ndcg(grades[test], together, qid=qid[test], k=3))
    assert found.tolist() == pytest.approx(expected)
    assert found.tolist() != pytest.approx(mixed)
