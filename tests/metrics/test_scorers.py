"""Scorers inside scikit-learn's own searches, with the queries routed and without."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from penchant.errors import InvalidInput
from penchant.metrics import (
    average_precision_scorer,
    mean_average_precision,
    ndcg,
    ndcg_scorer,
    pair_accuracy,
    pair_accuracy_scorer,
)

ALPHAS = {"alpha": [1e-3, 1e6]}


class LinearRanker(BaseEstimator):
    """Ridge regression of grades centred inside their query: small and real."""

    __metadata_request__fit: ClassVar = {"qid": True}

    def __init__(self, alpha: float = 1.0, direction: float = 1.0) -> None:
        self.alpha = alpha
        self.direction = direction

    def fit(self, X, y, *, qid=None):
        codes = np.unique(np.zeros(len(y)) if qid is None else qid, return_inverse=True)[1]
        centred = y - (np.bincount(codes, weights=y) / np.bincount(codes))[codes]
        self.coef_ = np.linalg.solve(X.T @ X + self.alpha * np.eye(X.shape[1]), X.T @ centred)
        return self

    def predict(self, X):
        return self.direction * (X @ self.coef_)


@pytest.fixture
def rows():
    rng = np.random.default_rng(11)
    qid = np.repeat([f"q{i:02d}" for i in rng.permutation(24)], 8)
    X = rng.normal(size=(qid.size, 4))
    noisy = X @ [1.0, -0.5, 0.0, 0.2] + 0.3 * rng.normal(size=qid.size)
    return X, np.digitize(noisy, [-0.5, 0.5, 1.5]), qid


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def folds() -> GroupKFold:
    return GroupKFold(3).set_split_request(groups="qid")


@pytest.mark.usefixtures("routing")
def test_grid_search_with_routed_queries(rows) -> None:
    """GridSearchCV routes one qid to model, folds and scorer, and finds the ranker that ranks upwards."""
    X, grades, qid = rows
    search = GridSearchCV(
        LinearRanker(), {"direction": [-1.0, 1.0]}, scoring=ndcg_scorer(k=5), cv=folds(), error_score="raise"
    ).fit(X, grades, qid=qid)
    assert search.best_params_ == {"direction": 1.0}
    train, test = next(iter(GroupKFold(3).split(X, grades, qid)))
    by_hand = LinearRanker().fit(X[train], grades[train], qid=qid[train]).predict(X[test])
    expected = ndcg(grades[test], by_hand, qid=qid[test], k=5)
    assert search.cv_results_["split0_test_score"][1] == pytest.approx(expected)
    assert search.score(X, grades, qid=qid) == pytest.approx(ndcg(grades, search.predict(X), qid=qid, k=5))


@pytest.mark.usefixtures("routing")
def test_cross_val_score_on_two_processes(rows) -> None:
    """Scorers travel to other processes and give there what they give here."""
    X, grades, qid = rows
    scores = [
        cross_val_score(
            make_pipeline(StandardScaler(), LinearRanker()),
            X,
            grades,
            scoring=ndcg_scorer(k=10, gain="exponential"),
            cv=folds(),
            params={"qid": qid},
            error_score="raise",
            n_jobs=n_jobs,
        )
        for n_jobs in (None, 2)
    ]
    assert scores[0].tolist() == scores[1].tolist()
    assert scores[0].min() > 0.8


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    ("make", "metric"),
    [
        (lambda: ndcg_scorer(k=3, log="natural"), lambda y, s, q: ndcg(y, s, qid=q, k=3)),
        (
            lambda: average_precision_scorer(relevant=2),
            lambda y, s, q: mean_average_precision(y, s, qid=q, relevant=2),
        ),
        (pair_accuracy_scorer, lambda y, s, q: float(pair_accuracy(y, s, qid=q))),
    ],
)
def test_each_scorer_is_its_metric_even_pickled(rows, make, metric) -> None:
    """A scorer, and its pickled copy, give the metric of the model's predictions."""
    X, grades, qid = rows
    model = LinearRanker().fit(X, grades, qid=qid)
    expected = metric(grades, model.predict(X), qid)
    for scorer in (make(), pickle.loads(pickle.dumps(make()))):
        assert scorer(model, X, grades, qid=qid) == pytest.approx(expected)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", [ndcg_scorer, average_precision_scorer])
def test_a_model_that_says_nothing_scores_as_a_random_order(rows, make) -> None:
    """Constant predictions earn the same whether the rows stand best first or worst first."""
    X, grades, qid = rows
    constant = LinearRanker(direction=0.0).fit(X, grades, qid=qid)
    up, down = np.argsort(grades), np.argsort(-grades)
    scores = [make()(constant, X[order], grades[order], qid=qid[order]) for order in (up, down)]
    assert scores[0] == pytest.approx(scores[1])
    assert make(ties="order")(constant, X[down], grades[down], qid=qid[down]) == 1.0


class WithinQuery(LinearRanker):
    """Predicts by how much a row is above the mean of its query, and requests the queries to do so."""

    __metadata_request__predict: ClassVar = {"qid": True}

    def predict(self, X, *, qid=None):
        self.asked_with_ = qid
        scores = super().predict(X)
        if qid is None:
            return np.zeros(len(scores))
        codes = np.unique(qid, return_inverse=True)[1]
        return scores - (np.bincount(codes, weights=scores) / np.bincount(codes))[codes]


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", [ndcg_scorer, average_precision_scorer, pair_accuracy_scorer])
def test_a_model_that_predicts_inside_queries_is_given_them(rows, make) -> None:
    """The queries reach predict, of the model itself, of the last step of a pipeline, and of a search."""
    X, grades, qid = rows
    expected = make()(LinearRanker().fit(X, grades, qid=qid), X, grades, qid=qid)
    for model in (WithinQuery(), make_pipeline(WithinQuery()), make_pipeline("passthrough", WithinQuery())):
        assert make()(model.fit(X, grades, qid=qid), X, grades, qid=qid) == pytest.approx(expected)
    search = GridSearchCV(WithinQuery(), {"alpha": [1.0]}, scoring=make(), cv=folds(), error_score="raise")
    plain = GridSearchCV(LinearRanker(), {"alpha": [1.0]}, scoring=make(), cv=folds(), error_score="raise")
    search.fit(X, grades, qid=qid), plain.fit(X, grades, qid=qid)
    assert search.best_score_ == pytest.approx(plain.best_score_)
    assert search.score(X, grades, qid=qid) == pytest.approx(expected)
    assert make()(search, X, grades, qid=qid) == pytest.approx(expected)


@pytest.mark.usefixtures("routing")
def test_a_model_may_refuse_the_queries(rows) -> None:
    """What a model requests for predict is what it is given."""
    X, grades, qid = rows
    model = WithinQuery().set_predict_request(qid=False).fit(X, grades, qid=qid)
    ndcg_scorer()(model, X, grades, qid=qid)
    assert model.asked_with_ is None


@pytest.mark.usefixtures("routing")
def test_the_queries_may_be_routed_under_another_name(rows) -> None:
    """As of scikit-learn's own scorers, set_score_request names the metadata that is passed."""
    X, grades, qid = rows
    scorer = ndcg_scorer().set_score_request(qid="groups")
    model = LinearRanker().set_fit_request(qid="groups")
    given = {"cv": GroupKFold(3), "scoring": scorer, "params": {"groups": qid}, "error_score": "raise"}
    by_alias = cross_val_score(model, X, grades, **given)
    given = {"cv": folds(), "scoring": ndcg_scorer(), "params": {"qid": qid}}
    assert by_alias.tolist() == cross_val_score(LinearRanker(), X, grades, **given).tolist()


@pytest.mark.usefixtures("routing")
def test_weights_reach_the_metric_when_requested(rows) -> None:
    """A fold's queries count by their weights, and an unknown request is named."""
    X, grades, qid = rows
    model = LinearRanker().fit(X, grades, qid=qid)
    weight = np.where(qid == qid[0], 5.0, 1.0)
    scorer = ndcg_scorer(k=3).set_score_request(sample_weight=True)
    expected = ndcg(grades, model.predict(X), qid=qid, k=3, sample_weight=weight)
    assert scorer(model, X, grades, qid=qid, sample_weight=weight) == pytest.approx(expected)
    assert scorer.get_metadata_routing().score.requests == {"qid": True, "sample_weight": True}
    with pytest.raises(InvalidInput, match="metadata must be one of qid, sample_weight"):
        scorer.set_score_request(group=True)


@pytest.mark.usefixtures("routing")
def test_a_scorer_prints_as_it_was_made() -> None:
    """The name of the function and all settings."""
    assert repr(ndcg_scorer(k=3)) == "ndcg_scorer(k=3, log='base2', gain='linear', ties='average')"
    assert repr(average_precision_scorer()) == "average_precision_scorer(relevant=1.0, ties='average')"
    assert repr(pair_accuracy_scorer()) == "pair_accuracy_scorer()"


@pytest.mark.usefixtures("routing")
def test_several_scorers_at_once(rows) -> None:
    """A search over several metrics routes the queries to each of them."""
    X, grades, qid = rows
    scoring = {"ndcg": ndcg_scorer(), "map": average_precision_scorer(), "pairs": pair_accuracy_scorer()}
    search = GridSearchCV(
        LinearRanker(), ALPHAS, scoring=scoring, refit="pairs", cv=folds(), error_score="raise"
    ).fit(X, grades, qid=qid)
    for name in scoring:
        assert (search.cv_results_[f"mean_test_{name}"] > 0.5).all()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", [ndcg_scorer, average_precision_scorer, pair_accuracy_scorer])
def test_without_queries_a_scorer_refuses(rows, make) -> None:
    """Rows are never taken for one query in silence: the error says how to pass qid."""
    X, grades, qid = rows
    model = LinearRanker().fit(X, grades, qid=qid)
    with pytest.raises(InvalidInput, match=r'got no qid: call sklearn.set_config.*params=\{"qid": qid\}'):
        make()(model, X, grades)


@pytest.mark.usefixtures("routing")
def test_a_search_without_queries_says_why(rows) -> None:
    """Inside cross_val_score the error is raised when asked for, else it is the warning of a NaN score."""
    X, grades, qid = rows
    given = {"X": X, "y": grades, "params": {"groups": qid}, "cv": GroupKFold(3), "scoring": ndcg_scorer()}
    with pytest.raises(InvalidInput, match="got no qid"):
        cross_val_score(LinearRanker(), **given, error_score="raise")
    with pytest.warns(UserWarning, match="got no qid"):
        assert np.isnan(cross_val_score(LinearRanker(), **given)).all()


def test_without_routing_no_scorer_is_made() -> None:
    """The scorer's maker says that metadata routing must be enabled first."""
    for make in (ndcg_scorer, average_precision_scorer, pair_accuracy_scorer):
        with pytest.raises(
            InvalidInput, match=r"call sklearn.set_config\(enable_metadata_routing=True\) before"
        ):
            make()


@pytest.mark.parametrize("settings", [{"k": 0}, {"log": "ten"}, {"gain": "square"}, {"ties": "random"}])
def test_bad_settings_are_refused_at_once(settings: dict) -> None:
    """A scorer with unknown settings is rejected when it is made, not in the middle of a search."""
    with pytest.raises(InvalidInput, match="must be"):
        ndcg_scorer(**settings)
    with pytest.raises(InvalidInput, match="relevant must be"):
        average_precision_scorer(relevant="one")


def test_importing_metrics_is_light() -> None:
    """``import penchant.metrics`` loads neither scikit-learn nor pandas nor Numba nor scipy.stats."""
    heavy = "{'sklearn', 'pandas', 'numba', 'scipy.stats'}"
    code = f"import sys, penchant.metrics; print(sorted({heavy} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
